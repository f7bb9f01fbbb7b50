// SPDX-License-Identifier: Apache-2.0
// `shaderqa attach`: switches the checks of a program that runs.
#ifndef SHADERQA_TOOLS_ATTACH_H
#define SHADERQA_TOOLS_ATTACH_H

#include <string>
#include <vector>

namespace shaderqa {

// What may stand behind the process: "on", "off", "status".
std::vector<std::string> attach_actions();

// Returns the exit code: 1 if the process cannot be switched.
int attach(const std::string& process, const std::string& action);

}  // namespace shaderqa
#endif
