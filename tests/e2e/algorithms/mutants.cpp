// SPDX-License-Identifier: Apache-2.0
#include "mutants.h"

#include <regex>
#include <sstream>

namespace algorithms {
namespace {

struct Line {
  std::string text;
  std::string mutant = {};       // "": none
  std::string replacement = {};  // of the whole line
};

std::vector<Line> lines_of(const std::string& shader) {
  static const std::regex mark(R"(//(-|~) (\w+)(?:: (.*))?$)");
  std::vector<Line> lines;
  std::istringstream source(shader);
  std::string text;
  while (std::getline(source, text)) {
    std::smatch match;
    if (std::regex_search(text, match, mark))
      lines.push_back({text, match[2], match[3]});
    else
      lines.push_back({text});
  }
  return lines;
}

}  // namespace

std::vector<std::string> mutants_of(const std::string& shader) {
  std::vector<std::string> names;
  for (const Line& line : lines_of(shader))
    if (!line.mutant.empty()) names.push_back(line.mutant);
  return names;
}

std::string mutated(const std::string& shader, const std::string& name) {
  std::string result;
  for (const Line& line : lines_of(shader))
    result += (line.mutant == name ? line.replacement : line.text) + "\n";
  return result;
}

std::vector<std::string> unmarked_lines(const std::string& shader) {
  static const std::regex orders(R"(barrier\(|memoryBarrier|atomic[A-Z])");
  std::vector<std::string> lines;
  for (const Line& line : lines_of(shader)) {
    const bool excused = line.text.find("//= ") != std::string::npos;
    if (line.mutant.empty() && !excused && std::regex_search(line.text, orders)) lines.push_back(line.text);
  }
  return lines;
}

}  // namespace algorithms
