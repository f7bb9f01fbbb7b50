// SPDX-License-Identifier: Apache-2.0
// Inserts a call of the runtime before each access to workgroup memory, and after what orders them
// (docs/internals/workgroup-memory.md).
#ifndef SHADERQA_INSTRUMENT_PASSES_WORKGROUP_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_WORKGROUP_PASS_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/passes/check_calls.h"
#include "instrument/passes/check_copies.h"
#include "instrument/passes/workgroup_cells.h"
#include "source/opt/pass.h"

namespace shaderqa {

class WorkgroupPass : public spvtools::opt::Pass {
 public:
  // checks: with a runtime of its own. `placed` outlives the pass.
  WorkgroupPass(std::span<const PlacedInstruction> placed, CheckCalls& checks, ShaderRecord& record)
      : placed_(placed),
        checks_(checks),
        module_(checks.module()),
        record_(record),
        options_(checks.options().workgroup),
        constants_(module_.view(), checks.decorations(), options_),
        memory_(module_.view(), checks.decorations(), constants_),
        cells_(module_.view(), checks.decorations(), memory_, options_) {}

  const char* name() const override { return "shaderqa-workgroup"; }
  // Finds what to check, before the module is changed. Process() does nothing unless this was called.
  void find();
  // An estimate of the copies of checks that drivers would make.
  uint64_t copies() const { return copies_; }
  // The form of the shader's checks of buffers, if it has any, which is then used here as well: a driver
  // takes long to compile a shader in which some checks are called and others are not.
  // begin: what comes up to this instruction at the start of the entry point has to stay there; null:
  // nothing.
  void set_buffers(std::optional<CheckForm> form, const spvtools::opt::Instruction* begin) {
    buffers_ = form;
    buffers_begin_ = begin;
  }
  // Whether its checks are called.
  bool is_called() const { return called_; }
  Status Process() override;

 private:
  // Says why nothing can be checked; empty: it can.
  std::string find_obstacle() const;
  // Whether all that is written is known, so that what was not is known too.
  bool knows_all_writes() const;
  // Many copies of checks note what they find; or all of them are called, and loops with them not unrolled.
  void choose_form();
  // Finds accesses that nothing can race with, and reads that another access's check covers. They are checked
  // for what nobody has written alone, else dropped.
  void drop_needless_checks();
  // What the cells have to hold of subgroups.
  void find_subgroups();
  // Drops accesses without cells.
  void drop_accesses();
  // Whether the shader had no room for as many sites; the others are dropped.
  bool drop_beyond_limit();
  void note_unknown_writes();
  void add_variable();
  void begin();
  void order();
  void pass_arguments();
  void instrument(const WorkgroupAccess& access);
  // How many cells a run has, and how many checks are inserted for an access.
  uint32_t cells_of(const WorkgroupAccess& access, const MemoryRun& run) const;
  uint32_t checks_of(const WorkgroupAccess& access) const;
  // first: id of the number of the first cell.
  void check_races(SiteBuilder& site, const WorkgroupAccess& access, uint32_t first, uint32_t count);
  // Wherever the invocation ends.
  void report_notes();
  void describe(const WorkgroupAccess& access, uint32_t check);
  // Ids of the number of its first cell, and of the first and the number of those it may have.
  uint32_t cell_of(SiteBuilder& site, const WorkgroupPlace& place, uint32_t offset);
  uint32_t range_of(const WorkgroupPlace& place);
  uint32_t unit_of(const WorkgroupPlace& place) const;
  // Those of accesses that have cells are not 0, which the analyzer cannot know.
  uint32_t divisor_of(const WorkgroupPlace& place) const;
  uint32_t variable_of_parameter(uint32_t parameter);
  uint32_t to_uint(SiteBuilder& site, uint32_t value);
  void call_at(spvtools::opt::Instruction* before, std::string_view function,
               std::vector<uint32_t> arguments);
  void leave_out(std::string text);
  void add_notes();

  std::span<const PlacedInstruction> placed_;
  CheckCalls& checks_;
  ModuleEditor& module_;
  ShaderRecord& record_;
  const WorkgroupOptions& options_;
  const PipelineConstants constants_;
  WorkgroupMemory memory_;
  WorkgroupCells cells_;
  CellShape shape_;
  uint32_t invocations_ = 0;
  CellSubgroups subgroups_ = CellSubgroups::not_held;
  uint32_t exchange_width_ = 0;  // 0: no subgroup operation orders accesses that are checked
  bool follows_ = false;
  bool uninitialised_ = false;
  bool notes_ = false;  // what checks find is reported at the end
  bool called_ = false;
  uint32_t unfollowed_ = 0;
  WorkgroupAccesses found_;
  std::optional<CheckCopies> checks_in_;  // nothing: there is nothing to check
  uint64_t copies_ = 0;
  std::optional<CheckForm> buffers_;
  const spvtools::opt::Instruction* buffers_begin_ = nullptr;
  std::map<uint32_t, uint32_t> parameters_;  // variables with the cells that parameters lead to
};

}  // namespace shaderqa
#endif
