// SPDX-License-Identifier: Apache-2.0
// The stated set (docs/internals/oracle.md): where the exact engine is known to differ from the memory model.
// Each class is a condition on a race, by the program and the answers of its run alone. When the engine
// learns one of these, its entry goes.
#ifndef SHADERQA_TESTS_ORACLE_KNOWN_H
#define SHADERQA_TESTS_ORACLE_KNOWN_H

#include <map>
#include <string>
#include <vector>

#include "compare.h"
#include "handovers.h"

namespace oracle {

// Two accesses that race for a word, x's command being the earlier one.
struct Occurrence {
  const Program& program;
  const Truth& truth;
  const std::vector<const Access*>& word;  // all accesses to it
  const Handovers& handovers;
  bool lenient;
  const Access& x;
  const Access& y;
  // The same, if whoever learns of a release has acquired it.
  const Access& acquired_x;
  const Access& acquired_y;
};

struct KnownClass {
  const char* name;
  const char* reason;                     // and where docs say so
  bool (*hides)(const Occurrence& race);  // it need not be reported
};
const std::vector<KnownClass>& known_classes();
// The races of a program by class, of which each word's first one counts; "": in no class. A program is in
// the stated set if it has one in no class.
std::map<std::string, size_t> classes_of_races(const Program& program, const Truth& truth, bool lenient);
// For a program of which nothing was reported: the class of its first race, or "" if it is in the stated set.
std::string known_class(const Program& program, const Truth& truth, bool lenient);

}  // namespace oracle
#endif
