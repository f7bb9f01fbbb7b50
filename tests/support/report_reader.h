// SPDX-License-Identifier: Apache-2.0
// Reads what the layer reported to its JSON-lines file.
#ifndef SHADERQA_TESTS_SUPPORT_REPORT_READER_H
#define SHADERQA_TESTS_SUPPORT_REPORT_READER_H

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace shaderqa::testing {

// The findings of all lines, without those that say what was checked. Throws, with the line, if one does not
// fit docs/report.schema.json. No file: none.
std::vector<nlohmann::json> read_report(const std::filesystem::path& path);
// "text" of all findings of a kind, in order.
std::vector<std::string> texts_of(const std::vector<nlohmann::json>& findings, const std::string& kind);

}  // namespace shaderqa::testing
#endif
