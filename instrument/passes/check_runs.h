// SPDX-License-Identifier: Apache-2.0
// The checks of the accesses of a shader, from the moment they are described until they are emitted. Accesses
// that follow each other in a block, or in blocks that control always comes to next, may share one loop,
// which holds the code of a check once: drivers inline that code everywhere, and the time to compile grows
// faster than the number of copies (docs/internals/exact.md, "Large shaders").
#ifndef SHADERQA_INSTRUMENT_PASSES_CHECK_RUNS_H
#define SHADERQA_INSTRUMENT_PASSES_CHECK_RUNS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/ir/joined_paths.h"
#include "instrument/passes/check_calls.h"
#include "instrument/passes/check_copies.h"
#include "instrument/passes/unwatched_version.h"

namespace shaderqa {

// The call that checks an access. Arguments are ids of values that are known where the access is.
struct AccessCheck {
  const BufferAccess* access = nullptr;    // the check comes before it
  const DescriptorSlots* slots = nullptr;  // null: the descriptors are not known
  std::string_view function;               // of the runtime
  uint32_t site = 0;                       // constant uvec2
  std::vector<uint32_t> arguments;         // behind the site; the last one is `live`
  std::string_view words_function;         // that does the same in less code; empty: there is none
  bool direct = false;  // sqa_direct_set does the same in even less code (SyncOptions::direct)
  bool shares = false;  // may share a loop with other checks by sqa_access_set, or by sqa_access_address
  bool waits = false;   // may be made later than the access
  bool logged = false;  // the function logs the access, to be checked behind the render pass
};

class CheckQueue;

class CheckRuns {
 public:
  CheckRuns(CheckCalls& checks, UnwatchedVersion& unwatched)
      : checks_(checks), module_(checks.module()), unwatched_(unwatched) {}

  // In module order, before functions get other blocks. The check may be completed until the next one is
  // added.
  AccessCheck& add(AccessCheck check);
  // Uses the functions for whole words (runtime/words.glsl): of runs in which all checks have one. together:
  // only if all runs do. Returns whether any check is direct.
  bool prefer_words(bool together);
  // Tells `copies` where code of checks will stand. loops: once for each run, else once for each check.
  void count(CheckCopies& copies, bool loops) const;
  // The runs that are not logged.
  size_t checking() const {
    return static_cast<size_t>(
        std::ranges::count_if(runs_, [](const Run& run) { return !run.front().logged; }));
  }
  // Tells `queue`, and `copies` as count() does, which accesses can be noted. Returns how many others there
  // are that are checked where they are.
  size_t add_to(CheckQueue& queue, CheckCopies& copies, bool loops);
  // After the last add(). loops: checks of a run share a loop.
  void emit(bool loops);
  // Instead: notes the accesses that can be, and checks the others where they are.
  void emit_noting(CheckQueue& queue);

 private:
  using Instruction = spvtools::opt::Instruction;
  using Run = std::vector<AccessCheck>;
  using Checks = std::vector<const AccessCheck*>;

  bool continues(const Run& run, const AccessCheck& check);
  // The run that the check belongs to. Null: it begins one.
  Run* run_of(const AccessCheck& check);
  void emit_run(const Run& run);
  // Whether the checks that may be skipped stand in one run, and in no loop of the shader. Else a second
  // version of the code is faster.
  bool can_skip() const;
  bool can_skip(const AccessCheck& check) const {
    return unwatched_.can_leave_out(*check.access, check.slots);
  }
  // Makes the checks of a run, some of which are skipped where nothing that they look at is watched.
  void emit_skipping(const Run& run);
  // The operands of a call that makes these checks: of the runtime's function, or of one with a loop. count:
  // id of the number of checks that the loop makes, at least one; 0: all.
  std::vector<uint32_t> operands_of(const Checks& checks, uint32_t count = 0);
  uint32_t loop_function(const Checks& checks, bool counted);
  uint32_t emit_call(Instruction* before, const std::vector<uint32_t>& operands);

  CheckCalls& checks_;
  ModuleEditor& module_;
  UnwatchedVersion& unwatched_;
  std::optional<JoinedPaths> paths_;  // once two checks may share a loop
  std::vector<Run> runs_;
};

}  // namespace shaderqa
#endif
