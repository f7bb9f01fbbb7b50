// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_collector.h"

#include <algorithm>
#include <utility>

#include "host/findings/check_reader.h"
#include "host/findings/hazard_text.h"
#include "host/order/cell.h"
#include "host/text/shader_hash_text.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

// A report whose site is not in the table.
CheckDamage unknown_site(CheckTable::Miss miss, const CheckReport& report) {
  std::string hash;
  append_hash(hash, report.shader_hash);
  if (miss == CheckTable::Miss::shader) {
    return {"a shader never seen", "a check's report comes from shader " + hash +
                                       ", which was never instrumented here: something overwrote the report "
                                       "block; such reports are ignored"};
  }
  return {"an unknown site", "a check's report names word " + std::to_string(report.instruction) +
                                 " of shader " + hash +
                                 ", where nothing is checked: something overwrote the report block; "
                                 "such reports are ignored"};
}

}  // namespace

bool CheckCollector::is_believed(const CheckReport& report) {
  if (report.check != Check::hazard || report.occupancy <= kMaxBelievedOccupancy) return true;
  ++not_believed_;
  std::string text = "the filter of the sync check is too full to be believed (" +
                     std::to_string(report.occupancy) + " of " + std::to_string(SQA_OCCUPANCY_PROBES) +
                     " probed buckets were taken): hazards that it finds then are not reported; raise "
                     "bloom_buffer_size_log2 (VKD3D_BLOOM_BUFFER_SIZE_LOG2)";
  if (filter_size_log2_) text += ", now " + std::to_string(*filter_size_log2_);
  client_.note("saturated", text);
  return false;
}

CheckCollector::Commands CheckCollector::commands_of(const CheckReport& report,
                                                     const FindingContext& context) const {
  constexpr size_t kMaxPairs = 1000;
  if (known_.size() > kMaxPairs) return {};
  Commands commands;
  commands.earlier_access = cell_access(report.exact->cell);
  commands.earlier = command_name(context.other ? context.other->action : std::nullopt);
  if (!report.by_command) return commands;
  commands.later = command_name(context.action);
  commands.later_access = static_cast<uint32_t>(report.access);
  if (context.buffer) {
    const BufferOrigin& buffer = *context.buffer;
    commands.buffer = buffer.name.empty() ? std::to_string(buffer.handle) : buffer.name;
  }
  if (context.image) {
    const ImageOrigin& image = *context.image;
    commands.buffer = image.name.empty() ? std::to_string(image.handle) : image.name;
  }
  return commands;
}

size_t CheckCollector::count_for(const CheckReport& report, const Finding& finding) {
  const size_t added = counts_.size();
  if (report.by_command || report.check == Check::layout) {
    counts_.push_back({finding, std::nullopt});
    return added;
  }
  const uint32_t counter = failure_counter(report.shader_hash, report.instruction);
  const auto [known, is_new] = count_of_counter_.try_emplace(counter, added);
  if (is_new) counts_.push_back({finding, counter});
  return known->second;
}

// Shaders of several stages may share a tag. The command of the action that accessed says which it ran.
std::vector<const KnownCheck*> CheckCollector::find_others(const CheckReport& report, const Cell& cell,
                                                           std::optional<FindingContext>& context) {
  const uint32_t access = cell_access(cell);
  const bool same_action = cell.sequence == report.exact->sequence;
  ActionKind kind = ActionKind::other;
  if (table_.depends_on_kind(cell.tag, access)) {
    if (!context) context = client_.context(report);
    if (same_action && context->action) kind = context->action->kind;
    if (!same_action && context->other && context->other->action) kind = context->other->action->kind;
  }
  return table_.find_tagged(cell.tag, access, report.shader_hash, same_action, kind);
}

bool CheckCollector::take(const abi::Report& record) {
  const auto decoded = decode_report(record);
  if (const auto* damage = std::get_if<CheckDamage>(&decoded)) {
    client_.note(damage->what, damage->sentence);
    return false;
  }
  const auto& report = std::get<CheckReport>(decoded);
  const CheckTable::Found found = table_.find(report);
  if (!found.check) {
    const CheckDamage damage = unknown_site(found.miss, report);
    client_.note(damage.what, damage.sentence);
    return false;
  }
  if (!is_believed(report)) {
    doubted_.insert(failure_counter(report.shader_hash, report.instruction));
    return false;
  }
  Pair pair;
  pair.check = found.check;
  std::vector<const KnownCheck*> others;
  std::optional<FindingContext> context;
  if (report.check == Check::layout) {
    context = client_.context(report);
    if (!context->layout) return false;
    pair.commands.earlier = context->layout->is;
    pair.commands.later = context->layout->named;
    pair.commands.buffer = context->layout->image.name;
  }
  if (report.exact) {
    const Cell& cell = report.exact->cell;
    const bool earlier_by_command = cell.tag == SQA_TAG_COMMAND;
    if (report.by_command || earlier_by_command) {
      context = client_.context(report);
      pair.commands = commands_of(report, *context);
    }
    if (!earlier_by_command) others = find_others(report, cell, context);
    // The site may be the reporting invocation's own, and another one's the one that raced.
    if (cell.sequence == report.exact->sequence && may_name(cell, report.exact->owner))
      table_.add_alike(others);
    if (!others.empty()) pair.other = others.front();
  }
  if (report.check == Check::workgroup && report.workgroup) {
    others = table_.find_workgroup(report.workgroup->tag, static_cast<uint32_t>(report.workgroup->access),
                                   report.shader_hash, report.stage);
    if (!others.empty()) pair.other = others.front();
  }
  if (const auto known = known_.find(pair); known != known_.end()) {
    ++counts_[known->second].reports;
    return false;
  }
  if (!context) context = client_.context(report);
  if (report.workgroup)
    context->workgroup_part = table_.workgroup_part(report.workgroup->layout, report.workgroup->cell);
  const Finding finding = check_finding(found, report, std::move(*context), others);
  client_.finding(finding);
  const size_t count = count_for(report, finding);
  ++counts_[count].reports;
  known_.emplace(std::move(pair), count);
  return true;
}

void CheckCollector::report_counts(const std::function<uint32_t(uint32_t counter)>& failures) {
  for (Count& count : counts_) {
    const uint32_t total = count.counter ? std::max(failures(*count.counter), count.reports) : count.reports;
    if (total <= count.said) continue;
    count.said = total;
    FailureCount number;
    number.failures = total;
    number.by_command = !count.counter && !count.first.check->layout;
    number.filter_was_full = not_believed_ != 0;
    if (count.counter) number.sites = table_.sharers(*count.counter);
    client_.finding(check_count_finding(count.first, number));
  }
  note_doubted(failures);
}

void CheckCollector::note_doubted(const std::function<uint32_t(uint32_t counter)>& failures) {
  if (not_believed_ == not_believed_said_) return;
  not_believed_said_ = not_believed_;
  // A slot of the report block holds one report at a time; the counters include failures that found it taken.
  uint64_t failed = 0;
  for (const uint32_t counter : doubted_) failed += failures(counter);
  const std::string text = std::to_string(not_believed_) +
                           (not_believed_ == 1 ? " hazard report was" : " hazard reports were") +
                           " not believed, because the filter was too full (their sites failed " +
                           std::to_string(failed) + " times in all); raise bloom_buffer_size_log2";
  client_.note(text, text);
}

}  // namespace shaderqa
