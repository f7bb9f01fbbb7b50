// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/redundant_barriers.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <unordered_map>

#include "host/findings/report.h"
#include "instrument/runtime/abi_footprints.h"
#include "instrument/runtime/abi_order.h"
#include "layer/context/instance.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/recorded_commands.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

constexpr const char* kSeveralQueues = "work runs on several queues";

std::string times(uint64_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

}  // namespace

std::unique_ptr<RedundantBarriers> RedundantBarriers::create(Device& device, const ExactEngine& engine,
                                                             std::string& problem) {
  DeviceBuffer::Request request;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  request.size = sizeof(abi::Footprints);
  auto footprints = DeviceBuffer::create(device, request, problem);
  if (!footprints) return nullptr;
  return std::unique_ptr<RedundantBarriers>(new RedundantBarriers(device, engine, std::move(footprints)));
}

void RedundantBarriers::submitted(const RecordedCommands& recorded, const SubmissionOrigin& place,
                                  uint64_t done) {
  const std::lock_guard lock(mutex_);
  if (queue_.value_or(place.queue) != place.queue) ledger_.lose_all(kSeveralQueues);
  queue_ = place.queue;
  spans_.push_back({place.first, done});
  if (epoch_of(place.first) > epoch_of(spans_.front().first) + 1 && !stale_) {
    stale_ = true;
    ledger_.lose("the application never waited for the device for too long");
  }
  replay(recorded, place.first);
}

void RedundantBarriers::replay(const RecordedCommands& recorded, uint64_t first) {
  const ExactCommands& commands = exact_of(recorded);
  OrderTrace& trace = *commands.trace;
  if (!trace.complete) ledger_.lose_all("there was no memory to note what some commands access");
  if (trace.sites.empty()) {
    std::map<std::string, uint32_t> alike;
    for (const RecordedBarrier& barrier : commands.barriers) {
      std::string text = barrier_text(device_, recorded, barrier);
      const uint32_t number = ++alike[text];
      if (number > 1) text += " (number " + std::to_string(number) + " there)";
      trace.sites.push_back(ledger_.site(text, barrier.point.not_judged));
    }
  }
  for (const OrderTrace::Step& step : trace.steps) {
    switch (step.kind) {
      case OrderTrace::Step::Kind::barrier:
        ledger_.pass(trace.sites[step.index], trace.barriers[step.index],
                     first + commands.barriers[step.index].position);
        break;
      case OrderTrace::Step::Kind::use:
        ledger_.use(step.stages, step.uses);
        break;
      case OrderTrace::Step::Kind::execution: {
        const OrderTrace::Execution& execution = trace.executions[step.index];
        replay(*execution.recorded, first + execution.offset);
        break;
      }
    }
  }
}

void RedundantBarriers::waits(VkPipelineStageFlags2 stages, bool foreign) {
  const std::lock_guard lock(mutex_);
  ledger_.use(named_stages(stages), kUsesImages | (foreign ? kUsesUnfollowed : 0u));
}

void RedundantBarriers::lose(const std::string& why) {
  const std::lock_guard lock(mutex_);
  ledger_.lose(why);
}

void RedundantBarriers::lose_all(const std::string& why) {
  const std::lock_guard lock(mutex_);
  ledger_.lose_all(why);
}

void RedundantBarriers::everything_done() {
  const std::lock_guard lock(mutex_);
  take_notes();
  ledger_.everything_done();
  spans_.clear();
  stale_ = false;
}

void RedundantBarriers::take_notes() {
  if (spans_.empty()) return;
  if (notes().lost) ledger_.lose("more was accessed than there is room to note");
  auto read = stale_ || notes().lost ? std::nullopt : read_notes();
  if (read) {
    std::unordered_map<uint64_t, uint32_t> classes;
    const auto class_of = [&](uint64_t number) {
      const auto [found, added] = classes.try_emplace(number, uint32_t{SQA_CLASSES});
      if (added) {
        if (const auto place = engine_.find(sequence_of(number))) found->second = place->class_number;
      }
      return found->second;
    };
    const auto done_before = [&](uint64_t number) {
      const auto behind = std::ranges::upper_bound(spans_, number, {}, &Span::first);
      return behind == spans_.begin() ? 0 : std::prev(behind)->done;
    };
    const bool known =
        std::ranges::all_of(*read, [&](const Footprint& one) { return class_of(one.number) < SQA_CLASSES; });
    if (known) {
      ledger_.add(*read, class_of, done_before);
    } else {
      ledger_.lose("some actions were forgotten before their accesses were looked at");
    }
  }
  clear_notes();
}

std::optional<std::vector<Footprint>> RedundantBarriers::read_notes() {
  std::vector<Footprint> all;
  const uint32_t count = std::min<uint32_t>(notes().count, SQA_FOOTPRINT_SLOTS);
  all.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = notes().used[i] % SQA_FOOTPRINT_SLOTS;
    const uint64_t key = notes().keys[slot];
    constexpr uint64_t nowhere = SQA_FOOTPRINT_NOWHERE_LOW | uint64_t{SQA_FOOTPRINT_NOWHERE_HIGH} << 32;
    Footprint one;
    one.part = key & nowhere;
    one.how = key >> 45 & 3;
    one.number = engine_.full_number(static_cast<uint32_t>(key >> 49));
    if (one.part == nowhere || one.number == 0) {
      ledger_.lose("some shaders accessed memory through descriptors that are not followed");
      return std::nullopt;
    }
    std::memcpy(one.words.data(), notes().words[slot], sizeof one.words);
    all.push_back(one);
  }
  std::ranges::stable_sort(all, {}, &Footprint::number);
  return all;
}

void RedundantBarriers::clear_notes() {
  const uint32_t count = std::min<uint32_t>(notes().count, SQA_FOOTPRINT_SLOTS);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = notes().used[i] % SQA_FOOTPRINT_SLOTS;
    notes().keys[slot] = 0;
    std::memset(notes().words[slot], 0, sizeof notes().words[slot]);
  }
  notes().count = notes().lost = 0;
}

void RedundantBarriers::report(bool done) {
  const std::lock_guard lock(mutex_);
  if (reported_) return;
  reported_ = true;
  if (done) {
    take_notes();
  } else {
    ledger_.lose("the program ended before it had waited for all its work");
  }
  if (device_.buffers.aliased()) ledger_.lose_all("buffers share memory that only one of them can write");
  uint64_t judged = 0, redundant = 0;
  std::map<std::string, uint64_t> not_judged;
  for (const BarrierSite& site : ledger_.sites()) {
    if (site.passed == 0) continue;
    if (!site.not_judged.empty()) {
      ++not_judged[site.not_judged];
      continue;
    }
    ++judged;
    if (site.needed) continue;
    ++redundant;
    std::string text = site.text + ", passed " + times(site.passed) + ", ordered no conflicting accesses";
    if (site.crossed) text += " that another one does not order: the " + site.covered_by;
    Finding finding;
    finding.kind = FindingKind::redundant;
    finding.text = text;
    device_.instance->reporter->report(finding);
  }
  std::string summary = std::to_string(redundant) + " of " + std::to_string(judged) +
                        " barriers that were judged ordered no conflicting accesses in this run";
  for (const auto& [why, count] : not_judged) {
    summary += "; " + std::to_string(count) + " not judged: " + why;
  }
  device_.note("redundant barriers", summary, Concern::nothing);
}

}  // namespace shaderqa::layer
