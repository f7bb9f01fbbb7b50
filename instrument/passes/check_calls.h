// SPDX-License-Identifier: Apache-2.0
// What checks of values and accesses have in common: they describe their sites, to the host in CheckSite and
// to the runtime in constants.
#ifndef SHADERQA_INSTRUMENT_PASSES_CHECK_CALLS_H
#define SHADERQA_INSTRUMENT_PASSES_CHECK_CALLS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/builtins.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/placed_instructions.h"
#include "instrument/ir/source_frames.h"
#include "instrument/ir/source_positions.h"
#include "instrument/ir/value_names.h"
#include "instrument/passes/check_copies.h"
#include "instrument/runtime/runtime_import.h"

namespace shaderqa {

// Where the code of checks stands.
enum class CheckForm : uint8_t {
  inlined,  // at each access
  loops,    // at each run of accesses (check_runs.h)
  queued,   // at a few places, for accesses that were noted before (check_queue.h)
  called    // once, in functions that the driver is asked to call
};

class CheckCalls {
 public:
  // offset_shift: what to add to an offset in the view's words to get one in the application's.
  CheckCalls(const InstrumentOptions& options, const EntryPoint& entry_point, uint32_t offset_shift,
             ModuleEditor& module, Builtins& builtins, RuntimeImport& runtime, ShaderRecord& record)
      : options_(options),
        entry_point_(entry_point),
        offset_shift_(offset_shift),
        module_(module),
        builtins_(builtins),
        runtime_(runtime),
        record_(record),
        positions_(module.view()),
        frames_(module.view()),
        copies_(*module.context().module(), module.view()) {}

  ModuleEditor& module() { return module_; }
  Builtins& builtins() { return builtins_; }
  RuntimeImport& runtime() { return runtime_; }
  // Computed when first asked for.
  const Decorations& decorations();
  const InstrumentOptions& options() const { return options_; }
  const EntryPoint& entry_point() const { return entry_point_; }

  // Constants of the runtime's arguments.
  uint32_t root();  // uvec2
  uint32_t hash();  // uvec2
  // uvec2: the instruction and its kind. access: SQA_ACCESS_*, for hazards. flags: further bits of the kind.
  uint32_t site_constant(const PlacedInstruction& at, uint32_t check, uint32_t access = 0,
                         uint32_t flags = 0);

  // Adds the site to the record. text: what a report shows of the instruction.
  CheckSite& add_site(const PlacedInstruction& at, uint32_t check, std::string text, uint32_t access = 0);

  // The shader calls other code of the layer. A driver takes long to compile a shader in which some checks
  // are called and others are inlined, so that these are called as well where they may be.
  void set_calls_beside() { calls_beside_ = true; }
  // Whether checks are to be called, of which drivers would make that many copies.
  bool wants_calls(uint64_t copies) const;

  // How many more sites the shader may have. A pass that wants more reports the rest here and leaves them
  // alone.
  uint32_t room() const;
  void leave_out(uint32_t sites) { record_.sites_beyond_limit += sites; }

  // Tells the user what is left unchecked and why.
  void note(std::string text, Concern incomplete) { record_.notes.push_back({std::move(text), incomplete}); }

  // Emits a call of a function of the runtime that returns nothing.
  void call(SiteBuilder& site, std::string_view function, std::vector<uint32_t> arguments);
  // sqa_check, if there is room: reports if `ok` (a bool) is false. value: a uvec2, 0: none. operands: a
  // uvec3 that `origins` describe, 0: none.
  void check(SiteBuilder& site, const PlacedInstruction& at, uint32_t check, uint32_t ok, uint32_t value = 0,
             uint32_t operands = 0, std::vector<ValueOrigin> origins = {});
  uint32_t calls() const { return calls_; }

  // Emits, at the start of the entry point, who runs, for reports: zeros if the module leaves no way to tell.
  void tell_where(SiteBuilder& site);
  // The first instruction of the entry point that others may be inserted before; null: there is none.
  spvtools::opt::Instruction* start_of_entry_point();
  // sqa_begin_checks at the start of the entry point, for modules in which the sync check does not begin.
  void begin();
  // Chooses the form of the checks of values, once all are there. inlined: so are checks of accesses. called:
  // other code is. To be called before the runtime is finished.
  // begin: as of join_ends.
  void finish(bool inlined, bool called, const spvtools::opt::Instruction* begin);
  // The synchronisation check has emitted sqa_begin_sync, which says who runs.
  void set_begun() { begun_ = true; }
  bool begun() const { return begun_; }
  // The form of checks of buffers and images; nothing: there are none.
  void set_form(CheckForm form) { form_ = form; }
  std::optional<CheckForm> form() const { return form_; }
  // Whether this shader notes its accesses (check_queue.h), or every shader does for which that is worth it.
  bool queues() const { return form_ == CheckForm::queued || options_.sync.calls == SyncCalls::queued; }

 private:
  std::string text_of(const spvtools::opt::Instruction& instruction);
  std::vector<SourceFrame> frames_of(const PlacedInstruction& at);

  const InstrumentOptions& options_;
  const EntryPoint& entry_point_;
  const uint32_t offset_shift_;
  ModuleEditor& module_;
  Builtins& builtins_;
  RuntimeImport& runtime_;
  ShaderRecord& record_;
  SourcePositions positions_;
  const SourceFrames frames_;
  std::vector<uint32_t> functions_;  // ids in module order; empty until they are asked for
  std::optional<Decorations> decorations_;
  std::optional<ValueNames> names_;
  void note_failures(const spvtools::opt::Instruction* begin);

  uint32_t calls_ = 0;
  CheckCopies copies_;  // of checks of values
  bool begun_ = false, calls_beside_ = false;
  std::optional<CheckForm> form_;
};

}  // namespace shaderqa
#endif
