// SPDX-License-Identifier: Apache-2.0
// Loops of an abstract shader: its list has the statements of all turns, its GLSL those of one.
#ifndef SHADERQA_TESTS_ORACLE_LOOPS_H
#define SHADERQA_TESTS_ORACLE_LOOPS_H

#include "program.h"

namespace oracle {

// The loop that the statement is in, or nullptr.
const Loop* loop_of(const Command& command, uint32_t statement);
// The same statement of the loop's first turn, whose line both have.
uint32_t said_at(const Command& command, uint32_t statement);

// Puts a statement in front of another one, in all turns. number: as below
void insert_said(Command& command, uint32_t number, Statement statement);
// Takes a statement out of all turns. statement: one of a first turn, or of no loop.
void erase_said(Command& command, uint32_t statement);
void drop_turn(Command& command, size_t loop);
// The statements [first, first + length), which are in no loop, become a loop's body.
void add_loop(Command& command, const Loop& loop);

}  // namespace oracle
#endif
