// SPDX-License-Identifier: Apache-2.0
// One line of a report file, read back: what is shown, compared and counted after a program's end is made
// from these.
#ifndef SHADERQA_HOST_FINDINGS_REPORT_LINE_H
#define SHADERQA_HOST_FINDINGS_REPORT_LINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/findings/finding_types.h"

namespace shaderqa {

struct LineSource {
  std::string file, text;
  uint64_t line = 0, column = 0;
  bool known() const { return line != 0 || !file.empty(); }
};

struct LineResource {
  std::string name;
  uint64_t set = 0, binding = 0;
};

// As SourceFrame.
struct LineFrame {
  std::string function, file;
  uint64_t line = 0;
  bool operator==(const LineFrame&) const = default;
};

// What made a NaN or an infinity.
struct LineOrigin {
  std::string operation, file;
  uint64_t line = 0;                                          // 0: that of the finding
  std::vector<std::pair<std::string, std::string>> operands;  // name and value
  std::optional<bool> begins;                                 // out of finite numbers
};

struct LineHazard {
  std::string hazard_class, access, earlier, scope, hint;
  std::vector<std::string> cure;  // lines of code
  uint64_t size = 0;              // bytes of the access
  std::string address;
};

// The earlier access of a hazard.
struct LineOther {
  std::string access, stage, who, command;
  std::vector<std::string> places;
  LineSource source;
  std::vector<LineFrame> frames;
  bool precedes = false;  // the access came before the one at `places`
  bool same_action = false;
  uint64_t action = 0;
};

struct LineBuffer {
  std::string name, handle;
  uint64_t offset = 0, size = 0;
};

struct LineImage {
  std::string name, handle, format;
  uint64_t mip = 0, layer = 0, x = 0, y = 0, z = 0, sample = 0;
  std::string picture, picture_note;
  std::optional<uint64_t> plane = {};  // nothing: the format has one
};

// A wrong layout.
struct LineLayout {
  std::string named, is, aspect, changed_by;
  std::vector<std::string> changed_in, cure;
  bool as_old = false, of_descriptor = false;
};

struct LineAction {
  uint64_t number = 0;  // 0: a command without one
  uint64_t index = 0;   // among those of its command buffer, from 1 on; 0: not known
  std::string command, queue, command_buffer;
  std::vector<std::string> labels;
};

struct ReportLine {
  FindingKind kind = FindingKind::note;
  std::string text, fingerprint, shader, stage, entry_point, shader_name, pipeline, invocation, value, check;
  std::string device, driver;
  uint64_t process = 0;
  std::string program, host, run, version;  // of the process: in the first line of each writer
  std::string incomplete;  // the name of a Concern, of notes that say that something is not checked
  std::string instruction;
  uint64_t word = 0;
  LineSource source;
  std::vector<LineFrame> frames;  // the innermost first
  std::optional<LineOrigin> origin;
  std::string workgroup_part;  // "tile[3].x", of checks of workgroup memory
  std::optional<LineResource> resource;
  std::optional<LineHazard> hazard;
  std::optional<LineOther> other;
  std::optional<LineBuffer> buffer;
  std::optional<LineImage> image;
  std::optional<LineLayout> layout;
  std::optional<LineAction> action;
  std::vector<std::string> commands;  // around the action
  std::optional<uint64_t> count;      // of failures, in the note that counts them
  std::string json;                   // the line itself, without the newline
};

// Nothing: the line is no finding. Members of another type than the schema's are ignored.
std::optional<ReportLine> read_report_line(std::string_view line);

}  // namespace shaderqa
#endif
