// SPDX-License-Identifier: Apache-2.0
// Whole algorithms under the exact engine: what is correct is silent and computes what the CPU does, bit by
// bit what it computes without the layer; and of what lacks one barrier or one atomic the race is found.
#include <algorithm>
#include <map>
#include <set>

#include "algorithm.h"
#include "mutants.h"
#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

using algorithms::Algorithm;

std::string source_of(const std::string& shader) {
  return read_file(std::string(SHADERQA_ALGORITHMS_DIR) + "/" + shader + ".comp");
}

// The mutants of its shaders and of its command buffer.
Texts mutants_of(const Algorithm& algorithm) {
  Texts names(algorithm.barriers.begin(), algorithm.barriers.end());
  for (const std::string shader : algorithm.shaders)
    for (const std::string& name : algorithms::mutants_of(source_of(shader))) names.push_back(name);
  return names;
}

class OfAlgorithm : public Sync, public ::testing::WithParamInterface<Algorithm> {
 protected:
  OfAlgorithm() {
    engine = "exact";
    // Most variants share most shaders, and compiling them takes most of the time.
    environment["MESA_SHADER_CACHE_DISABLE"] = "false";
    environment["MESA_SHADER_CACHE_DIR"] = directory.path();
  }

  Texts compiled(const Algorithm& algorithm, const std::string& variant) {
    Texts files;
    for (const std::string shader : algorithm.shaders) {
      const std::string source = source_of(shader);
      const std::string text = algorithms::mutated(source, variant);
      std::string& file = files_[text];
      // Those who wait for what a mutant never says do not wait for long.
      if (file.empty())
        file = compile_glsl(directory.path(), shader + std::to_string(files_.size()), "comp", text,
                            {"-g", text == source ? "-DTRIES=0xffffffffu" : "-DTRIES=3000u"});
      files.push_back(file);
    }
    return files;
  }

  // A process each: there, shaders come from the driver's cache.
  Texts program(const Algorithm& algorithm, const std::string& variant) {
    Texts command{SHADERQA_BIN_DIR "/e2e_algorithm_runner", variant_name(algorithm, variant)};
    for (const std::string& file : compiled(algorithm, variant)) command.push_back(file);
    return with_test_loader(command);
  }
  static std::string variant_name(const Algorithm& algorithm, const std::string& variant) {
    return std::string(algorithm.name) + ":" + variant;
  }
  Outcome run_variant(const Algorithm& algorithm, const std::string& variant) {
    report = directory.file(variant + ".jsonl");
    Outcome outcome = run_layered(program(algorithm, variant));
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.out << outcome.process.err;
    return outcome;
  }

 private:
  std::map<std::string, std::string> files_;  // SPIR-V by its source
};

TEST_P(OfAlgorithm, IsSilentAndRight) {
  const Algorithm& algorithm = GetParam();
  const Outcome outcome = run_variant(algorithm, "correct");
  for (const auto& finding : outcome.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
  // "right" and what all buffers hold.
  const Outcome plain = finish(run(program(algorithm, "correct"), environment, directory.path()));
  const std::string name = variant_name(algorithm, "correct");
  EXPECT_THAT(plain.value(name), ::testing::StartsWith("right ")) << plain.process.out << plain.process.err;
  EXPECT_EQ(plain.value(name), outcome.value(name));
}

TEST_P(OfAlgorithm, EveryMutantIsFoundButThoseKnownToBeMissed) {
  const Algorithm& algorithm = GetParam();
  // What nothing writes is raced for by none of them, and a driver compiles half as much.
  environment["SHADERQA_SYNC_UNWATCHED_VERSION"] = "false";
  const Texts mutants = mutants_of(algorithm);
  EXPECT_EQ(std::set<std::string>(mutants.begin(), mutants.end()).size(), mutants.size());
  const Texts may_be_missed(algorithm.missed.begin(), algorithm.missed.end());
  for (const std::string& mutant : mutants) {
    const Outcome outcome = run_variant(algorithm, mutant);
    if (std::ranges::none_of(outcome.findings, is_check)) {
      EXPECT_THAT(may_be_missed, ::testing::Contains(mutant)) << "the race was not found\n"
                                                              << outcome.process.err;
    }
  }
  EXPECT_THAT(mutants, ::testing::IsSupersetOf(may_be_missed));
}

TEST_P(OfAlgorithm, EveryBarrierAndAtomicHasAMutant) {
  for (const std::string shader : GetParam().shaders)
    EXPECT_THAT(algorithms::unmarked_lines(source_of(shader)), IsEmpty()) << shader;
}

INSTANTIATE_TEST_SUITE_P(Exact, OfAlgorithm, ::testing::ValuesIn(algorithms::all()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace shaderqa::testing
