// SPDX-License-Identifier: Apache-2.0
// Which statements of an abstract shader an invocation executes, where conditions and what leaves a loop or
// the shader decide. Answers to questions have no part in it.
#ifndef SHADERQA_TESTS_ORACLE_FLOW_H
#define SHADERQA_TESTS_ORACLE_FLOW_H

#include "program.h"

namespace oracle {

// Where an invocation goes on that comes to the statement: there, or behind the loop whose turns are over for
// it.
uint32_t arrives_at(const Command& command, const Invocation& who, uint32_t statement);
// Where an invocation goes on that executes the statement.
uint32_t goes_on_at(const Command& command, uint32_t statement);

// Whether control barriers are executed by all of their scope or by none. What only those do who have got a
// yes is taken for executed.
bool has_uniform_barriers(const Command& command, uint32_t subgroup_size);
// Whether a loop that some invocations of a workgroup leave before others has barriers, or atomics that
// order: lavapipe's compiler loses invocations there.
bool has_barrier_in_uneven_loop(const Command& command);

}  // namespace oracle
#endif
