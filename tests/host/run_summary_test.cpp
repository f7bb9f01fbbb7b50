// SPDX-License-Identifier: Apache-2.0
// The summary of a process: what is written is what the parent reads, whatever else lies in the directory.
#include "host/summary/run_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "host/findings/report.h"
#include "host/summary/process_record.h"

namespace shaderqa::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Summaries : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "shaderqa_summary_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string directory() const { return directory_.string(); }
  fs::path only_file(const std::string& extension) const {
    for (const auto& entry : fs::directory_iterator(directory_))
      if (entry.path().extension() == extension) return entry.path();
    ADD_FAILURE() << "no file " << extension;
    return {};
  }

  fs::path directory_;
};

void fill(RunSummary& summary) {
  summary.begin({"sync", "printf"}, "a*");
  summary.device("a \"device\"", "its driver", "");
  summary.device("old", "driver", "too old");
  summary.add(Tally::messages, 3);
  summary.shader(1, ShaderFate::checked);
  summary.shader(2, ShaderFate::nothing);
  summary.shader(3, ShaderFate::excluded);
  summary.shader(4, ShaderFate::refused);
  Finding note;
  note.kind = FindingKind::note;
  note.text = "a note";
  summary.finding(note);
}

void expect_filled(const ProcessRecord& record) {
  EXPECT_EQ(record.process, static_cast<uint32_t>(::getpid()));
  EXPECT_EQ(record.checks, "sync, printf");
  EXPECT_EQ(record.only, "a*");
  EXPECT_EQ(record.program, program_invocation_short_name);
  EXPECT_FALSE(record.version.empty());
  ASSERT_EQ(record.devices.size(), 2u);
  EXPECT_EQ(record.devices[0].name, "a \"device\"");
  EXPECT_EQ(record.devices[0].driver, "its driver");
  EXPECT_EQ(record.devices[0].inert_reason, "");
  EXPECT_EQ(record.devices[1].inert_reason, "too old");
  EXPECT_EQ(record.tally(Tally::devices), 2u);
  EXPECT_EQ(record.tally(Tally::inert_devices), 1u);
  EXPECT_EQ(record.tally(Tally::messages), 3u);
  for (const Tally one :
       {Tally::shaders_checked, Tally::shaders_nothing, Tally::shaders_excluded, Tally::shaders_refused})
    EXPECT_EQ(record.tally(one), 1u);
  EXPECT_EQ(record.tally(Tally::facts_lost), 0u);
  ASSERT_EQ(record.lines.size(), 1u);
  EXPECT_EQ(record.lines[0].text, "a note");
}

TEST_F(Summaries, AreReadBackWhileTheProcessRunsAndAfterItsEnd) {
  {
    std::string problem;
    RunSummary summary(directory(), problem);
    EXPECT_EQ(problem, "");
    fill(summary);
    const std::vector<ProcessRecord> records = read_processes(directory());
    ASSERT_EQ(records.size(), 1u);
    expect_filled(records[0]);
    EXPECT_FALSE(records[0].ended);
    EXPECT_EQ(records[0].damage, "");
    summary.end();
    EXPECT_TRUE(read_processes(directory())[0].ended);
  }
  const std::vector<ProcessRecord> records = read_processes(directory());
  ASSERT_EQ(records.size(), 1u);
  expect_filled(records[0]);
  EXPECT_TRUE(records[0].ended);
}

TEST_F(Summaries, WithoutADirectoryAreInMemory) {
  std::string problem;
  RunSummary summary("", problem);
  EXPECT_EQ(problem, "");
  fill(summary);
  expect_filled(summary.record());
}

TEST_F(Summaries, ADirectoryThatCannotBeUsedIsSaid) {
  std::string problem;
  RunSummary summary(directory() + "/nonesuch", problem);
  EXPECT_THAT(problem, HasSubstr("cannot write " + directory() + "/nonesuch/"));
  EXPECT_THAT(problem, HasSubstr(std::strerror(ENOENT)));
  fill(summary);
  expect_filled(summary.record());
}

TEST_F(Summaries, OneProcessMayHaveSeveral) {
  std::string problem;
  RunSummary first(directory(), problem);
  first.begin({"sync"}, "");
  RunSummary second(directory(), problem);
  EXPECT_EQ(problem, "");
  second.begin({"printf"}, "");
  const std::vector<ProcessRecord> records = read_processes(directory());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_LE(records[0].created_ns, records[1].created_ns);
  EXPECT_EQ(records[0].checks, "sync");
  EXPECT_EQ(records[1].checks, "printf");
}

// A shader that several pipelines have is counted once, and the last fate in the order of the enumeration
// holds.
TEST_F(Summaries, OfSeveralFatesOfAShaderTheLastInTheirOrderHolds) {
  std::string problem;
  RunSummary summary("", problem);
  const auto expect = [&](uint64_t nothing, uint64_t excluded, uint64_t checked, uint64_t refused) {
    const ProcessRecord record = summary.record();
    EXPECT_EQ(record.tally(Tally::shaders_nothing), nothing);
    EXPECT_EQ(record.tally(Tally::shaders_excluded), excluded);
    EXPECT_EQ(record.tally(Tally::shaders_checked), checked);
    EXPECT_EQ(record.tally(Tally::shaders_refused), refused);
  };
  summary.shader(1, ShaderFate::nothing);
  summary.shader(1, ShaderFate::nothing);
  expect(1, 0, 0, 0);
  summary.shader(1, ShaderFate::checked);
  expect(0, 0, 1, 0);
  summary.shader(1, ShaderFate::excluded);
  expect(0, 0, 1, 0);
  summary.shader(1, ShaderFate::refused);
  expect(0, 0, 0, 1);
}

TEST_F(Summaries, DamagedLinesAreCounted) {
  std::string problem;
  RunSummary summary("", problem);
  fill(summary);
  RunPage page{};
  page.process = 7;
  page.created_ns = 8;
  const std::string facts =
      "{\"fact\":\"process\",\"program\":\"p\",\"checks\":7}\n\n{\"fact\":\"devi\n[]\n{\"fact\":\"other\"}\n"
      "{\"fact\":\"device\",\"name\":\"d\"}";
  const ProcessRecord record = read_process(page, facts);
  EXPECT_EQ(record.process, 7u);
  EXPECT_EQ(record.created_ns, 8u);
  EXPECT_EQ(record.program, "p");
  EXPECT_EQ(record.checks, "") << "of another type";
  ASSERT_EQ(record.devices.size(), 1u);
  EXPECT_EQ(record.devices[0].name, "d");
  EXPECT_EQ(record.tally(Tally::facts_lost), 3u);
}

TEST_F(Summaries, DamagedFilesAreSaid) {
  {
    std::string problem;
    RunSummary summary(directory(), problem);
    summary.begin({"sync"}, "");
  }
  const fs::path page = only_file(".run"), facts = only_file(".facts");
  EXPECT_EQ(read_processes(directory())[0].damage, "");
  fs::resize_file(facts, 0);
  EXPECT_THAT(read_processes(directory())[0].damage, HasSubstr("is damaged"));
  fs::remove(facts);
  EXPECT_THAT(read_processes(directory())[0].damage, HasSubstr("is damaged"));
  fs::resize_file(page, sizeof(RunPage) - 1);
  EXPECT_THAT(read_processes(directory())[0].damage, HasSubstr(page.string() + " is damaged"));
  fs::resize_file(page, 0);
  fs::resize_file(page, sizeof(RunPage));
  EXPECT_THAT(read_processes(directory())[0].damage, HasSubstr("is damaged")) << "without the magic number";
}

TEST_F(Summaries, PipelinesThatAreBeingMadeAreSeen) {
  std::string problem;
  RunSummary summary(directory(), problem);
  CompiledShader small{1, 100, 5, "small"}, large{2, 50, 6, "large"}, long_one{3, 200, 5, "long"};
  for (const CompiledShader& shader : {small, large, long_one}) summary.describe_shader(shader);
  EXPECT_FALSE(read_progress(directory(), monotonic_ns()).busy);
  {
    CompileTimer timer(summary, 3);
    const std::vector<uint64_t> hashes = {1, 2, 3, 99};
    timer.shaders(hashes);
    const RunProgress progress = read_progress(directory(), monotonic_ns() + 1'000'000'000);
    EXPECT_TRUE(progress.busy);
    EXPECT_EQ(progress.begun, 3u);
    EXPECT_EQ(progress.done, 0u);
    EXPECT_STREQ(progress.longest.name, "large") << "the one with most checked places";
    EXPECT_GE(progress.longest_ns, 1'000'000'000u);
    EXPECT_LT(progress.longest_ns, 100'000'000'000u);
    EXPECT_EQ(progress.spent_ns, progress.longest_ns);
    EXPECT_FALSE(read_progress(directory(), 1).busy) << "at a time before it began";
    EXPECT_STREQ(read_processes(directory()).at(0).unfinished.at(0).name, "large");
  }
  const RunProgress after = read_progress(directory(), monotonic_ns() + 1'000'000'000);
  EXPECT_FALSE(after.busy);
  EXPECT_TRUE(read_processes(directory()).at(0).unfinished.empty());
  EXPECT_EQ(after.done, 3u);
  EXPECT_EQ(after.begun, 3u);
  const ProcessRecord record = summary.record();
  EXPECT_EQ(record.slowest_ns, record.tally(Tally::pipeline_ns));
  EXPECT_EQ(after.spent_ns, record.slowest_ns);
  EXPECT_STREQ(record.slowest.name, "large");
}

TEST_F(Summaries, WhatWasAnnouncedIsNotCountedTwice) {
  std::string problem;
  RunSummary summary(directory(), problem);
  summary.pipelines_wait(2);
  { CompileTimer timer(summary, 2, true); }
  { CompileTimer timer(summary, 1); }
  EXPECT_EQ(summary.record().tally(Tally::pipelines_begun), 3u);
  EXPECT_EQ(summary.record().tally(Tally::pipelines_done), 3u);
}

TEST_F(Summaries, OfCallsThatRunAtOnceTheOneThatBeganFirstIsTheLongest) {
  std::string problem;
  RunSummary summary(directory(), problem);
  summary.describe_shader({1, 1, 1, "first"});
  summary.describe_shader({2, 1, 9, "second"});
  CompileTimer first(summary, 1);
  first.shaders(std::array<uint64_t, 1>{1});
  for (const uint64_t begin = monotonic_ns(); monotonic_ns() == begin;) {
  }
  CompileTimer second(summary, 1);
  second.shaders(std::array<uint64_t, 1>{2});
  const uint64_t now = monotonic_ns();
  const RunProgress progress = read_progress(directory(), now);
  EXPECT_STREQ(progress.longest.name, "first");
  EXPECT_GE(progress.spent_ns, progress.longest_ns);
  EXPECT_LE(progress.spent_ns, 2 * progress.longest_ns);
}

TEST_F(Summaries, WaitsForTheDeviceAreSeenWhileTheyLast) {
  constexpr uint64_t second = 1'000'000'000;
  std::string problem;
  RunSummary summary(directory(), problem);
  const uint64_t now = monotonic_ns();
  const auto waiting = [&] { return read_progress(directory(), now + 20 * second).waiting_ns / second; };
  EXPECT_EQ(waiting(), 0u);
  {
    DeviceWait first(summary, now);
    EXPECT_EQ(waiting(), 20u);
    std::thread([&] {
      const DeviceWait other(summary, now - 5 * second);
      EXPECT_EQ(waiting(), 25u) << "the one that began first";
    }).join();
    EXPECT_EQ(waiting(), 20u);
    first.timed_out();
  }
  EXPECT_EQ(waiting(), 0u);
  {
    const DeviceWait again(summary, now + second / 2), nested(summary, now + second / 2);
    EXPECT_EQ(waiting(), 20u) << "goes on with the one that timed out";
  }
  {
    const DeviceWait later(summary, now + 15 * second);
    EXPECT_EQ(waiting(), 5u) << "the last one was successful";
  }
}

TEST_F(Summaries, WhatBeganLastIsToldOfTheWaitInWhichItWasKnown) {
  std::string problem;
  RunSummary summary(directory(), problem);
  EXPECT_EQ(summary.first_wait_ns(), 0u);
  summary.tell_begun("an earlier one", 90);
  {
    const DeviceWait wait(summary, 100);
    EXPECT_EQ(summary.first_wait_ns(), 100u);
    EXPECT_EQ(read_progress(directory(), 200).last_begun, "") << "it was told before the wait";
    EXPECT_EQ(waiting_text(read_processes(directory()).at(0)), "ended while it waited for the device");
    summary.tell_begun("dispatch 7", 150);
    EXPECT_EQ(read_progress(directory(), 200).last_begun, "dispatch 7");
    const ProcessRecord record = read_processes(directory()).at(0);
    EXPECT_TRUE(record.waits);
    EXPECT_EQ(waiting_text(record),
              "ended while it waited for the device. The last checked action to begin was dispatch 7");
    summary.tell_begun(std::string(1000, 'x'), 160);
    EXPECT_EQ(read_progress(directory(), 200).last_begun, std::string(sizeof(BegunText::text) - 1, 'x'));
  }
  EXPECT_EQ(read_progress(directory(), 200).last_begun, "");
  EXPECT_FALSE(read_processes(directory()).at(0).waits);
  EXPECT_EQ(summary.shader_name(1), "");
  summary.describe_shader({1, 10, 2, "a"});
  EXPECT_EQ(summary.shader_name(1), "a");
}

TEST_F(Summaries, MoreWaitsThanThereIsRoomForAreNotSeen) {
  std::string problem;
  RunSummary summary(directory(), problem);
  std::vector<std::unique_ptr<DeviceWait>> waits;
  for (size_t n = 0; n < kWaitSlots + 2; ++n) waits.push_back(std::make_unique<DeviceWait>(summary, 1));
  EXPECT_EQ(read_progress(directory(), 2).waiting_ns, 1u);
  waits.clear();
  EXPECT_EQ(read_progress(directory(), 2).waiting_ns, 0u);
}

// A killed process does nothing any more.
TEST_F(Summaries, WaitsOfAProcessThatIsGoneAreOver) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::string problem;
    RunSummary summary(directory(), problem);
    const DeviceWait wait(summary, 1);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(read_progress(directory(), 2).waiting_ns, 0u);
}

TEST_F(Summaries, ADescriptionIsThatOfTheLargestVersion) {
  std::string problem;
  RunSummary summary("", problem);
  const auto slowest_words = [&] {
    { CompileTimer(summary, 1).shaders(std::array<uint64_t, 1>{1}); }
    return summary.record().slowest.words;
  };
  summary.describe_shader({1, 10, 2, "a"});
  summary.describe_shader({1, 99, 1, "a"});  // fewer places to check
  EXPECT_EQ(slowest_words(), 10u);
}

TEST(WhatIsFaster, DependsOnTheDriverAndOnImages) {
  ProcessRecord record;
  EXPECT_THAT(what_is_faster(record), testing::StartsWith("sync_calls = always,"));
  record.checks = "sync with images";
  EXPECT_THAT(what_is_faster(record),
              testing::StartsWith("sync_images = false if it accesses images, else by sync_calls = always,"));
  record.devices.push_back({"a device", "llvmpipe Mesa 25.0.7", ""});
  EXPECT_THAT(what_is_faster(record),
              testing::AllOf(testing::StartsWith("GALLIVM_PERF=nopt in the environment"),
                             testing::HasSubstr("the time may be theirs")));
}

}  // namespace
}  // namespace shaderqa::test
