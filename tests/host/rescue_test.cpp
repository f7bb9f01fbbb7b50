// SPDX-License-Identifier: Apache-2.0
// What a process that dies leaves behind, and what its parent makes of it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "host/findings/check_details.h"
#include "host/findings/check_metadata.h"
#include "host/rescue/rescue_buffers.h"
#include "host/rescue/rescue_file.h"
#include "host/rescue/rescue_layout.h"
#include "instrument/runtime/abi_printf.h"
#include "instrument/runtime/abi_report.h"
#include "tests/host/check_builder.h"
#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSegmentBytes = 16384;
constexpr uint32_t kSegments = 2;

struct Rescued {
  std::vector<std::string> texts, problems;
  std::vector<Finding> findings;
};

class RescueTest : public testing::Test {
 protected:
  RescueTest() {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~RescueTest() override { fs::remove_all(directory_); }

  std::unique_ptr<RescueFile> create() const {
    std::string error;
    auto file = RescueFile::create(directory_, kSegments, kSegmentBytes, error);
    EXPECT_NE(file, nullptr) << error;
    return file;
  }
  static uint32_t* entries(RescueFile& file, uint32_t segment) {
    return reinterpret_cast<uint32_t*>(file.segment_memory() + segment * kSegmentBytes +
                                       sizeof(abi::PrintfBufferHeader));
  }
  static void put(RescueFile& file, uint32_t segment, uint32_t at, uint32_t value) {
    const std::vector<uint32_t> entry = make_entry(11, {value});
    std::memcpy(entries(file, segment) + at, entry.data(), entry.size() * 4);
  }
  static ShaderRecord record() { return make_record({args().u32(0).site("value %u", 11)}); }
  // Runs in a child that dies without any destructor.
  template <typename Body>
  static void in_child(Body body) {
    const pid_t pid = fork();
    if (pid == 0) {
      body();
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
  }
  Rescued rescue_all() const {
    Rescued result;
    RescueCallbacks callbacks;
    callbacks.message = [&](const RescuedMessage& message) {
      result.texts.push_back(render_printf(*message.site, message.payload).text);
    };
    callbacks.finding = [&](const Finding& finding) { result.findings.push_back(finding); };
    callbacks.problem = [&](const std::string& problem) { result.problems.push_back(problem); };
    rescue(directory_, callbacks);
    return result;
  }
  fs::path the_file() const {
    for (const auto& entry : fs::directory_iterator(directory_))
      if (entry.path().extension() == ".printf") return entry.path();
    return {};
  }
  size_t file_count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  const std::string directory_ = "/dev/shm/shaderqa_test_" + std::to_string(getpid());
};

TEST_F(RescueTest, AnOrderlyEndLeavesNothing) {
  {
    const auto file = create();
    file->add_sites(record());
    EXPECT_EQ(file_count(), 2u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file->segment_memory()) % kRescuePage, 0u);
  }
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(RescueTest, SeveralFilesOfOneProcess) {
  const auto first = create();
  const auto second = create();
  EXPECT_EQ(file_count(), 4u);
}

TEST_F(RescueTest, DeliversWhatIsLeft) {
  in_child([&] {
    RescueFile* file = create().release();
    file->add_sites(record());
    put(*file, 0, 0, 1);  // delivered
    put(*file, 0, 3, 2);
    put(*file, 0, 10, 0);  // after a hole, with a zero at its end
    put(*file, 1, 0, 4);
    *file->cursor(0) = 3;
  });
  const Rescued rescued = rescue_all();
  EXPECT_EQ(rescued.texts, (std::vector<std::string>{"value 2", "value 0", "value 4"}));
  EXPECT_EQ(rescued.problems.size(), 1u) << "the hole";
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(RescueTest, AfterSigkill) {
  in_child([&] {
    RescueFile* file = create().release();
    file->add_sites(record());
    put(*file, 0, 0, 5);
    kill(getpid(), SIGKILL);
  });
  EXPECT_EQ(rescue_all().texts, std::vector<std::string>{"value 5"});
}

std::unique_ptr<RescueFile> create_checks(const std::string& directory) {
  std::string error;
  auto file = RescueFile::create(directory, 1, sizeof(abi::Report) * SQA_REPORT_SLOTS, error,
                                 RescueFile::Content::checks);
  EXPECT_NE(file, nullptr) << error;
  return file;
}

void put_report(RescueFile& file, uint32_t slot, abi::Report record) {
  record.ticket = slot + 1;
  reinterpret_cast<abi::Report*>(file.segment_memory())[slot] = record;
}

TEST_F(RescueTest, ChecksThatNobodyReadYet) {
  in_child([&] {
    RescueFile* file = create_checks(directory_).release();
    file->add_sites(checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE)}));
    file->add_sites(checked_shader({check_site(70, SQA_CHECK_ASSUME)}));
    put_report(*file, 9, report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE, 0, kLoadMarks));
    put_report(*file, 11, report_of(70, SQA_CHECK_ASSUME));
    put_report(*file, 12, report_of(70, SQA_CHECK_ASSUME));
    put_report(*file, 4000, report_of(71, SQA_CHECK_ASSUME));  // no such site
    RescueBuffers buffers(file->buffer_slots());
    for (uint64_t i = 2; i < kRescueBufferSlots; ++i) buffers.put(i << 32, i << 32, 256, "one of many");
    buffers.put(0x77, 0x1000, 256, "particles of frame 1");
    buffers.put(0x78, 0x1100, 256, "another");
    kill(getpid(), SIGKILL);
  });
  const Rescued rescued = rescue_all();
  ASSERT_EQ(rescued.findings.size(), 2u);
  EXPECT_EQ(rescued.findings[0].kind, FindingKind::hazard);
  const std::optional<BufferOrigin>& buffer = rescued.findings[0].check->hazard.value().buffer;
  ASSERT_TRUE(buffer.has_value());
  EXPECT_EQ(buffer->name, "particles of frame 1");
  EXPECT_EQ(buffer->handle, 0x77u);
  EXPECT_EQ(buffer->offset, 0x40u);
  EXPECT_EQ(buffer->size, 256u);
  EXPECT_EQ(
      finding_text(rescued.findings[0]),
      "write after read: 4 bytes at \"particles of frame 1\" + 0x40 are stored to after another invocation "
      "loaded them, and nothing orders the two");
  EXPECT_EQ(rescued.findings[0].check->variable, "Particles");
  EXPECT_EQ(rescued.findings[0].invocation, "global invocation 7,0,0");
  EXPECT_EQ(rescued.findings[1].kind, FindingKind::assume);
  EXPECT_EQ(rescued.problems.size(), 1u) << "the unknown site";
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(RescueTest, DamagedCheckFiles) {
  const auto leave = [&] {
    in_child([&] {
      RescueFile* file = create_checks(directory_).release();
      file->add_sites(checked_shader({check_site(70, SQA_CHECK_ASSUME)}));
      put_report(*file, 0, report_of(70, SQA_CHECK_ASSUME));
      put_report(*file, 4000, report_of(70, SQA_CHECK_ASSUME));
    });
    for (const auto& entry : fs::directory_iterator(directory_))
      if (entry.path().extension() == ".checks") return entry.path();
    return fs::path();
  };
  fs::resize_file(leave(), kRescuePage + 100);
  Rescued rescued = rescue_all();
  EXPECT_EQ(rescued.findings.size(), 1u);
  EXPECT_EQ(rescued.problems.size(), 1u);

  fs::resize_file(leave(), 10);
  rescued = rescue_all();
  EXPECT_TRUE(rescued.findings.empty());
  EXPECT_EQ(rescued.problems.size(), 1u);

  fs::path sites = leave();
  std::ofstream(sites.replace_extension(".check-sites"), std::ios::app) << "{\"shader\":\"1\"}\n[[[";
  rescued = rescue_all();
  EXPECT_EQ(rescued.findings.size(), 1u);
  EXPECT_EQ(rescued.problems.size(), 1u);

  sites = leave();
  fs::remove(sites.replace_extension(".check-sites"));
  rescued = rescue_all();
  EXPECT_TRUE(rescued.findings.empty());
  EXPECT_EQ(rescued.problems.size(), 1u);
  EXPECT_EQ(file_count(), 0u);
}

TEST(CheckMetadata, ReadsBack) {
  ShaderRecord record =
      checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE), check_site(70, SQA_CHECK_ASSUME)},
                     "a \"b\"", Stage::any_hit);
  record.check_sites[1].set = record.check_sites[1].binding = UINT32_MAX;
  record.check_sites[1].source = {};
  const std::optional<ShaderRecord> back = read_check_metadata(write_check_metadata(record));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->check_sites, record.check_sites);
  EXPECT_EQ(back->shader_hash, record.shader_hash);
  EXPECT_EQ(back->stage, record.stage);
  EXPECT_EQ(back->entry_point, record.entry_point);
  record.check_sites.clear();
  EXPECT_TRUE(read_check_metadata(write_check_metadata(record)));
  for (const char* bad : {"", "[]", "{}", "{\"shader\":\"1\"}", "{\"shader\":1,\"sites\":[]}",
                          "{\"shader\":\"1\",\"sites\":[1]}", "{\"shader\":\"1\",\"sites\":{}}"})
    EXPECT_FALSE(read_check_metadata(bad)) << bad;
  EXPECT_TRUE(read_check_metadata("{\"shader\":\"zz\",\"stage\":99,\"sites\":[{\"word\":-1,\"text\":5}]}"));
}

TEST_F(RescueTest, OldestFirst) {
  for (uint32_t value : {1u, 2u, 3u})
    in_child([&] {
      RescueFile* file = create().release();
      file->add_sites(record());
      put(*file, 0, 0, value);
    });
  EXPECT_EQ(rescue_all().texts, (std::vector<std::string>{"value 1", "value 2", "value 3"}));
}

TEST_F(RescueTest, AFileInUseIsLeftAlone) {
  const auto file = create();
  file->add_sites(record());
  put(*file, 0, 0, 1);
  // Asked by another process, as the parent is one.
  in_child([&] {
    const Rescued rescued = rescue_all();
    if (!rescued.texts.empty() || rescued.problems.size() != 1) fs::remove(the_file());
  });
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(RescueTest, DamagedFiles) {
  const auto leave = [&] {
    in_child([&] {
      RescueFile* file = create().release();
      file->add_sites(record());
      put(*file, 0, 0, 1);
      put(*file, 1, 0, 2);
    });
  };
  leave();
  fs::resize_file(the_file(),
                  kRescuePage + kSegmentBytes + 20);  // the second segment is cut within its entry's header
  Rescued rescued = rescue_all();
  EXPECT_EQ(rescued.texts, std::vector<std::string>{"value 1"});
  EXPECT_EQ(rescued.problems.size(), 2u) << "a short file, a cut entry";

  leave();
  fs::resize_file(the_file(), 100);
  EXPECT_EQ(rescue_all().problems.size(), 1u);
  EXPECT_EQ(file_count(), 0u);

  for (const size_t offset : {size_t{0}, offsetof(RescueHeader, segments),
                              offsetof(RescueHeader, segment_bytes), offsetof(RescueHeader, cursors)}) {
    leave();
    std::fstream file(the_file(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    const uint64_t garbage = 0xfffffffffffffff1;
    file.write(reinterpret_cast<const char*>(&garbage), sizeof garbage);
    file.close();
    rescued = rescue_all();
    EXPECT_LT(rescued.texts.size(), 2u) << offset;
    EXPECT_EQ(file_count(), 0u);
  }

  leave();
  fs::path sites = the_file();
  std::ofstream(sites.replace_extension(".sites"), std::ios::app) << "{\"amdpal.format";
  rescued = rescue_all();
  EXPECT_EQ(rescued.texts.size(), 2u);
  EXPECT_EQ(rescued.problems.size(), 1u);

  leave();
  sites = the_file();
  fs::remove(sites.replace_extension(".sites"));
  rescued = rescue_all();
  EXPECT_TRUE(rescued.texts.empty());
}

TEST_F(RescueTest, ErrorsAreSentences) {
  std::string error;
  EXPECT_EQ(RescueFile::create("/nonexistent", 1, 4096, error), nullptr);
  EXPECT_NE(error.find("/nonexistent"), std::string::npos);
  EXPECT_EQ(RescueFile::create(directory_, 1, 4097, error), nullptr);
  EXPECT_EQ(RescueFile::create(directory_, 0, 4096, error), nullptr);
  Rescued result;
  RescueCallbacks callbacks;
  callbacks.problem = [&](const std::string& problem) { result.problems.push_back(problem); };
  rescue("/nonexistent", callbacks);
  EXPECT_EQ(result.problems.size(), 1u);
}

}  // namespace
}  // namespace shaderqa::test
