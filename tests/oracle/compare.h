// SPDX-License-Identifier: Apache-2.0
// What the layer reported of a program against its truth.
#ifndef SHADERQA_TESTS_ORACLE_COMPARE_H
#define SHADERQA_TESTS_ORACLE_COMPARE_H

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "truth.h"

namespace oracle {

struct Finding {
  size_t program = 0;
  Site later;
  std::string access;              // "load", "store", "atomic", ...
  std::vector<Site> earlier = {};  // of which one is the other side; none: a command, or not known
  bool precedes = false;           // the other side is not `earlier`, but came before it
  std::string earlier_access;
  std::string hazard_class;
  std::string text;
};

// None for anything but a hazard.
std::optional<Finding> finding_of(const nlohmann::json& line);

enum class Problem : uint8_t { false_report, missed, wrong_sides, wrong_class, did_not_run };
const char* name_of(Problem problem);

struct Disagreement {
  Problem problem = Problem::missed;
  std::string detail;
  std::string known;  // class of known.h; "": not known
};

struct Run {
  bool lenient = false;  // without sync_strict
  bool filter = false;   // the filter engine: a race may be missed, the other side has no place
};
// findings: of this program. One disagreement of a kind at most.
std::vector<Disagreement> compare(const Program& program, const Truth& truth,
                                  const std::vector<Finding>& findings, const Run& run = {});
std::string describe_races(const Program& program, const Truth& truth);

}  // namespace oracle
#endif
