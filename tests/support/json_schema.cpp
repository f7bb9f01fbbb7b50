// SPDX-License-Identifier: Apache-2.0
#include "json_schema.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "report_schema_text.h"

namespace shaderqa::testing {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  throw std::invalid_argument("schema: unknown type " + type);
}

bool contains(const json& list, const json& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

JsonSchema::JsonSchema(json schema) : schema_(std::move(schema)) { prepare(schema_); }

std::string JsonSchema::problem(const json& value) const { return check(schema_, value, ""); }

// Compiles patterns, which is slow, and looks at every keyword.
void JsonSchema::prepare(const json& schema) {
  static const std::set<std::string> values = {"$schema", "title",   "type",      "required", "enum",
                                               "const",   "minimum", "minLength", "minItems"};
  static const std::set<std::string> schemas = {"items", "propertyNames", "not", "if", "then", "else"};
  for (const auto& [key, value] : schema.items()) {
    if (values.contains(key)) continue;
    if (schemas.contains(key)) {
      prepare(value);
    } else if (key == "properties" || key == "allOf") {
      for (const json& each : value) prepare(each);
    } else if (key == "pattern") {
      patterns_.try_emplace(value.get<std::string>(), value.get<std::string>());
    } else if (key != "additionalProperties" || value != false) {
      throw std::invalid_argument("schema: unknown keyword " + key + ": " + value.dump());
    }
  }
}

std::string JsonSchema::check(const json& schema, const json& value, const std::string& at) const {
  std::string wrong = check_value(schema, value, at);
  if (wrong.empty() && value.is_object()) wrong = check_object(schema, value, at);
  if (wrong.empty() && value.is_array() && schema.contains("items")) {
    for (size_t i = 0; i < value.size() && wrong.empty(); ++i)
      wrong = check(schema["items"], value[i], at + "/" + std::to_string(i));
  }
  return wrong.empty() ? check_logic(schema, value, at) : wrong;
}

std::string JsonSchema::check_value(const json& schema, const json& value, const std::string& at) const {
  const auto wrong = [&](const std::string& what) {
    return (at.empty() ? "/" : at) + ": " + value.dump() + " " + what;
  };
  for (const auto& [key, wanted] : schema.items()) {
    if (key == "type" && !has_type(value, wanted)) return wrong("is not of type " + wanted.dump());
    if (key == "enum" && !contains(wanted, value)) return wrong("is none of " + wanted.dump());
    if (key == "const" && value != wanted) return wrong("is not " + wanted.dump());
    if (key == "minimum" && value.is_number() && value < wanted) return wrong("is below " + wanted.dump());
    if (key == "minItems" && value.is_array() && value.size() < wanted.get<size_t>())
      return wrong("has too few items");
    if (!value.is_string()) continue;
    const auto& text = value.get_ref<const std::string&>();
    if (key == "minLength" && text.size() < wanted.get<size_t>()) return wrong("is too short");
    if (key == "pattern" && !std::regex_search(text, patterns_.at(wanted)))
      return wrong("does not match " + wanted.dump());
  }
  return {};
}

std::string JsonSchema::check_object(const json& schema, const json& value, const std::string& at) const {
  if (schema.contains("required")) {
    for (const json& name : schema["required"]) {
      if (!value.contains(name.get_ref<const std::string&>()))
        return at + "/" + name.get<std::string>() + ": is missing";
    }
  }
  const json properties = schema.value("properties", json::object());
  for (const auto& [name, member] : value.items()) {
    const std::string place = at + "/" + name;
    std::string wrong;
    if (properties.contains(name)) {
      wrong = check(properties[name], member, place);
    } else if (schema.contains("additionalProperties")) {
      wrong = place + ": there is no such member";
    }
    if (wrong.empty() && schema.contains("propertyNames"))
      wrong = check(schema["propertyNames"], name, place + " (its name)");
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string JsonSchema::check_logic(const json& schema, const json& value, const std::string& at) const {
  if (schema.contains("not") && check(schema["not"], value, at).empty())
    return at + ": must not fit " + schema["not"].dump();
  if (schema.contains("allOf")) {
    for (const json& each : schema["allOf"])
      if (const std::string wrong = check(each, value, at); !wrong.empty()) return wrong;
  }
  if (!schema.contains("if")) return {};
  const char* branch = check(schema["if"], value, at).empty() ? "then" : "else";
  return schema.contains(branch) ? check(schema[branch], value, at) : std::string();
}

const JsonSchema& report_schema() {
  static const JsonSchema schema(json::parse(kReportSchema));
  return schema;
}

}  // namespace shaderqa::testing
