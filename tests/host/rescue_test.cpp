// What a process that dies leaves behind, and what its parent makes of it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "host/rescue_file.h"
#include "host/rescue_layout.h"
#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSegmentBytes = 16384;
constexpr uint32_t kSegments = 2;

struct Rescued {
  std::vector<std::string> texts, problems;
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
    rescue(
        directory_,
        [&](const RescuedMessage& message) {
          result.texts.push_back(render_printf(*message.site, message.payload).text);
        },
        [&](const std::string& problem) { result.problems.push_back(problem); });
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

  const std::string directory_ = testing::TempDir() + "shaderqa_rescue_" + std::to_string(getpid());
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
  rescue(
      "/nonexistent", [](const RescuedMessage&) {},
      [&](const std::string& problem) { result.problems.push_back(problem); });
  EXPECT_EQ(result.problems.size(), 1u);
}

}  // namespace
}  // namespace shaderqa::test
