// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_metadata.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "host/findings/report_fields.h"
#include "host/text/shader_hash_text.h"

namespace shaderqa {
namespace {

using nlohmann::json;

void append_frames(std::string& out, const std::vector<SourceFrame>& frames) {
  if (frames.empty()) return;
  out += ",\"frames\":[";
  for (const SourceFrame& frame : frames) {
    if (out.back() == '}') out += ',';
    out += "{\"line\":";
    append_number(out, frame.line);
    append_member(out, "function", frame.function);
    append_member(out, "file", frame.file);
    out += '}';
  }
  out += ']';
}

void append_origins(std::string& out, const std::vector<ValueOrigin>& origins) {
  if (origins.empty()) return;
  out += ",\"origins\":[";
  for (const ValueOrigin& origin : origins) {
    if (out.back() == '}') out += ',';
    out += "{\"line\":";
    append_number(out, origin.line);
    append_member(out, "operation", origin.operation);
    append_member(out, "file", origin.file);
    append_number_member(out, "complete", origin.complete ? 1 : 0);
    out += ",\"operands\":[";
    for (const OriginOperand& operand : origin.operands) {
      if (out.back() == '}') out += ',';
      out += "{\"whole\":";
      append_number(out, operand.whole ? 1 : 0);
      append_member(out, "name", operand.name);
      out += '}';
    }
    out += "]}";
  }
  out += ']';
}

// Written without the JSON library, which is slow: an application's users wait for its pipelines.
void append_site(std::string& out, const CheckSite& site) {
  out += "{\"word\":";
  append_number(out, site.instruction);
  append_number_member(out, "check", site.check);
  append_number_member(out, "access", site.access);
  append_number_member(out, "invocation", static_cast<uint64_t>(site.invocation));
  append_number_member(out, "set", site.set);
  append_number_member(out, "binding", site.binding);
  append_member(out, "text", site.text);
  append_member(out, "variable", site.variable);
  append_member(out, "file", site.source.file);
  append_number_member(out, "line", site.source.line);
  append_number_member(out, "column", site.source.column);
  if (site.tag != 0) append_number_member(out, "tag", site.tag);
  append_member(out, "source", site.source.text);
  append_frames(out, site.frames);
  append_origins(out, site.origins);
  out += '}';
}

uint32_t number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return 0;
  return found->get<uint32_t>();
}

std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The objects of an array; none if there is no such array.
std::vector<json> objects(const json& object, const char* key) {
  std::vector<json> found;
  const auto array = object.find(key);
  if (array == object.end() || !array->is_array()) return found;
  for (const json& each : *array)
    if (each.is_object()) found.push_back(each);
  return found;
}

ValueOrigin origin_of(const json& object) {
  ValueOrigin origin;
  origin.operation = text(object, "operation");
  origin.file = text(object, "file");
  origin.line = number(object, "line");
  origin.complete = number(object, "complete") != 0;
  for (const json& operand : objects(object, "operands")) {
    if (origin.operands.size() == kOriginOperands) break;
    origin.operands.push_back({text(operand, "name"), number(operand, "whole") != 0});
  }
  return origin;
}

CheckSite site_of(const json& object) {
  CheckSite site;
  site.instruction = number(object, "word");
  site.check = number(object, "check");
  site.access = number(object, "access");
  const uint32_t invocation = number(object, "invocation");
  if (invocation <= static_cast<uint32_t>(InvocationKind::launch_id))
    site.invocation = static_cast<InvocationKind>(invocation);
  site.set = number(object, "set");
  site.binding = number(object, "binding");
  site.text = text(object, "text");
  site.variable = text(object, "variable");
  site.tag = number(object, "tag");
  site.source = {text(object, "file"), number(object, "line"), number(object, "column"),
                 text(object, "source")};
  for (const json& frame : objects(object, "frames"))
    site.frames.push_back({text(frame, "function"), text(frame, "file"), number(frame, "line")});
  for (const json& origin : objects(object, "origins")) site.origins.push_back(origin_of(origin));
  return site;
}

// Layouts are small: a few variables.
void append_layout(std::string& out, const WorkgroupLayout& layout) {
  if (layout.id == 0) return;
  append_number_member(out, "layout", layout.id);
  out += ",\"variables\":[";
  for (const WorkgroupVariable& variable : layout.variables) {
    if (out.back() == '}') out += ',';
    out += "{\"first\":";
    append_number(out, variable.first);
    append_number_member(out, "count", variable.count);
    append_number_member(out, "unit", variable.unit);
    append_member(out, "name", variable.name);
    append_member(out, "shape", variable.shape);
    out += '}';
  }
  out += ']';
}

WorkgroupLayout layout_of(const json& document) {
  WorkgroupLayout layout;
  const auto variables = document.find("variables");
  if (variables == document.end() || !variables->is_array()) return layout;
  layout.id = number(document, "layout");
  for (const json& each : *variables) {
    if (!each.is_object()) continue;
    layout.variables.push_back({text(each, "name"), number(each, "first"), number(each, "count"),
                                number(each, "unit"), text(each, "shape")});
  }
  return layout;
}

}  // namespace

std::string write_check_metadata(const ShaderRecord& record) {
  std::string line = "{\"shader\":\"";
  append_hash(line, record.shader_hash);
  line += '"';
  append_number_member(line, "stage", static_cast<uint64_t>(record.stage));
  append_member(line, "entry_point", record.entry_point);
  append_layout(line, record.workgroup);
  line += ",\"sites\":[";
  for (const CheckSite& site : record.check_sites) {
    if (line.back() == '}') line += ',';
    append_site(line, site);
  }
  line += "]}\n";
  return line;
}

std::optional<ShaderRecord> read_check_metadata(std::string_view line) {
  const auto limit_depth = [](int level, json::parse_event_t, json&) { return level <= 8; };
  const json document = json::parse(line, limit_depth, /*allow_exceptions=*/false);
  if (!document.is_object()) return std::nullopt;
  const auto sites = document.find("sites");
  const std::string hash = text(document, "shader");
  if (sites == document.end() || !sites->is_array() || hash.empty()) return std::nullopt;
  ShaderRecord record;
  record.shader_hash = std::strtoull(hash.c_str(), nullptr, 16);
  const uint32_t stage = number(document, "stage");
  if (stage < static_cast<uint32_t>(Stage::unknown)) record.stage = static_cast<Stage>(stage);
  record.entry_point = text(document, "entry_point");
  record.workgroup = layout_of(document);
  for (const json& site : *sites) {
    if (!site.is_object()) return std::nullopt;
    record.check_sites.push_back(site_of(site));
  }
  return record;
}

}  // namespace shaderqa
