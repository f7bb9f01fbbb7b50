// SPDX-License-Identifier: Apache-2.0
// Messages and all checks in the stages of ray tracing and of mesh shading, by the samples: with a mistake of
// every kind in every stage each is reported there, and without one nothing is said and nothing changes. (The
// other stages: graphics_test.cpp, checks_values_test.cpp, sync_cases_graphics.cpp.)
#include <algorithm>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

struct PlantedIn {
  const char* stage;       // as findings name it
  const char* invocation;  // of the one that goes wrong
  const char* printed;     // by that one
};

class Stages : public EndToEnd {
 protected:
  static Texts all_checks() { return {"--printf", "--assume", "--nan=writes", "--sync"}; }

  // notes: a part of each.
  void expect_silent_and_unchanged(const std::string& sample, const Texts& notes = {}) {
    const Outcome plain = run_sample(sample, {}, {});
    if (lacks_an_extension(plain.process)) GTEST_SKIP() << "the device does not have these stages";
    const Outcome layered = run_sample(sample, {}, all_checks());
    EXPECT_THAT(plain.process.out, HasSubstr("picture: "));
    EXPECT_EQ(plain.process.out, layered.process.out);
    EXPECT_EQ(layered.findings.size(), notes.size()) << layered.process.err;
    for (const std::string& note : notes) EXPECT_THAT(layered.notes(), ::testing::Contains(HasSubstr(note)));
  }

  // The invocations in findings of that kind and stage.
  static Texts failures(const Outcome& outcome, const std::string& kind, const std::string& stage) {
    Texts result;
    for (const auto& finding : outcome.of_kind(kind))
      if (finding.value("stage", "") == stage) result.push_back(finding.value("invocation", ""));
    return result;
  }

  void expect_every_mistake(const std::string& sample, const std::vector<PlantedIn>& stages) {
    const Outcome plain = run_sample(sample, {}, {});
    if (lacks_an_extension(plain.process)) GTEST_SKIP() << "the device does not have these stages";
    const Outcome outcome = run_sample(sample, {"--bug=all"}, all_checks());
    for (const PlantedIn& in : stages) {
      EXPECT_THAT(outcome.printed(), ::testing::Contains(in.printed));
      EXPECT_THAT(failures(outcome, "assume", in.stage), ElementsAre(in.invocation)) << in.stage;
      EXPECT_THAT(failures(outcome, "nan", in.stage), ElementsAre(in.invocation)) << in.stage;
      EXPECT_THAT(failures(outcome, "hazard", in.stage), Not(IsEmpty())) << in.stage;
    }
    EXPECT_EQ(outcome.of_kind("assume").size(), stages.size());
    EXPECT_EQ(outcome.of_kind("nan").size(), stages.size());
    for (const auto& finding : outcome.of_kind("hazard")) {
      EXPECT_EQ(finding["hazard"].value("class", ""), "write after write") << finding.dump(2);
      EXPECT_EQ(finding["buffer"].value("name", ""), "scratch") << finding.dump(2);
      EXPECT_NE(finding.value("invocation", ""), "") << finding.dump(2);
    }
    // What findings are about is not changed by them.
    EXPECT_EQ(plain.process.out, outcome.process.out);
  }
};

// Also: what one launch does in turn, in any stage, is in order.
TEST_F(Stages, RayTracingIsSilentAndUnchanged) {
  expect_silent_and_unchanged("sample_raytracing",
                              {"those that their instances name", "shader binding tables",
                               "what traces read of acceleration structures"});
}

TEST_F(Stages, EveryMistakeInEveryStageOfRayTracing) {
  expect_every_mistake("sample_raytracing",
                       {{"ray generation", "launch 7,3,0", "ray generation 7, 3"},
                        {"intersection", "launch 32,22,0", "intersection 32, 22 with box 1"},
                        {"any hit", "launch 32,40,0", "any hit 32, 40"},
                        {"closest hit", "launch 32,24,0", "closest hit 32, 24, instance 1"},
                        {"miss", "launch 2,1,0", "miss 2, 1"},
                        {"callable", "launch 32,24,0", "callable 32, 24, material 1"}});
}

TEST_F(Stages, MeshShadingIsSilentAndUnchanged) { expect_silent_and_unchanged("sample_mesh"); }

TEST_F(Stages, EveryMistakeInEveryStageOfMeshShading) {
  expect_every_mistake("sample_mesh",
                       {{"task", "global invocation 11,0,0", "task 11"},
                        {"mesh", "global invocation 101,0,0", "mesh tile 27, lane 5"},
                        {"fragment", "fragment 40,30", "fragment 40.5, 30.5 of triangle 882"}});
}

}  // namespace
}  // namespace shaderqa::testing
