// SPDX-License-Identifier: Apache-2.0
#include "replay/shader_calls.h"

#include <algorithm>

namespace shaderqa {
namespace {

constexpr uint32_t kLaunchDwords = 3;

bool traces_rays(Stage stage) {
  return stage == Stage::ray_generation || stage == Stage::intersection || stage == Stage::any_hit ||
         stage == Stage::closest_hit || stage == Stage::miss || stage == Stage::callable;
}

}  // namespace

std::optional<CallerOf> caller_of(std::span<const std::unique_ptr<Invocation>> all, size_t index) {
  const TraceSegment& own = all[index]->segment();
  if (!traces_rays(own.stage) || own.stage == Stage::ray_generation) return std::nullopt;
  const uint32_t began = own.dwords[SQA_TRACE_SEQUENCE];
  std::optional<CallerOf> found;
  uint32_t innermost = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const TraceSegment& other = all[i]->segment();
    if (i == index || !traces_rays(other.stage) ||
        !std::equal(own.location, own.location + kLaunchDwords, other.location))
      continue;
    for (const ShaderCall& call : all[i]->calls()) {
      if (call.begin >= began || call.end <= began || (found && call.begin < innermost)) continue;
      found = CallerOf{i, call.step};
      innermost = call.begin;
    }
  }
  return found;
}

uint32_t call_depth(std::span<const std::unique_ptr<Invocation>> all, size_t index) {
  uint32_t depth = 0;
  // A caller began before what it calls, so this comes to an end.
  for (auto caller = caller_of(all, index); caller && depth < all.size();
       caller = caller_of(all, caller->invocation))
    ++depth;
  return depth;
}

}  // namespace shaderqa
