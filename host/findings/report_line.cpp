// SPDX-License-Identifier: Apache-2.0
#include "host/findings/report_line.h"

#include <nlohmann/json.hpp>

namespace shaderqa {
namespace {

using nlohmann::json;

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_true_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

uint64_t number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::vector<std::string> list_at(const json& object, const char* key) {
  std::vector<std::string> list;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return list;
  for (const json& entry : *found)
    if (entry.is_string()) list.push_back(entry.get<std::string>());
  return list;
}

const json* object_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

LineSource source_at(const json& object) {
  LineSource source;
  const json* const found = object_at(object, "source");
  if (!found) return source;
  source.file = text_at(*found, "file");
  source.text = text_at(*found, "text");
  source.line = number_at(*found, "line");
  source.column = number_at(*found, "column");
  return source;
}

std::vector<LineFrame> frames_at(const json& object) {
  std::vector<LineFrame> frames;
  const auto found = object.find("frames");
  if (found == object.end() || !found->is_array()) return frames;
  for (const json& frame : *found)
    if (frame.is_object())
      frames.push_back({text_at(frame, "function"), text_at(frame, "file"), number_at(frame, "line")});
  return frames;
}

std::optional<LineOrigin> origin_at(const json& object) {
  const json* const found = object_at(object, "origin");
  if (!found) return std::nullopt;
  LineOrigin origin;
  origin.operation = text_at(*found, "operation");
  origin.file = text_at(*found, "file");
  origin.line = number_at(*found, "line");
  if (found->contains("begins")) origin.begins = is_true_at(*found, "begins");
  const auto operands = found->find("operands");
  if (operands == found->end() || !operands->is_array()) return origin;
  for (const json& operand : *operands)
    if (operand.is_object())
      origin.operands.emplace_back(text_at(operand, "name"), text_at(operand, "value"));
  return origin;
}

void read_access(const json& object, ReportLine& line) {
  if (const json* const hazard = object_at(object, "hazard")) {
    LineHazard& to = line.hazard.emplace();
    to.hazard_class = text_at(*hazard, "class");
    to.access = text_at(*hazard, "access");
    to.earlier = text_at(*hazard, "earlier");
    to.scope = text_at(*hazard, "scope");
    to.hint = text_at(*hazard, "hint");
    to.cure = list_at(*hazard, "cure");
    to.size = number_at(object, "size");
    to.address = text_at(object, "address");
  }
  if (const json* const other = object_at(object, "other")) {
    LineOther& to = line.other.emplace();
    to.access = text_at(*other, "access");
    to.stage = text_at(*other, "stage");
    to.who = text_at(*other, "who");
    to.command = text_at(*other, "command");
    to.places = list_at(*other, "places");
    to.source = source_at(*other);
    to.frames = frames_at(*other);
    to.same_action = is_true_at(*other, "same_action");
    to.precedes = is_true_at(*other, "precedes");
    to.action = number_at(*other, "action");
  }
  if (const json* const layout = object_at(object, "layout")) {
    LineLayout& to = line.layout.emplace();
    to.named = text_at(*layout, "named");
    to.is = text_at(*layout, "is");
    to.aspect = text_at(*layout, "aspect");
    to.changed_by = text_at(*layout, "changed_by");
    to.changed_in = list_at(*layout, "changed_in");
    to.cure = list_at(*layout, "cure");
    to.as_old = is_true_at(*layout, "as_old");
    to.of_descriptor = is_true_at(*layout, "of_descriptor");
  }
  if (const json* const buffer = object_at(object, "buffer"))
    line.buffer = {text_at(*buffer, "name"), text_at(*buffer, "handle"), number_at(*buffer, "offset"),
                   number_at(*buffer, "size")};
  if (const json* const image = object_at(object, "image")) {
    line.image = {text_at(*image, "name"),    text_at(*image, "handle"),      text_at(*image, "format"),
                  number_at(*image, "mip"),   number_at(*image, "layer"),     number_at(*image, "x"),
                  number_at(*image, "y"),     number_at(*image, "z"),         number_at(*image, "sample"),
                  text_at(*image, "picture"), text_at(*image, "picture_note")};
    if (image->contains("plane")) line.image->plane = number_at(*image, "plane");
  }
}

void read_action(const json& object, ReportLine& line) {
  const json* const action = object_at(object, "action");
  if (!action) return;
  LineAction& to = line.action.emplace();
  to.number = number_at(*action, "number");
  to.index = number_at(*action, "index");
  to.command = text_at(*action, "command");
  to.queue = text_at(*action, "queue");
  to.command_buffer = text_at(*action, "command_buffer");
  to.labels = list_at(*action, "labels");
}

}  // namespace

std::optional<ReportLine> read_report_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const std::optional<FindingKind> kind = finding_kind(text_at(object, "kind"));
  if (!kind) return std::nullopt;
  ReportLine line;
  line.kind = *kind;
  line.json = text;
  for (const auto& [key, member] : {std::pair{"text", &line.text},
                                    {"fingerprint", &line.fingerprint},
                                    {"shader", &line.shader},
                                    {"stage", &line.stage},
                                    {"entry_point", &line.entry_point},
                                    {"shader_name", &line.shader_name},
                                    {"pipeline", &line.pipeline},
                                    {"invocation", &line.invocation},
                                    {"value", &line.value},
                                    {"check", &line.check},
                                    {"program", &line.program},
                                    {"host", &line.host},
                                    {"run", &line.run},
                                    {"version", &line.version},
                                    {"incomplete", &line.incomplete}})
    *member = text_at(object, key);
  line.process = number_at(object, "process");
  if (const json* const device = object_at(object, "device")) {
    line.device = text_at(*device, "name");
    line.driver = text_at(*device, "driver");
  }
  line.source = source_at(object);
  line.frames = frames_at(object);
  line.origin = origin_at(object);
  if (const json* const instruction = object_at(object, "instruction")) {
    line.instruction = text_at(*instruction, "text");
    line.word = number_at(*instruction, "word");
  }
  if (const json* const resource = object_at(object, "resource"))
    line.resource = {text_at(*resource, "name"), number_at(*resource, "set"),
                     number_at(*resource, "binding")};
  if (const json* const workgroup = object_at(object, "workgroup"))
    line.workgroup_part = text_at(*workgroup, "part");
  read_access(object, line);
  read_action(object, line);
  line.commands = list_at(object, "commands");
  if (object.contains("count")) line.count = number_at(object, "count");
  return line;
}

}  // namespace shaderqa
