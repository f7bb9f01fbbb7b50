// SPDX-License-Identifier: Apache-2.0
// The filter on a device against its model on the CPU: random accesses of every size, one invocation after
// another and nothing between them, must be reported exactly where the model says so.
#include <algorithm>
#include <random>
#include <set>

#include "bloom_model.h"
#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

using test::Access;

constexpr uint32_t kBytes = 96;       // that all accesses fall into
constexpr uint32_t kDispatches = 24;  // of one invocation each

struct Form {
  const char* array;  // of the block below
  const char* type;
  uint32_t size;
  bool atomic = false;
};
const Form kForms[] = {{"bytes", "uint8_t", 1}, {"shorts", "uint16_t", 2}, {"uints", "uint", 4},
                       {"pairs", "uvec2", 8},   {"triples", "uvec3", 12},  {"longs", "uint64_t", 8},
                       {"quads", "uvec4", 16},  {"uints", "uint", 4, true}};

// One program: the text of its shader, and the lines whose accesses the model finds hazardous.
struct Program {
  std::string shader;
  std::set<int> hazards;
};

Program make_program(uint32_t seed) {
  Program program;
  program.shader = R"(#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { uint step; };
layout(set = 0, binding = 1, scalar) buffer Result { uint result[]; };
)";
  for (const Form& form : kForms)
    if (!form.atomic)
      program.shader += std::string("layout(set = 0, binding = 0, scalar) buffer Of_") + form.array + " { " +
                        form.type + " " + form.array + "[]; };\n";
  program.shader += "void main() {\nuint seen = 0u;\nswitch (step) {\n";
  int line = static_cast<int>(std::count(program.shader.begin(), program.shader.end(), '\n'));
  std::mt19937 random(seed);
  test::BloomModel model(20);
  for (uint32_t step = 0; step < kDispatches; ++step) {
    program.shader += "case " + std::to_string(step) + ":\n";
    ++line;
    const test::Accessor who{.invocation = step * 1103633207u, .workgroup = 0x9e3779b9u * (step + 1)};
    for (uint32_t count = 1 + random() % 2; count != 0; --count) {
      const Form& form = kForms[random() % std::size(kForms)];
      const uint32_t index = random() % (kBytes / form.size);
      const std::string element = std::string(form.array) + "[" + std::to_string(index) + "]";
      Access access = random() % 3 == 0 ? Access::atomic_load : Access::atomic;
      if (!form.atomic) access = random() % 3 == 0 ? Access::store : Access::load;
      ++line;
      switch (access) {
        case Access::atomic:
          program.shader += "seen += atomicAdd(" + element + ", 1u);\n";
          break;
        case Access::atomic_load:
          program.shader += "seen += atomicLoad(" + element + ", gl_ScopeDevice, 0, gl_SemanticsRelaxed);\n";
          break;
        case Access::store:
          program.shader += element + " = " + form.type + "(step);\n";
          break;
        default:
          program.shader += std::string("{ ") + form.type + " v = " + element + "; seen += uint(v" +
                            (std::string(form.type).starts_with("uvec") ? ".x" : "") + "); }\n";
      }
      if (model.access(0x7f0000001000u + index * form.size, form.size, access, who))
        program.hazards.insert(line);
    }
    program.shader += "break;\n";
    ++line;
  }
  // A granule of its own for each step.
  program.shader += "}\nresult[step * 4u] = seen;\n}\n";
  return program;
}

class SyncModel : public EndToEnd, public ::testing::WithParamInterface<uint32_t> {};

TEST_P(SyncModel, ReportsWhatTheModelFinds) {
  const Program program = make_program(GetParam());
  ASSERT_GT(program.hazards.size(), 3u);
  const std::string file = shader("comp", program.shader, "replay", {"-g"});
  Texts command{SHADERQA_BIN_DIR "/shaderqa", "run", "--sync=bloom", "--report", report, "--"};
  for (const std::string& part : with_test_loader(
           {SHADERQA_BIN_DIR "/e2e_sync_runner", "--replay=" + std::to_string(kDispatches), file}))
    command.push_back(part);
  const Outcome outcome = finish(run(command, environment, directory.path()));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  std::set<int> found;
  for (const auto& finding : outcome.findings)
    if (finding.at("kind") == "hazard") found.insert(finding["source"].value("line", 0));
  EXPECT_EQ(found, program.hazards) << program.shader;
}

INSTANTIATE_TEST_SUITE_P(Seeds, SyncModel, ::testing::Values(1u, 2u));

}  // namespace
}  // namespace shaderqa::testing
