// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_table.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "host/text/text_escape.h"
#include "instrument/runtime/abi_printf.h"

namespace shaderqa {
namespace {

std::string describe(const PrintfSite& site) {
  std::string text =
      "\"" + to_utf8(site.format) + "\" with " + std::to_string(site.arguments.size()) + " argument(s)";
  if (!site.source.file.empty())
    text += " (" + to_utf8(site.source.file) + ":" + std::to_string(site.source.line) + ")";
  char hash[32];
  std::snprintf(hash, sizeof hash, " in shader %016llx", static_cast<unsigned long long>(site.shader_hash));
  return text + hash;
}

uint32_t slot_of(uint64_t id) { return static_cast<uint32_t>(id & (SQA_PRINTF_SITE_SLOTS - 1)); }

}  // namespace

std::vector<std::string> PrintfTable::add(const ShaderRecord& record) {
  std::vector<std::string> warnings;
  const std::unique_lock lock(mutex_);
  for (const PrintfSite& site : record.printf_sites) {
    std::unique_ptr<Entry>& entry = sites_[site.id];
    if (!entry) {
      entry = std::make_unique<Entry>(Entry{site, CompiledFormat(site)});
    } else if (!entry->site.same_definition(site) && !std::exchange(warned_[site.id], true)) {
      char id[32];
      std::snprintf(id, sizeof id, "%012llx", static_cast<unsigned long long>(site.id));
      warnings.push_back(std::string("two printfs share the id ") + id + ": " + describe(entry->site) +
                         ", and " + describe(site) +
                         "; messages of the second are printed by the format of the first");
    }
  }
  return warnings;
}

const PrintfTable::Entry* PrintfTable::find_entry(uint64_t id) const {
  const std::shared_lock lock(mutex_);
  const auto found = sites_.find(id);
  return found == sites_.end() ? nullptr : found->second.get();
}

const PrintfSite* PrintfTable::find(uint64_t id) const {
  const Entry* entry = find_entry(id);
  return entry == nullptr ? nullptr : &entry->site;
}

std::vector<const PrintfSite*> PrintfTable::sites_of_slot(uint32_t slot) const {
  std::vector<const PrintfSite*> sites;
  const std::shared_lock lock(mutex_);
  for (const auto& [id, entry] : sites_)
    if (slot_of(id) == slot) sites.push_back(&entry->site);
  return sites;
}

std::unordered_map<uint32_t, std::vector<const PrintfSite*>> PrintfTable::sites_by_slot() const {
  std::unordered_map<uint32_t, std::vector<const PrintfSite*>> slots;
  const std::shared_lock lock(mutex_);
  for (const auto& [id, entry] : sites_) slots[slot_of(id)].push_back(&entry->site);
  return slots;
}

}  // namespace shaderqa
