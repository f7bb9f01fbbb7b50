// SPDX-License-Identifier: Apache-2.0
// Slots of the queue (check_queue.h) that belong to one access each. The driver knows where such a slot is,
// so to note the access is a few instructions; where it does not, it stores for one invocation after the
// other.
#ifndef SHADERQA_INSTRUMENT_PASSES_NOTED_SLOTS_H
#define SHADERQA_INSTRUMENT_PASSES_NOTED_SLOTS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "instrument/ir/module_editor.h"
#include "instrument/ir/site_builder.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

class NotedSlots {
 public:
  using Instruction = spvtools::opt::Instruction;
  // Each is two dwords.
  static constexpr uint32_t most = 512;
  // An access may take several, one behind the other.
  static constexpr uint32_t most_of_access = 3;

  // Where an invocation may execute an instruction again before what it noted is checked.
  enum class Repeats { never, if_function_does, yes };

  explicit NotedSlots(ModuleEditor& module) : module_(module) {}

  // Gives slots to all accesses that no invocation executes twice before they are checked, as long as there
  // are any left. A function has others for each of its calls. accesses: how many slots they take.
  void assign(uint32_t entry_function, const std::unordered_map<const Instruction*, uint32_t>& accesses,
              const std::function<Repeats(const Instruction&)>& repeats);
  bool has(const Instruction& access) const { return own_.contains(&access); }
  uint32_t size() const { return size_; }
  // How many dwords have a bit for each slot.
  uint32_t masks() const { return (size_ + 31) / 32; }

  // Lets functions know which slots this call of theirs has. Before anything is noted.
  void emit_bases();
  // At the begin of the entry point.
  void begin(SiteBuilder& site);
  struct Value {
    uint32_t id = 0;
    uint32_t dwords = 2;  // uvec2 or uint
  };
  // Notes an access that has slots, with a value for each of them. live: bool. Returns the first slot of each
  // copy of this access.
  std::vector<uint32_t> note(SiteBuilder& site, const Instruction& access, const std::vector<Value>& values,
                             uint32_t live);

  // Variables of the module: array of uvec2, array of uint.
  uint32_t values();
  uint32_t bits();
  uint32_t element(SiteBuilder& site, uint32_t variable, uint32_t type, std::vector<uint32_t> indices);

 private:
  struct Call {
    Instruction* instruction = nullptr;
    uint32_t callee = 0, offset = 0;
    Repeats repeats = Repeats::never;
  };
  struct Code {
    std::vector<const Instruction*> accesses;
    std::vector<Call> calls;
    uint64_t copies = 0;          // of its code, once all calls are inlined
    bool repeats = false;         // called again before what it notes is checked
    uint32_t own = 0, all = 0;    // slots of one call: of its accesses, and with those of functions it calls
    std::vector<uint32_t> bases;  // the first slot, for each copy
    uint32_t base = 0;            // id; 0: there is one, which is constant

    // Whether it executes an instruction again before what that noted is checked.
    bool executes_again(Repeats instruction) const {
      return instruction == Repeats::yes || (instruction == Repeats::if_function_does && repeats);
    }
  };
  struct Own {
    uint32_t function = 0, first = 0, used = 0;
  };

  void find_code(const std::unordered_map<const Instruction*, uint32_t>& accesses,
                 const std::function<Repeats(const Instruction&)>& repeats);
  // Callers come before the functions that they call.
  std::vector<uint32_t> in_order(uint32_t entry_function) const;
  void measure(uint32_t function);
  void place(uint32_t function, uint32_t base);
  // The id of this slot of a call.
  uint32_t slot(SiteBuilder& site, uint32_t function, uint32_t offset);
  void set_bit(SiteBuilder& site, uint32_t function, uint32_t offset, uint32_t live);

  ModuleEditor& module_;
  std::unordered_map<uint32_t, Code> code_;  // by function
  std::vector<uint32_t> functions_;          // as the module has them
  std::unordered_map<const Instruction*, Own> own_;
  uint32_t size_ = 0;
  uint32_t values_ = 0, bits_ = 0, base_ = 0;  // variables
};

}  // namespace shaderqa
#endif
