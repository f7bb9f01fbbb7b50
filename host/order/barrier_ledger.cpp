// SPDX-License-Identifier: Apache-2.0
#include "host/order/barrier_ledger.h"

#include <algorithm>

namespace shaderqa {
namespace {

constexpr const char* kUnfollowed =
    "something around it accesses memory that is not followed word by word (images, attachments, vertices, "
    "shaders or commands that are not checked)";

bool has_range(const PassedBarrier& barrier) {
  return std::ranges::any_of(barrier.dependencies, [](const PassedDependency& one) {
    return one.begin != 0 || one.end != UINT64_MAX;
  });
}

// Adds to the stages those that the barrier orders after one of them.
void chain(const PassedBarrier& barrier, uint64_t& stages) {
  uint64_t behind = 0;
  for (const PassedDependency& one : barrier.dependencies) {
    if (one.source_scope & stages) behind |= one.destination_scope;
  }
  stages |= behind;
}

// The stages that the barrier orders after one of these.
uint64_t behind(const PassedBarrier& barrier, uint64_t stages) {
  uint64_t all = 0;
  for (const PassedDependency& one : barrier.dependencies) {
    if (one.source_scope & stages) all |= one.destination_scope;
  }
  return all;
}

}  // namespace

size_t BarrierLedger::site(const std::string& text, const std::string& not_judged) {
  const auto [found, added] = by_text_.try_emplace(text, sites_.size());
  if (added) sites_.emplace_back().text = text;
  if (!not_judged.empty()) judge_not(found->second, not_judged.c_str());
  return found->second;
}

void BarrierLedger::judge_not(size_t site, const char* why) {
  if (sites_[site].not_judged.empty()) sites_[site].not_judged = why;
}

void BarrierLedger::everything_done() {
  passed_.clear();
  before_ = {};
  behind_.clear();
  history_.clear();
  known_.clear();
  lost_ = lost_for_good_;
}

void BarrierLedger::pass(size_t site, std::shared_ptr<const PassedBarrier> barrier, uint64_t next) {
  ++sites_[site].passed;
  if (!lost_.empty()) judge_not(site, lost_.c_str());
  for (auto& [other, reached] : behind_) {
    chain(*barrier, reached.followed);
    chain(*barrier, reached.unfollowed);
    chain(*barrier, reached.images);
  }
  Reached& reached = behind_[site];
  reached.followed |= behind(*barrier, before_.followed);
  reached.unfollowed |= behind(*barrier, before_.unfollowed);
  reached.images |= behind(*barrier, before_.images);
  chain(*barrier, before_.followed);
  chain(*barrier, before_.unfollowed);
  chain(*barrier, before_.images);
  passed_.push_back({next, site, std::move(barrier)});
}

void BarrierLedger::use(uint64_t stages, uint32_t uses) {
  for (const auto& [site, reached] : behind_) {
    const bool images = (uses & kUsesImages) && (reached.images & stages);
    const bool after_any = (uses & kUsesUnfollowed) && ((reached.followed | reached.unfollowed) & stages);
    const bool after_unfollowed = (uses & (kUsesFollowed | kUsesUnfollowed)) && (reached.unfollowed & stages);
    if (images || after_any || after_unfollowed) judge_not(site, kUnfollowed);
  }
  if (uses & kUsesFollowed) before_.followed |= stages;
  if (uses & kUsesUnfollowed) before_.unfollowed |= stages;
  if (uses & kUsesImages) before_.images |= stages;
}

void BarrierLedger::add(const std::vector<Footprint>& footprints,
                        const std::function<uint32_t(uint64_t)>& class_of,
                        const std::function<uint64_t(uint64_t)>& done_before) {
  for (const Footprint& one : footprints) {
    const bool kept = history_.add(one, done_before(one.number),
                                   [&](const AccessHistory::Meeting& meeting) { meet(meeting, class_of); });
    if (!kept) return lose("the same memory was accessed by too many actions in a row");
  }
}

void BarrierLedger::meet(const AccessHistory::Meeting& meeting,
                         const std::function<uint32_t(uint64_t)>& class_of) {
  const uint32_t writes = (meeting.earlier_writes ? 1u : 0) | (meeting.later_writes ? 2u : 0);
  const Pair key{{meeting.earlier, meeting.later}, writes};
  const auto known = known_.find(key);
  if (known != known_.end() && !known->second) return;
  const OrderedPair pair{class_of(meeting.earlier), class_of(meeting.later), meeting.earlier_writes,
                         meeting.later_writes,      meeting.begin,           meeting.end};
  std::vector<const PassedBarrier*> between;
  std::vector<size_t> sites;
  bool ranges = false;
  auto at = std::ranges::upper_bound(passed_, meeting.earlier, {}, &Passed::next);
  for (; at != passed_.end() && at->next <= meeting.later; ++at) {
    const Passed& one = *at;
    between.push_back(one.barrier.get());
    sites.push_back(one.site);
    ranges = ranges || has_range(*one.barrier);
  }
  known_[key] = ranges;
  const std::vector<size_t> needed = needed_barriers(pair, between);
  for (const size_t i : needed) sites_[sites[i]].needed = true;
  for (size_t i = 0; i < between.size(); ++i) {
    if (std::ranges::find(needed, i) != needed.end()) continue;
    const auto wider =
        std::ranges::find_if(needed, [&](size_t other) { return is_covered(*between[i], *between[other]); });
    if (wider == needed.end()) continue;
    BarrierSite& site = sites_[sites[i]];
    site.crossed = true;
    if (site.covered_by.empty()) site.covered_by = sites_[sites[*wider]].text;
  }
}

void BarrierLedger::lose(const std::string& why) {
  lost_ = why;
  for (const Passed& one : passed_) judge_not(one.site, why.c_str());
}

void BarrierLedger::lose_all(const std::string& why) {
  lost_for_good_ = why;
  lose(why);
  for (size_t i = 0; i < sites_.size(); ++i) judge_not(i, why.c_str());
}

}  // namespace shaderqa
