// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_text.h"

#include <cmath>
#include <cstdio>
#include <string_view>

#include "host/findings/hazard_cure.h"
#include "host/findings/hazard_text.h"
#include "host/findings/layout_text.h"
#include "host/findings/report_fields.h"
#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

// A nested object: its first member has no comma.
class JsonObject {
 public:
  JsonObject(std::string& out, std::string_view key) : out_(out) {
    out += ",\"";
    out += key;
    out += "\":{";
    begin_ = out.size();
  }
  ~JsonObject() {
    if (out_.size() > begin_) out_.erase(begin_, 1);
    out_ += '}';
  }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

 private:
  std::string& out_;
  size_t begin_;
};

void append_list(std::string& out, std::string_view key, const std::vector<std::string>& list) {
  if (list.empty()) return;
  out += ",\"";
  out += key;
  out += "\":[";
  for (size_t i = 0; i < list.size(); ++i) {
    out += i == 0 ? "\"" : ",\"";
    append_json(out, list[i]);
    out += '"';
  }
  out += ']';
}

void append_hex_member(std::string& out, std::string_view key, uint64_t value) {
  std::string text;
  append_hex(text, value);
  append_member(out, key, text);
}

std::string float_text(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}

std::string value_text(const CheckDetails& details) {
  if (details.unexpected) return std::to_string(*details.unexpected);
  return details.bad_float ? float_text(details.bad_float->value) : std::string();
}

// Whether its type has a sign is not known here.
std::string integer_text(uint64_t value) {
  std::string text = std::to_string(value);
  const bool half = value <= UINT32_MAX;
  const int64_t with_sign =
      half ? static_cast<int32_t>(static_cast<uint32_t>(value)) : static_cast<int64_t>(value);
  return with_sign < 0 ? text + " (" + std::to_string(with_sign) + " if it has a sign)" : text;
}

// For all checks except hazards.
std::string value_sentence(const CheckDetails& details, const SourcePosition& source) {
  const size_t begin = source.text.find_first_not_of(" \t");
  std::string where = begin == std::string::npos ? details.instruction : source.text.substr(begin);
  if (!where.empty()) where = ": " + where;
  if (details.part) {
    return details.part->name +
           " in workgroup memory is read, and no invocation of the workgroup has written it" + where;
  }
  if (details.check == Check::assume) return "an assumption does not hold" + where;
  if (details.check == Check::expect)
    return (details.unexpected
                ? "a value is " + integer_text(*details.unexpected) + ", and another one was expected"
                : "a value is not the expected one") +
           where;
  if (details.check == Check::breakpoint) return "a breakpoint was passed" + where;
  std::string text = value_text(details);
  if (details.bad_float && details.bad_float->component != 0)
    text += " in component " + std::to_string(details.bad_float->component - 1);
  return (details.instruction.starts_with("OpStore") ? text + kIsStored : "a result is " + text) + where;
}

std::string count_sentence(const CheckDetails& details, const SourcePosition& source,
                           const std::string& entry_point) {
  const FailureCount& count = *details.count;
  std::string where = source.line != 0 ? source.file + ":" + std::to_string(source.line) : entry_point;
  if (count.by_command)
    where = command_name(details.action);
  else
    where += (where.empty() ? "word " : ", word ") + std::to_string(details.word);
  std::string text = std::string(to_string(details.check)) + " at " + where + ": failed " +
                     std::to_string(count.failures) + " times in all";
  if (count.sites > 1)
    text += " (a count shared with " + std::to_string(count.sites - 1) +
            (count.sites == 2 ? " other site)" : " other sites)");
  if (count.filter_was_full) text += ", also while the filter was too full to be believed";
  return text;
}

void append_source_json(std::string& out, const SitePlace& place) {
  const JsonObject object(out, "source");
  out += ",\"file\":\"";
  append_json(out, place.file);
  out += '"';
  append_number_member(out, "line", place.line);
  if (place.column != 0) append_number_member(out, "column", place.column);
  append_member(out, "text", place.text);
}

void append_frames_json(std::string& out, const std::vector<SourceFrame>& frames) {
  if (frames.empty()) return;
  out += ",\"frames\":[";
  for (const SourceFrame& frame : frames) {
    if (out.back() == '}') out += ',';
    out += "{\"function\":\"";
    append_json(out, frame.function);
    out += '"';
    append_member(out, "file", frame.file);
    if (frame.line != 0) append_number_member(out, "line", frame.line);
    out += '}';
  }
  out += ']';
}

// What made a value, and whether it was made here or there before.
void append_origin_json(std::string& out, const CheckDetails& details, const SourcePosition& source) {
  const BadFloat& bad = *details.bad_float;
  const ValueOrigin& origin = bad.origin;
  if (origin.operation.empty() && origin.operands.empty()) return;
  const JsonObject object(out, "origin");
  append_member(out, "operation", origin.operation);
  if (origin.line != 0 && (origin.line != source.line || origin.file != source.file)) {
    append_member(out, "file", origin.file);
    append_number_member(out, "line", origin.line);
  }
  if (origin.operands.empty()) return;
  bool finite = true;
  out += ",\"operands\":[";
  for (size_t i = 0; i < origin.operands.size(); ++i) {
    const OriginOperand& operand = origin.operands[i];
    finite = finite && std::isfinite(bad.operands[i]);
    if (i != 0) out += ',';
    out += "{\"name\":\"";
    append_json(out, operand.name);
    // A whole vector's first component says nothing where all of them are finite.
    out += "\",\"value\":\"" +
           (operand.whole && std::isfinite(bad.operands[i]) ? "finite" : float_text(bad.operands[i])) + "\"}";
  }
  out += ']';
  if (!finite) out += ",\"begins\":false";
  if (finite && origin.complete) out += ",\"begins\":true";
}

void append_image_json(std::string& out, const ImageOrigin& image) {
  const JsonObject object(out, "image");
  append_member(out, "name", image.name);
  append_hex_member(out, "handle", image.handle);
  append_member(out, "format", image.format);
  if (image.plane) append_number_member(out, "plane", *image.plane);
  append_number_member(out, "mip", image.mip);
  append_number_member(out, "layer", image.layer);
  append_number_member(out, "x", image.x);
  append_number_member(out, "y", image.y);
  append_number_member(out, "z", image.z);
  append_number_member(out, "sample", image.sample);
  append_member(out, "picture", image.picture);
  append_member(out, "picture_note", image.picture_note);
  if (image.destroyed) out += ",\"destroyed\":true";
}

void append_hazard_json(std::string& out, const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  {
    const JsonObject object(out, "hazard");
    append_member(out, "class", to_string(hazard.hazard_class));
    append_member(out, "access", to_string(hazard.access));
    append_member(out, "earlier", to_string(hazard.earlier));
    append_member(out, "scope", hazard_scope(details));
    append_member(out, "hint", hazard_hint(details));
    append_list(out, "cure", hazard_cure(details));
  }
  if (hazard.other) {
    const OtherAccess& other = *hazard.other;
    const JsonObject object(out, "other");
    append_member(out, "access", to_string(other.access));
    std::vector<std::string> places;
    for (const SitePlace& place : other.places) places.push_back(place_text(place));
    append_list(out, "places", places);
    if (!other.places.empty()) {
      if (other.places.front().line != 0) append_source_json(out, other.places.front());
      append_frames_json(out, other.places.front().frames);
    }
    if (other.action) {
      append_member(out, "command", other.action->command);
    } else if (other.by_command) {
      append_member(out, "command", command_name(other.action));
    }
    if (!other.by_command && other.stage != Stage::unknown)
      append_member(out, "stage", to_string(other.stage));
    append_member(out, "who", owner_text(other));
    if (other.precedes) out += ",\"precedes\":true";
    if (other.same_action) out += ",\"same_action\":true";
    if (other.action) append_number_member(out, "action", other.action->number);
  }
  if (!details.part) append_hex_member(out, "address", hazard.address);
  append_number_member(out, "size", hazard.size);
  if (hazard.image) append_image_json(out, *hazard.image);
  if (!hazard.buffer) return;
  const BufferOrigin& buffer = *hazard.buffer;
  const JsonObject object(out, "buffer");
  append_member(out, "name", buffer.name);
  append_hex_member(out, "handle", buffer.handle);
  append_number_member(out, "offset", buffer.offset);
  append_number_member(out, "size", buffer.size);
  if (buffer.destroyed) out += ",\"destroyed\":true";
}

void append_layout_json(std::string& out, const CheckDetails& details) {
  const WrongLayout& layout = *details.layout;
  {
    const JsonObject object(out, "layout");
    append_member(out, "named", layout.named);
    append_member(out, "is", layout.is);
    append_member(out, "aspect", layout.aspect);
    if (layout.as_old) out += ",\"as_old\":true";
    if (layout.of_descriptor) out += ",\"of_descriptor\":true";
    append_member(out, "changed_by", layout.changed_by);
    append_list(out, "changed_in", layout.changed_in);
    append_list(out, "cure", layout_cure(details));
  }
  append_image_json(out, layout.image);
}

void append_action_json(std::string& out, const CheckDetails& details) {
  if (details.action_number == 0 && !details.layout) return;
  const JsonObject object(out, "action");
  if (details.action_number != 0) append_number_member(out, "number", details.action_number);
  if (!details.action) return;
  const ActionOrigin& action = *details.action;
  append_member(out, "command", action.command);
  append_list(out, "labels", action.labels);
  append_member(out, "command_buffer", action.command_buffer);
  if (action.index != 0) append_number_member(out, "index", action.index);
  append_member(out, "queue", action.queue);
  // The exact engine orders actions instead, and other checks know one action only.
  if (details.hazard && !details.hazard->other)
    append_number_member(out, "first_since_clear", action.first_since_clear);
}

}  // namespace

std::string check_sentence(const CheckDetails& details, const SourcePosition& source,
                           const std::string& entry_point) {
  if (details.count) return count_sentence(details, source, entry_point);
  if (details.layout) return layout_sentence(details);
  return details.hazard ? hazard_sentence(details) : value_sentence(details, source);
}

void append_check_json(std::string& out, const CheckDetails& details, const SourcePosition& source) {
  append_member(out, "check", to_string(details.check));
  if (!details.instruction.empty()) {
    const JsonObject object(out, "instruction");
    append_member(out, "text", details.instruction);
    append_number_member(out, "word", details.word);
  }
  if (!details.variable.empty()) {
    const JsonObject object(out, "resource");
    append_member(out, "name", details.variable);
    append_number_member(out, "set", details.set);
    append_number_member(out, "binding", details.binding);
  }
  append_frames_json(out, details.frames);
  append_member(out, "value", value_text(details));
  if (details.bad_float) append_origin_json(out, details, source);
  if (details.part) {
    const JsonObject object(out, "workgroup");
    append_member(out, "part", details.part->name);
    append_number_member(out, "barriers", details.part->barriers);
  }
  if (details.hazard) append_hazard_json(out, details);
  if (details.layout) append_layout_json(out, details);
  append_action_json(out, details);
  append_list(out, "commands", details.commands);
  if (details.count) append_number_member(out, "count", details.count->failures);
}

}  // namespace shaderqa
