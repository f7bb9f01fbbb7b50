// SPDX-License-Identifier: Apache-2.0
#include "layer/context/instance.h"

#include <unistd.h>

#include "host/findings/report.h"

namespace shaderqa::layer {

Instance::Instance(const Settings& effective_settings)
    : settings(effective_settings), reporter(std::make_unique<Reporter>(settings)), process_(getpid()) {}

Instance::~Instance() = default;

bool Instance::in_forked_child() const { return getpid() != process_; }

void Instance::note(const std::string& key, const std::string& text) { reporter->note(key, text); }

uint32_t Instance::hook_groups() const {
  if (!checks_anything()) return kHookAlways;
  return kHookAlways | kHookShaders | kHookPrintf | (possible.sync ? kHookSync : 0u) |
         (needs_order() ? kHookOrder : 0u) | (needs_memory_use() ? kHookMemoryUse : 0u) |
         (needs_host_reads() ? kHookHostReads : 0u) | (two_versions() ? kHookVersions : 0u);
}

}  // namespace shaderqa::layer
