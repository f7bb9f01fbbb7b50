// SPDX-License-Identifier: Apache-2.0
// Where today's exact engine is known to differ from the memory model. When the engine learns one of these,
// its entry goes.
#ifndef SHADERQA_TESTS_ORACLE_KNOWN_H
#define SHADERQA_TESTS_ORACLE_KNOWN_H

#include <string>
#include <vector>

#include "compare.h"

namespace oracle {

// A race for one word.
struct WordRace {
  const Program& program;
  const Truth& truth;
  const Truth& acquired;  // with Acquires::taken_for_granted
  const RacePair& pair;
  std::pair<uint32_t, uint32_t> word;
};

struct KnownClass {
  const char* name;
  const char* reason;                        // and where docs say so
  bool (*hides)(const WordRace&) = nullptr;  // a race that need not be reported
  bool (*misleads)(const Program&, const Truth&, Problem, const Finding&) = nullptr;  // a wrong report
};
const std::vector<KnownClass>& known_classes();
// finding: of a wrong report. A missed program is known if each word of each of its races is; the name is
// that of the class of the first one. "": not known.
std::string known_class(const Program& program, const Truth& truth, Problem problem, const Finding* finding);

}  // namespace oracle
#endif
