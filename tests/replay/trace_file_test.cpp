// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "environment.h"
#include "replay/debugger.h"
#include "trace_builder.h"

namespace shaderqa {
namespace {

using ::testing::HasSubstr;

bool read(const std::string& bytes, TraceContents& contents, std::string& error) {
  return read_trace(std::as_bytes(std::span(bytes)), contents, error);
}

TEST(TraceFile, IsReadBack) {
  TraceContents contents;
  std::string error;
  ASSERT_TRUE(read(small_trace(), contents, error)) << error;
  EXPECT_TRUE(contents.notes.empty());
  ASSERT_EQ(contents.shaders.size(), 1u);
  EXPECT_EQ(contents.shaders[0].words, small_shader());
  Debugger debugger(std::move(contents));
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
  EXPECT_THAT(debugger.command("print %6").text, HasSubstr("not computed yet"));
  debugger.command("stepi");
  EXPECT_EQ(debugger.command("print %6").text, "%6 = 3");
  EXPECT_THAT(debugger.command("continue").text, HasSubstr("the end of the invocation"));
  EXPECT_FALSE(debugger.command("nonsense").ok);
}

TEST(TraceFile, RefusesWhatItCannotRead) {
  TraceContents contents;
  std::string error;
  EXPECT_FALSE(read("", contents, error));
  EXPECT_THAT(error, HasSubstr("is no trace"));
  EXPECT_FALSE(read(std::string(10000, 'x'), contents, error));
  EXPECT_THAT(error, HasSubstr("is no trace"));
  std::string other = small_trace();
  other[8] = 9;
  EXPECT_FALSE(read(other, contents, error));
  EXPECT_THAT(error, HasSubstr("version 9"));
}

// However many bytes there are, what is whole is shown and what is missing is said.
TEST(TraceFile, MayBeCutShortAnywhere) {
  const std::string whole = small_trace();
  for (size_t size = sizeof(TraceFileHeader); size < whole.size(); ++size) {
    TraceContents contents;
    std::string error;
    ASSERT_TRUE(read(whole.substr(0, size), contents, error)) << size << error;
    // Without the shader at all, the file ends where a shader could begin.
    if (size != kTracePage * 2) {
      ASSERT_EQ(contents.notes.size(), 1u) << size;
      EXPECT_THAT(contents.notes[0], HasSubstr("cut short"));
    }
    Debugger debugger(std::move(contents));
    EXPECT_FALSE(debugger.has_invocation());
  }
}

TEST(TraceFile, SaysWhatIsMissing) {
  std::string bytes = small_trace();
  uint32_t count = 5;
  std::memcpy(bytes.data() + kTracePage + SQA_TRACE_COUNT * 4, &count, 4);
  TraceContents contents;
  std::string error;
  ASSERT_TRUE(read(bytes, contents, error));
  EXPECT_THAT(Debugger(std::move(contents)).greeting(),
              HasSubstr("the last 4 of 5 records are not in the trace"));
}

TEST(TraceFile, HalvesLieWithinTheirSegment) {
  for (const uint32_t middle : {1u, uint32_t{SQA_TRACE_DATA} - 1, 1u << 30}) {
    std::string bytes = small_trace();
    std::memcpy(bytes.data() + kTracePage + SQA_TRACE_MIDDLE * 4, &middle, 4);
    TraceContents contents;
    std::string error;
    ASSERT_TRUE(read(bytes, contents, error));
    EXPECT_FALSE(Debugger(std::move(contents)).has_invocation()) << middle;
  }
}

TEST(TraceFile, WrittenFilesAreReadBackAndNeverOverwritten) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("t");
  std::string error;
  auto first =
      TraceFile::create(path, "", 2, 1024, {"compute:GlobalInvocationID=1,2,3", "", PlanKind::trace}, error);
  ASSERT_TRUE(first) << error;
  EXPECT_EQ(first->path(), path);
  const auto second = TraceFile::create(path, "", 1, 1024, {"", "", PlanKind::trace}, error);
  ASSERT_TRUE(second) << error;
  EXPECT_EQ(second->path(), path + ".2");
  ASSERT_TRUE(first->add_shader({7, Stage::vertex, "main", "a name", {1, 2, 3}}));
  first.reset();
  const auto third = TraceFile::create(path, "", 1, 1024, {"", "", PlanKind::trace}, error);
  ASSERT_TRUE(third) << error;
  EXPECT_EQ(third->path(), path + ".3");
  TraceContents contents;
  ASSERT_TRUE(read_trace_file(path, contents, error)) << error;
  EXPECT_EQ(contents.selectors, "compute:GlobalInvocationID=1,2,3");
  ASSERT_EQ(contents.shaders.size(), 1u);
  EXPECT_EQ(contents.shaders[0].name, "a name");
  EXPECT_EQ(contents.shaders[0].entry_point, "main");
  EXPECT_EQ(contents.shaders[0].words, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_FALSE(
      TraceFile::create(directory.file("no/such/folder"), "", 1, 1024, {"", "", PlanKind::trace}, error));
  EXPECT_THAT(error, HasSubstr("No such file"));
}

}  // namespace
}  // namespace shaderqa
