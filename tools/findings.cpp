// SPDX-License-Identifier: Apache-2.0
#include "tools/findings.h"

#include "host/printf/printf_format.h"

namespace shaderqa {

const std::vector<std::string>& finding_kinds() {
  static const std::vector<std::string> kinds = {"printf",    "assume", "nan", "hazard",
                                                 "redundant", "trace",  "note"};
  return kinds;
}

Finding printf_finding(const PrintfSite& site, std::span<const uint32_t> payload, std::string text) {
  Finding finding = site_finding(site);
  finding.text = std::move(text);
  finding.invocation = render_invocation(site, payload);
  return finding;
}

}  // namespace shaderqa
