#include "tools/findings.h"

#include "host/printf_format.h"

namespace shaderqa {

const std::vector<std::string>& finding_kinds() {
  static const std::vector<std::string> kinds = {"printf", "assume", "nan", "hazard", "trace", "note"};
  return kinds;
}

Finding printf_finding(const PrintfSite& site, std::span<const uint32_t> payload, std::string text) {
  Finding finding;
  finding.kind = "printf";
  finding.text = std::move(text);
  finding.shader = site.shader_hash;
  // Metadata of other writers does not name a stage.
  if (site.stage != Stage::unknown) finding.stage = to_string(site.stage);
  finding.entry_point = site.entry_point;
  finding.source = site.source;
  finding.invocation = render_invocation(site, payload);
  return finding;
}

}  // namespace shaderqa
