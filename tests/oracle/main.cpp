// SPDX-License-Identifier: Apache-2.0
// Compares an engine of --sync with the truth of random programs (docs/internals/oracle.md).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "device.h"
#include "engine.h"
#include "forms.h"
#include "generator.h"
#include "known.h"
#include "own_path.h"

namespace {

using namespace oracle;

constexpr const char* kUsage =
    "oracle [--count N] [--seed S] [--only SPEC] [--draws] [--images] [--descriptor-buffers]\n"
    "       [--mixed-barriers] [--loops] [--grids] [--passes] [--device lavapipe|default] [--lenient] "
    "[--reduce] "
    "[--known-too] "
    "[--jobs N]\n"
    "       [--engine exact|bloom] [--batch N] [--setting NAME=VALUE]... | --forms | --list-known | --show "
    "SPEC\n"
    "SPEC: a seed (i7: with images, d7: with draws, b7: with a descriptor buffer, m7: with\n"
    "      mixed barriers, l7: with loops, g7: with grids, p7: with attachments), a seed and steps of a "
    "reduction (7:3.0.2), or "
    "the name of a form "
    "(@stencil)\n";

Run run_of(const Options& options) {
  return {.lenient = options.lenient, .filter = options.engine == "bloom"};
}

bool differs(const std::string& spec, const Result& result, Problem problem, const Machine& machine,
             const Options& options) {
  const Program program = program_of(spec, machine);
  const Truth truth = truth_of(program, machine.subgroup_size, result.answers);
  if (!result.ran || truth.verdict == Verdict::unsure) return problem == Problem::did_not_run && !result.ran;
  for (const Disagreement& disagreement : compare(program, truth, result.findings, run_of(options)))
    if (disagreement.problem == problem && (options.known_too || disagreement.known.empty())) return true;
  return false;
}

// The smallest program that the steps lead to and that shows the same.
std::string reduce(std::string spec, Problem problem, const Machine& machine, const Options& options) {
  constexpr size_t kAtOnce = 6;
  for (bool smaller = true; smaller;) {
    smaller = false;
    const size_t steps = smaller_programs_of(spec, machine).size();
    const std::string prefix = spec + (spec.find(':') == std::string::npos ? ":" : ".");
    for (size_t begin = 0; begin < steps && !smaller; begin += kAtOnce) {
      std::vector<std::string> candidates;
      for (size_t i = begin; i < std::min(begin + kAtOnce, steps); ++i)
        candidates.push_back(prefix + std::to_string(i));
      const std::vector<Result> results = run_under_layer(candidates, options);
      for (size_t i = 0; i < candidates.size() && !smaller; ++i)
        if (differs(candidates[i], results[i], problem, machine, options)) {
          spec = candidates[i];
          smaller = true;
        }
    }
  }
  return spec;
}

void show(const std::string& spec, const Machine& machine) {
  const Program program = program_of(spec, machine);
  const Truth truth = truth_of(program, machine.subgroup_size);
  std::printf("--- %s\n%s%s", spec.c_str(), describe(program).c_str(),
              describe_races(program, truth).c_str());
  if (truth.races.empty() && truth.unsure.empty()) std::printf("no race\n");
}

struct Summary {
  size_t programs = 0, race_free = 0, racy = 0, unsure = 0, unknown = 0;
  size_t stated = 0;                            // racy ones in the stated set
  std::map<std::string, size_t> found_outside;  // others that were found, by class
  std::map<Problem, size_t> problems;
  std::map<std::pair<std::string, Problem>, std::vector<std::string>> known;
};

void judge(const std::string& spec, const Result& result, const Machine& machine, const Options& options,
           Summary& summary) {
  const Program program = program_of(spec, machine);
  const Truth truth = truth_of(program, machine.subgroup_size, result.answers);
  ++summary.programs;
  ++(truth.verdict == Verdict::none   ? summary.race_free
     : truth.verdict == Verdict::race ? summary.racy
                                      : summary.unsure);
  std::vector<Disagreement> all;
  if (!result.ran) {
    all.push_back({Problem::did_not_run, result.output, ""});
  } else if (truth.verdict != Verdict::unsure) {
    all = compare(program, truth, result.findings, run_of(options));
  }
  if (truth.verdict == Verdict::race) {
    const std::string outside = known_class(program, truth, options.lenient);
    if (outside.empty()) ++summary.stated;
    if (!outside.empty() && !result.findings.empty()) ++summary.found_outside[outside];
  }
  for (const Disagreement& disagreement : all) {
    ++summary.problems[disagreement.problem];
    if (!disagreement.known.empty() && !options.known_too) {
      summary.known[{disagreement.known, disagreement.problem}].push_back(spec);
      continue;
    }
    ++summary.unknown;
    std::printf("%s: %s: %s\n", spec.c_str(), name_of(disagreement.problem), disagreement.detail.c_str());
    if (options.reduce) show(reduce(spec, disagreement.problem, machine, options), machine);
    std::fflush(stdout);
  }
}

int report(const Summary& summary) {
  std::printf("%zu programs, %zu race-free, %zu racy, %zu without a certain verdict\n", summary.programs,
              summary.race_free, summary.racy, summary.unsure);
  for (const auto& [problem, count] : summary.problems) std::printf("%s: %zu\n", name_of(problem), count);
  std::printf("within the stated set: %zu race-free, %zu racy\n", summary.race_free, summary.stated);
  for (const auto& [name, count] : summary.found_outside)
    std::printf("outside, and found: %s: %zu\n", name.c_str(), count);
  for (const auto& [key, specs] : summary.known) {
    std::printf("known: %s, %s: %zu, as in", key.first.c_str(), name_of(key.second), specs.size());
    for (size_t i = 0; i < std::min<size_t>(specs.size(), 4); ++i) std::printf(" %s", specs[i].c_str());
    std::printf("\n");
  }
  std::printf("not known: %zu\n", summary.unknown);
  return summary.unknown == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_all(const std::vector<std::string>& specs, const Options& options, const Machine& machine) {
  const std::vector<Result> results = run_under_layer(specs, options);
  Summary summary;
  for (size_t i = 0; i < specs.size(); ++i) judge(specs[i], results[i], machine, options, summary);
  return report(summary);
}

int list_known() {
  for (const KnownClass& known : known_classes()) std::printf("%s: %s\n", known.name, known.reason);
  return EXIT_SUCCESS;
}

int run(const std::string& program, const std::vector<std::string>& arguments) {
  Options options;
  options.program = program;
  std::string shown;
  bool all_forms = false;
  std::string letters;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == arguments.size()) throw std::invalid_argument(kUsage);
      return arguments[++i];
    };
    if (name == "--run") {
      run_programs({arguments.begin() + static_cast<int>(i) + 1, arguments.end()});
      return EXIT_SUCCESS;
    }
    if (name == "--machine") {
      const Machine machine = machine_of_device();
      return std::printf("%u %u\n", machine.subgroup_size, machine.queues) > 0 ? EXIT_SUCCESS : 1;
    }
    if (name == "--list-known") return list_known();
    if (name == "--count") {
      options.count = std::stoull(value());
    } else if (name == "--seed") {
      options.seed = std::stoull(value());
    } else if (name == "--only") {
      options.only = value();
    } else if (name == "--device") {
      options.lavapipe = value() == "lavapipe";
    } else if (name == "--engine") {
      options.engine = value();
      if (options.engine != "exact" && options.engine != "bloom") throw std::invalid_argument(kUsage);
    } else if (name == "--jobs") {
      options.jobs = static_cast<uint32_t>(std::stoul(value()));
    } else if (name == "--batch") {
      options.batch = static_cast<uint32_t>(std::stoul(value()));
    } else if (name == "--setting") {
      const std::string& setting = value();
      options.environment[setting.substr(0, setting.find('='))] = setting.substr(setting.find('=') + 1);
    } else if (name == "--show") {
      shown = value();
    } else if (name == "--draws") {
      letters += kDrawsLetter;
    } else if (name == "--images") {
      letters += kImagesLetter;
    } else if (name == "--descriptor-buffers") {
      letters += kDescriptorBuffersLetter;
    } else if (name == "--mixed-barriers") {
      letters += kMixedBarriersLetter;
    } else if (name == "--loops") {
      letters += kLoopsLetter;
    } else if (name == "--grids") {
      letters += kGridsLetter;
    } else if (name == "--passes") {
      letters += kPassesLetter;
    } else if (name == "--forms") {
      all_forms = true;
    } else if (name == "--lenient") {
      options.lenient = true;
    } else if (name == "--known-too") {
      options.known_too = true;
    } else if (name == "--reduce") {
      options.reduce = true;
    } else {
      throw std::invalid_argument(kUsage);
    }
  }
  const Machine machine = machine_of(options);
  if (!shown.empty()) {
    show(shown, machine);
    return EXIT_SUCCESS;
  }
  std::vector<std::string> specs;
  if (all_forms) {
    for (const ExpectedForm& candidate : forms())
      if (queues_of(candidate.program) <= machine.queues) specs.push_back("@" + candidate.name);
  } else if (!options.only.empty()) {
    specs.push_back(options.only);
  } else {
    for (uint64_t i = 0; i < options.count; ++i) specs.push_back(letters + std::to_string(options.seed + i));
  }
  return run_all(specs, options, machine);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(own_path(argv[0]), {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "oracle: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
