// SPDX-License-Identifier: Apache-2.0
#include "host/findings/bug_block.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "host/findings/check_text.h"
#include "host/findings/source_excerpt.h"
#include "host/text/count_text.h"
#include "host/text/text_escape.h"
#include "host/text/wrap.h"

namespace shaderqa {
namespace {

constexpr size_t kLead = 10;  // "  store   "
constexpr const char *kBold = "\033[1m", *kRed = "\033[1;31m", *kGreen = "\033[32m", *kDim = "\033[2m",
                     *kPlain = "\033[0m";

std::string clean(const std::string& text) {
  std::string out;
  append_terminal(out, text, " ");
  return out;
}

// The name of the memory as the source has it: of "OpStore %Bins.bins[1] and 1 more", Bins.bins[1].
std::string source_name(const std::string& instruction) {
  const size_t begin = instruction.find('%');
  if (begin == std::string::npos) return {};
  std::string name = instruction.substr(begin + 1, instruction.find(' ', begin) - begin - 1);
  // Numbers are ids of a module without names: %12, %12.0
  const std::string variable = name.substr(0, name.find_first_of(".["));
  return variable.find_first_not_of("0123456789") == std::string::npos ? std::string() : name;
}

// "tile[3].x"; of a module without names "a variable's [3].x".
std::string part_name(const std::string& part) {
  if (!part.starts_with('%')) return part;
  const size_t end = part.find_first_of(".[");
  return end == std::string::npos ? "a variable" : "a variable's " + part.substr(end);
}

std::string memory_name(const ReportLine& line) {
  if (!line.workgroup_part.empty()) return part_name(line.workgroup_part) + " (workgroup memory)";
  std::string name = source_name(line.instruction);
  std::string set;
  if (line.resource) {
    if (name.empty()) name = line.resource->name;
    set = "set " + std::to_string(line.resource->set) + ", binding " + std::to_string(line.resource->binding);
  }
  if (name.empty() && !set.empty()) std::swap(name, set);
  if (!set.empty()) name += " (" + set + ")";
  if (line.buffer && !line.buffer->name.empty())
    name += (name.empty() ? "buffer \"" : " in buffer \"") + line.buffer->name + "\"";
  if (line.image && !line.image->name.empty())
    name += (name.empty() ? "image \"" : " in image \"") + line.image->name + "\"";
  return name;
}

// What a check found, without the source line or the instruction, which stands below it.
std::string value_headline(const ReportLine& line) {
  const std::string& source = line.source.text.empty() ? line.instruction : line.source.text;
  const size_t first = std::min(source.find_first_not_of(" \t"), source.size());
  const std::string shown = ": " + source.substr(first);
  std::string text = line.text;
  if (text.ends_with(shown)) text.resize(text.size() - shown.size());
  if (text.starts_with(line.workgroup_part))
    text.replace(0, line.workgroup_part.size(), part_name(line.workgroup_part));
  if (const std::string name = memory_name(line); !name.empty() && text.ends_with(kIsStored))
    text += " to " + name;
  return text;
}

std::string headline(const ReportLine& line) {
  if (line.layout) {
    const std::string name = memory_name(line);
    return (line.layout->as_old ? "wrong layout before a transition" : "wrong layout") +
           (name.empty() ? " of an image" : " of " + name);
  }
  if (!line.hazard) return value_headline(line);
  std::string text = line.hazard->hazard_class.empty() ? "unsynchronised access" : line.hazard->hazard_class;
  // Chance decides which of the two came first.
  if (line.other && line.other->same_action && text.find(" after ") != std::string::npos) text = "data race";
  if (const std::string name = memory_name(line); !name.empty()) text += " on " + name;
  return text;
}

// Paths as one would type them where the command runs.
std::string shown_path(const std::string& file, const std::string& folder) {
  const bool inside = !folder.empty() && file.size() > folder.size() + 1 && file.starts_with(folder) &&
                      file[folder.size()] == '/';
  return inside ? file.substr(folder.size() + 1) : file;
}

std::string place(const LineSource& source, const std::string& folder) {
  if (!source.known()) return {};
  std::string text = source.file.empty() ? "line " : shown_path(source.file, folder) + ":";
  text += std::to_string(source.line);
  if (source.column != 0) text += ":" + std::to_string(source.column);
  return text;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// Without arguments where these are handles.
std::string command_text(const std::string& command, bool details) {
  return details || command.find("0x") == std::string::npos ? command : command.substr(0, command.find('('));
}

// "[compute, main "scan pass", pipeline "scan"]"
std::string shader_text(const ReportLine& line) {
  std::string text = line.stage;
  if (!line.entry_point.empty()) text += (text.empty() ? "" : ", ") + line.entry_point;
  if (!line.shader_name.empty()) text += " \"" + line.shader_name + "\"";
  if (!line.pipeline.empty()) text += ", pipeline \"" + line.pipeline + "\"";
  return text.empty() ? text : "[" + text + "]";
}

// "in f(), inlined at a.comp:12 in main()"
std::string frames_text(const std::vector<LineFrame>& frames, const std::string& folder) {
  std::string text;
  for (const LineFrame& frame : frames) {
    if (!text.empty())
      text += ", inlined" +
              (frame.line == 0 ? std::string()
                               : " at " + shown_path(frame.file, folder) + ":" + std::to_string(frame.line));
    text += (text.empty() ? "in " : " in ") + frame.function + "()";
  }
  return text;
}

// "division: total = 0, count = 0; it begins here, out of finite numbers"
std::string origin_text(const LineOrigin& origin) {
  std::string text = origin.operation, bad;
  if (origin.line != 0)
    text += (text.empty() ? "" : " at ") + origin.file + ":" + std::to_string(origin.line);
  const char* between = text.empty() ? "" : ": ";
  for (const auto& [name, value] : origin.operands) {
    text += between + name + (value == "finite" ? " is finite" : " = " + value);
    between = ", ";
    if (value.find("NaN") != std::string::npos || value.find("infinity") != std::string::npos)
      bad += (bad.empty() ? "" : " and ") + name;
  }
  if (origin.begins && *origin.begins) text += "; it begins here, out of finite numbers";
  if (!bad.empty())
    text += "; " + bad + (bad.find(" and ") == std::string::npos ? " was" : " were") + " like that before";
  return text;
}

class Block {
 public:
  Block(const BlockStyle& style) : style_(style) {}

  void headline(const std::string& kind, const std::string& text) {
    out_ += color(kBold) + "shaderqa: " + color(kPlain) + color(kRed) + kind + color(kPlain) + color(kBold) +
            ": ";
    wrap(clean(text), 4);
    out_ += color(kPlain);
    out_ += '\n';
  }
  void line(std::string lead, const std::string& text, const char* code = nullptr) {
    if (text.empty()) return;
    lead.resize(std::max(lead.size(), kLead - 2), ' ');
    out_ += "  " + color(code ? code : kBold) + lead + color(kPlain);
    wrap(clean(text), kLead);
    out_ += '\n';
  }
  // The source line, and a caret below what is accessed.
  void source(const LineSource& source, const std::string& memory) {
    const size_t before = kLead + 2;  // "| "
    const SourceExcerpt excerpt =
        source_excerpt(source, memory, style_.width > before + kLeastColumns ? style_.width - before : 0);
    if (excerpt.text.empty()) return;
    const std::string lead(kLead, ' ');
    out_ += lead + color(kDim) + "| " + color(kPlain) + excerpt.text + "\n";
    if (!excerpt.caret) return;
    out_ += lead + color(kDim) + "| " + color(kPlain) + std::string(*excerpt.caret, ' ') + color(kGreen) +
            "^" + color(kPlain) + "\n";
  }
  // Code is indented and stays as it is.
  void raw(const std::string& text) {
    out_ += std::string(kLead, ' ');
    if (text.starts_with("  ")) {
      out_ += clean(text);
    } else {
      wrap(clean(text), kLead);
    }
    out_ += '\n';
  }
  std::string take() { return std::move(out_); }

 private:
  std::string color(const char* code) const { return style_.color ? code : ""; }
  // The current line already holds `indent` columns, or more for a headline, whose length matters less.
  void wrap(const std::string& text, size_t indent) { out_ += wrapped(text, indent, style_.width); }

  const BlockStyle& style_;
  std::string out_;
};

std::string action_text(const std::string& command, uint64_t number, const std::vector<std::string>& labels,
                        bool details) {
  std::string text = command.empty() ? "" : command_text(command, details);
  if (number != 0) text += (text.empty() ? "action " : ", action ") + std::to_string(number);
  return labels.empty() ? text : text + " in " + joined(labels, " > ");
}

std::string own_action(const ReportLine& line, bool details) {
  return action_text(line.action->command, line.action->number, line.action->labels, details);
}

// "texel 3,4 of mip level 1"
std::string texel_text(const LineImage& image) {
  std::string text = "texel " + std::to_string(image.x) + "," + std::to_string(image.y);
  if (image.z != 0) text += "," + std::to_string(image.z);
  const char* between = " of ";
  if (image.plane) {
    text += between + ("plane " + std::to_string(*image.plane));
    between = ", ";
  }
  for (const auto& [name, number] :
       {std::pair{"mip level ", image.mip}, {"layer ", image.layer}, {"sample ", image.sample}}) {
    if (number == 0) continue;
    text += between + (name + std::to_string(number));
    between = ", ";
  }
  return text;
}

// Where of the image an access is: a texel, or the subresource that has the wrong layout.
std::string part_text(const ReportLine& line) {
  if (!line.layout) return texel_text(*line.image);
  std::string text = line.layout->aspect;
  for (const auto& [name, number] : {std::pair{"mip level ", line.image->mip}, {"layer ", line.image->layer}})
    if (number != 0) text += (text.empty() ? "" : ", ") + (name + std::to_string(number));
  return text;
}

// One of the two accesses, or the only one.
struct Side {
  std::string access, place;
  std::string who;     // invocation, or workgroup
  std::string action;  // empty: not known, or that of both sides
  std::string shader;
  const LineSource* source = nullptr;
  const std::vector<LineFrame>* frames = nullptr;
};

Side own_side(const ReportLine& line, const BlockStyle& style) {
  Side side;
  side.access = line.hazard ? line.hazard->access : "at";
  side.source = &line.source;
  side.frames = &line.frames;
  const bool shared = line.other && line.other->same_action;
  if (line.layout) side.access = "access";
  const bool by_command = (line.hazard || line.layout) && line.shader.empty() && line.action;
  if (line.action && !shared) side.action = own_action(line, style.details);
  if (by_command) {
    side.place = std::exchange(side.action, {});
    if (shared) side.place = command_text(line.action->command, style.details);
    if (const std::string part = line.image ? part_text(line) : ""; !part.empty()) side.place += ", " + part;
    return side;
  }
  side.place = place(line.source, style.folder);
  if (side.place.empty()) side.place = line.instruction.empty() ? line.entry_point : line.instruction;
  // Nothing else tells two such instructions apart.
  if (!line.source.known() && !line.instruction.empty() && line.word != 0 && !style.details)
    side.place += " (word " + std::to_string(line.word) + ")";
  if (line.image) side.place += (side.place.empty() ? "" : ", ") + part_text(line);
  side.who = line.invocation;
  // An action has one shader of each stage.
  const bool one_shader = shared && (line.other->stage.empty() || line.other->stage == line.stage);
  if (!one_shader || !line.action) side.shader = shader_text(line);
  return side;
}

Side other_side(const ReportLine& line, const BlockStyle& style) {
  const LineOther& other = *line.other;
  Side side;
  side.access = other.access;
  side.source = &other.source;
  side.frames = &other.frames;
  side.who = other.who;
  if (!other.same_action && other.action != 0)
    side.action = action_text(other.command, other.action, {}, style.details);
  if (!other.places.empty()) {
    std::vector<std::string> places = other.places;
    if (other.source.known()) places[0] = place(other.source, style.folder);
    for (std::string& path : places) path = shown_path(path, style.folder);
    side.place = (other.precedes ? "before " : "") + joined(places, " or ");
    if (!other.stage.empty() && other.stage != line.stage) side.shader = "[" + other.stage + "]";
  } else if (!side.action.empty()) {
    side.place = std::exchange(side.action, {});
  } else {
    side.place =
        other.command.empty() ? "a place that is not known" : command_text(other.command, style.details);
  }
  return side;
}

void add_side(const Side& side, const std::string& memory, const BlockStyle& style, Block& block) {
  std::string text = side.place;
  if (!side.who.empty()) text += "  by " + side.who;
  if (!side.action.empty()) text += (side.who.empty() ? "  in " : " of ") + side.action;
  if (!side.shader.empty()) text += (text.empty() ? "" : "  ") + side.shader;
  block.line(side.access, text);
  block.source(*side.source, memory);
  block.line("", frames_text(*side.frames, style.folder));
}

void add_sides(const ReportLine& line, const BlockStyle& style, Block& block) {
  const std::string memory =
      line.workgroup_part.empty() ? source_name(line.instruction) : line.workgroup_part;
  const Side own = own_side(line, style);
  // Within an action chance decides which came first, so the order of the lines decides here.
  const auto key = [](const LineSource& source) { return std::tie(source.file, source.line); };
  const bool own_first = line.other && line.other->same_action && key(line.source) < key(line.other->source);
  if (line.other) {
    Side first = other_side(line, style), second = own;
    if (own_first) std::swap(first, second);
    add_side(first, memory, style, block);
    if (line.source.known() && place(line.source, "") == place(line.other->source, "") &&
        line.other->places.size() == 1 && !line.other->precedes) {
      static const LineSource none;
      static const std::vector<LineFrame> direct;
      second.place = "at the same place";
      second.source = &none;
      if (line.frames == line.other->frames) second.frames = &direct;
    }
    add_side(second, memory, style, block);
  } else {
    add_side(own, memory, style, block);
  }
  if (line.hazard && !line.other) block.line("before", line.hazard->earlier + ", " + line.hazard->scope);
  if (line.other && line.other->same_action && line.action) {
    const std::string shader = own.shader.empty() ? shader_text(line) : "";
    block.line("both in", own_action(line, style.details) + (shader.empty() ? "" : "  " + shader));
  }
}

void add_layouts(const LineLayout& layout, Block& block) {
  block.line("as", layout.named + (layout.as_old ? ", as the layout before" : ""));
  std::string is = layout.is;
  if (layout.changed_by.empty()) {
    is += ", as it was created";
  } else {
    is += ", since " + layout.changed_by;
    if (!layout.changed_in.empty()) is += " in " + joined(layout.changed_in, " > ");
  }
  block.line("is in", is);
}

void add_cure(const ReportLine& line, Block& block) {
  std::vector<std::string> cure = line.layout   ? line.layout->cure
                                  : line.hazard ? line.hazard->cure
                                                : std::vector<std::string>();
  if (line.hazard && cure.empty() && !line.hazard->hint.empty()) cure = {line.hazard->hint};
  for (size_t i = 0; i < cure.size(); ++i) {
    if (i == 0) {
      block.line("cure", cure[i]);
    } else {
      block.raw(cure[i]);
    }
  }
}

void add_picture(const ReportLine& line, const BlockStyle& style, Block& block) {
  if (!line.image || line.image->picture.empty()) return;
  block.line("picture", shown_path(line.image->picture, style.folder));
  block.line("", line.image->picture_note);
}

void add_details(const ReportLine& line, Block& block) {
  block.line("shader", line.shader);
  if (!line.instruction.empty())
    block.line("code", line.instruction + " (word " + std::to_string(line.word) + ")");
  if (line.hazard && !line.hazard->address.empty())
    block.line("memory", line.hazard->address + ", " + std::to_string(line.hazard->size) + " bytes");
  if (line.buffer)
    block.line("buffer", "VkBuffer " + line.buffer->handle + " + " + std::to_string(line.buffer->offset) +
                             " of " + std::to_string(line.buffer->size) + " bytes");
  if (line.image) block.line("image", "VkImage " + line.image->handle + ", " + line.image->format);
  if (line.action && !line.action->command_buffer.empty())
    block.line("queue", (line.action->queue.empty() ? "" : line.action->queue + ", ") + "command buffer " +
                            line.action->command_buffer);
  else if (line.action && !line.action->queue.empty())
    block.line("queue", line.action->queue);
  block.line("bug", line.fingerprint);
}

}  // namespace

BlockStyle style_of(int descriptor) {
  BlockStyle style;
  std::error_code none;
  style.folder = std::filesystem::current_path(none).string();
  if (::isatty(descriptor) != 1) return style;
  const char* const terminal = std::getenv("TERM");
  const char* const colors = std::getenv("NO_COLOR");
  style.color = !(colors && *colors) && !(terminal && std::string_view(terminal) == "dumb");
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  return style;
}

std::string bug_headline(const ReportLine& line, const std::string& folder) {
  std::string text = headline(line);
  if (const std::string at = place(line.source, folder); !at.empty()) text += " at " + at;
  return clean(text);
}

bool lacks_lines(const ReportLine& line) {
  return !line.check.empty() && !line.source.known() && !line.shader.empty();
}

std::string bug_block(const ReportLine& line, uint64_t occurrences, const BlockStyle& style) {
  Block block(style);
  const std::string often = occurrences > 1 ? ", " + with_commas(occurrences) + " times" : "";
  block.headline(to_string(line.kind), headline(line) + often);
  if (!line.check.empty()) {
    add_sides(line, style, block);
    if (line.layout) add_layouts(*line.layout, block);
    if (lacks_lines(line) && style.advice)
      block.line("lines",
                 "not known: compile shaders with them (glslang -gVS, glslc -g, slangc -g, dxc "
                 "-fspv-debug=vulkan-with-source)");
    if (line.origin) block.line("from", origin_text(*line.origin));
    for (size_t i = 0; i < line.commands.size(); ++i)
      block.line(i == 0 ? "around" : "", command_text(line.commands[i], style.details));
  }
  add_picture(line, style, block);
  add_cure(line, block);
  if (style.details) add_details(line, block);
  return block.take();
}

}  // namespace shaderqa
