// SPDX-License-Identifier: Apache-2.0
// The environment in which the loader finds the layer and the layer finds its settings.
#ifndef SHADERQA_TOOLS_RUN_ENVIRONMENT_H
#define SHADERQA_TOOLS_RUN_ENVIRONMENT_H

#include <string>

#include "tools/child_process.h"

namespace shaderqa {

EnvironmentMap current_environment();

// The share folder beside the executable's (../share), which holds the manifest; empty with a sentence in
// `error` if there is none, or the layer's library is not where the manifest says.
std::string find_share_folder(std::string& error);

// Makes every loader from 1.3.234 on load the layer, above all explicit ones; layers that the program sets
// itself stay.
void enable_layer(EnvironmentMap& environment, const std::string& share);

// SHADERQA_<KEY> of a key of host/settings/settings.inc.
std::string variable_of(const std::string& key);

}  // namespace shaderqa
#endif
