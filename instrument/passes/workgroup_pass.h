// SPDX-License-Identifier: Apache-2.0
// Inserts a call of the runtime before each access to workgroup memory, and after what orders them
// (docs/internals/workgroup-memory.md).
#ifndef SHADERQA_INSTRUMENT_PASSES_WORKGROUP_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_WORKGROUP_PASS_H

#include <cstdint>
#include <map>
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
  Status Process() override;

 private:
  // Says why nothing can be checked; empty: it can.
  std::string find_obstacle() const;
  // Whether all that is written is known, so that what was not is known too.
  bool knows_all_writes(const WorkgroupAccesses& found) const;
  // Shaders with many accesses call the rare part of checks, and the loops with checks of large ones are not
  // unrolled.
  void choose_calls(size_t accesses, CheckCopies& copies, bool large);
  // Finds reads that no write can race with, or that another access's check covers. They are checked for what
  // nobody has written alone, else dropped.
  void drop_needless_checks(WorkgroupAccesses& found) const;
  // Drops accesses without cells or beyond the limit of sites.
  void drop_accesses(WorkgroupAccesses& found);
  void add_variable();
  void begin();
  void order(const WorkgroupAccesses& found);
  void pass_arguments(const WorkgroupAccesses& found);
  void instrument(const WorkgroupAccess& access);
  void describe(const WorkgroupAccess& access, uint32_t check);
  // Ids of the number of its first cell, and of the first and the number of those it may have.
  uint32_t cell_of(SiteBuilder& site, const WorkgroupPlace& place, uint32_t offset);
  uint32_t range_of(const WorkgroupPlace& place);
  uint32_t unit_of(const WorkgroupPlace& place) const;
  uint32_t variable_of_parameter(uint32_t parameter);
  uint32_t to_uint(SiteBuilder& site, uint32_t value);
  void call(SiteBuilder& site, std::string_view function, std::vector<uint32_t> arguments);
  void call_at(spvtools::opt::Instruction* before, std::string_view function,
               std::vector<uint32_t> arguments);
  void leave_out(std::string text);
  void add_notes(const WorkgroupAccesses& found);

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
  bool subphases_ = false;
  bool follows_ = false;
  bool uninitialised_ = false;
  uint32_t unfollowed_ = 0;
  std::map<uint32_t, uint32_t> parameters_;  // variables with the cells that parameters lead to
};

}  // namespace shaderqa
#endif
