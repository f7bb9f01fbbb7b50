// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/barrier_gaps.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "instrument/runtime/abi_image.h"
#include "layer/engines/exact/access_classes.h"

namespace shaderqa::layer {
namespace {

using Gaps = std::vector<std::string>;

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Whether its memory dependency is about memory of the kind that the address is of.
bool is_about(const Dependency& dependency, uint64_t address) {
  return dependency.buffers && (dependency.is_global() || dependency.image == abi::is_image_address(address));
}

// What the dependency lacks, each as a predicate of the sentence in the report.
Gaps gaps_of(const Dependency& dependency, const OrderedAccess& earlier, const OrderedAccess& later,
             uint64_t address) {
  const OrderDependency order = order_dependency(dependency);
  const uint32_t source = 1u << earlier.class_number, destination = 1u << later.class_number;
  Gaps gaps;
  const auto lacks = [&](const std::string& bit, const char* mask) {
    gaps.push_back("has no " + bit + " in " + mask);
  };
  const bool source_stage = order.source & source, destination_stage = order.destination & destination;
  if (!source_stage) lacks(stage_name(earlier.class_number, dependency.source_stages), "srcStageMask");
  if (!destination_stage)
    lacks(stage_name(later.class_number, dependency.destination_stages), "dstStageMask");
  if (!earlier.writes()) return gaps;  // an execution dependency is enough
  if (!is_about(dependency, address)) {
    gaps.emplace_back(abi::is_image_address(address) ? "has only execution dependencies and those of others"
                                                     : "has only execution and image dependencies");
    return gaps;
  }
  // Accesses count at the stages that are named, not at those that are only ordered before or behind them.
  if (source_stage && !(order.writes & source))
    lacks(access_name(earlier.class_number, AccessWay::writes), "srcAccessMask");
  const uint32_t reads = later.way == AccessWay::reads ? order.reads : order.uniform_reads;
  if (destination_stage && !later.writes() && !(reads & destination))
    lacks(access_name(later.class_number, later.way), "dstAccessMask");
  const bool outside = address && (address < dependency.begin || address >= dependency.end);
  if (outside && dependency.image) {
    gaps.emplace_back("is for other mip levels, layers or planes, or another image");
  } else if (outside) {
    gaps.push_back("covers only the addresses " + hexadecimal(dependency.begin) + " to " +
                   hexadecimal(dependency.end));
  }
  return gaps;
}

std::optional<Gaps> fewest_gaps(const RecordedBarrier& barrier, const OrderedAccess& earlier,
                                const OrderedAccess& later, uint64_t address) {
  // That there are only execution dependencies is said only of barriers without any other.
  const auto about = [&](const Dependency& dependency) { return is_about(dependency, address); };
  const bool memory = earlier.writes() && std::ranges::any_of(barrier.dependencies, about);
  std::optional<Gaps> fewest;
  for (const Dependency& dependency : barrier.dependencies) {
    if (memory && !about(dependency)) continue;
    Gaps gaps = gaps_of(dependency, earlier, later, address);
    if (!fewest || gaps.size() < fewest->size()) fewest = std::move(gaps);
  }
  return fewest;
}

std::string sentence(const RecordedBarrier& barrier, const Gaps& gaps) {
  const SynchronizationPoint& point = barrier.point;
  std::string text = point.kind == SynchronizationPoint::Kind::render_pass ? "" : "the ";
  text += point.name;
  text += barrier.after ? " after action " + std::to_string(barrier.after)
                        : " at the begin of the command buffer";
  for (size_t i = 0; i < gaps.size(); ++i) {
    text += (i == 0 ? " " : i + 1 == gaps.size() ? " and " : ", ") + gaps[i];
  }
  return text;
}

}  // namespace

std::string missing_from(const RecordedBarrier& barrier, const OrderedAccess& earlier,
                         const OrderedAccess& later, uint64_t address) {
  const std::optional<Gaps> gaps = fewest_gaps(barrier, earlier, later, address);
  return gaps && !gaps->empty() ? sentence(barrier, *gaps) : std::string();
}

std::string nearest_gap(const std::vector<RecordedBarrier>& latest_first, const OrderedAccess& earlier,
                        const OrderedAccess& later, uint64_t address) {
  const RecordedBarrier* nearest = nullptr;
  Gaps fewest;
  for (const RecordedBarrier& barrier : latest_first) {
    std::optional<Gaps> gaps = fewest_gaps(barrier, earlier, later, address);
    if (!gaps || gaps->empty() || (nearest && gaps->size() >= fewest.size())) continue;
    nearest = &barrier;
    fewest = std::move(*gaps);
  }
  return nearest ? sentence(*nearest, fewest) : std::string();
}

}  // namespace shaderqa::layer
