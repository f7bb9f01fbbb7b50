// SPDX-License-Identifier: Apache-2.0
// Files that are rotated: reports and logs.
#include "host/text/rotated_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "host/findings/report.h"
#include "host/log/log.h"
#include "tests/host/simple_finding.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RotatedFiles : public ::testing::Test {
 protected:
  RotatedFiles() { fs::create_directories(directory_); }
  ~RotatedFiles() override {
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }
  static std::vector<std::string> lines(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line);) found.push_back(line);
    return found;
  }
  // In all files, the oldest first.
  std::vector<std::string> all_lines() const {
    std::vector<std::string> all;
    for (const std::string& file : with_rotated_files(path_))
      for (const std::string& line : lines(file)) all.push_back(line);
    return all;
  }
  RotatedFile::Renewal write(RotatedFile& file, const std::string& text) {
    const RotatedFile::Renewal renewal = file.renew();
    file.lines().buffer() += text + "\n";
    EXPECT_EQ(file.lines().flush(), "");
    return renewal;
  }
  Settings settings(uint64_t size, uint32_t files) const {
    Settings result;
    result.report = path_;
    result.printf_to_stderr = false;
    result.rotate_size = size;
    result.rotate_files = files;
    return result;
  }
  const fs::path directory_ =
      fs::path(::testing::TempDir()) / ("shaderqa_rotated_" + std::to_string(getpid()));
  const std::string path_ = directory_ / "out.jsonl";
};

TEST_F(RotatedFiles, KeepTheNewestLines) {
  RotatedFile file;
  ASSERT_EQ(file.open(path_, {4, 2}), "");
  EXPECT_FALSE(write(file, "one").is_new);
  EXPECT_TRUE(write(file, "two").is_new);
  EXPECT_FALSE(write(file, "three").dropped);
  EXPECT_TRUE(write(file, "four").dropped);
  EXPECT_THAT(with_rotated_files(path_), ElementsAre(path_ + ".2", path_ + ".1", path_));
  EXPECT_THAT(all_lines(), ElementsAre("two", "three", "four"));
  EXPECT_FALSE(fs::exists(path_ + ".3"));
}

TEST_F(RotatedFiles, WithoutALimitNothingIsRenamed) {
  RotatedFile file;
  ASSERT_EQ(file.open(path_, {0, 2}), "");
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(write(file, "line").is_new);
  EXPECT_THAT(with_rotated_files(path_), ElementsAre(path_));
}

TEST_F(RotatedFiles, ALinkKeepsPointingToTheNewestFile) {
  const std::string link = directory_ / "link";
  RotatedFile file;
  std::ofstream(path_) << "old\n";
  fs::create_symlink(path_, link);
  ASSERT_EQ(file.open(link, {4, 1}), "");
  EXPECT_TRUE(write(file, "new").is_new);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(lines(link), ElementsAre("new"));
  EXPECT_THAT(lines(path_ + ".1"), ElementsAre("old"));
}

TEST_F(RotatedFiles, APipeIsNotRotated) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::fstream reader(path_);  // both directions: opening does not wait
  RotatedFile file;
  ASSERT_EQ(file.open(path_, {4, 1}), "");
  for (const char* text : {"first", "second"}) EXPECT_FALSE(write(file, text).is_new);
  EXPECT_FALSE(fs::exists(path_ + ".1"));
}

TEST_F(RotatedFiles, AFileThatCannotBeRenamedIsGivenUp) {
  RotatedFile file;
  ASSERT_EQ(file.open(path_, {4, 1}), "");
  write(file, "line");
  fs::create_directories(path_ + ".1/in the way");
  EXPECT_THAT(file.renew().error, HasSubstr("cannot rename it"));
  EXPECT_FALSE(file.lines().usable());
}

// Several processes write to the same file and rotate it: no line is lost or torn while there is room for
// all.
TEST_F(RotatedFiles, ManyWritersLoseNothing) {
  constexpr int kWriters = 4, kLines = 500;
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    RotatedFile file;
    bool good = file.open(path_, {1000, 99}).empty();
    for (int i = 0; i < kLines && good; ++i) {
      good = file.renew().error.empty();
      file.lines().buffer() += std::to_string(writer) + " " + std::to_string(i) + "\n";
      good = good && file.lines().flush().empty();
    }
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::string> found = all_lines();
  EXPECT_EQ(found.size(), static_cast<size_t>(kWriters * kLines));
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), found.size());
  EXPECT_GT(with_rotated_files(path_).size(), 5u);
}

TEST_F(RotatedFiles, EachReportFileSaysWhoWroteItAndADroppedOneIsSaidOnce) {
  std::vector<Finding> heard;
  {
    Reporter reporter(settings(200, 2));
    Reporter::Listener listener;
    listener.finding = [&](const Finding& finding) { heard.push_back(finding); };
    reporter.listen(listener);
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 20; ++i)
      reporter.note("key " + std::to_string(i), "note " + std::to_string(i), Concern::nothing);
    ::testing::internal::GetCapturedStderr();
  }
  const auto dropped = std::ranges::count_if(heard, [](const Finding& finding) {
    return finding.incomplete == Concern::everything &&
           finding.text.find("its oldest lines are dropped") != std::string::npos;
  });
  EXPECT_EQ(dropped, 1);
  const std::vector<std::string> files = with_rotated_files(path_);
  ASSERT_EQ(files.size(), 3u);
  for (const std::string& file : files)
    EXPECT_TRUE(nlohmann::json::parse(lines(file).at(0)).contains("run")) << file;
  EXPECT_THAT(all_lines().back(), HasSubstr("note 19"));
}

TEST_F(RotatedFiles, TheLineOfTheVerdictRotatesNothing) {
  Reporter reporter(settings(10, 1));
  ::testing::internal::CaptureStderr();
  reporter.note("key", "a note that is longer than the limit", Concern::nothing);
  ::testing::internal::GetCapturedStderr();
  reporter.append_line("{\"kind\":\"checked\"}\n");
  EXPECT_EQ(all_lines().size(), 2u);
  EXPECT_THAT(with_rotated_files(path_), ElementsAre(path_));
}

TEST_F(RotatedFiles, LogsAreRotated) {
  const LogUse log(LogLevel::info, path_, Rotation{300, 3});
  ASSERT_EQ(log.problem(), "");
  for (int i = 0; i < 50; ++i) SHADERQA_LOG(info, "line " + std::to_string(i));
  EXPECT_EQ(with_rotated_files(path_).size(), 4u);
  EXPECT_THAT(all_lines().back(), HasSubstr("line 49"));
  for (const std::string& file : with_rotated_files(path_)) EXPECT_LT(fs::file_size(file), 400u);
}

}  // namespace
}  // namespace shaderqa
