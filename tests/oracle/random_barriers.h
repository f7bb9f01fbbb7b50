// SPDX-License-Identifier: Apache-2.0
// Random dependencies between two commands of a program.
#ifndef SHADERQA_TESTS_ORACLE_RANDOM_BARRIERS_H
#define SHADERQA_TESTS_ORACLE_RANDOM_BARRIERS_H

#include <cstdint>

#include "chance.h"
#include "program.h"

namespace oracle {

// A combination of stages that a dependency may name.
VkPipelineStageFlags2 any_stages(Chance& chance);

// A barrier that orders everything that a program does before it with everything after it.
Barrier right_barrier(Chance& chance);

// A valid barrier that may leave out stages, accesses or memory. If it names memory, then a range of one of
// the program's first `data_buffers` buffers.
Barrier any_barrier(Chance& chance, const Program& program, uint32_t data_buffers);

}  // namespace oracle
#endif
