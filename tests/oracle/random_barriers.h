// SPDX-License-Identifier: Apache-2.0
// Random dependencies between two commands of a program.
#ifndef SHADERQA_TESTS_ORACLE_RANDOM_BARRIERS_H
#define SHADERQA_TESTS_ORACLE_RANDOM_BARRIERS_H

#include <cstdint>

#include "chance.h"
#include "program.h"

namespace oracle {

// What barriers may name.
struct BarrierSetting {
  uint32_t data_buffers = 0;  // the program's first ones
  bool draws = false;         // stages and accesses of draws
  bool passes = false;        // those of attachments and sampled images
};

// A combination of stages that a dependency may name.
VkPipelineStageFlags2 any_stages(Chance& chance, const BarrierSetting& setting);

// A barrier that orders everything that a program does before it with everything after it.
Barrier right_barrier(Chance& chance, const BarrierSetting& setting);

// One that render passes allow in themselves (pipelines.cpp).
Barrier barrier_in_pass(Chance& chance);

// A dependency of a render pass object's subpass with what is outside of the pass. careful: it orders
// everything; else it may leave out stages and accesses.
Barrier edge_of_pass(Chance& chance, const BarrierSetting& setting, Command::Edge edge, bool careful);

// A valid barrier that may leave out stages, accesses or memory.
Barrier any_barrier(Chance& chance, const Program& program, const BarrierSetting& setting);

}  // namespace oracle
#endif
