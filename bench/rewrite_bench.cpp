// SPDX-License-Identifier: Apache-2.0
// What a rewrite costs, against SPIRV-Tools' own parse and serialisation of the same module.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "source/opt/build_module.h"
#include "source/opt/ir_context.h"
#include "spirv-tools/libspirv.hpp"

namespace {

// A compute shader of about `size` words: functions of arithmetic, each with a branch and every fourth with a
// message.
std::vector<uint32_t> make_module(size_t size) {
  std::string text = R"(
OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
%format = OpString "value %f"
OpName %main "main"
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%input = OpTypePointer Input %uint3
%id = OpVariable %input Input
%void_function = OpTypeFunction %void
%function = OpTypeFunction %float %float
%zero = OpConstant %float 0
)";
  // A function is about 100 words; the rest of the module, main() included, about 130.
  const size_t functions = size / 105;
  std::string body = "%main = OpFunction %void None %void_function\n%main_label = OpLabel\n";
  body +=
      "%v3 = OpLoad %uint3 %id\n%x = OpCompositeExtract %uint %v3 0\n%r_first = OpConvertUToF %float %x\n";
  std::string last = "%r_first", definitions;
  for (size_t f = 0; f + 1 < functions; ++f) {
    const std::string n = std::to_string(f);
    body += "%r" + n + " = OpFunctionCall %float %f" + n + " " + last + "\n";
    last = "%r" + n;
    definitions += "%f" + n + " = OpFunction %float None %function\n%p" + n +
                   " = OpFunctionParameter %float\n%l" + n + " = OpLabel\n";
    std::string value = "%p" + n;
    for (int i = 0; i < 10; ++i) {
      const std::string next = "%v" + n + "_" + std::to_string(i);
      definitions += next + (i % 2 ? " = OpFAdd %float " : " = OpFMul %float ") + value + " %p" + n + "\n";
      value = next;
    }
    definitions += "%c" + n + " = OpFOrdLessThan %bool " + value + " %zero\nOpSelectionMerge %m" + n +
                   " None\nOpBranchConditional %c" + n + " %t" + n + " %m" + n + "\n%t" + n + " = OpLabel\n";
    if (f % 4 == 0) definitions += "%e" + n + " = OpExtInst %void %printf 1 %format " + value + "\n";
    definitions +=
        "OpBranch %m" + n + "\n%m" + n + " = OpLabel\nOpReturnValue " + value + "\nOpFunctionEnd\n";
  }
  body += "%site = OpExtInst %void %printf 1 %format " + last + "\nOpReturn\nOpFunctionEnd\n";
  const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  std::vector<uint32_t> words;
  if (!tools.Assemble(text + body + definitions, &words) || !tools.Validate(words)) {
    std::fprintf(stderr, "the generated module is wrong\n");
    std::exit(1);
  }
  return words;
}

const std::vector<uint32_t>& module_of(size_t size) {
  static std::map<size_t, std::vector<uint32_t>> modules;
  auto& words = modules[size];
  if (words.empty()) words = make_module(size);
  return words;
}

void parse_and_serialise(benchmark::State& state) {
  const auto& words = module_of(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    const auto context = spvtools::BuildModule(SPV_ENV_UNIVERSAL_1_6, nullptr, words.data(), words.size());
    std::vector<uint32_t> out;
    context->module()->ToBinary(&out, false);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["words"] = static_cast<double>(words.size());
}

void rewrite(benchmark::State& state) {
  const auto& words = module_of(static_cast<size_t>(state.range(0)));
  shaderqa::InstrumentOptions options;
  options.root_address = 0x0000123456780000;
  options.subgroup_ballot = true;
  for (auto _ : state) {
    const auto result = shaderqa::instrument(words, options);
    if (result.status != shaderqa::InstrumentStatus::instrumented) state.SkipWithError("not instrumented");
    benchmark::DoNotOptimize(result.words.data());
  }
  state.counters["words"] = static_cast<double>(words.size());
}

void scan_only(benchmark::State& state) {
  const auto& words = module_of(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(shaderqa::has_debug_printf(words));
}

BENCHMARK(parse_and_serialise)->Arg(150)->Arg(700)->Arg(170000);
BENCHMARK(rewrite)->Arg(150)->Arg(700)->Arg(170000);
BENCHMARK(scan_only)->Arg(150)->Arg(700)->Arg(170000);

class RatioReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const double time = run.GetAdjustedCPUTime();
      if (run.run_name.function_name == "parse_and_serialise") base_[run.run_name.args] = time;
      if (run.run_name.function_name == "rewrite" && base_.contains(run.run_name.args))
        ratios_[run.run_name.args] = time / base_[run.run_name.args];
    }
  }
  void print() const {
    for (const auto& [size, ratio] : ratios_)
      std::printf("%s words: a rewrite takes %.2f times a parse and serialisation\n", size.c_str(), ratio);
  }

 private:
  std::map<std::string, double> base_, ratios_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print();
}
