// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_TESTS_HOST_SIMPLE_FINDING_H
#define SHADERQA_TESTS_HOST_SIMPLE_FINDING_H

#include <string>

#include "host/findings/report.h"

namespace shaderqa {

inline Finding simple(FindingKind kind, const std::string& text) {
  Finding finding;
  finding.kind = kind;
  finding.text = text;
  return finding;
}

}  // namespace shaderqa
#endif
