// SPDX-License-Identifier: Apache-2.0
// What the settings of tracing become: the block by which shaders choose invocations, the trace file, the
// actions that it lists.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/trace/trace_file.h"
#include "instrument/instrument.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using Settings = std::map<std::string, std::string>;

class Traces : public CommandTest {
 protected:
  explicit Traces(const Settings& settings = {}, const null_driver::Config& config = {})
      : CommandTest({}, config, "exact", with_defaults(settings)) {}
  ~Traces() override { std::filesystem::remove(file()); }

  static std::string file() { return "/dev/shm/shaderqa_test_" + std::to_string(getpid()) + ".trace"; }
  // Checked versions are made beside the application's pipelines, so that actions are known.
  static Settings with_defaults(Settings settings) {
    std::filesystem::remove(file());
    settings.emplace("SHADERQA_TRACE_AT", "compute:GlobalInvocationID=5,0,0");
    settings.emplace("SHADERQA_TRACE_FILE", file());
    settings.emplace("SHADERQA_START", "first_use");
    return settings;
  }
  static abi::TraceControl* control() { return find_trace_control(); }
  VkCommandBuffer dispatches(int count = 1) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    for (int i = 0; i < count; ++i) dispatch(commands);
    end(commands);
    return commands;
  }
  // An invocation that was traced, without records.
  static void trace_one(uint32_t segment, uint32_t match) {
    abi::TraceControl& block = *control();
    auto* const dwords =
        reinterpret_cast<uint32_t*>(block.segments_address) + size_t{segment} * block.segment_dwords;
    dwords[SQA_TRACE_STAGE] = static_cast<uint32_t>(Stage::compute);
    dwords[SQA_TRACE_MATCH] = match;
    dwords[SQA_TRACE_MAGIC] = SQA_TRACE_SEGMENT_MAGIC;
    ++block.claimed;
  }
  static TraceContents read() {
    TraceContents contents;
    std::string error;
    EXPECT_TRUE(read_trace_file(file(), contents, error)) << error;
    return contents;
  }
};

TEST_F(Traces, WithoutFurtherSettings) {
  dispatches();
  const abi::TraceControl* const block = control();
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->selectors, 1u);
  EXPECT_EQ(block->segments, 8u);
  EXPECT_EQ(block->segment_dwords, (1u << 20) / 4);
  EXPECT_EQ(block->claimed, 0u);
  EXPECT_EQ(block->keep_last, 0u);
  EXPECT_EQ(block->skip, 0u);
  EXPECT_EQ(block->records, UINT32_MAX);
  EXPECT_EQ(block->when_words, 0u);
  EXPECT_EQ(block->selector[0].stages, 1u << static_cast<uint32_t>(Stage::compute));
  EXPECT_EQ(block->selector[0].value[0], 5u);
  EXPECT_EQ(block->selector[1].stages, 0u);
  EXPECT_EQ(read().selectors, "compute:GlobalInvocationID=5,0,0");
}

class AllSettings : public Traces {
 protected:
  AllSettings()
      : Traces({{"SHADERQA_TRACE_AT", "compute:WorkgroupID=1,2,3 | fragment"},
                {"SHADERQA_TRACE_SEGMENTS", "3"},
                {"SHADERQA_TRACE_SEGMENT_SIZE", "70000"},
                {"SHADERQA_TRACE_LAST", "1"},
                {"SHADERQA_TRACE_SKIP", "7"},
                {"SHADERQA_TRACE_RECORDS", "9"}}) {}
};

TEST_F(AllSettings, AreInTheBlock) {
  dispatches();
  const abi::TraceControl* const block = control();
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->selectors, 2u);
  EXPECT_EQ(block->segments, 3u);
  EXPECT_EQ(block->segment_dwords, 18 * 4096 / 4u) << "whole pages";
  EXPECT_EQ(block->keep_last, 1u);
  EXPECT_EQ(block->skip, 7u);
  EXPECT_EQ(block->records, 9u);
  EXPECT_EQ(block->selector[0].value[5], 2u);
  EXPECT_EQ(block->selector[1].stages, 1u << static_cast<uint32_t>(Stage::fragment));
  EXPECT_EQ(std::filesystem::file_size(file()) / 4096, 1 + 3 * 18u) << "a header, and segments";
}

class ACondition : public Traces {
 protected:
  ACondition() : Traces({{"SHADERQA_TRACE_WHEN", "WorkgroupID.x == 3"}}) {}
};

TEST_F(ACondition, IsInTheBlock) {
  dispatches();
  const abi::TraceControl* const block = control();
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->when_words, 4u);
  EXPECT_EQ(block->when[0] & 0xffu, SQA_WHEN_INPUT);
  EXPECT_EQ(block->when[1], SQA_WHEN_NUMBER);
  EXPECT_EQ(block->when[2], 3u);
  EXPECT_EQ(block->when[3], SQA_WHEN_EQUAL);
}

TEST_F(Traces, ShadersWriteIntoTheFile) {
  dispatches();
  ASSERT_NE(control(), nullptr);
  trace_one(0, 4);
  trace_one(1, 5);
  const TraceContents contents = read();
  ASSERT_EQ(contents.segments.size(), 2u);
  EXPECT_EQ(contents.segments[0].match, 4u);
  EXPECT_EQ(contents.segments[1].match, 5u);
}

TEST_F(Traces, HasEachShaderOnceWithItsNameAndWords) {
  dispatches();
  const VkPipeline again = create_compute_with(device(), shaders::accesses_comp, layout_);
  use(device(), again);
  vk().vkDestroyPipeline(device().handle, again, nullptr);
  const TraceContents contents = read();
  ASSERT_EQ(contents.shaders.size(), 1u);
  EXPECT_EQ(contents.shaders[0].hash, shader_hash(shaders::accesses_comp));
  EXPECT_EQ(contents.shaders[0].stage, Stage::compute);
  EXPECT_EQ(contents.shaders[0].entry_point, "main");
  EXPECT_EQ(contents.shaders[0].words, shaders::accesses_comp);
}

TEST_F(Traces, ListsActionsUntilAllInvocationsAreChosen) {
  const VkCommandBuffer two = dispatches(2), one = dispatches();
  submit({two});
  submit({one});
  ASSERT_NE(control(), nullptr);
  trace_one(0, 0);  // the selector's only one
  submit({two});
  const TraceContents contents = read();
  ASSERT_EQ(contents.actions.submissions.size(), 2u);
  const TracedSubmission& first = contents.actions.submissions[0];
  EXPECT_EQ(first.claimed, 0u);
  EXPECT_EQ(first.frame, 1u);
  ASSERT_EQ(first.actions.size(), 2u);
  EXPECT_EQ(first.actions[0].index, 1u);
  EXPECT_EQ(first.actions[1].index, 2u);
  EXPECT_EQ(first.actions[0].kind, "dispatch");
  EXPECT_EQ(first.actions[0].shaders, std::vector{shader_hash(shaders::accesses_comp)});
  EXPECT_EQ(contents.actions.submissions[1].actions.size(), 1u);
  EXPECT_TRUE(contents.actions.unlisted.empty());
}

TEST_F(Traces, ListsLabelsAndNamesOfCommandBuffers) {
  const VkCommandBuffer inner = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  bind(inner);
  dispatch(inner);
  end(inner);
  const VkCommandBuffer commands = begin();
  vk().vkCmdExecuteCommands(commands, 1, &inner);
  bind(commands);
  dispatch(commands);
  end(commands);
  submit({commands});
  const TraceContents contents = read();
  ASSERT_EQ(contents.actions.submissions.size(), 1u);
  EXPECT_EQ(contents.actions.submissions[0].actions.size(), 2u);
}

class TwoSelectors : public Traces {
 protected:
  TwoSelectors()
      : Traces({{"SHADERQA_TRACE_AT", "compute:matches=2 | compute:matches=3"},
                {"SHADERQA_TRACE_SEGMENTS", "4"},
                {"SHADERQA_TRACE_SEGMENT_SIZE", "64k"}}) {}
};

// Five would match; there is memory for four.
TEST_F(TwoSelectors, ActionsAreListedWhileThereIsMemoryLeft) {
  const VkCommandBuffer commands = dispatches();
  ASSERT_NE(control(), nullptr);
  for (uint32_t i = 0; i < 5; ++i) {
    submit({commands});
    if (i < 4) trace_one(i, i);
  }
  const TraceContents contents = read();
  ASSERT_EQ(contents.actions.submissions.size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(contents.actions.submissions[i].claimed, i);
}

// 1024 of a command buffer, and 65536 of a file.
TEST_F(Traces, SoManyActionsAreListed) {
  const VkCommandBuffer most = dispatches(1024);
  for (int i = 0; i < 64; ++i) submit({most});
  TraceContents contents = read();
  EXPECT_EQ(contents.actions.submissions.size(), 64u);
  EXPECT_EQ(contents.actions.submissions[63].actions.size(), 1024u);
  EXPECT_TRUE(contents.actions.unlisted.empty());
  submit({dispatches()});
  submit({most});
  contents = read();
  EXPECT_EQ(contents.actions.submissions.size(), 64u);
  EXPECT_EQ(contents.actions.unlisted, std::set<uint64_t>{0});
}

TEST_F(Traces, ACommandBufferWithTooManyActionsIsNotListed) {
  submit({dispatches(1025)});
  submit({dispatches()});
  const TraceContents contents = read();
  EXPECT_TRUE(contents.actions.submissions.empty()) << "what is behind it is not known either";
  EXPECT_EQ(contents.actions.unlisted, std::set<uint64_t>{0});
}

class TracesAtCreation : public Traces {
 protected:
  TracesAtCreation() : Traces({{"SHADERQA_START", "creation"}}) {}
};

TEST_F(TracesAtCreation, ShadersOfPipelinesWithOneVersionAreNotListed) {
  submit({dispatches()});
  const TraceContents contents = read();
  EXPECT_EQ(contents.actions.unlisted, std::set{shader_hash(shaders::accesses_comp)});
}

// Where the driver cannot write into the file's memory, the layer copies it there.
class TracesWithoutImport : public Traces {
 protected:
  static null_driver::Config without_import() {
    null_driver::Config config;
    config.missing_extensions = {"VK_EXT_external_memory_host"};
    return config;
  }
  TracesWithoutImport() : Traces({{"SHADERQA_TRACE_SEGMENTS", "2"}}, without_import()) {}
};

TEST_F(TracesWithoutImport, AreCopiedWhenTheDeviceIsWaitedFor) {
  submit({dispatches()});
  ASSERT_NE(control(), nullptr);
  trace_one(0, 7);
  EXPECT_TRUE(read().segments.empty());
  check(vk().vkDeviceWaitIdle(device().handle), "vkDeviceWaitIdle");
  ASSERT_EQ(read().segments.size(), 1u);
  EXPECT_EQ(read().segments[0].match, 7u);
  trace_one(1, 8);
  control()->claimed = 1000;  // no memory was left for those
  check(vk().vkDeviceWaitIdle(device().handle), "vkDeviceWaitIdle");
  const TraceContents contents = read();
  ASSERT_EQ(contents.segments.size(), 2u);
  EXPECT_EQ(contents.segments[1].match, 8u);
}

// After an import of pages on disk a driver may refuse all memory.
class TracesOnDisk : public Traces {
 protected:
  static std::string on_disk() {
    const std::filesystem::path build = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return build / ("traced_" + std::to_string(getpid()));
  }
  explicit TracesOnDisk(const Settings& more = {}) : Traces(with_file(more)) {}
  ~TracesOnDisk() override { std::filesystem::remove(on_disk()); }
  static Settings with_file(Settings settings) {
    settings.emplace("SHADERQA_TRACE_FILE", on_disk());
    return settings;
  }
  size_t imported() const {
    size_t count = 0;
    for (const auto& allocation : driver().log().allocations) count += allocation.imported;
    return count;
  }
  void expect_a_copy_at_a_wait() {
    submit({dispatches()});
    ASSERT_NE(control(), nullptr);
    trace_one(0, 7);
    TraceContents contents;
    std::string error;
    EXPECT_TRUE(read_trace_file(on_disk(), contents, error)) << error;
    EXPECT_TRUE(contents.segments.empty());
    check(vk().vkDeviceWaitIdle(device().handle), "vkDeviceWaitIdle");
    EXPECT_TRUE(read_trace_file(on_disk(), contents, error)) << error;
    ASSERT_EQ(contents.segments.size(), 1u);
    EXPECT_EQ(contents.segments[0].match, 7u);
  }
};

TEST_F(TracesOnDisk, AreNotImported) {
  expect_a_copy_at_a_wait();
  EXPECT_EQ(imported(), 0u);
}

class TracesOnDiskWithAFolder : public TracesOnDisk {
 protected:
  // As `shaderqa trace` makes it. A folder of its own, which the base's members are made before.
  static std::string folder() { return "/dev/shm/shaderqa_test_folder_" + std::to_string(getpid()); }
  static Settings settings() {
    std::filesystem::create_directory(folder());
    return {{"SHADERQA_RESCUE_DIR", folder()}};
  }
  TracesOnDiskWithAFolder() : TracesOnDisk(settings()) {}
  ~TracesOnDiskWithAFolder() override { std::filesystem::remove_all(folder()); }
};

TEST_F(TracesOnDiskWithAFolder, LieInTheFolderUntilThen) {
  expect_a_copy_at_a_wait();
  EXPECT_GE(imported(), 1u);
  bool found = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    found = found || entry.path().extension() == ".trace";
  EXPECT_TRUE(found);
}

// One note says what is wrong with a setting, and the program runs as without tracing.
struct Refused {
  const char *name, *at, *when, *file, *note;
  const char* segment_size = "";  // more than the device's memory where it is given
};
std::ostream& operator<<(std::ostream& out, const Refused& refused) { return out << refused.name; }

class RefusedTraces : public Traces, public ::testing::WithParamInterface<Refused> {
 protected:
  static Settings settings() {
    Settings all{{"SHADERQA_TRACE_AT", GetParam().at}};
    if (GetParam().when[0]) all["SHADERQA_TRACE_WHEN"] = GetParam().when;
    if (GetParam().file[0]) all["SHADERQA_TRACE_FILE"] = GetParam().file;
    if (GetParam().segment_size[0]) all["SHADERQA_TRACE_SEGMENT_SIZE"] = GetParam().segment_size;
    return all;
  }
  // From the device's creation on, since a worker thread makes the memory for the trace as soon as a pipeline
  // exists.
  static null_driver::Config little_memory() {
    null_driver::Config config;
    config.largest_allocation = 64ull << 20;
    config.missing_extensions = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    return config;
  }
  RefusedTraces()
      : Traces(settings(), GetParam().segment_size[0] ? little_memory() : null_driver::Config{}) {}
};

TEST_P(RefusedTraces, AreSaidOnce) {
  for (int i = 0; i < 2; ++i) submit({dispatches()});
  EXPECT_EQ(control(), nullptr);
  const auto said = notes_about("nothing is traced");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find(GetParam().note), std::string::npos) << said[0];
}

INSTANTIATE_TEST_SUITE_P(
    Settings, RefusedTraces,
    ::testing::Values(Refused{"selector", "compute:Nothing=1", "", "", "trace_at: "},
                      Refused{"condition", "compute", "WorkgroupID.x = 2", "", "trace_when: an operator"},
                      Refused{"condition_of_another_stage", "fragment | compute", "WorkgroupID.x == 2", "",
                              "trace_when: an input"},
                      Refused{"file", "compute", "", "/nonexistent/folder/trace",
                              "/nonexistent/folder/trace"},
                      Refused{"memory", "compute", "", "", "there is no memory", "16777216"}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace shaderqa::layer_tests
