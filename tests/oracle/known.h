// SPDX-License-Identifier: Apache-2.0
// Where today's exact engine is known to differ from the memory model. When the engine learns one of these,
// its entry goes.
#ifndef SHADERQA_TESTS_ORACLE_KNOWN_H
#define SHADERQA_TESTS_ORACLE_KNOWN_H

#include <string>
#include <vector>

#include "compare.h"

namespace oracle {

struct KnownClass {
  const char* name;
  const char* reason;  // and where docs say so
  bool (*applies)(const Program& program, const Truth& truth, Problem problem, const Finding* finding);
};
const std::vector<KnownClass>& known_classes();
// Name of the first one that applies; "" if none does.
std::string known_class(const Program& program, const Truth& truth, Problem problem, const Finding* finding);

}  // namespace oracle
#endif
