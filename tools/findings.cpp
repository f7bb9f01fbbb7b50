// SPDX-License-Identifier: Apache-2.0
#include "tools/findings.h"

#include "host/findings/finding_types.h"
#include "host/printf/printf_format.h"

namespace shaderqa {

std::string finding_kind_names() {
  std::string names;
  for (const FindingKind kind : kFindingKinds)
    names += (names.empty() ? "" : " ") + std::string(to_string(kind));
  return names;
}

Finding printf_finding(const PrintfSite& site, std::span<const uint32_t> payload, std::string text) {
  Finding finding = site_finding(site);
  finding.text = std::move(text);
  finding.invocation = render_invocation(site, payload);
  return finding;
}

}  // namespace shaderqa
