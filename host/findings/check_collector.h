// SPDX-License-Identifier: Apache-2.0
// From the records of a device to its findings: each site once, how often at the end, notes for the rest.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_COLLECTOR_H
#define SHADERQA_HOST_FINDINGS_CHECK_COLLECTOR_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "host/findings/check_finding.h"
#include "host/findings/check_table.h"
#include "host/findings/report.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {

// Not thread-safe. Grows with the sites that fail, never with what the records say.
class CheckCollector {
 public:
  struct Callbacks {
    std::function<FindingContext(const abi::Report&)> context;
    // May add names before it passes the finding on.
    std::function<void(Finding&)> finding;
    std::function<void(const std::string& key, const std::string& text)> note;
  };
  // filter_size_log2: the setting where it is known, for the note that says to raise it.
  CheckCollector(const CheckTable& table, std::optional<uint32_t> filter_size_log2, Callbacks callbacks)
      : table_(table), filter_size_log2_(filter_size_log2), callbacks_(std::move(callbacks)) {}

  // True: it was something new.
  bool take(const abi::Report& record);
  // Of sites that failed more than once, as notes: again only where more came since. failures: by
  // failure_counter().
  void report_counts(const std::function<uint32_t(uint32_t counter)>& failures);

 private:
  struct Failed {
    Finding finding;  // the first
    uint32_t counter = 0;
    uint32_t reports = 0;  // records of it: so many failures at least
    uint32_t said = 1;
  };
  // What is told apart beside the sites where a command is one of the two: they are all one site.
  std::string commands_of(const CheckReport& report, const FindingContext& context) const;
  bool is_believed(const CheckReport& report);

  const CheckTable& table_;
  const std::optional<uint32_t> filter_size_log2_;
  const Callbacks callbacks_;
  std::map<std::tuple<const KnownCheck*, const KnownCheck*, std::string>, Failed>
      failed_;                  // with the other access, if known
  std::set<uint32_t> doubted_;  // counters of sites whose reports were not believed
  uint64_t not_believed_ = 0, not_believed_said_ = 0;
};

}  // namespace shaderqa
#endif
