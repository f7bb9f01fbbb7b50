// SPDX-License-Identifier: Apache-2.0
// For drivers that inline every call: accesses of large shaders are noted in a queue of the invocation, and
// checked by code that stands in the shader only a few times (docs/internals/exact.md, "Queued checks").
#ifndef SHADERQA_INSTRUMENT_PASSES_CHECK_QUEUE_H
#define SHADERQA_INSTRUMENT_PASSES_CHECK_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/passes/check_calls.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

// From this many copies of checks on.
constexpr uint64_t queued_copies = 3;

class CheckQueue {
 public:
  explicit CheckQueue(CheckCalls& checks) : checks_(checks), module_(checks.module()) {}

  // An access that can be noted. To be called before find_places().
  void add(const spvtools::opt::Instruction& access) { accesses_.insert(&access); }
  // Finds where what is noted must be checked: before whatever orders the invocation with others or ends it,
  // and in loops. Returns how many places that are.
  size_t find_places();
  // Whether a call of this function of the runtime can be made later. arguments: behind the site.
  bool can_note(std::string_view function, const std::vector<uint32_t>& arguments) const;
  // Inserts the checks at the places, before anything else is inserted there. functions: of the runtime,
  // whose calls are made later.
  void emit_checks(const std::set<std::string_view>& functions);
  // The operands of the call that notes an access instead. site: constant uvec2.
  std::vector<uint32_t> note(std::string_view function, uint32_t site,
                             const std::vector<uint32_t>& arguments);
  // Behind the last note().
  void finish();

 private:
  using Instruction = spvtools::opt::Instruction;
  // A function of the runtime whose calls are made later.
  struct Kind {
    std::string_view check, noting;
    bool image = false;
    // The arguments behind the site, but for the last one: components of those that are constants; 0: it
    // varies.
    std::vector<uint32_t> constants;
  };
  static const std::vector<Kind>& kinds();
  struct Sites {
    uint32_t function = 0;                         // that checks what is noted of them
    std::vector<uint32_t> sites;                   // constant uvec2
    std::vector<std::vector<uint32_t>> arguments;  // by site: those that are constants
  };
  struct Place {
    Instruction* before = nullptr;
    bool in_loop = false;  // only once the queue fills
  };
  struct Loop {
    Instruction* next = nullptr;  // what the checks stand in front of
    std::unordered_set<uint32_t> blocks;
    bool outermost = true;
    size_t accesses = 0;  // in no loop within it
  };

  void find_noting_functions();
  bool notes(const Instruction& instruction) const;
  // Labels of the blocks to which control may come from one that notes an access.
  std::unordered_set<uint32_t> blocks_behind_notes(spvtools::opt::Function& function) const;
  void find_loops(spvtools::opt::Function& function, std::vector<Loop>& loops) const;
  void add_loops(std::vector<Loop>& loops);

  bool is_constant(uint32_t id) const;
  void write_function(const Kind& kind, size_t number, const Sites& sites);

  CheckCalls& checks_;
  ModuleEditor& module_;
  std::unordered_set<const Instruction*> accesses_;
  std::unordered_set<uint32_t> functions_;  // that note accesses, also in functions that they call
  std::vector<Place> places_;
  std::map<std::string_view, Sites> sites_;  // by Kind::check
};

}  // namespace shaderqa
#endif
