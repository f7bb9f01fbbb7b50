// SPDX-License-Identifier: Apache-2.0
// What a finding of a wrong layout says.
#ifndef SHADERQA_HOST_FINDINGS_LAYOUT_TEXT_H
#define SHADERQA_HOST_FINDINGS_LAYOUT_TEXT_H

#include <string>
#include <vector>

#include "host/findings/check_details.h"

namespace shaderqa {

std::string layout_sentence(const CheckDetails& details);
std::vector<std::string> layout_cure(const CheckDetails& details);

}  // namespace shaderqa
#endif
