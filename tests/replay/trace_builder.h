// SPDX-License-Identifier: Apache-2.0
// A small trace in memory: one compute shader, one invocation with one record.
#ifndef SHADERQA_TESTS_REPLAY_TRACE_BUILDER_H
#define SHADERQA_TESTS_REPLAY_TRACE_BUILDER_H

#include <cstring>
#include <string>
#include <vector>

#include "host/trace/trace_file.h"

namespace shaderqa {

// void main() { %6 = 1 + 2; }: one piece with one value.
inline std::vector<uint32_t> small_shader() {
  const auto op = [](uint32_t words, uint32_t code) { return words << 16 | code; };
  const uint32_t main_text = 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24;
  return {0x07230203, 0x00010000, 0,         9,         0,         op(2, 17),  1,  // OpCapability Shader
          op(3, 14),  0,          1,                                   // OpMemoryModel Logical GLSL450
          op(5, 15),  5,          4,         main_text, 0,             // OpEntryPoint GLCompute %4 "main"
          op(6, 16),  4,          17,        1,         1,         1,  // OpExecutionMode LocalSize
          op(2, 19),  1,          op(3, 33), 2,         1,             // void, function type
          op(4, 21),  3,          32,        0,                        // uint
          op(4, 43),  3,          7,         1,         op(4, 43), 3,          8, 2,  // constants 1 and 2
          op(5, 54),  1,          4,         0,         2,         op(2, 248), 5,     // OpFunction, OpLabel
          op(5, 128), 3,          6,         7,         8,                            // OpIAdd
          op(1, 253), op(1, 56)};  // OpReturn, OpFunctionEnd
}

inline std::string small_trace() {
  const uint32_t segment_dwords = kTracePage / 4;
  std::string bytes(kTracePage * 2, 0);
  TraceFileHeader header{};
  header.magic = kTraceFileMagic;
  header.version = kTraceVersion;
  header.segments = 1;
  header.segment_dwords = segment_dwords;
  std::memcpy(bytes.data(), &header, sizeof header);
  std::vector<uint32_t> segment(segment_dwords);
  segment[SQA_TRACE_MAGIC] = SQA_TRACE_SEGMENT_MAGIC;
  segment[SQA_TRACE_STAGE] = static_cast<uint32_t>(Stage::compute);
  segment[SQA_TRACE_HASH] = 7;
  segment[SQA_TRACE_COUNT] = 1;
  segment[SQA_TRACE_RECORDS] = UINT32_MAX;
  segment[SQA_TRACE_HALF_USED] = SQA_TRACE_DATA + 2;
  segment[SQA_TRACE_DATA] = SQA_TRACE_RECORD | 0;
  segment[SQA_TRACE_DATA + 1] = 3;
  std::memcpy(bytes.data() + kTracePage, segment.data(), kTracePage);
  const std::vector<uint32_t> words = small_shader();
  const uint32_t size = static_cast<uint32_t>(words.size());
  const uint32_t head[8] = {32 + size * 4 + 4,
                            static_cast<uint32_t>(TraceChunk::shader),
                            7,
                            0,
                            static_cast<uint32_t>(Stage::compute),
                            size,
                            4,
                            0};
  bytes.append(reinterpret_cast<const char*>(head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  return bytes + "main";
}

// With the action that the invocation belongs to.
inline std::string small_trace_with_action() {
  TracedSubmission submission;
  submission.frame = 1;
  submission.actions = {{1, "dispatch", {}, {7}}};
  const std::string body = to_bytes(submission);
  const uint32_t head[2] = {static_cast<uint32_t>(sizeof head + body.size()),
                            static_cast<uint32_t>(TraceChunk::submission)};
  return small_trace() + std::string(reinterpret_cast<const char*>(head), sizeof head) + body;
}

}  // namespace shaderqa
#endif
