// SPDX-License-Identifier: Apache-2.0
// Checks JSON against a schema (draft 07). Only the keywords that docs/report.schema.json uses are known: a
// schema with another one is refused, so that nothing in it goes unchecked.
#ifndef SHADERQA_TESTS_SUPPORT_JSON_SCHEMA_H
#define SHADERQA_TESTS_SUPPORT_JSON_SCHEMA_H

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace shaderqa::testing {

class JsonSchema {
 public:
  // Throws std::invalid_argument if a keyword is unknown.
  explicit JsonSchema(nlohmann::json schema);

  // What is wrong, with the place: "/hazard/earlier: \"read\" is none of [...]". Empty: the value is valid.
  std::string problem(const nlohmann::json& value) const;
  const nlohmann::json& schema() const { return schema_; }

 private:
  void prepare(const nlohmann::json& schema);
  std::string check(const nlohmann::json& schema, const nlohmann::json& value, const std::string& at) const;
  std::string check_value(const nlohmann::json& schema, const nlohmann::json& value,
                          const std::string& at) const;
  std::string check_object(const nlohmann::json& schema, const nlohmann::json& value,
                           const std::string& at) const;
  std::string check_logic(const nlohmann::json& schema, const nlohmann::json& value,
                          const std::string& at) const;

  nlohmann::json schema_;
  std::map<std::string, std::regex> patterns_;
};

// docs/report.schema.json as it was when this was built.
const JsonSchema& report_schema();

}  // namespace shaderqa::testing
#endif
