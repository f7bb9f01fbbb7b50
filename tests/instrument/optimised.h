// SPDX-License-Identifier: Apache-2.0
// Shaders as compilers write them that optimise.
#ifndef SHADERQA_TESTS_INSTRUMENT_OPTIMISED_H
#define SHADERQA_TESTS_INSTRUMENT_OPTIMISED_H

#include <gtest/gtest.h>

#include <spirv-tools/optimizer.hpp>

#include "support.h"

namespace shaderqa::test {

// Variables become values, and branches selections. Stores to shared variables that nothing reads stay.
inline Module optimised(const Module& words) {
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_1);
  optimizer.RegisterPass(spvtools::CreateLocalAccessChainConvertPass())
      .RegisterPass(spvtools::CreateLocalSingleStoreElimPass())
      .RegisterPass(spvtools::CreateSSARewritePass())
      .RegisterPass(spvtools::CreateSimplificationPass())
      .RegisterPass(spvtools::CreateIfConversionPass())
      .RegisterPass(spvtools::CreateBlockMergePass());
  Module result;
  EXPECT_TRUE(optimizer.Run(words.data(), words.size(), &result));
  return result;
}

}  // namespace shaderqa::test
#endif
