// SPDX-License-Identifier: Apache-2.0
#include "host/cache/shader_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/cache/result_bytes.h"
#include "tests/host/result_builder.h"

namespace shaderqa::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<uint32_t>;

class ShaderCacheTest : public ::testing::Test {
 protected:
  ShaderCacheTest() {
    char name[] = "/tmp/shaderqa_cache_XXXXXX";
    root_ = mkdtemp(name);
    directory = root_ / "parent" / "cache";
  }
  ~ShaderCacheTest() override { fs::remove_all(root_); }

  std::unique_ptr<ShaderCache> open(const std::string& build = "build", uint64_t bytes = 1 << 20) {
    return std::make_unique<ShaderCache>(
        directory, bytes, build,
        [this](const std::string& key, const std::string& text) { notes.emplace(key, text); });
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(directory, none)) found.push_back(entry.path());
    return found;
  }
  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }

  fs::path root_, directory;
  std::map<std::string, std::string> notes;
  const Words words = {0x07230203, 1, 2, 3, 4};
  const InstrumentOptions options;
};

TEST_F(ShaderCacheTest, GivesBackAllThatItWasGiven) {
  InstrumentResult result = some_result();
  open()->store(words, options, result);
  auto found = open()->load(words, options);
  ASSERT_TRUE(found);
  EXPECT_EQ(to_bytes(*found), to_bytes(result));
  EXPECT_EQ(found->words, result.words);
  EXPECT_EQ(found->record.printf_sites.at(0).arguments, result.record.printf_sites.at(0).arguments);
  EXPECT_EQ(found->record.check_sites, result.record.check_sites);
  // Also of shaders that are left alone.
  result = {InstrumentStatus::refused, {}, {}, "why"};
  open()->store(words, options, result);
  found = open()->load(words, options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status, InstrumentStatus::refused);
  EXPECT_EQ(found->message, "why");
  EXPECT_EQ(files().size(), 1u);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all);
}

TEST_F(ShaderCacheTest, AnyOtherQuestionIsAMiss) {
  open()->store(words, options, some_result());
  EXPECT_FALSE(open("another build")->load(words, options));
  EXPECT_FALSE(open()->load(Words{0x07230203, 1, 2, 3, 5}, options));
  std::vector<InstrumentOptions> others(23);
  size_t i = 0;
  others[i++].printf = false;
  others[i++].assume = true;
  others[i++].expect = true;
  others[i++].keep_assume = false;
  others[i++].nan = NanCheck::full;
  others[i++].sync.enabled = true;
  others[i++].sync.engine = SyncEngine::exact;
  others[i++].sync.unwatched_version = false;
  others[i++].sync.calls = SyncCalls::always;
  others[i++].sync.footprints = true;
  others[i++].sync.record_set = 1;
  others[i++].sync.descriptors.push_back({});
  others[i++].root_address = 1;
  others[i++].entry_point = "other";
  others[i++].stage = Stage::miss;
  others[i++].int64_atomics = false;
  others[i++].subgroup_ballot = true;
  others[i++].memory_barrier = false;
  others[i++].vulkan_memory_model_device_scope = true;
  others[i++].varying_addresses = true;
  others[i++].record_invocation = true;
  others[i++].printf_first = 1;
  others[i++].printf_every = 1;
  for (const InstrumentOptions& other : others)
    EXPECT_FALSE(open()->load(words, other)) << &other - &others[0];
  EXPECT_TRUE(open()->load(words, options));
  EXPECT_TRUE(notes.empty());
}

TEST_F(ShaderCacheTest, ADamagedFileIsAMissAndOneNoteAndMadeAnew) {
  open()->store(words, options, some_result());
  const fs::path file = files().at(0);
  const std::string whole = read(file);
  const auto cache = open();
  // The header densely, the rest here and there.
  const auto next = [](size_t at) { return at + (at < 80 ? 3 : 29); };
  for (size_t length = 0; length < whole.size(); length = next(length)) {
    write(file, whole.substr(0, length));
    ASSERT_FALSE(cache->load(words, options)) << length;
  }
  for (size_t at = 0; at < whole.size(); at = next(at)) {
    std::string bent = whole;
    bent[at] = static_cast<char>(bent[at] ^ 0x10);
    write(file, bent);
    ASSERT_FALSE(cache->load(words, options)) << at;
  }
  write(file, whole + "x");
  EXPECT_FALSE(cache->load(words, options));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes.begin()->second.find(file), std::string::npos);
  cache->store(words, options, some_result());
  EXPECT_TRUE(cache->load(words, options));
}

TEST_F(ShaderCacheTest, IsNotCaughtByWhatSomebodyPutThere) {
  open()->store(words, options, some_result());
  const fs::path file = files().at(0);
  const std::string whole = read(file);
  const auto miss = [&] {
    EXPECT_FALSE(open()->load(words, options));
    EXPECT_EQ(notes.size(), 1u);
    notes.clear();
  };
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  miss();
  fs::remove(file);
  write(root_ / "elsewhere", whole);
  fs::create_symlink(root_ / "elsewhere", file);
  miss();
  fs::remove(file);
  fs::create_directory(file);
  miss();
  fs::remove(file);
  if (geteuid() == 0) {
    write(file, whole);
    ASSERT_EQ(chown(file.c_str(), 12345, 0), 0);
    miss();
    fs::remove(file);
  }
  // A sparse file of more than the memory that there is.
  write(file, whole);
  fs::resize_file(file, uint64_t{1} << 40);
  miss();
}

TEST_F(ShaderCacheTest, ADirectoryThatCannotBeIsOneNote) {
  for (const fs::path& nowhere : {fs::path("/proc/shaderqa"), root_ / "file" / "cache", root_ / "file"}) {
    write(root_ / "file", "");
    directory = nowhere;
    const auto cache = open();
    for (int i = 0; i < 3; ++i) {
      cache->store(words, options, some_result());
      EXPECT_FALSE(cache->load(words, options));
    }
    EXPECT_EQ(notes.size(), 1u) << nowhere;
    notes.clear();
  }
}

TEST_F(ShaderCacheTest, AReadOnlyDirectoryIsReadAndOneNoteIsSaid) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  open()->store(words, options, some_result());
  fs::permissions(directory, fs::perms::owner_read | fs::perms::owner_exec);
  const auto cache = open();
  EXPECT_TRUE(cache->load(words, options));
  EXPECT_TRUE(notes.empty());
  cache->store({}, options, some_result());
  cache->store({}, options, some_result());
  EXPECT_EQ(notes.size(), 1u);
  fs::permissions(directory, fs::perms::owner_all);
}

// A limit on the size of files fails as a full file system does: in the middle.
TEST_F(ShaderCacheTest, AFullDirectoryIsOneNoteAndLeavesNothing) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto cache = open();
  for (uint32_t i = 0; i < 3; ++i) cache->store(Words{i}, options, some_result(2000));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_TRUE(files().empty());
}

TEST_F(ShaderCacheTest, StaysBelowItsBoundAndKeepsWhatIsUsed) {
  constexpr uint64_t bound = 100'000;
  const auto cache = open("build", bound);
  const InstrumentResult result = some_result(2000);  // over 8000 bytes
  cache->store(Words{0}, options, result);
  const fs::path used = files().at(0);
  write(directory / "notes.txt", std::string(200'000, 'x'));
  write(directory / (std::string(32, 'a') + ".shader.txt"), "of somebody else");
  for (uint32_t i = 1; i < 50; ++i) {
    cache->store(Words{i}, options, result);
    // Used for longest: it is older than all others, but loading it says that it is of use.
    fs::last_write_time(used, fs::file_time_type::clock::now() - std::chrono::hours(48));
    EXPECT_TRUE(cache->load(Words{0}, options)) << i;
    uint64_t bytes = 0;
    for (const fs::path& file : files())
      if (file.extension() == ".shader") bytes += fs::file_size(file);
    ASSERT_LE(bytes, bound);
    ASSERT_GT(bytes, i < 10 ? i * 8000 : bound / 2);
  }
  EXPECT_TRUE(cache->load(Words{49}, options));
  EXPECT_FALSE(cache->load(Words{1}, options));
  EXPECT_TRUE(fs::exists(directory / "notes.txt"));
  EXPECT_TRUE(fs::exists(directory / (std::string(32, 'a') + ".shader.txt")));
  cache->store(Words{100}, options, some_result(10'000));
  EXPECT_FALSE(cache->load(Words{100}, options)) << "too large a part of the whole";
  EXPECT_TRUE(notes.empty());
}

TEST_F(ShaderCacheTest, WhatAKilledProcessLeftIsRemoved) {
  open();
  const fs::path old = directory / (std::string(32, 'b') + ".1-2-3.tmp");
  const fs::path fresh = directory / (std::string(32, 'c') + ".1-2-3.tmp");
  write(old, "x");
  write(fresh, "x");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  open()->store(words, options, some_result());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh)) << "somebody writes it";
}

// Processes that are killed while they write the same files as others that live: whoever reads gets a whole
// result or none.
TEST_F(ShaderCacheTest, ManyWritersAndDeathsNeverGiveAWrongResult) {
  const auto result_for = [](uint32_t i) {
    InstrumentResult result = some_result(3000 + i);
    result.words.back() = i;
    return result;
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      ShaderCache cache(directory, 1 << 20, "build", [](const std::string&, const std::string&) {});
      for (uint32_t i = 0;; i = (i + 1) % 8) cache.store(Words{i}, options, result_for(i));
    }
    children.push_back(pid);
  }
  const auto cache = open();
  uint32_t found = 0;
  // However long it takes until the others run.
  for (uint32_t i = 0; found < 2000 && !HasFailure(); i = (i + 1) % 8) {
    if (const auto result = cache->load(Words{i}, options)) {
      ++found;
      EXPECT_EQ(to_bytes(*result), to_bytes(result_for(i)));
    }
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_TRUE(notes.empty()) << notes.begin()->second;
  for (uint32_t i = 0; i < 8; ++i) cache->load(Words{i}, options);
  EXPECT_TRUE(notes.empty()) << notes.begin()->second;
}

TEST_F(ShaderCacheTest, ThreadsShareIt) {
  const auto cache = open("build", 1 << 20);
  std::vector<std::thread> threads;
  std::atomic<uint32_t> found = 0;
  for (uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 20; ++i) {
        cache->store(Words{(t + i) % 10}, options, some_result(2000));
        found += cache->load(Words{i % 10}, options).has_value();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(found, 0u);
  EXPECT_TRUE(notes.empty());
}

TEST(ResultBytes, NonsenseIsRefused) {
  const auto refused = [](auto&& change) {
    InstrumentResult result = some_result();
    change(result);
    return !result_from_bytes(to_bytes(result));
  };
  EXPECT_FALSE(refused([](InstrumentResult&) {}));
  EXPECT_TRUE(refused([](InstrumentResult& r) { r.words[0] = 1; }));
  EXPECT_TRUE(refused([](InstrumentResult& r) { r.words.resize(4); }));
  EXPECT_TRUE(refused([](InstrumentResult& r) { r.status = static_cast<InstrumentStatus>(3); }));
  EXPECT_TRUE(refused([](InstrumentResult& r) { r.record.stage = static_cast<Stage>(200); }));
  EXPECT_TRUE(refused([](InstrumentResult& r) { r.record.printf_sites[0].id = 0; }));
  EXPECT_TRUE(refused([](InstrumentResult& r) { r.record.printf_sites[0].id |= uint64_t{1} << 48; }));
  EXPECT_TRUE(
      refused([](InstrumentResult& r) { r.record.printf_sites[0].arguments[0].scalars[0].width = 33; }));
}

}  // namespace
}  // namespace shaderqa::test
