// SPDX-License-Identifier: Apache-2.0
// The trace file: a header page, the segments that shaders write (instrument/runtime/abi_trace.h), and behind
// them chunks: the traced shaders, and the actions that were submitted with them. Shaders write into the
// mapped file if it lies in memory; else into a TraceMemory if there is a folder for it, and into memory of
// the device's otherwise.
#ifndef SHADERQA_HOST_TRACE_TRACE_FILE_H
#define SHADERQA_HOST_TRACE_TRACE_FILE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/trace/trace_memory.h"
#include "host/trace/traced_actions.h"
#include "instrument/code_window.h"
#include "instrument/runtime/abi_trace.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// The version of the file's layout, of records, and of what TracePlan puts into them.
constexpr uint32_t kTraceVersion = 5;
constexpr uint32_t kTracePage = 4096;

struct TraceFileHeader {
  uint64_t magic;  // kTraceFileMagic
  uint32_t version;
  uint32_t segments;
  uint32_t segment_dwords;
  uint32_t plans;        // PlanKind of its shaders
  char selectors[1024];  // as given, ends in 0
  char code[1024];       // what of the shaders is traced, as CodeWindow reads it; ends in 0
};
constexpr uint64_t kTraceFileMagic = 0x4543415254415153;  // "SQATRACE"

// A chunk is its length in bytes, its kind, and what the kind has.
enum class TraceChunk : uint32_t { shader = 1, submission = 2, unlisted = 3 };

struct TraceShader {
  uint64_t hash = 0;
  Stage stage = Stage::unknown;
  std::string entry_point;
  std::string name;  // that the application gave it; empty: none
  std::vector<uint32_t> words;
  PlanKind plan = PlanKind::trace;
  CodeWindow code = {};
};

// How a trace was asked for: trace_at, trace_code and what its records are made for.
struct TraceRequested {
  std::string selectors, code;
  PlanKind plans = PlanKind::trace;
};

// Written by the layer.
class TraceFile {
 public:
  // The first of PATH, PATH.2, PATH.3 ... that is not there yet or is empty: a program may have several
  // devices. Null with an error sentence if that fails.
  // folder: where the segments lie while the program runs, if the trace file lies on disk; empty: nowhere.
  static std::unique_ptr<TraceFile> create(const std::string& path, const std::string& folder,
                                           uint32_t segments, uint32_t segment_dwords,
                                           const TraceRequested& requested, std::string& error);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::string& path() const { return path_; }
  // What Vulkan may import: page aligned, zeroed. Null: there is none.
  std::byte* importable() { return shared_ ? shared_->segments() : in_memory_ ? segments() : nullptr; }
  size_t segment_bytes() const { return bytes_ - kTracePage; }  // of all of them
  // Copies the first `size` bytes of all segments into the file, unless they lie there.
  void store(const std::byte* from, size_t size);
  // Thread-safe. False: it could not be written.
  bool add_shader(const TraceShader& shader);
  bool add_submission(const TracedSubmission& submission);
  // The shader also runs in actions that are not listed. 0: all of them.
  bool add_unlisted(uint64_t shader_hash);

 private:
  TraceFile() = default;
  std::byte* segments() { return memory_ + kTracePage; }
  bool append(TraceChunk kind, const std::string& body);
  std::string path_;
  int descriptor_ = -1;
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0;
  bool in_memory_ = false;  // the file itself lies in memory
  std::unique_ptr<TraceMemory> shared_;
};

// One kept record of an invocation.
struct TraceRecord {
  uint32_t number = 0;  // among all that the invocation came to
  uint32_t piece = 0;   // of TracePlan
  uint32_t at = 0;      // index of its first value in TraceSegment::dwords
};

struct TraceSegment {
  uint32_t number = 0;  // in the file
  Stage stage = Stage::unknown;
  uint64_t shader_hash = 0;
  uint32_t selector = 0;
  uint32_t match = 0;
  uint32_t count = 0;  // records that the invocation came to
  uint32_t location[8] = {};
  std::vector<uint32_t> dwords;
  // Where the records are: [begin, end) of dwords, in time's order, and the number of the first one.
  struct Part {
    uint32_t first = 0, begin = 0, end = 0;
  };
  std::vector<Part> parts;
};

struct TraceContents {
  std::string selectors, code;  // as TraceRequested has them
  std::vector<TraceSegment> segments;
  std::vector<TraceShader> shaders;
  TracedActions actions;
  std::vector<std::string> notes;  // what is missing
};

// Tolerates anything in the bytes. False, with a sentence, if they are no trace or one of another version.
bool read_trace(std::span<const std::byte> bytes, TraceContents& contents, std::string& error);
bool read_trace_file(const std::string& path, TraceContents& contents, std::string& error);
// One segment, as it is now. Nothing, and `error` says why, if it cannot be read or is damaged.
std::optional<TraceSegment> read_trace_segment(const std::string& path, uint32_t number, std::string& error);

// Splits a segment's parts into records; dwords_of_piece: by number of the piece. Stops at the first dword
// that is no record, and says so in `note`.
std::vector<TraceRecord> split_records(const TraceSegment& segment, std::span<const uint32_t> dwords_of_piece,
                                       std::string& note);

}  // namespace shaderqa
#endif
