// SPDX-License-Identifier: Apache-2.0
// Turns a device's records into findings: one for each site, the number of repetitions at the end, and notes.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_COLLECTOR_H
#define SHADERQA_HOST_FINDINGS_CHECK_COLLECTOR_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/findings/check_finding.h"
#include "host/findings/check_report.h"
#include "host/findings/check_table.h"
#include "host/findings/report.h"
#include "host/order/cell.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {

// Hazards are not believed if more of the filter's probed buckets than that were taken.
inline constexpr uint32_t kMaxBelievedOccupancy = 22;

// All that a collector asks and tells whoever has the reports: the layer while the program runs, the reader
// of rescue files after its end.
class CheckClient {
 public:
  virtual ~CheckClient() = default;
  // Asked once for most findings, for every report of a command's own access, and where shaders of several
  // stages have the tag of the access before.
  virtual FindingContext context(const CheckReport& report) = 0;
  virtual void finding(const Finding& finding) = 0;
  // The client shows only the first note with a key.
  virtual void note(const std::string& key, const std::string& text) = 0;
};

// Not thread-safe. Its size is bounded by the sites that fail, whatever the records say.
class CheckCollector {
 public:
  // filter_size_log2: the setting where it is known, for the note that says to raise it.
  CheckCollector(const CheckTable& table, std::optional<uint32_t> filter_size_log2, CheckClient& client)
      : table_(table), filter_size_log2_(filter_size_log2), client_(client) {}

  // True: it was something new.
  bool take(const abi::Report& record);
  // A note for each count of failures above one; none for a count that has not grown since the last call.
  // failures: by failure_counter().
  void report_counts(const std::function<uint32_t(uint32_t counter)>& failures);

 private:
  // All commands share one site: these tell their findings apart.
  struct Commands {
    std::string earlier, later, buffer;
    uint32_t earlier_access = 0, later_access = 0;  // SQA_ACCESS_*
    bool operator<(const Commands& with) const {
      return std::tie(earlier, later, buffer, earlier_access, later_access) <
             std::tie(with.earlier, with.later, with.buffer, with.earlier_access, with.later_access);
    }
  };
  // What makes two failures the same finding.
  struct Pair {
    const KnownCheck* check = nullptr;
    const KnownCheck* other = nullptr;  // the earlier access, if known
    Commands commands;
    bool operator<(const Pair& with) const {
      return std::tie(check, other, commands) < std::tie(with.check, with.other, with.commands);
    }
  };
  // One number of failures: of all sites that share a counter of the report block, or of one pair of
  // commands, whose reports are counted here.
  struct Count {
    Finding first;
    std::optional<uint32_t> counter;
    uint32_t reports = 0;  // records of it: so many failures at least
    uint32_t said = 1;
  };
  Commands commands_of(const CheckReport& report, const FindingContext& context) const;
  bool is_believed(const CheckReport& report);
  // The sites that the access before may have been made at. Asks for the context if that needs it.
  std::vector<const KnownCheck*> find_others(const CheckReport& report, const Cell& cell,
                                             std::optional<FindingContext>& context);
  size_t count_for(const CheckReport& report, const Finding& finding);
  void note_doubted(const std::function<uint32_t(uint32_t counter)>& failures);

  const CheckTable& table_;
  const std::optional<uint32_t> filter_size_log2_;
  CheckClient& client_;
  std::map<Pair, size_t> known_;  // reported; the value is an index into counts_
  std::vector<Count> counts_;     // in the order of their first findings
  std::map<uint32_t, size_t> count_of_counter_;
  std::set<uint32_t> doubted_;  // counters of sites whose reports were not believed
  uint64_t not_believed_ = 0, not_believed_said_ = 0;
};

}  // namespace shaderqa
#endif
