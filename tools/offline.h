// SPDX-License-Identifier: Apache-2.0
// The commands that need no Vulkan device: they work on files. Each returns the exit code: 2 if a file cannot
// be used.
#ifndef SHADERQA_TOOLS_OFFLINE_H
#define SHADERQA_TOOLS_OFFLINE_H

#include <string>
#include <vector>

#include "instrument/instrument.h"

namespace shaderqa {

struct InstrumentRequest {
  std::string input, output, strings;
  std::string entry;  // empty: the only one
  std::string stage;  // empty: the only one of that entry point's name
  InstrumentOptions options;
};
// 1: the module is no SPIR-V that can be rewritten.
int instrument_file(InstrumentRequest request);

int decode_file(const std::string& strings, const std::string& dump, bool json);

int hash_files(const std::vector<std::string>& paths);

// As --stage takes them.
std::vector<std::string> stage_names();

}  // namespace shaderqa
#endif
