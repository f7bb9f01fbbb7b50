// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_collector.h"

#include <algorithm>
#include <utility>

#include "host/findings/check_reader.h"
#include "host/findings/hazard_text.h"
#include "host/order/cell.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {

bool CheckCollector::is_believed(const CheckReport& report) {
  if (report.check != SQA_CHECK_HAZARD || report.occupancy <= kMaxBelievedOccupancy) return true;
  ++not_believed_;
  std::string text = "the filter of the sync check is too full to be believed (" +
                     std::to_string(report.occupancy) + " of " + std::to_string(SQA_OCCUPANCY_PROBES) +
                     " probed buckets were taken): hazards that it finds then are not reported; raise "
                     "bloom_buffer_size_log2 (VKD3D_BLOOM_BUFFER_SIZE_LOG2)";
  if (filter_size_log2_) text += ", now " + std::to_string(*filter_size_log2_);
  callbacks_.note("saturated", text);
  return false;
}

std::string CheckCollector::commands_of(const CheckReport& report, const FindingContext& context) const {
  constexpr size_t kEnough = 1000;
  if (failed_.size() > kEnough) return {};
  std::string commands = command_name(context.other ? context.other->action : std::nullopt);
  if (!report.by_command) return commands;
  commands += ' ' + command_name(context.action);
  if (context.buffer) {
    const BufferOrigin& buffer = *context.buffer;
    commands += ' ' + (buffer.name.empty() ? std::to_string(buffer.handle) : buffer.name);
  }
  return commands;
}

bool CheckCollector::take(const abi::Report& record) {
  const CheckReport report(record);
  if (const CheckDamage damage = check_report_damage(report); damage.what) {
    callbacks_.note(damage.what, damage.sentence);
    return false;
  }
  const CheckTable::Found found = table_.find(report.shader_hash, record.instruction, report.check,
                                              report.access, static_cast<Stage>(report.stage));
  if (!found.check) {
    const CheckDamage damage = check_report_miss(found.miss, report, record.instruction);
    callbacks_.note(damage.what, damage.sentence);
    return false;
  }
  if (!is_believed(report)) {
    doubted_.insert(failure_counter(report.shader_hash, record.instruction));
    return false;
  }
  const KnownCheck* other = nullptr;
  std::vector<const KnownCheck*> others;
  std::optional<FindingContext> context;
  std::string commands;
  if (report.exact) {
    const Cell cell = Cell::unpack(report.value);
    if (report.by_command || cell.tag == SQA_TAG_COMMAND) {
      context = callbacks_.context(record);
      commands = commands_of(report, *context);
    }
    if (cell.tag != SQA_TAG_COMMAND)
      others = table_.find_tagged(cell.tag, cell_access_type(cell), report.shader_hash);
    if (!others.empty()) other = others.front();
  }
  const std::tuple pair{found.check, other, commands};
  if (const auto known = failed_.find(pair); known != failed_.end()) {
    ++known->second.reports;
    return false;
  }
  if (!context) context = callbacks_.context(record);
  Finding finding = check_finding(found, record, std::move(*context), others);
  callbacks_.finding(finding);
  failed_[pair] = {std::move(finding), failure_counter(report.shader_hash, record.instruction), 1, 1};
  return true;
}

void CheckCollector::report_counts(const std::function<uint32_t(uint32_t counter)>& failures) {
  for (auto& [pair, site] : failed_) {
    // All commands share one site.
    const bool by_command = site.finding.check && site.finding.check->by_command;
    const uint32_t count = by_command ? site.reports : std::max(failures(site.counter), site.reports);
    if (count <= site.said) continue;
    site.said = count;
    Finding finding = check_count_finding(site.finding, count, by_command ? 1 : table_.sharers(site.counter),
                                          not_believed_ != 0);
    callbacks_.finding(finding);
  }
  if (not_believed_ == not_believed_said_) return;
  not_believed_said_ = not_believed_;
  // A slot holds one report at a time: the counters know of all.
  uint64_t failed = 0;
  for (const uint32_t counter : doubted_) failed += failures(counter);
  const std::string text = std::to_string(not_believed_) +
                           (not_believed_ == 1 ? " hazard report was" : " hazard reports were") +
                           " not believed, because the filter was too full (their sites failed " +
                           std::to_string(failed) + " times in all); raise bloom_buffer_size_log2";
  callbacks_.note(text, text);
}

}  // namespace shaderqa
