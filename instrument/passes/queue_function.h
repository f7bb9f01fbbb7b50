// SPDX-License-Identifier: Apache-2.0
// The function that checks the accesses that were noted (check_queue.h).
#ifndef SHADERQA_INSTRUMENT_PASSES_QUEUE_FUNCTION_H
#define SHADERQA_INSTRUMENT_PASSES_QUEUE_FUNCTION_H

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "instrument/passes/check_calls.h"
#include "instrument/passes/function_words.h"
#include "instrument/passes/noted_slots.h"
#include "instrument/runtime/abi_exact.h"

namespace shaderqa {

// What accesses have in common: a descriptor (uvec4), its index and four uint, as sqa_check_access_noted has
// them.
using NotedCommon = std::array<uint32_t, 6>;

// What is constant of an access.
struct NotedEntry {
  uint32_t site = 0;    // constant uvec2; 0: no access has this number
  uint32_t form = 0;    // SQA_NOTED_*
  uint32_t common = 0;  // which one
};

// Whether it is logged, and its slot has all of it that is not constant.
constexpr bool is_read_of_buffer(uint32_t form) {
  return form == (SQA_NOTED_SET | SQA_NOTED_LOGGED) || form == (SQA_NOTED_ADDRESS | SQA_NOTED_LOGGED);
}

struct NotedTable {
  // By number: the first slot of the access, or, if it has none, a number behind all slots, which is noted.
  std::vector<NotedEntry> entries;
  std::vector<NotedCommon> common;  // each once
  uint32_t forms = 0;               // a bit for each SQA_NOTED_*
  uint32_t room = 0;                // slots of the queue; 0: no access needs it
  bool marks_reads = false;         // reads of buffers that are logged are looked up together first
};

class QueueFunction {
 public:
  QueueFunction(CheckCalls& checks, NotedSlots& slots, const NotedTable& table)
      : checks_(checks), module_(checks.module()), slots_(slots), table_(table), words_(module_) {}

  // void function(uint least): checks everything that has slots, and the queue once `least` of it are in use.
  void write(uint32_t function);

 private:
  struct Noted {
    uint32_t number = 0;  // uint
    uint32_t values = 0;  // uvec3 without its first component
    uint32_t more = 0;    // uvec3
  };

  uint32_t result(spv::Op op, uint32_t type, std::initializer_list<uint32_t> operands) {
    return words_.result(op, type, operands);
  }
  uint32_t call(uint32_t type, std::string_view function, std::vector<uint32_t> arguments);
  void load_masks();
  // Leaves out the reads of buffers that have been logged. Returns the mark of those that have not.
  uint32_t leave_out_logged();
  uint32_t any_of_masks();
  // The lowest slot that has something. Takes it out of the next masks.
  uint32_t take_slot();
  uint32_t load(uint32_t slot, uint32_t offset);
  Noted noted_in_slot();
  Noted noted_in_queue();
  Noted noted();
  std::vector<uint32_t> arguments(const Noted& noted);
  uint32_t look_at(const std::vector<uint32_t>& arguments);
  bool has_more() const;
  uint32_t constant(uint32_t value) { return module_.constant(value); }

  CheckCalls& checks_;
  ModuleEditor& module_;
  NotedSlots& slots_;
  const NotedTable& table_;
  FunctionWords words_;
  struct Mask {
    uint32_t loaded = 0, now = 0, next = 0;
  };
  std::vector<Mask> masks_;  // a bit for each slot that has something
  uint32_t in_slot_ = 0;     // bool: the next one is in a slot
  uint32_t index_ = 0;       // in the queue
};

}  // namespace shaderqa
#endif
