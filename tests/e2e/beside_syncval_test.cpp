// SPDX-License-Identifier: Apache-2.0
// The Khronos layer's synchronization validation below the layer reports the same hazards with and without
// us, except writes after reads, for which the order of execution is enough (docs/internals/exact.md,
// "Barriers of the layer's own").
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

using Hazards = std::map<std::string, size_t>;

class BesideSyncval : public Sync {
 protected:
  BesideSyncval() {
    engine = "exact";
    environment["VK_KHRONOS_VALIDATION_VALIDATE_SYNC"] = "true";
    environment["VK_LAYER_VALIDATE_SYNC"] = "true";
    environment["VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC"] = "true";
    environment["VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC"] = "true";
    environment["VK_LAYER_ENABLE_MESSAGE_LIMIT"] = "false";
  }

  // "SYNC-HAZARD-READ-AFTER-WRITE": how many messages.
  Hazards hazards_of(const Texts& command) {
    const ProcessResult result = run(command, environment, directory.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string text = result.out + result.err;
    static const std::regex header("Validation Error: \\[ (SYNC-HAZARD-[A-Z-]+) \\]");
    Hazards hazards;
    for (std::sregex_iterator at(text.begin(), text.end(), header), end; at != end; ++at)
      if ((*at)[1] != "SYNC-HAZARD-WRITE-AFTER-READ") ++hazards[(*at)[1]];
    return hazards;
  }
  Texts layered(const Texts& program) const {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "run", "--sync=" + engine, "--"};
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }
};

TEST_F(BesideSyncval, ItReportsTheSameHazards) {
  size_t with_hazards = 0;
  for (const std::vector<Case>& cases : {sync_cases::synchronisation_cases(), sync_cases::transfer_cases()}) {
    for (const Case& test : cases) {
      const Texts program = sync_program({{&test, true}});
      const Hazards plain = hazards_of(program);
      with_hazards += !plain.empty();
      EXPECT_EQ(hazards_of(layered(program)), plain) << test.name;
    }
  }
  EXPECT_GT(with_hazards, 10u) << "the validation runs";
}

}  // namespace
}  // namespace shaderqa::testing
