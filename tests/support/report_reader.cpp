// SPDX-License-Identifier: Apache-2.0
#include "report_reader.h"

#include <fstream>

namespace shaderqa::testing {

std::vector<nlohmann::json> read_report(const std::filesystem::path& path) {
  std::vector<nlohmann::json> findings;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) findings.push_back(nlohmann::json::parse(line));
  return findings;
}

std::vector<std::string> texts_of(const std::vector<nlohmann::json>& findings, const std::string& kind) {
  std::vector<std::string> texts;
  for (const auto& finding : findings)
    if (finding.at("kind") == kind) texts.push_back(finding.at("text"));
  return texts;
}

}  // namespace shaderqa::testing
