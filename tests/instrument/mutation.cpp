// SPDX-License-Identifier: Apache-2.0
#include "mutation.h"

#include "instrument/ir/shader_interface.h"

namespace shaderqa::test {
namespace {

std::vector<size_t> instruction_starts(const Module& words) {
  std::vector<size_t> starts;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if (words[at] >> 16 == 0) break;
    starts.push_back(at);
  }
  return starts;
}

}  // namespace

Module Mutator::mutate(Module words) {
  const uint32_t changes = 1 + below(3);
  for (uint32_t i = 0; i < changes && words.size() > 6; ++i) {
    const auto starts = instruction_starts(words);
    const size_t at = starts.empty() ? 5 : starts[below(static_cast<uint32_t>(starts.size()))];
    const size_t length = std::max<size_t>(1, std::min<size_t>(words[at] >> 16, words.size() - at));
    const auto begin = words.begin() + static_cast<ptrdiff_t>(at);
    const size_t operand = at + below(static_cast<uint32_t>(length));
    switch (below(9)) {
      case 0:
        words[operand] ^= 1u << below(32);
        break;
      case 1:
        words[operand] = below(words[3] + 2);
        break;  // another id
      case 2:
        words[operand] = below(64);
        break;
      case 3:
        words.erase(begin, begin + static_cast<ptrdiff_t>(length));
        break;
      case 4: {  // the instruction once more, elsewhere
        const Module copy(begin, begin + static_cast<ptrdiff_t>(length));
        const size_t to = starts.empty() ? 5 : starts[below(static_cast<uint32_t>(starts.size()))];
        words.insert(words.begin() + static_cast<ptrdiff_t>(to), copy.begin(), copy.end());
        break;
      }
      case 5:
        words[at] = (words[at] & 0xffff0000) | below(6000);
        break;
      case 6:
        words[at] = (words[at] & 0xffff) | below(12) << 16;
        break;
      case 7:
        words.resize(words.size() - below(static_cast<uint32_t>(words.size() - 5)));
        break;
      default:
        words[below(static_cast<uint32_t>(words.size()))] = static_cast<uint32_t>(random_());
        break;
    }
  }
  return words;
}

InstrumentOptions Mutator::options() {
  const uint32_t bits = below(128);
  InstrumentOptions options = bits & 64 ? sync_options() : default_options();
  options.int64_atomics = bits & 1;
  options.subgroup_ballot = bits & 2;
  options.memory_barrier = bits & 4;
  options.varying_addresses = bits & 4;
  options.vulkan_memory_model_device_scope = bits & 8;
  options.record_invocation = bits & 16;
  options.printf_first = bits & 32 ? 3 : 0;
  options.nan = static_cast<NanCheck>(below(4));
  options.assume = options.expect = below(2) == 0;
  options.keep_assume = below(2) == 0;
  options.printf = below(4) != 0;
  if (options.int64_atomics && below(2) == 0) options.sync.engine = SyncEngine::exact;
  if (options.sync.engine == SyncEngine::exact && below(3) == 0) move_to_heap(options);
  return options;
}

std::string try_mutation(Mutator& mutator, const Module& module, spv_target_env environment,
                         MutationStatistics& statistics) {
  const Module words = mutator.mutate(module);
  read_interface(words);
  const auto result = instrument(words, mutator.options());
  switch (result.status) {
    case InstrumentStatus::untouched:
      ++statistics.untouched;
      return {};
    case InstrumentStatus::refused:
      ++statistics.refused;
      return result.message.empty() ? "refused without a word" : "";
    case InstrumentStatus::instrumented:
      ++statistics.instrumented;
      break;
  }
  if (!validation_error(words, environment).empty()) return {};
  ++statistics.valid;
  const std::string error = validation_error(result.words, environment);
  if (error.empty()) return {};
  return "valid before, not after: " + error + disassemble(words) + "\n----\n" + disassemble(result.words);
}

}  // namespace shaderqa::test
