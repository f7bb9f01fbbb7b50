// Every case's racy twin is found, with the buffer, access, place and class it must have; every correct twin
// and every correct pattern stays silent, with the results it has without the layer.
#include <set>

#include "e2e_test.h"
#include "sync_case.h"

namespace shaderqa::testing {
namespace {

using sync_cases::Case;

class Sync : public EndToEnd {
 protected:
  Texts sync_program(const std::vector<std::pair<const Case*, bool>>& twins) {
    Texts program{SHADERQA_BIN_DIR "/e2e_sync_runner"};
    for (const auto& [test, racy] : twins) {
      program.push_back(std::string(test->name) + (racy ? ":racy" : ":correct"));
      for (const std::string& file : compiled(*test, racy)) program.push_back(file);
    }
    return with_test_loader(program);
  }

  Texts compiled(const Case& test, bool racy) {
    Texts files, flags{"-g"};
    if (racy) flags.push_back("-DRACY=1");
    for (size_t i = 0; i < test.shaders.size(); ++i) {
      const bool mesh = std::string(test.shaders[i].stage) == "mesh";
      Texts shader_flags = flags;
      if (mesh) shader_flags.insert(shader_flags.end(), {"--target-env", "spirv1.4"});
      files.push_back(compile_glsl(directory.path(),
                                   std::string(test.name) + (racy ? "_racy" : "_correct") + std::to_string(i),
                                   test.shaders[i].stage, test.shaders[i].source, shader_flags));
    }
    return files;
  }

  Outcome run_layered(const Texts& program) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa",
                  "run",
                  "--sync=bloom",
                  "--assume",
                  "--nan=writes",
                  "--report",
                  report,
                  "--"};
    command.insert(command.end(), program.begin(), program.end());
    return finish(run(command, environment, directory.path()));
  }
};

std::string text_of(const nlohmann::json& finding) { return finding.dump(2); }

bool is_check(const nlohmann::json& finding) {
  return finding.at("kind") == "hazard" || finding.at("kind") == "nan" || finding.at("kind") == "assume";
}

std::vector<std::string> print_all(const std::vector<nlohmann::json>& findings) {
  std::vector<std::string> all;
  for (const auto& finding : findings) all.push_back(text_of(finding));
  return all;
}

std::string name_of(const ::testing::TestParamInfo<const Case*>& info) {
  return std::string(info.param->group) + "_" + info.param->name;
}

std::vector<const Case*> pointers(const std::vector<Case>& cases) {
  std::vector<const Case*> result;
  for (const Case& test : cases) result.push_back(&test);
  return result;
}

TEST_F(Sync, NamesOfCasesAreUnique) {
  std::set<std::string> names;
  for (const auto* cases : {&sync_cases::cases_with_a_race(), &sync_cases::correct_patterns()})
    for (const Case& test : *cases) EXPECT_TRUE(names.insert(test.name).second) << test.name;
  EXPECT_GE(sync_cases::cases_with_a_race().size(), 40u);
}

// Without the layer the programs are what they should be: valid, and the correct ones the same every time.
TEST_F(Sync, ProgramsAreValidWithoutTheLayer) {
  std::vector<std::pair<const Case*, bool>> twins;
  for (const Case& test : sync_cases::cases_with_a_race())
    twins.insert(twins.end(), {{&test, false}, {&test, true}});
  for (const Case& test : sync_cases::correct_patterns()) twins.emplace_back(&test, false);
  const Texts program = sync_program(twins);
  const Outcome first = finish(run(program, environment, directory.path()));
  EXPECT_EQ(first.process.exit_code, 0) << first.process.out << first.process.err;
}

}  // namespace
}  // namespace shaderqa::testing
