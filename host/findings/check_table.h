// SPDX-License-Identifier: Apache-2.0
// Every instruction that a check watches, of all instrumented shaders of a device.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_TABLE_H
#define SHADERQA_HOST_FINDINGS_CHECK_TABLE_H

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "host/findings/check_report.h"
#include "host/findings/finding_types.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// A site in one entry point.
struct KnownCheck {
  CheckSite site;
  uint32_t tag = 0;  // only of hazards: how cells name the site
  uint64_t shader_hash = 0;
  Stage stage = Stage::unknown;
  std::string entry_point;
};

// Thread-safe. Sites are never removed: reports may come long after their shader is gone.
class CheckTable {
 public:
  void add(const ShaderRecord& record);

  enum class Miss { none, shader, site };
  struct Found {
    const KnownCheck* check = nullptr;  // valid as long as the table; the same for the same site and stage
    // "a or b" where a module has several entry points of the stage: a report does not say which.
    std::string entry_points;
    Miss miss = Miss::none;
  };
  // Prefers entry points of the report's stage; where none of them has the site, any that has it.
  Found find(const CheckReport& report) const;
  // Hazard sites with this tag and SQA_ACCESS_*, at most a few, those of `shader_hash` first. alone: only
  // those, if there are any, since the access was made by the same action. kind: of the action that accessed;
  // other: not known.
  std::vector<const KnownCheck*> find_tagged(uint32_t tag, uint32_t access, uint64_t shader_hash,
                                             bool alone = true, ActionKind kind = ActionKind::other) const;
  // Whether the kind of the action would leave some of these out.
  bool depends_on_kind(uint32_t tag, uint32_t access) const;
  // Further hazard sites of the same shader and binding with the same access, until there are as many as
  // find_tagged() returns.
  void add_alike(std::vector<const KnownCheck*>& found) const;
  // Accesses to workgroup memory with this tag and SQA_ACCESS_*, in the entry points of a stage.
  std::vector<const KnownCheck*> find_workgroup(uint32_t tag, uint32_t access, uint64_t shader_hash,
                                                Stage stage) const;
  // "tile[3].x": what has a cell of workgroup memory; several names where blocks are aliased.
  std::string workgroup_part(uint32_t layout, uint32_t cell) const;
  // How many sites count their failures at this place of ReportControl::failures.
  uint32_t sharers(uint32_t counter) const;

 private:
  using SiteKey = std::tuple<uint32_t, uint32_t, uint32_t>;  // instruction, check, access
  // The sites of one shader: one for each entry point that reaches the instruction.
  using Sites = std::map<SiteKey, std::vector<std::unique_ptr<KnownCheck>>>;
  void add_site(Sites& sites, const ShaderRecord& record, const CheckSite& site, uint32_t tag);

  mutable std::shared_mutex mutex_;
  std::unordered_map<uint64_t, Sites> shaders_;  // by hash
  std::unordered_multimap<uint32_t, const KnownCheck*> tagged_;
  std::unordered_map<uint32_t, WorkgroupLayout> layouts_;  // by id
};

}  // namespace shaderqa
#endif
