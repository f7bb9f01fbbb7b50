// SPDX-License-Identifier: Apache-2.0
// Options of a command that are settings of the layer.
#ifndef SHADERQA_TOOLS_SETTING_OPTIONS_H
#define SHADERQA_TOOLS_SETTING_OPTIONS_H

#include <CLI/CLI.hpp>
#include <string>

#include "host/settings/settings_table.h"

namespace shaderqa {

CLI::Validator valid_value(const Setting& setting);
// What stands for the value in the help.
std::string value_name(const Setting& setting);

}  // namespace shaderqa
#endif
