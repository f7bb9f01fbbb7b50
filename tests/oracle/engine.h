// SPDX-License-Identifier: Apache-2.0
// Runs programs under the layer, in processes of their own.
#ifndef SHADERQA_TESTS_ORACLE_ENGINE_H
#define SHADERQA_TESTS_ORACLE_ENGINE_H

#include <map>
#include <string>
#include <vector>

#include "compare.h"

namespace oracle {

struct Options {
  std::string program = {};  // this program's file
  uint64_t count = 100, seed = 0;
  bool lavapipe = true;  // else the device that the loader gives first
  bool reduce = false;
  bool lenient = false;          // without sync_strict
  bool known_too = false;        // as if no difference were known
  std::string engine = "exact";  // the value of --sync
  uint32_t jobs = 2;             // processes at a time
  uint32_t batch = 20;           // programs in one of them
  std::string only = {};         // a spec
  std::map<std::string, std::string> environment = {};
};

Machine machine_of(const Options& options);

struct Result {
  bool ran = false;
  std::string output;    // where it did not
  Answers answers = {};  // to the program's questions
  std::vector<Finding> findings;
};
// One for each spec.
std::vector<Result> run_under_layer(const std::vector<std::string>& specs, const Options& options);

}  // namespace oracle
#endif
