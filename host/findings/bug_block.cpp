// SPDX-License-Identifier: Apache-2.0
#include "host/findings/bug_block.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "host/text/text_escape.h"

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

std::string memory_name(const ReportLine& line) {
  if (!line.workgroup_part.empty()) return line.workgroup_part + " (workgroup memory)";
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

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where `name` stands in the text, as a whole word; npos if it does so never or more than once.
size_t only_place(const std::string& text, std::string_view name) {
  size_t found = std::string::npos;
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at != 0 && is_name(text[at - 1])) || (end < text.size() && is_name(text[end]))) continue;
    if (found != std::string::npos) return std::string::npos;
    found = at;
  }
  return found;
}

// What a caret points at: the source's column, else the accessed memory's name, from its innermost member on,
// where the line has it once. npos: neither is known.
size_t caret_place(const std::string& text, uint64_t column, const std::string& memory) {
  if (column != 0 && column <= text.size()) return column - 1;
  for (size_t end = memory.size(); end != 0;) {
    size_t begin = end;
    while (begin != 0 && is_name(memory[begin - 1])) --begin;
    const std::string_view part = std::string_view(memory).substr(begin, end - begin);
    if (!part.empty() && !std::isdigit(static_cast<unsigned char>(part[0])))
      if (const size_t at = only_place(text, part); at != std::string::npos) return at;
    end = begin == end ? end - 1 : begin;
  }
  return std::string::npos;
}

std::string headline(const ReportLine& line) {
  if (!line.hazard) return line.text;
  std::string text = line.hazard->hazard_class.empty() ? "unsynchronised access" : line.hazard->hazard_class;
  // Chance decides which of the two came first.
  if (line.other && line.other->same_action && text.find(" after ") != std::string::npos) text = "data race";
  if (const std::string name = memory_name(line); !name.empty()) text += " on " + name;
  return text;
}

std::string place(const LineSource& source) {
  if (!source.known()) return {};
  std::string text = source.file.empty() ? "line " : source.file + ":";
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

std::string shader_text(const ReportLine& line) {
  std::string text = line.stage;
  if (!line.entry_point.empty()) text += (text.empty() ? "" : ", ") + line.entry_point;
  if (!line.shader_name.empty()) text += " \"" + line.shader_name + "\"";
  if (!line.pipeline.empty()) text += ", " + line.pipeline;
  return text;
}

// "in f(), inlined at a.comp:12 in main()"
std::string frames_text(const std::vector<LineFrame>& frames) {
  std::string text;
  for (const LineFrame& frame : frames) {
    if (!text.empty())
      text += ", inlined" +
              (frame.line == 0 ? std::string() : " at " + frame.file + ":" + std::to_string(frame.line));
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
    if (source.text.empty()) return;
    std::string text = clean(source.text);
    std::ranges::replace(text, '\t', ' ');
    const size_t first = std::min(text.find_first_not_of(' '), text.size());
    const size_t caret = caret_place(text, source.column, memory);
    const std::string lead(kLead, ' ');
    out_ += lead + color(kDim) + "| " + color(kPlain) + text.substr(first) + "\n";
    if (caret == std::string::npos) return;
    out_ += lead + color(kDim) + "| " + color(kPlain) + std::string(std::max(caret, first) - first, ' ') +
            color(kGreen) + "^" + color(kPlain) + "\n";
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
  void wrap(const std::string& text, size_t indent) {
    constexpr size_t kLeast = 40;
    if (style_.width < indent + kLeast) {
      out_ += text;
      return;
    }
    std::string_view rest = text;
    const size_t room = style_.width - indent - 1;
    while (rest.size() > room) {
      size_t end = rest.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) end = std::min(rest.find(' '), rest.size());
      out_ += rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!rest.empty()) out_ += "\n" + std::string(indent, ' ');
    }
    out_ += rest;
  }

  const BlockStyle& style_;
  std::string out_;
};

// The side that the finding is about, and the one that it meets.
void add_sides(const ReportLine& line, bool details, Block& block) {
  const std::string shader = shader_text(line);
  const auto with_shader = [&](const std::string& at) {
    return shader.empty() ? at : at + (at.empty() ? "" : "  ") + "[" + shader + "]";
  };
  const std::string memory =
      line.workgroup_part.empty() ? source_name(line.instruction) : line.workgroup_part;
  const auto own = [&](const std::string& lead) {
    const bool by_command = line.hazard && line.shader.empty() && line.action;
    std::string at = by_command ? command_text(line.action->command, details) : place(line.source);
    if (at.empty()) at = line.instruction.empty() ? line.entry_point : line.instruction;
    block.line(lead, by_command ? at : with_shader(at));
    block.source(line.source, memory);
    block.line("", frames_text(line.frames));
  };
  if (!line.hazard) return own("at");
  const auto other = [&] {
    std::string at = place(line.other->source);
    if (at.empty()) at = joined(line.other->places, " or ");
    if (at.empty())
      at = line.other->command.empty() ? "a place that is not known"
                                       : command_text(line.other->command, details);
    block.line(line.other->precedes ? "before the " + line.other->access : line.other->access, at);
    block.source(line.other->source, memory);
    block.line("", frames_text(line.other->frames));
    if (line.other->places.size() > 1) block.line("", "or one of " + joined(line.other->places, ", "));
  };
  // Within an action chance decides which came first, so the order of the lines decides here.
  const auto key = [](const LineSource& source) { return std::tie(source.file, source.line); };
  const bool own_first = line.other && line.other->same_action && key(line.source) < key(line.other->source);
  if (line.other && !own_first) other();
  own(line.hazard->access);
  if (line.other && own_first) other();
  if (!line.other) block.line("before", line.hazard->earlier + ", " + line.hazard->scope);
}

void add_who(const ReportLine& line, bool details, Block& block) {
  std::string who = line.invocation;
  if (line.other && !line.other->who.empty())
    who += (who.empty() ? "" : "; the other side: ") + line.other->who;
  block.line("who", who);
  if (!line.action) return;
  std::string action = line.action->command.empty() ? "" : command_text(line.action->command, details) + ", ";
  action += "action " + std::to_string(line.action->number);
  if (!line.action->labels.empty()) action += " in " + joined(line.action->labels, " > ");
  if (line.other && line.other->same_action) action += "; both accesses are in it";
  if (line.other && line.other->action != 0 && !line.other->same_action)
    action += "; the other side: " +
              (line.other->command.empty() ? "" : command_text(line.other->command, details) + ", ") +
              "action " + std::to_string(line.other->action);
  block.line("in", action);
  for (const std::string& command : line.commands) block.raw(command_text(command, details));
}

void add_texel(const ReportLine& line, Block& block) {
  if (!line.image) return;
  const LineImage& image = *line.image;
  std::string text = std::to_string(image.x) + "," + std::to_string(image.y) + "," + std::to_string(image.z) +
                     ", mip level " + std::to_string(image.mip) + ", layer " + std::to_string(image.layer);
  if (image.sample != 0) text += ", sample " + std::to_string(image.sample);
  block.line("texel", text + ", " + image.format);
}

void add_cure(const ReportLine& line, Block& block) {
  if (!line.hazard) return;
  std::vector<std::string> cure = line.hazard->cure;
  if (cure.empty() && !line.hazard->hint.empty()) cure = {line.hazard->hint};
  for (size_t i = 0; i < cure.size(); ++i) {
    if (i == 0) {
      block.line("cure", cure[i]);
    } else {
      block.raw(cure[i]);
    }
  }
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
  if (line.image) block.line("image", "VkImage " + line.image->handle);
  if (line.action && !line.action->command_buffer.empty())
    block.line("queue", (line.action->queue.empty() ? "" : line.action->queue + ", ") + "command buffer " +
                            line.action->command_buffer);
  block.line("bug", line.fingerprint);
}

}  // namespace

BlockStyle style_of(int descriptor) {
  BlockStyle style;
  if (::isatty(descriptor) != 1) return style;
  const char* const terminal = std::getenv("TERM");
  const char* const colors = std::getenv("NO_COLOR");
  style.color = !(colors && *colors) && !(terminal && std::string_view(terminal) == "dumb");
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  return style;
}

std::string bug_headline(const ReportLine& line) {
  std::string text = headline(line);
  if (const std::string at = place(line.source); !at.empty()) text += " at " + at;
  return clean(text);
}

std::string bug_block(const ReportLine& line, uint64_t occurrences, const BlockStyle& style) {
  Block block(style);
  block.headline(to_string(line.kind), headline(line));
  if (!line.check.empty()) {
    add_sides(line, style.details, block);
    if (!line.source.known() && !line.shader.empty())
      block.line(
          "",
          "compile the shader with -g (glslang -gVS, dxc -fspv-debug=vulkan-with-source) to see its lines");
    if (line.origin) block.line("from", origin_text(*line.origin));
    add_who(line, style.details, block);
    add_texel(line, block);
  }
  if (occurrences > 1) block.line("often", std::to_string(occurrences) + " times");
  add_cure(line, block);
  if (style.details) add_details(line, block);
  return block.take();
}

}  // namespace shaderqa
