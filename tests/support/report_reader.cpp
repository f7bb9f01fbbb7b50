// SPDX-License-Identifier: Apache-2.0
#include "report_reader.h"

#include <fstream>
#include <stdexcept>
#include <utility>

#include "json_schema.h"

namespace shaderqa::testing {

std::vector<nlohmann::json> read_report(const std::filesystem::path& path) {
  std::vector<nlohmann::json> findings;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    nlohmann::json finding = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    const std::string problem = finding.is_discarded() ? "is not JSON" : report_schema().problem(finding);
    if (!problem.empty())
      throw std::runtime_error(path.string() + ": does not fit docs/report.schema.json: " + problem +
                               "\nin the line " + line);
    if (finding["kind"] == "checked") continue;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<std::string> texts_of(const std::vector<nlohmann::json>& findings, const std::string& kind) {
  std::vector<std::string> texts;
  for (const auto& finding : findings)
    if (finding.at("kind") == kind) texts.push_back(finding.at("text"));
  return texts;
}

}  // namespace shaderqa::testing
