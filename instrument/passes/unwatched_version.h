// SPDX-License-Identifier: Apache-2.0
// Most loads are of memory that nothing writes, and the action record says so before the shader begins
// (SQA_ACTION_WATCHED). So a compute shader under the exact engine has its code twice: once with all checks,
// and once without those of loads through descriptors that it does not write through. One branch at the start
// of the entry point, the same for the whole dispatch, takes the second where none of these is watched.
#ifndef SHADERQA_INSTRUMENT_PASSES_UNWATCHED_VERSION_H
#define SHADERQA_INSTRUMENT_PASSES_UNWATCHED_VERSION_H

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/passes/check_calls.h"
#include "instrument/runtime/abi_action.h"

namespace shaderqa {

class UnwatchedVersion {
 public:
  explicit UnwatchedVersion(CheckCalls& checks) : checks_(checks), module_(checks.module()) {}

  // By the sync pass: the result of a call that checks this access, through one of these descriptors; null:
  // through none that is known.
  void add(uint32_t call, const BufferAccess& access, const DescriptorSlots* slots);
  // And the last instruction of what begins the check, which stays at the start of the entry point, as does
  // what stands in front of it.
  void set_begin(spvtools::opt::Instruction* last) { begin_ = last; }

  // Behind all passes: copies what they made. Where nothing is gained all stays as it is.
  void make();

 private:
  using Function = spvtools::opt::Function;
  using BasicBlock = spvtools::opt::BasicBlock;
  using Instruction = spvtools::opt::Instruction;

  bool is_wanted() const;
  bool chooses_calls();
  Function* entry_function();
  std::vector<Function*> functions_to_copy();
  bool is_small(const std::vector<Function*>& functions);
  // What the copy of a function does not have.
  void leave_out(Function& function);
  void give_ids(Function& function);
  std::unique_ptr<Instruction> copy_of(const Instruction& instruction);
  std::unique_ptr<Function> copy_of(Function& function);
  void copy_decorations();
  // The entry point in the place of one whose code has moved to `watched`.
  std::unique_ptr<Function> make_entry(Function& watched, uint32_t unwatched);
  void move_begin(Function& from, BasicBlock& to);
  uint32_t is_unwatched(BasicBlock& block);
  void append(BasicBlock& block, spv::Op op, uint32_t type, uint32_t result,
              std::initializer_list<uint32_t> ids);

  CheckCalls& checks_;
  ModuleEditor& module_;
  struct Load {
    uint32_t call = 0;
    uint32_t set = 0;
    uint32_t slots = 0;  // a bit each
  };
  std::vector<Load> loads_;
  bool writes_anywhere_ = false;
  std::array<uint32_t, SQA_MAX_SETS> written_{};    // slots through which the shader writes, by set
  std::array<uint32_t, SQA_MAX_SETS> looked_at_{};  // those of the calls that are left out
  std::unordered_set<uint32_t> calls_;              // which are these
  Instruction* begin_ = nullptr;
  std::unordered_set<const Instruction*> left_out_;
  std::unordered_map<uint32_t, uint32_t> ids_;  // in the copies, by those in what was copied
};

}  // namespace shaderqa
#endif
