// SPDX-License-Identifier: Apache-2.0
// `shaderqa doctor`: why the layer works here or does not.
#ifndef SHADERQA_TOOLS_DOCTOR_H
#define SHADERQA_TOOLS_DOCTOR_H

#include <string>
#include <vector>

namespace shaderqa {

// program: a command to judge, too; may be empty. Writes to stdout. Returns the exit code: 0 if everything
// works, 1 if something does not.
int examine(const std::vector<std::string>& program);

}  // namespace shaderqa
#endif
