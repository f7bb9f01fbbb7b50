// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_counters.h"

#include <algorithm>
#include <atomic>

#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

uint32_t load(const uint32_t& counter) {
  return std::atomic_ref<uint32_t>(const_cast<uint32_t&>(counter)).load(std::memory_order_relaxed);
}

std::string name_site(const PrintfSite& site) {
  std::string format = to_utf8(site.format);
  std::replace(format.begin(), format.end(), '\n', ' ');
  std::string text = "\"" + format + "\"";
  if (!site.source.file.empty())
    text += " (" + to_utf8(site.source.file) + ":" + std::to_string(site.source.line) + ")";
  return text;
}

// "<format>", or where sites share a counter all of them, in a stable order.
std::string name_sites(std::vector<const PrintfSite*> sites) {
  if (sites.empty()) return "an unknown printf";
  if (sites.size() == 1) return name_site(*sites[0]);
  std::sort(sites.begin(), sites.end(),
            [](const PrintfSite* a, const PrintfSite* b) { return a->id < b->id; });
  constexpr size_t kNamed = 8;
  std::string text = "one or more of ";
  for (size_t i = 0; i < std::min(sites.size(), kNamed); ++i)
    text += (i > 0 ? ", " : "") + name_site(*sites[i]);
  if (sites.size() > kNamed) text += " and " + std::to_string(sites.size() - kNamed) + " others";
  return text + " (they share a counter)";
}

const char* ordinal_suffix(uint32_t number) {
  if (number % 100 >= 11 && number % 100 <= 13) return "th";
  switch (number % 10) {
    case 1:
      return "st";
    case 2:
      return "nd";
    case 3:
      return "rd";
    default:
      return "th";
  }
}

struct Change {
  uint32_t slot;
  uint64_t total, added;
};

std::vector<Change> changes(const uint32_t (&counters)[SQA_PRINTF_SITE_SLOTS], std::vector<uint32_t>& said,
                            std::vector<uint64_t>& totals) {
  said.resize(SQA_PRINTF_SITE_SLOTS);
  totals.resize(SQA_PRINTF_SITE_SLOTS);
  std::vector<Change> result;
  for (uint32_t slot = 0; slot < SQA_PRINTF_SITE_SLOTS; ++slot) {
    const uint32_t now = load(counters[slot]);
    const uint32_t added = now - said[slot];
    if (added == 0) continue;
    said[slot] = now;
    totals[slot] += added;
    result.push_back({slot, totals[slot], added});
  }
  return result;
}

}  // namespace

std::vector<std::string> PrintfCounterReader::dropped(const abi::PrintfSiteCounters& counters,
                                                      const PrintfTable& table) {
  const std::vector<Change> found = changes(counters.dropped, said_dropped_, total_dropped_);
  if (found.empty()) return {};
  auto slots = table.sites_by_slot();
  std::vector<std::string> sentences;
  for (const Change& change : found) {
    sentences.push_back("dropped " + std::to_string(change.added) +
                        (change.added == 1 ? " message of " : " messages of ") +
                        name_sites(slots[change.slot]) +
                        (change.total > change.added ? ", " + std::to_string(change.total) + " so far" : "") +
                        "; raise printf_buffer_size");
  }
  return sentences;
}

std::vector<std::string> PrintfCounterReader::budgets(const abi::PrintfSiteCounters& counters,
                                                      const PrintfTable& table, uint32_t first,
                                                      uint32_t every) {
  if ((first == 0 && every == 0) || every == 1) return {};
  const std::vector<Change> found = changes(counters.issued, said_issued_, total_issued_);
  if (found.empty()) return {};
  auto slots = table.sites_by_slot();
  std::string printed = first > 0 ? "the first " + std::to_string(first) : "";
  if (every > 0)
    printed += (first > 0 ? " and every " : "every ") + std::to_string(every) + ordinal_suffix(every);
  std::vector<std::string> sentences;
  for (const Change& change : found) {
    if (change.total <= first) continue;
    sentences.push_back("printed " + printed + " of " + std::to_string(change.total) + " messages of " +
                        name_sites(slots[change.slot]));
  }
  return sentences;
}

}  // namespace shaderqa
