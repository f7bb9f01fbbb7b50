// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "host/trace/trace_file.h"

namespace shaderqa {
namespace {

constexpr size_t kHeadDwords = 6;
constexpr uint32_t kMostSegmentDwords = (64u << 20) / 4;

uint32_t dword_at(std::span<const std::byte> bytes, size_t offset) {
  uint32_t dword = 0;
  std::memcpy(&dword, bytes.data() + offset, sizeof dword);
  return dword;
}

// False: this one cannot be used, and a note says why.
bool read_segment(std::span<const std::byte> bytes, TraceSegment& segment, std::string& note) {
  std::vector<uint32_t>& dwords = segment.dwords;
  dwords.resize(bytes.size() / 4);
  std::memcpy(dwords.data(), bytes.data(), dwords.size() * 4);
  if (dwords[SQA_TRACE_STAGE] >= static_cast<uint32_t>(Stage::unknown)) {
    note = "is damaged: it names no stage";
    return false;
  }
  segment.stage = static_cast<Stage>(dwords[SQA_TRACE_STAGE]);
  segment.shader_hash = dwords[SQA_TRACE_HASH] | static_cast<uint64_t>(dwords[SQA_TRACE_HASH + 1]) << 32;
  segment.selector = dwords[SQA_TRACE_SELECTOR];
  segment.match = dwords[SQA_TRACE_MATCH];
  segment.count = dwords[SQA_TRACE_COUNT];
  std::copy_n(dwords.begin() + SQA_TRACE_LOCATION, 8, segment.location);
  const uint32_t size = static_cast<uint32_t>(dwords.size());
  const uint32_t middle = dwords[SQA_TRACE_MIDDLE];
  if (middle >= size || (middle != 0 && middle < SQA_TRACE_DATA)) {
    note = "is damaged: its halves lie outside of it";
    return false;
  }
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t used = dwords[SQA_TRACE_HALF_USED + half];
    const uint32_t begin = half == 0 ? SQA_TRACE_DATA : middle;
    const uint32_t end = half == 0 && middle != 0 ? middle : size;
    if (used == 0 || (half == 1 && middle == 0)) continue;
    if (used < begin || used > end) {
      note = "is damaged: its records lie outside of it";
      return false;
    }
    if (used > begin) segment.parts.push_back({dwords[SQA_TRACE_HALF_FIRST + half], begin, used});
  }
  if (dwords[SQA_TRACE_HALF_USED] == 0 && dwords[SQA_TRACE_HALF_USED + 1] == 0)
    note = "has no room for two of the shader's largest records: trace_segment_size makes it larger";
  std::ranges::sort(segment.parts, {}, &TraceSegment::Part::first);
  return true;
}

bool read_shader(std::span<const std::byte> body, TraceShader& shader) {
  if (body.size() < kHeadDwords * 4) return false;
  uint32_t head[kHeadDwords];
  std::memcpy(head, body.data(), sizeof head);
  const uint64_t needed = sizeof head + uint64_t{head[3]} * 4 + head[4] + head[5];
  if (needed != body.size() || head[2] >= static_cast<uint32_t>(Stage::unknown)) return false;
  shader.hash = head[0] | static_cast<uint64_t>(head[1]) << 32;
  shader.stage = static_cast<Stage>(head[2]);
  shader.words.resize(head[3]);
  const std::byte* rest = body.data() + sizeof head;
  if (!shader.words.empty()) std::memcpy(shader.words.data(), rest, shader.words.size() * 4);
  const char* names = reinterpret_cast<const char*>(rest + shader.words.size() * 4);
  shader.entry_point.assign(names, head[4]);
  shader.name.assign(names + head[4], head[5]);
  return true;
}

struct Plans {
  PlanKind kind = PlanKind::trace;
  CodeWindow code;
};

bool read_chunk(TraceChunk kind, const Plans& plans, std::span<const std::byte> body,
                TraceContents& contents) {
  switch (kind) {
    case TraceChunk::shader: {
      TraceShader shader;
      if (!read_shader(body, shader)) return false;
      shader.plan = plans.kind;
      shader.code = plans.code;
      contents.shaders.push_back(std::move(shader));
      return true;
    }
    case TraceChunk::submission: {
      auto submission = submission_of(body);
      if (!submission) return false;
      contents.actions.submissions.push_back(std::move(*submission));
      return true;
    }
    case TraceChunk::unlisted: {
      uint64_t hash = 0;
      if (body.size() != sizeof hash) return false;
      std::memcpy(&hash, body.data(), sizeof hash);
      contents.actions.unlisted.insert(hash);
      return true;
    }
  }
  return false;
}

void read_chunks(std::span<const std::byte> bytes, const Plans& plans, TraceContents& contents) {
  constexpr size_t head = 2 * sizeof(uint32_t);
  while (!bytes.empty()) {
    const size_t size = bytes.size() < head ? 0 : dword_at(bytes, 0);
    if (size < head || size > bytes.size() ||
        !read_chunk(static_cast<TraceChunk>(dword_at(bytes, 4)), plans, bytes.subspan(head, size - head),
                    contents)) {
      contents.notes.emplace_back(
          "The trace is cut short: what its end says of shaders and actions is not whole.");
      // An action that is not listed could be the one of any invocation.
      contents.actions.unlisted.insert(0);
      return;
    }
    bytes = bytes.subspan(size);
  }
}

}  // namespace

bool read_trace(std::span<const std::byte> bytes, TraceContents& contents, std::string& error) {
  contents = {};
  TraceFileHeader header{};
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kTraceFileMagic) {
    error = "is no trace: `shaderqa trace` makes one";
    return false;
  }
  if (header.version != kTraceVersion) {
    error = "is a trace of version " + std::to_string(header.version) + "; this shaderqa reads version " +
            std::to_string(kTraceVersion) + ": trace the program again";
    return false;
  }
  header.selectors[sizeof header.selectors - 1] = 0;
  contents.selectors = header.selectors;
  if (header.plans > static_cast<uint32_t>(PlanKind::stops_and_accesses)) {
    error = "is damaged: it does not say what its records hold";
    return false;
  }
  header.code[sizeof header.code - 1] = 0;
  contents.code = header.code;
  std::string wrong;
  const auto code = CodeWindow::parse(contents.code, wrong);
  if (!code) {
    error = "is damaged: it does not say which code it is of";
    return false;
  }
  if (header.segment_dwords < SQA_TRACE_DATA || header.segment_dwords > kMostSegmentDwords) {
    error = "is damaged: its segments have " + std::to_string(header.segment_dwords) + " dwords";
    return false;
  }
  const uint64_t segment_bytes = uint64_t{header.segment_dwords} * 4;
  for (uint32_t i = 0; i < header.segments; ++i) {
    const uint64_t begin = kTracePage + i * segment_bytes;
    if (begin + segment_bytes > bytes.size()) {
      contents.notes.emplace_back("The trace is cut short: only " + std::to_string(i) + " of " +
                                  std::to_string(header.segments) + " segments are whole.");
      return true;
    }
    if (dword_at(bytes, begin) != SQA_TRACE_SEGMENT_MAGIC) continue;
    TraceSegment segment;
    segment.number = i;
    std::string note;
    if (read_segment(bytes.subspan(begin, segment_bytes), segment, note))
      contents.segments.push_back(std::move(segment));
    if (!note.empty())
      contents.notes.emplace_back("Segment " + std::to_string(i) + " of the trace " + note + ".");
  }
  const uint64_t chunks = kTracePage + header.segments * segment_bytes;
  if (chunks < bytes.size())
    read_chunks(bytes.subspan(chunks), {static_cast<PlanKind>(header.plans), *code}, contents);
  return true;
}

bool read_trace_file(const std::string& path, TraceContents& contents, std::string& error) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    error = std::string("cannot be read: ") + std::strerror(errno);
    return false;
  }
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return read_trace(std::as_bytes(std::span(bytes)), contents, error);
}

std::optional<TraceSegment> read_trace_segment(const std::string& path, uint32_t number, std::string& error) {
  std::ifstream in(path, std::ios::binary);
  TraceFileHeader header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!in || header.magic != kTraceFileMagic || header.version != kTraceVersion ||
      number >= header.segments || header.segment_dwords < SQA_TRACE_DATA ||
      header.segment_dwords > kMostSegmentDwords) {
    error = "has no segment " + std::to_string(number);
    return std::nullopt;
  }
  const uint64_t size = uint64_t{header.segment_dwords} * 4;
  std::vector<std::byte> bytes(size);
  in.seekg(static_cast<std::streamoff>(kTracePage + number * size));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  TraceSegment segment;
  segment.number = number;
  std::string note = "is cut short";
  if (!in || dword_at(bytes, 0) != SQA_TRACE_SEGMENT_MAGIC || !read_segment(bytes, segment, note)) {
    error = "segment " + std::to_string(number) + " " + note;
    return std::nullopt;
  }
  return segment;
}

std::vector<TraceRecord> split_records(const TraceSegment& segment, std::span<const uint32_t> dwords_of_piece,
                                       std::string& note) {
  std::vector<TraceRecord> records;
  for (const TraceSegment::Part& part : segment.parts) {
    uint32_t number = part.first;
    for (uint32_t at = part.begin; at < part.end; ++number) {
      const uint32_t head = segment.dwords[at];
      const uint32_t piece = head & SQA_TRACE_PIECE_MASK;
      if ((head & ~SQA_TRACE_PIECE_MASK) != SQA_TRACE_RECORD || piece >= dwords_of_piece.size() ||
          dwords_of_piece[piece] >= part.end - at) {
        note = "the trace is damaged at record " + std::to_string(number) + "; what follows is left out";
        return records;
      }
      records.push_back({number, piece, at + 1});
      at += 1 + dwords_of_piece[piece];
    }
  }
  return records;
}

}  // namespace shaderqa
