// SPDX-License-Identifier: Apache-2.0
// What reports say of races in workgroup memory.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "workgroup_memory.h"

namespace shaderqa::testing {
namespace {

TEST_F(WorkgroupMemory, TheReportNamesThePart) {
  const auto part = [&](const std::string& declaration, const std::string& place) {
    const auto findings =
        findings_of("layout(local_size_x = 8) in;\n" + declaration +
                    "\nvoid main() { uint n = gl_LocalInvocationIndex; if (n < 2u) " + place + " = 1; }\n");
    return findings.size() == 1 ? findings[0].at("workgroup").at("part").get<std::string>()
                                : std::to_string(findings.size()) + " findings";
  };
  EXPECT_EQ(part("shared uint alone;", "alone"), "alone");
  EXPECT_EQ(part("shared uint before[3]; shared float tile[4][17];", "before[n] = 1; tile[2][n / 2u + 16u]"),
            "tile[2][16]");
  EXPECT_EQ(part("struct P { vec3 at; mat2 m; float w[3]; }; shared P ps[5];", "ps[n / 2u + 4u].m[1][0]"),
            "ps[4].m[1][0]");
  EXPECT_EQ(part("struct P { vec3 at; mat2 m; float w[3]; }; shared P ps[5];", "ps[3].w[n / 8u + 2u]"),
            "ps[3].w[2]");
}

TEST_F(WorkgroupMemory, TheTextSaysBothSidesAndHowToOrderThem) {
  const auto findings = findings_of(R"(layout(local_size_x = 64) in;
shared float tile[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  tile[l] = float(l);
  barrier();
  float sum = tile[l];
  tile[(l + 1u) % 64u] = sum;
  io[l] = uint(sum);
}
)");
  const auto found = std::ranges::find_if(
      findings, [](const auto& each) { return each.at("hazard").at("access") == "store"; });
  ASSERT_NE(found, findings.end());
  const auto& finding = *found;
  EXPECT_THAT(std::string(finding.at("text")), HasSubstr("write after read: tile["));
  EXPECT_THAT(std::string(finding.at("text")),
              HasSubstr("in workgroup memory is stored to after another invocation"));
  EXPECT_EQ(finding.at("source").at("line"), 9);
  EXPECT_EQ(finding.at("workgroup").at("barriers"), 1);
  EXPECT_THAT(std::string(finding.at("other").at("places")[0]), ::testing::EndsWith("shader.comp:8"));
  EXPECT_THAT(std::string(finding.at("hazard").at("hint")), HasSubstr("barrier()"));
}

// Whether the host reads one report before the next one comes does not decide what is found.
TEST_F(WorkgroupMemory, OneLoadAgainstStoresAtSeveralPlaces) {
  const auto findings = findings_of(R"(layout(local_size_x = 64) in;
shared uint a[96];
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l < 32u) {
    a[l] = 1u;
    a[l + 32u] = 2u;
    a[l + 64u] = 3u;
  }
  if (l < 32u) return;
  uint sum = 0u;
  for (uint place = 0u; place < 3u; ++place) sum += a[place * 32u + l - 32u];
  io[l] = sum;
}
)");
  std::set<std::string> stores;
  for (const auto& finding : findings)
    for (const auto& place : finding.at("other").at("places")) stores.insert(place);
  EXPECT_EQ(stores.size(), 3u);
}

// What shaders with many checks find is noted and reported at the end, or comes from called checks: each
// place with its own barriers and invocations, wherever the invocation ends.
TEST_F(WorkgroupMemory, ManyChecksReportEachPlace) {
  std::string body = R"(layout(local_size_x = 32) in;
shared uint a[64], b[64], c[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  b[l] = a[(l + 1u) % 32u];
  barrier();
  c[l] = 1u;
  barrier();
  barrier();
  c[l / 2u] = l;
  if (l == 40u) return;
  uint sum = c[l];
)";
  for (int n = 0; n < 8; ++n) {
    const std::string at = std::to_string(n);
    body += "  a[l + 32u] = sum + " + at + "u;\n  barrier();\n  sum += a[32u + (l + " + at +
            "u) % 32u];\n  barrier();\n";
  }
  body += "  if ((l & 1u) == 0u) { io[l] = sum; return; }\n  io[l] = sum + 1u;\n}\n";
  for (const char* calls : {"never", "queue", "always"}) {
    SCOPED_TRACE(calls);
    const auto findings = findings_of(body, {"--sync", "--sync-calls", calls});
    std::map<int, int> barriers;
    for (const auto& finding : findings) {
      barriers[finding.at("source").at("line")] = finding.at("workgroup").at("barriers");
      EXPECT_EQ(finding.at("other").at("places").size(), 1u) << finding.dump(2);
    }
    EXPECT_EQ(barriers, (std::map<int, int>{{6, 0}, {7, 0}, {12, 3}, {14, 3}}));
  }
}

}  // namespace
}  // namespace shaderqa::testing
