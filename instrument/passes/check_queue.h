// SPDX-License-Identifier: Apache-2.0
// For drivers that inline every call: accesses of large shaders are noted in a queue of the invocation, and
// checked by code that stands in the shader only a few times (docs/internals/exact.md, "Queued checks").
#ifndef SHADERQA_INSTRUMENT_PASSES_CHECK_QUEUE_H
#define SHADERQA_INSTRUMENT_PASSES_CHECK_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/passes/check_calls.h"
#include "instrument/passes/note_flow.h"
#include "instrument/passes/noted_slots.h"
#include "instrument/passes/queue_function.h"
#include "instrument/runtime/abi_exact.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

// From this many copies of checks on.
constexpr uint64_t queued_copies = 2;

class CheckQueue {
 public:
  explicit CheckQueue(CheckCalls& checks) : checks_(checks), module_(checks.module()), slots_(module_) {}

  // An access that can be noted, by a call of this function of the runtime with these arguments (behind the
  // site). To be called before find_places().
  void add(const spvtools::opt::Instruction& access, std::string_view function,
           const std::vector<uint32_t>& arguments) {
    accesses_[&access] += slots_of(function, arguments);
    if (is_log(function)) logged_.insert(&access);
  }
  // An access of this instruction to an image, which takes no more slots than that.
  void add_image(const spvtools::opt::Instruction& access, uint32_t slots, bool logged) {
    accesses_[&access] += slots;
    if (logged) logged_.insert(&access);
  }
  // Finds where what is noted must be checked: before whatever orders the invocation with others or ends it,
  // and in loops. All returns of the entry point become one place if can_join_ends. atomics_order: accesses
  // may be ordered by atomics. Returns how many places that are.
  size_t find_places(bool can_join_ends, bool atomics_order);
  // How many there are, behind emit_checks().
  size_t places() const { return places_.size(); }
  // Whether a call of this function can be made later.
  bool can_note(std::string_view function, const std::vector<uint32_t>& arguments) const;
  // The same behind find_places(), for this access: reads without slots of their own are logged where they
  // are.
  bool can_note(const spvtools::opt::Instruction& access, std::string_view function,
                const std::vector<uint32_t>& arguments) const;
  // How many of them are logged, and whether others are there, which are checked.
  size_t logs() const { return logged_.size(); }
  bool checks() const { return accesses_.size() > logged_.size(); }
  // Inserts the checks at the places, before anything else is inserted there.
  void emit_checks();
  // Notes an access instead of that call. site: where it is; constant: the constant uvec2 of the call.
  void note(SiteBuilder& site, const spvtools::opt::Instruction& access, std::string_view function,
            uint32_t constant, const std::vector<uint32_t>& arguments);
  // At the begin of the entry point.
  void begin(SiteBuilder& site);
  // Behind the last note().
  void finish();

 private:
  using Instruction = spvtools::opt::Instruction;
  using Repeats = NotedSlots::Repeats;
  // A function of the runtime whose calls are made later. Its number is SQA_NOTED_*. log: what logs such a
  // read instead; empty: that cannot be made later.
  struct Kind {
    std::string_view check, noting, log;
    // By argument, without the last one: the components of one that has to be constant, or 0.
    std::vector<uint32_t> constants;
  };
  static const std::vector<Kind>& kinds();
  // SQA_NOTED_*. Nothing: calls of this function cannot be made later.
  static std::optional<uint32_t> form_of(std::string_view function);
  // What it is through, logged or not.
  static constexpr uint32_t through_of(uint32_t form) { return form & (SQA_NOTED_LOGGED - 1); }
  static bool is_log(std::string_view function) {
    const auto form = form_of(function);
    return form && (*form & SQA_NOTED_LOGGED) != 0;
  }
  uint32_t slots_of(std::string_view function, const std::vector<uint32_t>& arguments) const;
  struct Place {
    Instruction* before = nullptr;
    bool in_loop = false;  // there the queue is checked only once it fills
  };
  struct Loop {
    uint32_t header = 0;
    Instruction* merge = nullptr;
    Instruction* next = nullptr;  // what the checks stand in front of; null: they cannot stand there
    std::unordered_set<uint32_t> blocks;
    bool outermost = true, placed = false;
    std::vector<uint32_t> noting;  // blocks with accesses, in no loop within it
    size_t accesses = 0;           // in those
    size_t checks = 0;             // of these, those that are not logged
  };
  struct Code {
    NoteFlow flow;
    std::vector<Loop> loops;  // that repeat, if it notes anything; the innermost first
    bool is_entry = false;
  };

  void find_noting_functions();
  bool notes(const Instruction& instruction) const;
  bool separates(const Instruction& instruction, bool is_entry) const;
  std::vector<Loop> loops_of(spvtools::opt::Function& function, const NoteFlow& flow) const;
  // Whether an access in it, in no loop within it, could be executed again before it is checked, and a place
  // is worth its code.
  bool needs_place(const Code& code, const Loop& loop) const;
  static void set_places(Code& code);
  // Gives places to all loops that need one.
  void place_loops();
  // Only to those that are in no other, and no more than that: those with most accesses come first.
  void place_outermost_loops(size_t most);
  // Where nothing needs the queue: to those with most accesses in no loop within them.
  void place_busiest_loops(size_t most);
  void collect_places(bool can_join_ends);
  static Repeats repeats_in(const Code& code, uint32_t label);
  void assign_slots();
  void stop_unrolling();

  // How many slots of the queue an invocation needs for one execution of every access that has none of its
  // own.
  uint64_t slots_in(uint32_t function, std::unordered_map<uint32_t, uint64_t>& known) const;
  // How many the queue has to have.
  uint32_t choose_room(bool unbounded) const;
  bool is_constant(uint32_t id, uint32_t components) const;
  bool is_cube(const std::vector<uint32_t>& arguments) const;
  NotedCommon common_of(uint32_t form, const std::vector<uint32_t>& arguments) const;
  void note_in_slots(SiteBuilder& site, const Instruction& access, const NotedEntry& entry,
                     const std::vector<uint32_t>& arguments);
  void note_in_queue(SiteBuilder& site, const NotedEntry& entry, const std::vector<uint32_t>& arguments);
  uint32_t call(SiteBuilder& site, uint32_t type, std::string_view function, std::vector<uint32_t> arguments);

  CheckCalls& checks_;
  ModuleEditor& module_;
  NotedSlots slots_;
  std::unordered_map<const Instruction*, uint32_t> accesses_;  // their slots
  std::unordered_set<const Instruction*> logged_;              // those of them that are logged
  std::unordered_set<uint32_t> functions_;  // that note accesses, also in functions that they call
  std::vector<Code> code_;
  std::vector<Place> places_;
  std::vector<Instruction*> ends_;  // returns of the entry point, behind something that is noted
  bool joins_ends_ = false;         // they become one place
  bool atomics_order_ = true;       // accesses
  uint32_t function_ = 0;           // that checks what was noted
  NotedTable table_;
};

}  // namespace shaderqa
#endif
