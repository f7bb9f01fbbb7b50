// SPDX-License-Identifier: Apache-2.0
#include "host/trace/trace_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "environment.h"
#include "host/trace/trace_file.h"

namespace shaderqa {
namespace {

using ::testing::HasSubstr;

// The build lies on disk, wherever temporary files are.
std::filesystem::path disk() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

class TraceMemoryTest : public ::testing::Test {
 protected:
  ~TraceMemoryTest() override { std::filesystem::remove(path_); }

  std::unique_ptr<TraceFile> create(const std::string& folder) {
    std::string error;
    auto file = TraceFile::create(path_, folder, 2, 1024,
                                  {"compute:GlobalInvocationID=1,2,3", "", PlanKind::trace}, error);
    EXPECT_TRUE(file) << error;
    return file;
  }
  uint32_t dword_in_file(size_t segment, size_t dword) const {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(kTracePage + (segment * 1024 + dword) * 4));
    uint32_t value = 0;
    file.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  static void put(std::byte* segments, size_t segment, size_t dword, uint32_t value) {
    std::memcpy(segments + (segment * 1024 + dword) * 4, &value, sizeof value);
  }
  // In a process that dies without any destructor.
  void leave(uint32_t value) {
    const pid_t process = fork();
    if (process == 0) {
      const auto file = create(memory_.path());
      if (file && file->importable()) put(file->importable(), 1, 7, value);
      _exit(0);
    }
    waitpid(process, nullptr, 0);
  }
  std::vector<std::string> rescued() {
    std::vector<std::string> problems;
    rescue_traces(memory_.path(), [&](const std::string& problem) { problems.push_back(problem); });
    return problems;
  }
  bool memory_is_empty() const { return std::filesystem::is_empty(memory_.path()); }

  const testing::TemporaryDirectory memory_{true};
  const std::string path_ = disk() / ("trace_" + std::to_string(getpid()));
};

TEST_F(TraceMemoryTest, AFileOnDiskHasItsSegmentsInTheFolder) {
  auto file = create(memory_.path());
  ASSERT_TRUE(file && file->importable());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->importable()) % kTracePage, 0u);
  put(file->importable(), 1, 7, 123);
  EXPECT_EQ(dword_in_file(1, 7), 0u);
  file->store(file->importable(), file->segment_bytes());
  EXPECT_EQ(dword_in_file(1, 7), 123u);
  file.reset();
  EXPECT_TRUE(memory_is_empty());
}

TEST_F(TraceMemoryTest, OnDiskAloneNothingCanBeImported) {
  EXPECT_EQ(create("")->importable(), nullptr);
  std::filesystem::remove(path_);
  EXPECT_EQ(create(disk())->importable(), nullptr);
  std::filesystem::remove(path_);
  EXPECT_EQ(create("/no/such/folder")->importable(), nullptr);
  std::string error;
  EXPECT_EQ(TraceMemory::create(disk(), path_, 4096, error), nullptr);
  EXPECT_THAT(error, HasSubstr("is not a folder in memory"));
  EXPECT_EQ(TraceMemory::create("/no/such/folder", path_, 4096, error), nullptr);
  EXPECT_THAT(error, HasSubstr("cannot create /no/such/folder/"));
  EXPECT_EQ(TraceMemory::create(memory_.path(), std::string(3000, 'x'), 4096, error), nullptr);
  EXPECT_EQ(error, "the trace file's path is too long");
}

TEST_F(TraceMemoryTest, AFileInMemoryIsImportedItself) {
  std::string error;
  const std::string path = memory_.file("t");
  const auto file = TraceFile::create(path, memory_.path(), 1, 1024, {"", "", PlanKind::trace}, error);
  ASSERT_TRUE(file && file->importable()) << error;
  put(file->importable(), 0, 5, 77);
  file->store(file->importable(), file->segment_bytes());
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(kTracePage + 5 * 4);
  uint32_t value = 0;
  stream.read(reinterpret_cast<char*>(&value), sizeof value);
  EXPECT_EQ(value, 77u);
}

TEST_F(TraceMemoryTest, WhatADeadProcessLeftIsCopied) {
  leave(99);
  EXPECT_EQ(dword_in_file(1, 7), 0u);
  EXPECT_TRUE(rescued().empty());
  EXPECT_EQ(dword_in_file(1, 7), 99u);
  EXPECT_TRUE(memory_is_empty());
}

TEST_F(TraceMemoryTest, AnotherFileIsNotWrittenTo) {
  leave(99);
  testing::write_file(path_, "something else");
  EXPECT_THAT(rescued(), ::testing::ElementsAre(HasSubstr("is not there any more")));
  EXPECT_EQ(testing::read_file(path_), "something else");
  leave(98);  // takes the next free name
  std::filesystem::remove(path_ + ".2");
  EXPECT_EQ(rescued().size(), 1u);
  EXPECT_TRUE(memory_is_empty());
}

TEST_F(TraceMemoryTest, DamagedFilesAreRemoved) {
  testing::write_file(memory_.file("1-0.trace"), "short");
  testing::write_file(memory_.file("2-0.trace"), std::string(10000, 'x'));
  EXPECT_TRUE(rescued().empty());
  EXPECT_TRUE(memory_is_empty());
}

}  // namespace
}  // namespace shaderqa
