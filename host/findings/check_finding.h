// SPDX-License-Identifier: Apache-2.0
// Makes a finding from a decoded report.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_FINDING_H
#define SHADERQA_HOST_FINDINGS_CHECK_FINDING_H

#include <optional>
#include <string>
#include <vector>

#include "host/findings/check_details.h"
#include "host/findings/check_report.h"
#include "host/findings/check_table.h"
#include "host/findings/report.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {

// What is known about a report that the report itself does not say.
struct FindingContext {
  std::string pipeline, shader_name;  // as the application named them
  std::string device, driver;
  std::optional<BufferOrigin> buffer;
  std::optional<ImageOrigin> image;
  std::optional<WrongLayout> layout;  // nothing: the descriptor's is right
  std::optional<ActionOrigin> action;
  std::vector<std::string> commands;
  std::optional<OtherAccess> other;  // its action, and what is lacking
  std::string workgroup_part;        // CheckTable::workgroup_part
};

// others: sites that can be the other access of an exact hazard.
Finding check_finding(const CheckTable::Found& found, const CheckReport& report, FindingContext context,
                      const std::vector<const KnownCheck*>& others = {});
// The note at the end for a site that failed more than once.
Finding check_count_finding(const Finding& first, const FailureCount& count);

}  // namespace shaderqa
#endif
