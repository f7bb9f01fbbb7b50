// SPDX-License-Identifier: Apache-2.0
// What is read of a trace file's segments and records, and what is refused of damaged ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "trace_builder.h"

namespace shaderqa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kData = SQA_TRACE_DATA, kSize = kTracePage / 4;
using Dwords = std::vector<std::pair<uint32_t, uint32_t>>;  // index, value

// The small trace with these dwords of its segment changed.
TraceContents changed(const Dwords& dwords) {
  std::string bytes = small_trace();
  for (const auto& [index, value] : dwords)
    std::memcpy(bytes.data() + kTracePage + size_t{index} * 4, &value, sizeof value);
  TraceContents contents;
  std::string error;
  EXPECT_TRUE(read_trace(std::as_bytes(std::span(bytes)), contents, error)) << error;
  return contents;
}
std::string note_of(const Dwords& dwords) {
  const TraceContents contents = changed(dwords);
  EXPECT_EQ(contents.segments.size() + contents.notes.size(), 1u);
  return contents.notes.empty() ? "" : contents.notes[0];
}
using Parts = std::vector<std::vector<uint32_t>>;
Parts parts_of(const Dwords& dwords) {
  const TraceContents contents = changed(dwords);
  EXPECT_THAT(contents.notes, IsEmpty());
  Parts parts;
  for (const TraceSegment::Part& part : contents.segments.at(0).parts)
    parts.push_back({part.first, part.begin, part.end});
  return parts;
}

TEST(TraceFile, SegmentsTellWhoseTheyAre) {
  const TraceContents contents = changed({{SQA_TRACE_STAGE, static_cast<uint32_t>(Stage::vertex)},
                                          {SQA_TRACE_HASH, 3},
                                          {SQA_TRACE_HASH + 1, 4},
                                          {SQA_TRACE_SELECTOR, 5},
                                          {SQA_TRACE_MATCH, 6},
                                          {SQA_TRACE_COUNT, 7},
                                          {SQA_TRACE_LOCATION, 8},
                                          {SQA_TRACE_LOCATION + 7, 9}});
  ASSERT_EQ(contents.segments.size(), 1u);
  const TraceSegment& segment = contents.segments[0];
  EXPECT_EQ(segment.stage, Stage::vertex);
  EXPECT_EQ(segment.shader_hash, uint64_t{4} << 32 | 3);
  EXPECT_EQ(segment.selector, 5u);
  EXPECT_EQ(segment.match, 6u);
  EXPECT_EQ(segment.count, 7u);
  EXPECT_THAT(segment.location, ElementsAre(8, 0, 0, 0, 0, 0, 0, 9));
  EXPECT_EQ(segment.dwords.size(), kSize);
}

TEST(TraceFile, SegmentsThatAreNotMarkedAreNone) {
  const TraceContents contents = changed({{SQA_TRACE_MAGIC, 0}});
  EXPECT_THAT(contents.segments, IsEmpty());
  EXPECT_THAT(contents.notes, IsEmpty());
}

TEST(TraceFile, HalvesAreInTheOrderOfTime) {
  constexpr uint32_t first = SQA_TRACE_HALF_FIRST, used = SQA_TRACE_HALF_USED, middle = SQA_TRACE_MIDDLE;
  EXPECT_EQ(parts_of({}), (Parts{{0, kData, kData + 2}}));
  EXPECT_EQ(parts_of({{used, kSize}}), (Parts{{0, kData, kSize}}));
  EXPECT_EQ(parts_of({{used, kData}}), Parts{}) << "nothing was kept";
  EXPECT_EQ(parts_of({{used + 1, 500}}), (Parts{{0, kData, kData + 2}})) << "there is one half alone";
  EXPECT_EQ(parts_of({{middle, 100}, {first, 9}, {used, 100}, {first + 1, 4}, {used + 1, 200}}),
            (Parts{{4, 100, 200}, {9, kData, 100}}));
  EXPECT_EQ(parts_of({{middle, 100}, {first, 1}, {used, 50}, {first + 1, 4}, {used + 1, kSize}}),
            (Parts{{1, kData, 50}, {4, 100, kSize}}));
  EXPECT_EQ(parts_of({{middle, kData}, {used, 0}, {first + 1, 4}, {used + 1, kData + 1}}),
            (Parts{{4, kData, kData + 1}}));
  EXPECT_EQ(parts_of({{middle, kSize - 1}}), (Parts{{0, kData, kData + 2}}));
}

TEST(TraceFile, SegmentsWithoutRoomSaySo) {
  const TraceContents contents = changed({{SQA_TRACE_HALF_USED, 0}});
  ASSERT_EQ(contents.segments.size(), 1u);
  EXPECT_THAT(contents.segments[0].parts, IsEmpty());
  EXPECT_THAT(contents.notes,
              ElementsAre("Segment 0 of the trace has no room for two of the shader's largest records: "
                          "trace_segment_size makes it larger."));
}

TEST(TraceFile, DamagedSegmentsAreLeftOut) {
  constexpr uint32_t used = SQA_TRACE_HALF_USED, middle = SQA_TRACE_MIDDLE;
  const std::string records = "Segment 0 of the trace is damaged: its records lie outside of it.";
  const std::string halves = "Segment 0 of the trace is damaged: its halves lie outside of it.";
  EXPECT_EQ(note_of({{SQA_TRACE_STAGE, static_cast<uint32_t>(Stage::unknown)}}),
            "Segment 0 of the trace is damaged: it names no stage.");
  EXPECT_EQ(note_of({{SQA_TRACE_STAGE, static_cast<uint32_t>(Stage::unknown) - 1}}), "");
  EXPECT_EQ(note_of({{used, kData - 1}}), records);
  EXPECT_EQ(note_of({{used, kSize + 1}}), records);
  EXPECT_EQ(note_of({{middle, 100}, {used, 101}}), records) << "in the other half";
  EXPECT_EQ(note_of({{middle, 100}, {used + 1, 99}}), records);
  EXPECT_EQ(note_of({{middle, 100}, {used + 1, kSize + 1}}), records);
  EXPECT_EQ(note_of({{middle, kSize}}), halves);
  EXPECT_EQ(note_of({{middle, kData - 1}}), halves);
}

TEST(TraceFile, SegmentsHaveASizeThatCanBe) {
  for (const uint32_t dwords : {kData - 1, (64u << 20) / 4 + 1, 0u, UINT32_MAX}) {
    std::string bytes = small_trace(), error;
    std::memcpy(bytes.data() + offsetof(TraceFileHeader, segment_dwords), &dwords, sizeof dwords);
    TraceContents contents;
    EXPECT_FALSE(read_trace(std::as_bytes(std::span(bytes)), contents, error));
    EXPECT_EQ(error, "is damaged: its segments have " + std::to_string(dwords) + " dwords");
  }
  TraceContents contents;
  std::string error;
  EXPECT_FALSE(read_trace_file("/no/such/trace", contents, error));
  EXPECT_EQ(error, "cannot be read: No such file or directory");
}

TEST(TraceFile, FilesHaveWholePagesOfSegments) {
  std::string error;
  for (const auto& [segments, dwords] : {std::pair{0u, 1024u}, {1u, 0u}, {1u, 1000u}, {3u, 512u}}) {
    EXPECT_FALSE(
        TraceFile::create("/no/such/folder/t", "", segments, dwords, {"", "", PlanKind::trace}, error));
    EXPECT_EQ(error, "a trace file cannot have " + std::to_string(segments) + " segments of " +
                         std::to_string(dwords) + " dwords");
  }
  EXPECT_FALSE(TraceFile::create("/no/such/folder/t", "", 2, 512, {"", "", PlanKind::trace}, error));
  EXPECT_THAT(error, HasSubstr("cannot create the trace file /no/such/folder/t"));
}

// Two pieces: of two values and of none.
TEST(TraceFile, RecordsAreSplitByTheirPieces) {
  TraceSegment segment;
  segment.dwords = {0, SQA_TRACE_RECORD, 5, 6, SQA_TRACE_RECORD | 1, SQA_TRACE_RECORD, 7, 8, 99};
  segment.parts = {{3, 1, 8}};
  const uint32_t values[] = {2, 0};
  const auto split = [&](std::string& note) {
    std::vector<std::vector<uint32_t>> all;
    for (const TraceRecord& record : split_records(segment, values, note))
      all.push_back({record.number, record.piece, record.at});
    return all;
  };
  using Records = std::vector<std::vector<uint32_t>>;
  std::string note;
  EXPECT_EQ(split(note), (Records{{3, 0, 2}, {4, 1, 5}, {5, 0, 6}}));
  EXPECT_EQ(note, "");
  segment.parts = {{8, 4, 5}, {20, 5, 8}};
  EXPECT_EQ(split(note), (Records{{8, 1, 5}, {20, 0, 6}}));
  segment.parts = {{3, 1, 7}};  // the last one is cut
  EXPECT_EQ(split(note), (Records{{3, 0, 2}, {4, 1, 5}}));
  EXPECT_EQ(note, "the trace is damaged at record 5; what follows is left out");
  segment.parts = {{3, 1, 8}};
  segment.dwords[4] = SQA_TRACE_RECORD | 2;  // no such piece
  EXPECT_EQ(split(note).size(), 1u);
  EXPECT_EQ(note, "the trace is damaged at record 4; what follows is left out");
  segment.dwords[4] = 1;  // no record
  EXPECT_EQ(split(note).size(), 1u);
}

}  // namespace
}  // namespace shaderqa
