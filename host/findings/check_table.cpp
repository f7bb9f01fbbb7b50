// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_table.h"

#include <algorithm>
#include <mutex>

#include "host/findings/check_reader.h"
#include "host/findings/command_sites.h"
#include "host/findings/workgroup_part.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

constexpr size_t kEnough = 4;  // sites that a finding names

// The kind of the actions that run shaders of this stage.
ActionKind kind_of_action(Stage stage) {
  if (stage == Stage::unknown) return ActionKind::other;
  if (stage == Stage::compute) return ActionKind::dispatch;
  return stage >= Stage::ray_generation ? ActionKind::trace : ActionKind::draw;
}

bool may_run(ActionKind kind, Stage stage) {
  const ActionKind needed = kind_of_action(stage);
  return kind == ActionKind::other || needed == ActionKind::other || kind == needed;
}

}  // namespace

void CheckTable::add(const ShaderRecord& record) {
  const std::unique_lock lock(mutex_);
  Sites& sites = shaders_[record.shader_hash];
  if (record.workgroup.id != 0) layouts_.emplace(record.workgroup.id, record.workgroup);
  const CheckSite* access = nullptr;
  uint32_t hazards = 0;
  const bool of_commands = is_command_access_record(record);
  for (const CheckSite& site : record.check_sites) {
    add_site(sites, record, site, of_commands ? SQA_TAG_COMMAND : site_tag(record.shader_hash, hazards));
    if (site.check != SQA_CHECK_HAZARD) continue;
    access = &site;
    ++hazards;
  }
  if (!access) return;
  // Arguments of indirect commands are checked by whichever shader the command runs, in its first invocation.
  CheckSite arguments;
  arguments.invocation = access->invocation;
  arguments.check = SQA_CHECK_HAZARD;
  arguments.access = SQA_ACCESS_INDIRECT;
  arguments.set = arguments.binding = UINT32_MAX;
  add_site(sites, record, arguments, 0);
}

// Other threads read entries without the lock, through addresses that find() returned: entries never change.
void CheckTable::add_site(Sites& sites, const ShaderRecord& record, const CheckSite& site, uint32_t tag) {
  auto& known = sites[{site.instruction, site.check, site.access}];
  const bool is_known = std::any_of(known.begin(), known.end(), [&](const auto& check) {
    return check->stage == record.stage && check->entry_point == record.entry_point;
  });
  if (is_known) return;
  known.push_back(std::make_unique<KnownCheck>(
      KnownCheck{site, tag, record.shader_hash, record.stage, record.entry_point}));
  // What has no tag of its own is never looked up by one.
  if (site.check == SQA_CHECK_HAZARD && tag != SQA_TAG_COMMAND) tagged_.emplace(tag, known.back().get());
}

CheckTable::Found CheckTable::find(const CheckReport& report) const {
  Found found;
  const std::shared_lock lock(mutex_);
  const auto sites = shaders_.find(report.shader_hash);
  if (sites == shaders_.end()) {
    found.miss = Miss::shader;
    return found;
  }
  // What accesses an image is a site of hazards.
  const Check check = report.check == Check::layout ? Check::hazard : report.check;
  const auto known = sites->second.find(
      {report.instruction, static_cast<uint32_t>(check), static_cast<uint32_t>(report.access)});
  if (known == sites->second.end()) {
    found.miss = Miss::site;
    return found;
  }
  const auto of_stage = [&](const auto& candidate) { return candidate->stage == report.stage; };
  const bool any_stage = std::none_of(known->second.begin(), known->second.end(), of_stage);
  for (const std::unique_ptr<KnownCheck>& candidate : known->second) {
    if (!any_stage && !of_stage(candidate)) continue;
    if (!found.check) found.check = candidate.get();
    found.entry_points += (found.entry_points.empty() ? "" : " or ") + candidate->entry_point;
  }
  return found;
}

std::vector<const KnownCheck*> CheckTable::find_tagged(uint32_t tag, uint32_t access, uint64_t shader_hash,
                                                       bool alone, ActionKind kind) const {
  std::vector<const KnownCheck*> found, of_shader;
  const std::shared_lock lock(mutex_);
  const auto [begin, end] = tagged_.equal_range(tag);
  for (auto each = begin; each != end; ++each) {
    const KnownCheck* check = each->second;
    if (check->site.access != access || !may_run(kind, check->stage)) continue;
    auto& list = check->shader_hash == shader_hash ? of_shader : found;
    if (list.size() < kEnough) list.push_back(check);
  }
  if (of_shader.empty()) return found;
  for (size_t i = 0; !alone && i < found.size() && of_shader.size() < kEnough; ++i)
    of_shader.push_back(found[i]);
  return of_shader;
}

bool CheckTable::depends_on_kind(uint32_t tag, uint32_t access) const {
  const std::shared_lock lock(mutex_);
  const auto [begin, end] = tagged_.equal_range(tag);
  ActionKind seen = ActionKind::other;
  for (auto each = begin; each != end; ++each) {
    if (each->second->site.access != access) continue;
    const ActionKind kind = kind_of_action(each->second->stage);
    if (seen != ActionKind::other && kind != ActionKind::other && kind != seen) return true;
    if (kind != ActionKind::other) seen = kind;
  }
  return false;
}

void CheckTable::add_alike(std::vector<const KnownCheck*>& found) const {
  if (found.empty()) return;
  const KnownCheck& first = *found.front();
  const std::shared_lock lock(mutex_);
  const auto sites = shaders_.find(first.shader_hash);
  if (sites == shaders_.end()) return;
  for (const auto& [key, known] : sites->second)
    for (const std::unique_ptr<KnownCheck>& check : known) {
      const CheckSite &site = check->site, &like = first.site;
      if (found.size() < kEnough && site.check == like.check && site.access == like.access &&
          site.set == like.set && site.binding == like.binding && check->stage == first.stage &&
          std::ranges::find(found, check.get()) == found.end())
        found.push_back(check.get());
    }
}

std::vector<const KnownCheck*> CheckTable::find_workgroup(uint32_t tag, uint32_t access, uint64_t shader_hash,
                                                          Stage stage) const {
  std::vector<const KnownCheck*> found;
  const std::shared_lock lock(mutex_);
  const auto sites = shaders_.find(shader_hash);
  if (tag == 0 || sites == shaders_.end()) return found;
  for (const auto& [key, known] : sites->second)
    for (const std::unique_ptr<KnownCheck>& check : known)
      if (check->site.check == SQA_CHECK_WORKGROUP && check->site.tag == tag &&
          check->site.access == access && check->stage == stage)
        found.push_back(check.get());
  return found;
}

std::string CheckTable::workgroup_part(uint32_t layout, uint32_t cell) const {
  const std::shared_lock lock(mutex_);
  const auto known = layouts_.find(layout);
  return known == layouts_.end() ? "cell " + std::to_string(cell)
                                 : shaderqa::workgroup_part(known->second, cell);
}

uint32_t CheckTable::sharers(uint32_t counter) const {
  uint32_t count = 0;
  const std::shared_lock lock(mutex_);
  for (const auto& [hash, sites] : shaders_)
    for (const auto& [key, known] : sites)
      count += failure_counter(hash, std::get<0>(key)) == counter ? 1 : 0;
  return count;
}

}  // namespace shaderqa
