// SPDX-License-Identifier: Apache-2.0
// A compute shader given as text, and what is found of its accesses to workgroup memory.
#ifndef SHADERQA_TESTS_INSTRUMENT_WORKGROUP_MODULE_H
#define SHADERQA_TESTS_INSTRUMENT_WORKGROUP_MODULE_H

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/ir/module_loader.h"
#include "named_module.h"

namespace shaderqa::test {

struct WorkgroupModule {
  // globals: types, constants, variables; functions: behind main. All that these define has a name.
  WorkgroupModule(const std::string& globals, const std::string& body, const std::string& functions = "")
      : words(assemble(
            compute_shader(globals, body, "OpCapability Shader\nOpCapability GroupNonUniformArithmetic",
                           names_of(globals + functions)) +
                functions,
            SPV_ENV_UNIVERSAL_1_3)) {
    EXPECT_TRUE(placed);
  }

  const Module words;
  const WorkgroupOptions options;
  const LoadedModule loaded = load_module(words);
  const Decorations decorations{loaded.view};
  const PipelineConstants constants{loaded.view, decorations, options};
  const WorkgroupMemory memory{loaded.view, decorations, constants};
  const uint32_t entry = loaded.view.entry_points().at(0).function;
  const std::optional<std::vector<PlacedInstruction>> placed =
      place_instructions(*loaded.context, loaded.view, entry);
  const WorkgroupAccesses found =
      WorkgroupAccessFinder(loaded.view, *loaded.context, decorations, memory, *placed).find();
};

}  // namespace shaderqa::test
#endif
