// SPDX-License-Identifier: Apache-2.0
// Inserts a call of the synchronisation check's runtime before each access to a buffer, and after each
// barrier.
#ifndef SHADERQA_INSTRUMENT_PASSES_SYNC_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_SYNC_PASS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/accesses/image_accesses.h"
#include "instrument/accesses/invocation_indices.h"
#include "instrument/accesses/pipeline_constants.h"
#include "instrument/accesses/pointer_places.h"
#include "instrument/ir/decorations.h"
#include "instrument/passes/check_calls.h"
#include "instrument/passes/check_queue.h"
#include "instrument/passes/check_runs.h"
#include "instrument/passes/unwatched_version.h"
#include "source/opt/pass.h"

namespace shaderqa {

class SyncPass : public spvtools::opt::Pass {
 public:
  // `placed` outlives the pass. Only its order of instructions matters, so other passes may have inserted
  // some. workgroup_copies: of the checks of workgroup memory, an estimate.
  SyncPass(std::span<const PlacedInstruction> placed, CheckCalls& checks, UnwatchedVersion& unwatched,
           ShaderRecord& record, uint64_t workgroup_copies)
      : placed_(placed),
        checks_(checks),
        unwatched_(unwatched),
        module_(checks.module()),
        record_(record),
        workgroup_copies_(workgroup_copies),
        decorations_(checks.decorations()),
        constants_(module_.view(), decorations_, checks.options().workgroup),
        runs_(checks, unwatched),
        queue_(checks) {}

  const char* name() const override { return "shaderqa-sync"; }
  Status Process() override;

 private:
  // Whether the shader can find the action record.
  bool has_record();
  void instrument(PointerPlaces& places, const BufferAccess& access);
  std::string_view words_function(const BufferAccess& access, const AccessCheck& check) const;
  // Notes the direct slots whose memory gets a cell for each byte, because the shader stores parts of words.
  void find_parted(const PointerPlaces& places, const BufferAccesses& found);
  uint32_t lines_of(SiteBuilder& site, PointerPlaces& places, const MatrixLines& lines);
  uint32_t team_of(SiteBuilder& site, bool workgroup);
  void describe(const BufferAccess& access);
  // Finds out whether the shader orders by fences and atomics, and whether its acquires can be traced.
  uint32_t part(SiteBuilder& site, const BufferAccesses& found);
  bool follows(const BufferAccesses& found) const;
  static bool follows_parts(const BufferAccesses& found);
  static bool is_of_parts(const BufferAccesses& found, const BufferAccesses::Barrier& barrier);
  bool traces(const BufferAccesses& found) const;
  bool hides_behind_fences(const BufferAccesses& found) const;
  std::vector<spvtools::opt::Instruction*> barriers_that_pass_on(const BufferAccesses& found) const;
  void follow(const BufferAccesses& found);
  void order(const BufferAccesses& found);
  void begin(const BufferAccesses& found, CheckForm form);
  // uvec3: the workgroup argument of sqa_begin_sync in a stage with workgroups. 0: there is no way to tell.
  uint32_t workgroup(SiteBuilder& site);
  bool meets_in_patches(const BufferAccesses& found) const;
  uint32_t patch(SiteBuilder& site);
  uint32_t tessellation_coordinate(SiteBuilder& site);
  uint32_t workgroup_number(SiteBuilder& site, uint32_t id);
  bool exact() const;
  uint32_t most_bytes() const;  // of one access that are checked where it is
  // Loops with checks lose their hints to unroll where the shader is too large otherwise.
  CheckForm choose_form();
  // Whether there are so many checks and logs of images that they are noted on drivers that call functions,
  // too.
  bool has_many_images() const;
  // Whether so many copies of checks become fewer.
  bool can_queue();
  bool fill_queue();  // the same, once
  uint32_t slots_of(const ImageAccess& access) const;
  // Whether the entry point may have one end, behind a call of its code.
  bool may_join_ends() const;
  // Hazards are noted, and reported at the ends of the invocation, where that leaves fewer copies of the
  // code.
  void note_findings(CheckForm form);
  bool can_note(const ImageAccess& access) const;
  // The accesses to images that are checked.
  InvocationIndices::Constants known_constants() const {
    return [this](uint32_t id) { return constants_.value(id); };
  }
  std::vector<ImageAccess> find_images(const BufferAccesses& found, PointerPlaces& places,
                                       PointerRoots& roots);
  // Finds what is logged, and checked behind the render pass: logs_loads_, and the reads that move from
  // images_ to logged_.
  void find_logged(const BufferAccesses& found, const PointerPlaces& places);
  bool can_log(const BufferAccess& access, const PointerPlaces& places) const;
  // A stage of a draw without stores and atomics, so that nothing asks which of the invocations that its
  // inputs name was there: they need no running number, which takes an atomic.
  bool only_reads(const BufferAccesses& found) const;
  // Null: not known.
  static const DescriptorSlots* known_slots(const PointerPlaces& places, const ResolvedPointer& pointer) {
    return pointer.root == ResolvedPointer::Root::descriptor ? places.slots_of(pointer) : nullptr;
  }
  void count_images(CheckCopies& copies) const;
  // loops: the checks of a run share a loop, and count once.
  CheckCopies count_copies(bool loops, CheckCopies::Unrolling unrolling = CheckCopies::Unrolling::usual);
  void instrument_images(PointerPlaces& places, CheckForm form);
  // Behind an instruction, what barriers mean for images.
  void order_images(const BufferAccesses& found);
  bool of_whole_words(const BufferAccess& access) const;
  bool only_reads(const BufferAccess& access) const;
  bool is_uniform_load(const BufferAccess& access) const;
  void add_notes(const BufferAccesses& found, uint32_t unfollowed);
  void add_exact_notes(const BufferAccesses& found);

  std::span<const PlacedInstruction> placed_;
  CheckCalls& checks_;
  UnwatchedVersion& unwatched_;
  ModuleEditor& module_;
  ShaderRecord& record_;
  const uint64_t workgroup_copies_;
  const Decorations& decorations_;
  const PipelineConstants constants_;
  CheckRuns runs_;
  CheckQueue queue_;
  std::vector<ImageAccess> images_, logged_;
  std::vector<uint32_t> parted_;     // DescriptorSlots::direct
  uint32_t sites_ = 0;               // instrumented
  size_t left_ = 0;                  // with the queue: checks that are made where they are
  std::optional<bool> fills_queue_;  // what can_queue() found
  bool notes_findings_ = false;
  bool logs_loads_ = false;   // of buffers, where can_log() says so: there is one
  bool follows_ = false;      // something orders accesses by atomics or fences
  size_t small_loads_ = 0;    // atomic loads of parts of words, which are left out
  size_t long_accesses_ = 0;  // of more than is checked of one
};

}  // namespace shaderqa
#endif
