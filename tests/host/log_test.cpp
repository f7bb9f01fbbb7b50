// SPDX-License-Identifier: Apache-2.0
#include "host/log/log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <regex>
#include <thread>
#include <vector>

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

// The log belongs to the process, so each test opens one with a file of its own.
class Log : public ::testing::Test {
 protected:
  Log() { fs::create_directories(directory_); }
  ~Log() override { fs::remove_all(directory_); }

  std::string file(const std::string& name) const { return directory_ / name; }
  static std::vector<std::string> lines(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line);) found.push_back(line);
    return found;
  }

 private:
  const fs::path directory_ =
      fs::path(testing::TempDir()) / ("shaderqa_log_" + std::to_string(getpid()) + "_" +
                                      testing::UnitTest::GetInstance()->current_test_info()->name());
};

void log_every_level() {
  SHADERQA_LOG(error, "an error");
  SHADERQA_LOG(warn, "a warning");
  SHADERQA_LOG(info, "an information");
  SHADERQA_LOG(debug, "a detail");
  SHADERQA_LOG(trace, "a step");
}

TEST_F(Log, EachLevelAddsOne) {
  for (int level = 1; level <= static_cast<int>(LogLevel::trace); ++level) {
    const std::string path = file(std::to_string(level));
    const LogUse log(static_cast<LogLevel>(level), path);
    EXPECT_EQ(log.problem(), "");
    log_every_level();
    EXPECT_EQ(lines(path).size(), static_cast<size_t>(level));
  }
}

TEST_F(Log, LevelsHaveTheNamesOfTheSetting) {
  EXPECT_EQ(log_level_of("error"), LogLevel::error);
  EXPECT_EQ(log_level_of("warn"), LogLevel::warn);
  EXPECT_EQ(log_level_of("info"), LogLevel::info);
  EXPECT_EQ(log_level_of("debug"), LogLevel::debug);
  EXPECT_EQ(log_level_of("trace"), LogLevel::trace);
  EXPECT_EQ(log_level_of(""), LogLevel::off);
}

TEST_F(Log, LinesSayWhenWhoAndHowGrave) {
  const LogUse log(LogLevel::info, file("log"));
  SHADERQA_LOG(warn, "first\nsecond {} \x01");
  const std::vector<std::string> found = lines(file("log"));
  ASSERT_EQ(found.size(), 2u);
  const std::regex form("[0-9-]{10} [0-9:]{8}\\.[0-9]{3} shaderqa\\[" + std::to_string(getpid()) +
                        ":[0-9]+\\] warning: first");
  EXPECT_TRUE(std::regex_match(found[0], form)) << found[0];
  EXPECT_EQ(found[1], "    second {} \\x01");
}

TEST_F(Log, TheTextIsOnlyMadeIfItIsWanted) {
  const LogUse log(LogLevel::info, file("log"));
  int made = 0;
  const auto text = [&] {
    ++made;
    return "text";
  };
  SHADERQA_LOG(debug, text());
  EXPECT_EQ(made, 0);
  SHADERQA_LOG(info, text());
  EXPECT_EQ(made, 1);
}

TEST_F(Log, NothingIsThrownIntoTheProgram) {
  const LogUse log(LogLevel::info, file("log"));
  const auto fail = []() -> std::string { throw std::bad_alloc(); };
  SHADERQA_LOG(info, fail());
  SHADERQA_LOG(info, "next");
  EXPECT_EQ(lines(file("log")).size(), 1u);
}

TEST_F(Log, TheLatestDecidesUntilTheLastIsGone) {
  {
    const LogUse first(LogLevel::info, file("first"));
    SHADERQA_LOG(info, "text");
    const LogUse off(LogLevel::off, file("off"));
    SHADERQA_LOG(info, "text");
    {
      const LogUse second(LogLevel::error, file("second"));
      SHADERQA_LOG(info, "not wanted");
      SHADERQA_LOG(error, "text");
    }
    SHADERQA_LOG(error, "text");
  }
  EXPECT_FALSE(log_wanted(LogLevel::error));
  EXPECT_EQ(lines(file("first")).size(), 2u);
  EXPECT_EQ(lines(file("second")).size(), 2u);
  EXPECT_FALSE(fs::exists(file("off")));
}

TEST_F(Log, ItIsAppendedTo) {
  for (int i = 0; i < 2; ++i) {
    const LogUse log(LogLevel::info, file("log"));
    SHADERQA_LOG(info, "text");
  }
  EXPECT_EQ(lines(file("log")).size(), 2u);
}

TEST_F(Log, AFileThatCannotBeOpenedIsSaidOnce) {
  fs::create_directories(file("folder"));
  testing::internal::CaptureStderr();
  const LogUse log(LogLevel::info, file("folder"));
  EXPECT_NE(log.problem().find("cannot open the log file " + file("folder")), std::string::npos)
      << log.problem();
  EXPECT_NE(log.problem().find("the log goes to stderr"), std::string::npos) << log.problem();
  EXPECT_EQ(LogUse(LogLevel::info, file("folder")).problem(), "");
  SHADERQA_LOG(info, "text");
  EXPECT_NE(testing::internal::GetCapturedStderr().find(" info: text\n"), std::string::npos);
}

TEST_F(Log, WithoutAFileItGoesToStderr) {
  testing::internal::CaptureStderr();
  const LogUse log(LogLevel::info, "");
  SHADERQA_LOG(info, "text");
  EXPECT_NE(testing::internal::GetCapturedStderr().find(" info: text\n"), std::string::npos);
}

TEST_F(Log, AFullDiskEndsItWithOneSentence) {
  testing::internal::CaptureStderr();
  const LogUse full(LogLevel::info, "/dev/full");
  EXPECT_EQ(full.problem(), "");
  for (int i = 0; i < 3; ++i) SHADERQA_LOG(info, "text");
  EXPECT_FALSE(log_wanted(LogLevel::error));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find("shaderqa: note: the log cannot be written: "), std::string::npos) << said;
  // Another one may be opened.
  const LogUse log(LogLevel::info, file("log"));
  EXPECT_TRUE(log_wanted(LogLevel::info));
}

TEST_F(Log, ThreadsWriteWholeLines) {
  const LogUse log(LogLevel::info, file("log"));
  constexpr int kThreads = 4, kLines = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kLines; ++i) SHADERQA_LOG(info, "the same text");
    });
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::string> found = lines(file("log"));
  EXPECT_EQ(found.size(), size_t{kThreads * kLines});
  EXPECT_TRUE(std::ranges::all_of(
      found, [](const std::string& line) { return line.ends_with(" info: the same text"); }));
}

TEST_F(Log, AForkedChildWritesOnlyWhatItOpensItself) {
  const LogUse log(LogLevel::info, file("parent"));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SHADERQA_LOG(info, "lost");
    const LogUse own(LogLevel::info, file("child"));
    SHADERQA_LOG(info, "kept");
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(lines(file("parent")).empty());
  EXPECT_EQ(lines(file("child")).size(), 1u);
}

TEST_F(Log, ATimerKnowsWhatItHasMeasured) {
  EXPECT_EQ(milliseconds_text(std::chrono::microseconds(1256)), "1.26 ms");
  const LogUse log(LogLevel::info, file("log"));
  const LogTimer timer;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(std::stod(timer.text()), 20.0);
}

TEST_F(Log, Addresses) { EXPECT_EQ(hex_text(0x1f), "0x1f"); }

}  // namespace
}  // namespace shaderqa
