// SPDX-License-Identifier: Apache-2.0
// What tests of the sync check's cases need: a case's shaders compiled, its twins under an engine, its
// findings.
#ifndef SHADERQA_TESTS_E2E_SYNC_FIXTURE_H
#define SHADERQA_TESTS_E2E_SYNC_FIXTURE_H

#include <string>
#include <utility>
#include <vector>

#include "e2e_test.h"
#include "sync_shaders.h"

namespace shaderqa::testing {

using sync_cases::Case;

class Sync : public EndToEnd {
 protected:
  std::string engine = "bloom";

  // A small filter: it is cleared often, and the programs touch little.
  // Subgroups of 4 invocations, for which lavapipe compiles in three quarters of the time that 8 take.
  Sync() {
    environment["VKD3D_BLOOM_BUFFER_SIZE_LOG2"] = "22";
    environment["LP_NATIVE_VECTOR_WIDTH"] = "128";
  }

  Texts sync_program(const std::vector<std::pair<const Case*, bool>>& twins) {
    Texts program{SHADERQA_BIN_DIR "/e2e_sync_runner"};
    for (const auto& [test, racy] : twins) {
      program.push_back(std::string(test->name) + (racy ? ":racy" : ":correct"));
      for (const std::string& file : compiled_case(directory.path(), *test, racy)) program.push_back(file);
    }
    return with_test_loader(program);
  }

  static bool left_out(const Case& test, const Outcome& outcome) {
    return test.rare && outcome.value(std::string(test.name) + ":correct") == "not supported";
  }

  // What a correct program computes does not depend on the layer.
  void expect_same_result(const Case& test, const Outcome& layered) {
    const Outcome plain = finish(run(sync_program({{&test, false}}), environment, directory.path()));
    const std::string name = std::string(test.name) + ":correct";
    EXPECT_NE(plain.value(name), "") << plain.process.out << plain.process.err;
    EXPECT_EQ(plain.value(name), layered.value(name));
  }

  Outcome run_layered(const Texts& program) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa",
                  "run",
                  "--sync=" + engine,
                  "--assume",
                  "--nan=writes",
                  "--report",
                  report,
                  "--"};
    command.insert(command.end(), program.begin(), program.end());
    return finish(run(command, environment, directory.path()));
  }
};

inline bool is_check(const nlohmann::json& finding) {
  return finding.at("kind") == "hazard" || finding.at("kind") == "nan" || finding.at("kind") == "assume" ||
         finding.at("kind") == "layout";
}

inline std::string buffer_of(const nlohmann::json& finding) {
  return finding.contains("buffer") ? finding["buffer"].value("name", "") : "";
}

inline std::string all_of(const std::vector<nlohmann::json>& findings) {
  std::string text;
  for (const auto& finding : findings) text += finding.dump(2) + "\n";
  return text;
}

}  // namespace shaderqa::testing
#endif
