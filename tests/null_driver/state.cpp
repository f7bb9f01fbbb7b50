// SPDX-License-Identifier: Apache-2.0
#include "tests/null_driver/state.h"

#include <algorithm>

#include "tests/null_driver/commands.h"

namespace shaderqa::null_driver {

State& state() {
  // Never destroyed: threads may be in here while the process exits.
  static State& only = []() -> State& {
    auto created = new State;
    apply_environment(created->settings);
    return *created;
  }();
  return only;
}

void wait_for_device() {
  std::function<void()> while_waiting;
  {
    const std::lock_guard lock(state().mutex);
    while_waiting = state().settings.while_waiting;
  }
  if (while_waiting) while_waiting();
}

Call::Call(const char* command) : lock_(state().mutex) { fault = state().enter(command); }

VkResult State::enter(const char* command) {
  ++records.calls[command];
  const uint64_t number = ++calls_since_configured_[command];
  for (const Fault& fault : settings.faults) {
    if (fault.command == command && (fault.call == 0 || fault.call == number)) return fault.result;
  }
  return VK_SUCCESS;
}

void State::reset(const Config& config) {
  const std::lock_guard lock(mutex);
  // What is alive stays alive, and counted.
  const std::map<std::string, int64_t> live = records.live;
  records = {};
  records.live = live;
  settings = config;
  calls_since_configured_.clear();
}

void State::configure(const Config& config) {
  const std::lock_guard lock(mutex);
  settings = config;
  calls_since_configured_.clear();
}

Config State::config() {
  const std::lock_guard lock(mutex);
  return settings;
}

Log State::log() {
  const std::lock_guard lock(mutex);
  return records;
}

std::vector<std::span<std::byte>> State::memory() {
  const std::lock_guard lock(mutex);
  std::vector<std::span<std::byte>> all;
  for_each<Memory>([&all](const Memory& memory) { all.emplace_back(memory.bytes, memory.size); });
  return all;
}

PFN_vkVoidFunction State::command(const char* name) {
  const Command* found = find_command(name);
  return found ? found->function : nullptr;
}

void State::remove_children(const Device* device) {
  for (auto it = objects_.begin(); it != objects_.end();) {
    if (it->second->owner != device) {
      ++it;
      continue;
    }
    violation(std::string("still alive when its device is destroyed: ") + it->second->type_name);
    --records.live[it->second->type_name];
    free_ids_.push_back(it->first);
    it = objects_.erase(it);
  }
}

Chain chain_of(const void* structure_chain) {
  Chain types;
  for (auto node = static_cast<const VkBaseInStructure*>(structure_chain);
       node && types.size() < kLongestChain; node = node->pNext) {
    types.push_back(node->sType);
  }
  return types;
}

}  // namespace shaderqa::null_driver

extern "C" __attribute__((visibility("default"))) shaderqa::null_driver::Driver* shaderqa_null_driver();
shaderqa::null_driver::Driver* shaderqa_null_driver() { return &shaderqa::null_driver::state(); }
