// SPDX-License-Identifier: Apache-2.0
// Runs compute shaders with workgroup memory, many in one program, under the layer and without it.
#ifndef SHADERQA_TESTS_E2E_WORKGROUP_MEMORY_H
#define SHADERQA_TESTS_E2E_WORKGROUP_MEMORY_H

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "e2e_test.h"

namespace shaderqa::testing {

// One program may run many shaders: findings are told apart by their source files.
struct Sources {
  std::map<std::string, std::vector<nlohmann::json>> hazards;
  Outcome outcome;
};

class WorkgroupMemory : public EndToEnd {
 protected:
  void add(const std::string& name, const std::string& body, const Texts& more = {}) {
    if (ran_) files_.clear();
    ran_ = false;
    Texts flags{"-g"};
    flags.insert(flags.end(), more.begin(), more.end());
    files_.push_back(compute(body, name, flags));
  }
  // All that were added since the last run.
  Sources run_all(const Texts& options = {"--sync"}, const Texts& more = {}) {
    Texts arguments{"compute"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), files_.begin(), files_.end());
    Sources sources;
    std::filesystem::remove(report);
    sources.outcome = run_case(arguments, options);
    EXPECT_EQ(sources.outcome.process.exit_code, 0) << sources.outcome.process.err;
    for (const auto& finding : sources.outcome.findings) {
      if (finding.at("kind") != "hazard" && finding.at("kind") != "uninit") continue;
      std::string file = finding.at("source").at("file");
      file = file.substr(file.find_last_of('/') + 1);
      sources.hazards[file.substr(0, file.find('.'))].push_back(finding);
    }
    const Outcome plain = finish(run(runner(arguments), environment, directory.path()));
    EXPECT_NE(plain.value("result"), "") << plain.process.err;
    EXPECT_EQ(plain.process.out, sources.outcome.process.out);
    ran_ = true;
    return sources;
  }
  std::vector<nlohmann::json> findings_of(const std::string& body, const Texts& options = {"--sync"},
                                          const Texts& flags = {}, const Texts& more = {}) {
    add("shader", body, flags);
    return run_all(options, more).hazards["shader"];
  }

 private:
  Texts files_;
  bool ran_ = false;
};

}  // namespace shaderqa::testing
#endif
