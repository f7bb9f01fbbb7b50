// SPDX-License-Identifier: Apache-2.0
// Most loads read memory that nothing writes, and the action record says so before the shader begins
// (SQA_ACTION_WATCHED). So under the exact engine a compute shader has its code twice: once with all checks,
// and once without the checks of loads through descriptors that it only reads. One branch at the start of the
// entry point, uniform for the whole dispatch, takes the second version if none of these descriptors is
// watched.
//
// Most reads of sparse images are left out (abi_image.h), so the same holds for these, with one more
// condition: the workgroup, or the tile of fragments, is not one of those that check all. Fragment shaders
// mostly log their reads, in some tiles, which the same second version leaves out in the others.
//
// Where all of these checks share one loop of checks (check_runs.h), which is in no loop of the shader, its
// code is there once, and the call skips them: the driver has half as much to compile.
#ifndef SHADERQA_INSTRUMENT_PASSES_UNWATCHED_VERSION_H
#define SHADERQA_INSTRUMENT_PASSES_UNWATCHED_VERSION_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/accesses/image_accesses.h"
#include "instrument/ir/site_builder.h"
#include "instrument/passes/check_calls.h"
#include "instrument/passes/second_version.h"
#include "instrument/runtime/abi_action.h"

namespace shaderqa {

class UnwatchedVersion {
 public:
  explicit UnwatchedVersion(CheckCalls& checks) : checks_(checks), module_(checks.module()) {}

  // Called with all checked accesses, before anything else, and the descriptors they go through; null: they
  // are not known.
  void note(const BufferAccess& access, const DescriptorSlots* slots);
  void note(const ImageAccess& access, const DescriptorSlots* slots);
  // Called after that with the result of a call that checks this access, maybe among others. False: the
  // second version needs the check of this access.
  bool leave_out(uint32_t call, const BufferAccess& access, const DescriptorSlots* slots);
  // The same for a call that checks a read of an image. The second version leaves out its check, too, where
  // the images are sparse and the workgroup, or tile of fragments, is not one of those that check all
  // (SQA_ACTION_SPARSE_PLACES).
  void leave_out(uint32_t call, const ImageAccess& access, const DescriptorSlots* slots);
  // The second version makes another call instead, with these operands.
  void keep_in_part(uint32_t call, const std::vector<uint32_t>& operands);
  // Whether the second version does not need the check of this access.
  bool can_leave_out(const BufferAccess& access, const DescriptorSlots* slots) const {
    return left_out_bits(access, slots).has_value();
  }
  // For a shader whose code is there once: the check of this access is skipped where watched() is false. A
  // bool: one of the descriptors of such checks is watched.
  void skip(const BufferAccess& access, const DescriptorSlots* slots);
  uint32_t watched(SiteBuilder& site) { return flag(watched_, site); }
  // The same for a load that is noted to be logged, and a bool: the invocation logs any of them.
  uint32_t logs(SiteBuilder& site, const BufferAccess& access, const DescriptorSlots* slots);
  // The same for a read of an image, and a bool: not all of them are left out. False: its check is needed.
  bool skip(const ImageAccess& access, const DescriptorSlots* slots);
  // Whether what the stage of a draw reads may be logged (abi_reads.h).
  bool may_log(const BufferAccess& access, const DescriptorSlots* slots) const;
  bool may_log(const ImageAccess& access, const DescriptorSlots* slots) const;
  // Called with the call that logs it: the second version leaves it out in tiles that log nothing.
  void log(uint32_t call, const ImageAccess& access, const DescriptorSlots* slots);
  // The same for a call that logs loads of buffers, which alone are no reason for a second version.
  void log(uint32_t call) { log_calls_.insert(call); }
  uint32_t images_watched(SiteBuilder& site) { return flag(images_watched_, site); }
  // Whether the shader's code is there once, and what a second version would leave out is skipped.
  bool has_one_version() const;
  // Called by SyncPass at the start of the entry point, after all calls of these. placed: as below.
  void begin_skipping(SiteBuilder& site, bool placed);
  // Called by SyncPass with the last instruction that begins the check. It stays at the start of the entry
  // point, with all that comes before it.
  // placed: invocations know their workgroup, or they are fragments.
  void set_begin(spvtools::opt::Instruction* last, bool placed) {
    begin_ = last;
    placed_ = placed;
  }
  // Null: there was none.
  const spvtools::opt::Instruction* begin() const { return begin_; }

  // Called after all passes, whose result it copies. Does nothing where nothing would be gained.
  void make();

 private:
  using BasicBlock = spvtools::opt::BasicBlock;
  using Instruction = spvtools::opt::Instruction;

  bool is_never_written(const DescriptorSlots& slots, const IndexValue& element) const;
  // The value of a bool that begin_skipping() sets.
  uint32_t flag(uint32_t& variable, SiteBuilder& site);
  std::optional<uint32_t> left_out_bits(const ImageAccess& access, const DescriptorSlots* slots) const;
  bool is_wanted() const;
  bool is_allowed() const;  // by the options
  // Whether the second version may leave out reads of images.
  bool may_leave_out_images() const;
  bool may_log_images() const;
  // Whether it is a fragment shader that can see which other fragments of its subgroup take its version: a
  // tile is no subgroup.
  bool fragments_meet() const;
  // The slots that say whether the check is needed, as bits. Nothing: it always is.
  std::optional<uint32_t> left_out_bits(const BufferAccess& access, const DescriptorSlots* slots) const;
  // A bool: emit(op, type, operands) appends an instruction and returns its result.
  template <typename Emit>
  uint32_t is_unwatched(const Emit& emit);
  // A bool: no load that is noted is logged. 0: not known.
  template <typename Emit>
  uint32_t logs_no_loads(const Emit& emit);
  // A bool: all reads of images are left out. 0: there are none.
  template <typename Emit>
  uint32_t leaves_out_images(const Emit& emit);
  // The same, for the second version: also whether the reads of images are left out.
  template <typename Emit>
  uint32_t takes_second(const Emit& emit);
  // A bool: the function returns true for all sets that have any of these slots. 0: none has.
  template <typename Emit>
  uint32_t for_all(const Emit& emit, std::string_view function,
                   const std::array<uint32_t, SQA_MAX_SETS>& slots);

  CheckCalls& checks_;
  ModuleEditor& module_;
  bool writes_buffers_ = false, writes_images_ = false;
  bool writes_anywhere_ = false;  // in buffers
  bool logs_ = false;             // the reads of images that are left out are logged elsewhere
  std::array<uint32_t, SQA_MAX_SETS> written_{};    // slots through which the shader writes, by table
  std::array<uint32_t, SQA_MAX_SETS> looked_at_{};  // slots of the calls that are left out
  std::array<uint32_t, SQA_MAX_SETS> images_{};     // the same, of reads of images
  std::unordered_set<uint32_t> calls_;              // the calls that are left out, or replaced
  std::unordered_set<uint32_t> image_calls_;        // the same, where placed_
  std::unordered_set<uint32_t> log_calls_;          // the same, where reads of images are logged, too
  std::unordered_map<uint32_t, std::unique_ptr<Instruction>> replacements_;  // by what they replace
  Instruction* begin_ = nullptr;
  bool placed_ = false;
  std::array<uint32_t, SQA_MAX_SETS> logged_slots_{};  // of loads that are noted to be logged
  bool logs_always_ = false;  // some of these loads go through slots that have no bits
  uint32_t watched_ = 0, images_watched_ = 0, loads_logged_ = 0;  // variables
};

}  // namespace shaderqa
#endif
