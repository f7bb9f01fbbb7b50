// SPDX-License-Identifier: Apache-2.0
// Small programs whose verdict was worked out by hand from the specification.
#ifndef SHADERQA_TESTS_ORACLE_FORMS_H
#define SHADERQA_TESTS_ORACLE_FORMS_H

#include <string>
#include <vector>

#include "truth.h"

namespace oracle {

struct ExpectedForm {
  std::string name;
  Verdict verdict = Verdict::none;
  Program program;
};

const std::vector<ExpectedForm>& forms();
const ExpectedForm& form(const std::string& name);

}  // namespace oracle
#endif
