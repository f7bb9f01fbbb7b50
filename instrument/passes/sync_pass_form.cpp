// SPDX-License-Identifier: Apache-2.0
// The part of SyncPass that chooses where the code of checks and of reports stands.
#include <algorithm>
#include <vector>

#include "instrument/passes/call_limits.h"
#include "instrument/passes/entry_code.h"
#include "instrument/passes/invocation_ends.h"
#include "instrument/passes/sync_pass.h"

namespace shaderqa {

CheckForm SyncPass::choose_form() {
  const SyncOptions& sync = checks_.options().sync;
  const uint32_t entry = checks_.entry_point().function;
  const bool may_call = sync.calls != SyncCalls::never && has_safe_calls(checks_.entry_point().stage);
  const bool queues = sync.calls == SyncCalls::queued, chooses = sync.calls == SyncCalls::automatic;
  // Checks of images are never called: on an H200 (driver 580) a dispatch of Godot's SDFGI with a called
  // check of a sample in nested loops never ended; with an inlined one it ends. Calls beside inlined checks
  // are slow to compile, so then no others are called either.
  const bool images = !images_.empty();
  // Not beside other code that is called, nor beside many checks of workgroup memory, which would be inlined.
  const bool calls = checks_.wants_calls(workgroup_copies_);
  const bool may_queue = may_call && (queues || images || (chooses && !calls)) && exact() && !sync.footprints;
  const bool prefers_queue = queues || (images && calls) || has_many_images();
  if (may_queue && prefers_queue && can_queue()) return CheckForm::queued;
  CheckCopies inlined = count_copies(false);
  if (!may_call || !calls) {
    const uint64_t copies = inlined.estimate(entry);
    if (!sync.loops || copies < shared_copies) {
      if (!may_call || copies <= large_shader_copies) return CheckForm::inlined;
    } else {
      if (count_copies(true, CheckCopies::Unrolling::whole).estimate(entry) <= unrolled_runs)
        return CheckForm::loops;
      CheckCopies in_runs = count_copies(true);
      in_runs.stop_unrolling();
      const uint64_t runs = in_runs.estimate(entry);
      if (may_queue && runs > runs_before_queue && runs <= most_runs && can_queue()) return CheckForm::queued;
      if (!may_call || runs <= most_runs) return CheckForm::loops;
    }
  }
  // Most fragments log nothing: calls would cost them more than all that they do.
  if (may_queue && (record_.logs_reads || images) && can_queue()) return CheckForm::queued;
  inlined.stop_unrolling();
  if (images) return sync.loops ? CheckForm::loops : CheckForm::inlined;
  // They hold the code of a check. Functions that they call are inlined into them, so there is one copy.
  for (const char* function : {"sqa_access_set", "sqa_access_address", "sqa_lines_set", "sqa_lines_address",
                               "sqa_words_set", "sqa_words_address", "sqa_direct_set", "sqa_log_set",
                               "sqa_log_address", "sqa_log_texel", "sqa_log_input", "sqa_log_sample"})
    checks_.runtime().keep_out_of_line(function);
  return CheckForm::called;
}

bool SyncPass::has_many_images() const {
  if (images_.empty() && logged_.empty()) return false;
  CheckCopies copies(*context()->module(), module_.view());
  for (const ImageAccess& access : images_)
    if (can_note(access)) copies.add(*access.at.instruction, logs_of_image_check);
  for (const ImageAccess& access : logged_) copies.add(*access.at.instruction, 1);
  return copies.estimate(checks_.entry_point().function) > image_checks_in_line * logs_of_image_check;
}

// In parts of what a check of a buffer takes; one of an image is twice as long.
constexpr uint64_t length_of_check = 4, length_of_log = 1, place_of_checks = 4, place_of_logs = 2;

// As CheckQueue notes it.
uint32_t SyncPass::slots_of(const ImageAccess& access) const {
  const InstructionView type = module_.view().definition(access.image_type, spv::Op::OpTypeImage);
  const bool has_index = access.place.array_element.id != 0;
  if (access.input) return 2;
  if (!access.sampled) return has_index ? 2 : 1;
  return has_index || static_cast<spv::Dim>(type.word(3)) == spv::Dim::Cube ? 3 : 2;
}

bool SyncPass::can_queue() {
  if (!fills_queue_) fills_queue_ = fill_queue();
  return *fills_queue_;
}

bool SyncPass::fill_queue() {
  CheckCopies copies(*context()->module(), module_.view());
  left_ = runs_.add_to(queue_, copies, checks_.options().sync.loops);
  size_t images = 0;
  for (const ImageAccess& access : images_) {
    if (!can_note(access)) continue;
    queue_.add_image(*access.at.instruction, slots_of(access), false);
    copies.add(*access.at.instruction, 1);
    ++images;
  }
  left_ += images_.size() - images;
  for (const ImageAccess& access : logged_) queue_.add_image(*access.at.instruction, slots_of(access), true);
  const size_t places = queue_.find_places(may_join_ends(), follows_);
  const uint64_t checks = copies.estimate(checks_.entry_point().function), logs = queue_.logs();
  const uint64_t length = (checks != 0 ? place_of_checks : 0) + (logs != 0 ? place_of_logs : 0);
  return checks + logs >= queued_copies &&
         places * length < (checks + images) * length_of_check + logs * length_of_log;
}

bool SyncPass::may_join_ends() const {
  return can_join_ends(checks_.options(), module_, checks_.entry_point().stage);
}

// A driver that inlines everything takes tenths of a second for each report.
void SyncPass::note_findings(CheckForm form) {
  const SyncOptions& sync = checks_.options().sync;
  const size_t checks = form == CheckForm::queued ? (queue_.checks() ? queue_.places() : 0) + left_
                                                  : runs_.checking() + images_.size();
  if (!checks_.queues() || !exact() || sync.footprints || checks < 2) return;
  const auto ends = invocation_ends(*context(), checks_.entry_point().function);
  const auto returns =
      static_cast<size_t>(std::ranges::count(ends, spv::Op::OpReturn, &spvtools::opt::Instruction::opcode));
  const bool joins = returns > 1 && may_join_ends();
  if ((joins ? ends.size() - returns + 1 : ends.size()) >= checks) return;
  notes_findings_ = true;
  checks_.runtime().substitute("sqa_report_hazard", "sqa_note_hazard");
  checks_.runtime().substitute("sqa_report_layout", "sqa_note_layout");
  for (auto* const end : join_ends(checks_.options(), module_, checks_.entry_point(), nullptr)) {
    SiteBuilder site(module_, end);
    checks_.call(site, "sqa_report_findings", {checks_.root(), checks_.hash()});
  }
}

}  // namespace shaderqa
