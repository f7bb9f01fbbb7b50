// SPDX-License-Identifier: Apache-2.0
// Prints how long the shaders of pipeline_bench are for a driver's compiler, without checks and with those of
// `--sync`: words, basic blocks and loops of the entry point with every function inlined, as drivers do it.
// It needs no device.
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <vector>

#include "instrument/instrument.h"
#include "pipeline_attention_spv.h"
#include "pipeline_copy_spv.h"
#include "pipeline_fft_spv.h"
#include "pipeline_lighting_spv.h"
#include "pipeline_matrix_spv.h"
#include "pipeline_normalisation_spv.h"
#include "pipeline_quantised_spv.h"
#include "pipeline_sites10_spv.h"
#include "pipeline_sites50_spv.h"
#include "pipeline_softmax_spv.h"
#include "pipeline_sort_spv.h"
#include "pipeline_stencil_spv.h"
#include "source/opt/build_module.h"
#include "source/opt/ir_context.h"
#include "spirv-tools/optimizer.hpp"

namespace {

struct Shader {
  const char* name;
  std::span<const uint32_t> words;
};
const Shader shaders[] = {
    {"copy", pipeline_copy_spv},           {"stencil", pipeline_stencil_spv},
    {"matrix", pipeline_matrix_spv},       {"sites10", pipeline_sites10_spv},
    {"sites50", pipeline_sites50_spv},     {"sort", pipeline_sort_spv},
    {"lighting", pipeline_lighting_spv},   {"attention", pipeline_attention_spv},
    {"quantised", pipeline_quantised_spv}, {"normalisation", pipeline_normalisation_spv},
    {"softmax", pipeline_softmax_spv},     {"transform", pipeline_fft_spv},
};

// As pipeline_bench's device and layout, which has four storage buffers.
std::vector<uint32_t> with_checks(std::span<const uint32_t> words) {
  shaderqa::InstrumentOptions options;
  options.printf = false;
  options.root_address = 0x0000123456780000;
  options.subgroup_ballot = true;
  options.sync.enabled = true;
  options.sync.engine = shaderqa::SyncEngine::exact;
  options.sync.indirect = false;
  options.sync.record_set = 1;
  for (uint32_t binding = 0; binding < 4; ++binding) {
    shaderqa::DescriptorSlots slots;
    slots.binding = slots.slot = binding;
    slots.count = 1;
    slots.direct = binding + 1;
    options.sync.descriptors.push_back(slots);
  }
  const shaderqa::InstrumentResult result = shaderqa::instrument(words, options);
  if (result.status != shaderqa::InstrumentStatus::instrumented) throw std::runtime_error("not instrumented");
  return result.words;
}

struct Length {
  uint32_t words = 0, blocks = 0, loops = 0;
};

Length length_of(std::span<const uint32_t> words) {
  spvtools::Optimizer optimizer(SPV_ENV_UNIVERSAL_1_6);
  optimizer.SetMessageConsumer(
      [](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
        if (level <= SPV_MSG_ERROR) std::fprintf(stderr, "%s\n", message);
      });
  optimizer.RegisterPass(spvtools::CreateInlineExhaustivePass())
      .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass());
  std::vector<uint32_t> inlined;
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  if (!optimizer.Run(words.data(), words.size(), &inlined, options))
    throw std::runtime_error("the optimiser has failed");
  const auto context = spvtools::BuildModule(SPV_ENV_UNIVERSAL_1_6, nullptr, inlined.data(), inlined.size());
  Length length;
  for (const spvtools::opt::Function& function : *context->module()) {
    function.ForEachInst([&](const spvtools::opt::Instruction* instruction) {
      length.words += 1 + instruction->NumOperandWords();
      length.blocks += instruction->opcode() == spv::Op::OpLabel;
      length.loops += instruction->opcode() == spv::Op::OpLoopMerge;
    });
  }
  return length;
}

}  // namespace

int main() {
  std::puts(
      "| shader | words | blocks | loops | with checks: words | blocks | loops "
      "|\n|---|---|---|---|---|---|---|");
  for (const Shader& shader : shaders) {
    const Length plain = length_of(shader.words), checked = length_of(with_checks(shader.words));
    std::printf("| %s | %u | %u | %u | %u | %u | %u |\n", shader.name, plain.words, plain.blocks, plain.loops,
                checked.words, checked.blocks, checked.loops);
  }
}
