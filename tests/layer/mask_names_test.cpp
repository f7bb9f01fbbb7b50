// SPDX-License-Identifier: Apache-2.0
// Masks of stages and accesses as text.
#include "layer/vk/mask_names.h"

#include <gtest/gtest.h>

namespace shaderqa::layer {
namespace {

TEST(MaskNames, StagesAreNamedInTheOrderOfThePipeline) {
  EXPECT_EQ(stages_text(0), "0");
  EXPECT_EQ(stages_text(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT), "COMPUTE_SHADER");
  EXPECT_EQ(stages_text(VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT |
                        VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT),
            "TOP_OF_PIPE|FRAGMENT_SHADER|BOTTOM_OF_PIPE");
  EXPECT_EQ(stages_text(VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR | VK_PIPELINE_STAGE_2_COPY_BIT),
            "COPY|RAY_TRACING_SHADER");
}

TEST(MaskNames, AccessesAreNamed) {
  EXPECT_EQ(accesses_text(0), "0");
  EXPECT_EQ(accesses_text(VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT),
            "SHADER_READ|SHADER_WRITE");
  EXPECT_EQ(accesses_text(VK_ACCESS_2_MEMORY_WRITE_BIT | VK_ACCESS_2_HOST_READ_BIT),
            "HOST_READ|MEMORY_WRITE");
}

TEST(MaskNames, BitsWithoutANameAreANumberAtTheEnd) {
  constexpr uint64_t unknown = uint64_t{1} << 62;
  EXPECT_EQ(stages_text(unknown), "0x4000000000000000");
  EXPECT_EQ(accesses_text(unknown | 0x200 | VK_ACCESS_2_INDEX_READ_BIT), "INDEX_READ|0x4000000000000200");
}

}  // namespace
}  // namespace shaderqa::layer
