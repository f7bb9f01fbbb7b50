// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <span>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "environment.h"
#include "generator.h"
#include "paths.h"
#include "process.h"
#include "report_reader.h"

namespace oracle {
namespace {

using shaderqa::testing::ProcessResult;
using shaderqa::testing::TemporaryDirectory;

shaderqa::testing::Environment environment_of(const Options& options, const TemporaryDirectory& directory) {
  auto environment =
      shaderqa::testing::isolated_environment(directory.path(), shaderqa::testing::Driver::lavapipe);
  if (!options.lavapipe) {
    environment.erase("VK_DRIVER_FILES");
    environment.erase("XDG_DATA_DIRS");
    for (const char* name : {"VK_DRIVER_FILES", "LD_LIBRARY_PATH"})
      if (const char* value = std::getenv(name)) environment[name] = value;
  }
  environment["GALLIVM_PERF"] = "nopt";  // what runs for a millisecond need not be optimised
  // Each access is a site of its own: reports of merged ones name the first.
  environment["SHADERQA_SYNC_MERGE"] = "false";
  environment["SHADERQA_SYNC_STRICT"] = options.lenient ? "false" : "true";
  for (const auto& [name, value] : options.environment) environment[name] = value;
  return environment;
}

// The tests' own C library is there for lavapipe; another device's driver may need the machine's.
std::vector<std::string> started(const std::vector<std::string>& program, const Options& options) {
  return options.lavapipe ? shaderqa::testing::with_test_loader(program) : program;
}

// Those up to the first one that ends the process; how many there are. The rest is left as it is.
size_t run_some(std::span<const std::string> specs, const Options& options, std::span<Result> results) {
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.jsonl");
  std::vector<std::string> program{options.program, "--run"};
  program.insert(program.end(), specs.begin(), specs.end());
  program = started(program, options);
  std::vector<std::string> arguments{std::string(SHADERQA_BIN_DIR) + "/shaderqa", "run",
                                     "--sync=" + options.engine, "--report", report};
  if (std::ranges::any_of(specs, has_images)) arguments.emplace_back("--sync-images");
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), program.begin(), program.end());
  const ProcessResult ended = shaderqa::testing::run(arguments, environment_of(options, directory));
  size_t ran = 0;
  std::istringstream lines(ended.out);
  for (std::string line; ran < specs.size() && std::getline(lines, line);) {
    if (!line.starts_with("ran ")) continue;
    std::istringstream words(
        line.substr(line.find(' ', 4) == std::string::npos ? line.size() : line.find(' ', 4)));
    for (uint32_t answer = 0; words >> answer;) results[ran].answers.push_back(answer);
    results[ran++].ran = true;
  }
  for (const auto& line : shaderqa::testing::read_report(report))
    if (const auto finding = finding_of(line); finding && finding->program < specs.size())
      results[finding->program].findings.push_back(*finding);
  if (ran == specs.size()) return ran;
  results[ran].output = "exit code " + std::to_string(ended.exit_code) + "\n" + ended.err;
  return ran + 1;
}

}  // namespace

Machine machine_of(const Options& options) {
  const TemporaryDirectory directory;
  const ProcessResult ended = shaderqa::testing::run(started({options.program, "--machine"}, options),
                                                     environment_of(options, directory));
  Machine machine;
  std::istringstream words(ended.out);
  if (ended.exit_code != 0 || !(words >> machine.subgroup_size >> machine.queues))
    throw std::runtime_error("no device: " + ended.err);
  return machine;
}

std::vector<Result> run_under_layer(const std::vector<std::string>& specs, const Options& options) {
  std::vector<Result> results(specs.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t begin = 0; (begin = next.fetch_add(options.batch)) < specs.size();) {
      const size_t end = std::min<size_t>(begin + options.batch, specs.size());
      while (begin < end)
        begin += run_some(std::span(specs).subspan(begin, end - begin), options,
                          std::span(results).subspan(begin, end - begin));
    }
  };
  std::vector<std::thread> workers;
  for (uint32_t i = 0; i < options.jobs; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  return results;
}

}  // namespace oracle
