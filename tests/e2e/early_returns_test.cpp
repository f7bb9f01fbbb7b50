// SPDX-License-Identifier: Apache-2.0
// Invocations that return early, in front of barriers that the others of their workgroup reach: programs end,
// and with the same results, whatever stands behind the returns.
#include <string>

#include "workgroup_memory.h"

namespace shaderqa::testing {
namespace {

struct Returns {
  const char* name;
  std::string body;
};

// Each has something to check behind its last barrier, so that there is something to do where it returns.
std::vector<Returns> returning_shaders() {
  const std::string head = R"(layout(local_size_x = 64) in;
shared uint s[64];
uint hash(uint n) { return (n ^ (n >> 7u)) * 2654435761u >> 9u; }
void main() {
  uint l = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x, sum = io[1024u + g];
)";
  std::string many = "  s[l] = l;\n";
  for (int n = 1; n <= 12; ++n) {
    const std::string number = std::to_string(n) + "u";
    many += "  sum += io[1024u + g + " + number + " * 64u] + hash(g * " + number +
            ");\n  if ((sum & 31u) == " + number + ") { io[g] = sum; return; }\n";
    if (n % 4 == 0) many += "  barrier();\n  sum += s[l ^ 32u];\n  barrier();\n  s[l] = sum;\n";
  }
  return {{"once", head + R"(  s[l] = hash(g);
  if ((hash(g) & 3u) == 1u) { io[g] = 7u; return; }
  barrier();
  uint other = s[l ^ 32u];
  barrier();
  io[g] = other + sum;
})"},
          {"tail", head + R"(  s[l] = sum;
  if (l >= 40u) return;
  barrier();
  io[g] = io[1200u + g] + s[l];
  barrier();
  io[g] += io[1300u + g];
})"},
          {"loop", head + R"(  s[l] = sum;
  for (uint n = 0u; n < 8u; ++n) {
    uint value = hash(g * 7u + n) + io[1024u + g];
    if ((value & 31u) == 5u) { io[g] = sum; return; }
    sum += value;
    barrier();
    sum ^= s[l ^ 1u] | 1u;
    barrier();
    s[l] = sum;
  }
  io[g] = sum;
})"},
          {"many", head + many + "  io[g] = sum;\n}"}};
}

class EarlyReturns : public WorkgroupMemory, public ::testing::WithParamInterface<const char*> {};

TEST_P(EarlyReturns, KeepNobodyWaiting) {
  for (const Returns& each : returning_shaders()) add(each.name, each.body);
  const Sources sources =
      run_all({"--sync", "--nan=full", "--start=creation", "--sync-calls", GetParam()}, {"--groups=4"});
  EXPECT_TRUE(sources.hazards.empty()) << sources.outcome.process.err;
  EXPECT_THAT(sources.outcome.process.err, HasSubstr("shaders: 4 checked"));
}

INSTANTIATE_TEST_SUITE_P(Forms, EarlyReturns, ::testing::Values("auto", "never", "queue", "always", "large"),
                         [](const auto& form) { return std::string(form.param); });

}  // namespace
}  // namespace shaderqa::testing
