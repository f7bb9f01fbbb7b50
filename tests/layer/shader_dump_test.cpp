// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/shader_dump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace shaderqa::layer {
namespace {

namespace fs = std::filesystem;

class Dump : public ::testing::Test {
 protected:
  Dump() {
    std::string name = ::testing::TempDir() + "/shader_dump_XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~Dump() override { fs::remove_all(root_); }

  std::string folder() const { return root_ + "/made/by/the/dump"; }
  std::vector<nlohmann::json> index() const {
    std::vector<nlohmann::json> lines;
    std::ifstream in(folder() + "/index.jsonl");
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  std::vector<uint32_t> words_of(const std::string& name) const {
    std::ifstream in(folder() + "/" + name, std::ios::binary);
    std::vector<uint32_t> words(fs::file_size(folder() + "/" + name) / sizeof(uint32_t));
    in.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(uint32_t)));
    return words;
  }

  std::string root_;
};

TEST_F(Dump, HoldsTheShaderBeforeAndAfter) {
  const std::vector<uint32_t> words = {1, 2, 3};
  InstrumentOptions options;
  options.stage = Stage::fragment;
  options.entry_point = "shade \"it\"";
  InstrumentResult result;
  result.status = InstrumentStatus::instrumented;
  result.words = {1, 2, 3, 4, 5};
  ShaderDump dump(folder());
  dump.shader(words, options, result);
  dump.shader(words, options, result);  // by a second device, say
  const std::vector<nlohmann::json> lines = index();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["event"], "shader");
  EXPECT_EQ(lines[0]["stage"], "fragment");
  EXPECT_EQ(lines[0]["entry_point"], options.entry_point);
  EXPECT_EQ(lines[0]["status"], "instrumented");
  EXPECT_EQ(words_of(lines[0]["original"]), words);
  EXPECT_EQ(words_of(lines[0]["rewritten"]), result.words);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 3)
      << "two shaders and the index, nothing temporary";
  EXPECT_EQ(dump.take_problem(), "");
}

TEST_F(Dump, SaysWhyThereIsNoRewrittenOne) {
  InstrumentResult refused;
  refused.status = InstrumentStatus::refused;
  refused.message = "it is odd";
  ShaderDump dump(folder());
  dump.shader(std::vector<uint32_t>{1}, {}, refused);
  dump.left_alone(0x1f, "the filter excludes it");
  dump.pipelines(3, std::chrono::microseconds(2));
  const std::vector<nlohmann::json> lines = index();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["status"], "refused");
  EXPECT_EQ(lines[0]["reason"], "it is odd");
  EXPECT_FALSE(lines[0].contains("rewritten"));
  EXPECT_EQ(lines[1]["shader"], "000000000000001f");
  EXPECT_EQ(lines[1]["reason"], "the filter excludes it");
  EXPECT_EQ(lines[2]["count"], 3);
  EXPECT_EQ(lines[2]["nanoseconds"], 2000);
}

TEST_F(Dump, AProblemIsSaidOnce) {
  std::ofstream(root_ + "/file");
  ShaderDump dump(root_ + "/file/folder");
  dump.shader(std::vector<uint32_t>{1}, {}, {});
  dump.left_alone(1, "reason");
  EXPECT_NE(dump.take_problem().find(root_ + "/file/folder"), std::string::npos);
  EXPECT_EQ(dump.take_problem(), "");
}

TEST(DumpOff, WritesNothing) {
  ShaderDump dump("");
  EXPECT_FALSE(dump.enabled());
  dump.shader(std::vector<uint32_t>{1}, {}, {});
  dump.pipelines(1, std::chrono::seconds(1));
  EXPECT_EQ(dump.take_problem(), "");
}

}  // namespace
}  // namespace shaderqa::layer
