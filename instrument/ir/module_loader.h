// SPDX-License-Identifier: Apache-2.0
// Words -> SPIRV-Tools' IR and a ModuleView, in one parse. Whatever the words are, the result is either a
// module that the rest may rely on (see the checks in module_loader.cpp) or an error.
#ifndef SHADERQA_INSTRUMENT_IR_MODULE_LOADER_H
#define SHADERQA_INSTRUMENT_IR_MODULE_LOADER_H

#include <memory>
#include <string>
#include <vector>

#include "instrument/ir/module_view.h"
#include "instrument/ir/set_aside.h"
#include "source/opt/ir_context.h"

namespace shaderqa {

struct LoadedModule {
  std::unique_ptr<spvtools::opt::IRContext> context;  // null: not loaded, error says why
  ModuleView view;
  std::vector<SetAside> aside;
  std::string error;

  std::vector<uint32_t> reduced;  // what `view` refers to if something was set aside, else empty
};

LoadedModule load_module(Words words);

}  // namespace shaderqa
#endif
