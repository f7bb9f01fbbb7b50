// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/printf_pass.h"

#include <algorithm>

#include "instrument/ir/source_positions.h"
#include "instrument/passes/call_limits.h"
#include "instrument/passes/printf_arguments.h"
#include "instrument/runtime/abi_printf.h"
#include "source/opt/instruction.h"
#include "xxhash.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

// Payload dwords that one call of the runtime takes.
constexpr uint32_t dwords_per_call = 16;
// The in-operands of OpExtInst: set, number, format, then the arguments.
constexpr uint32_t format_word = 5;
constexpr uint64_t id_mask = (uint64_t{1} << 48) - 1;

void append(std::string& bytes, uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
}

void append(std::string& bytes, const std::string& text) {
  append(bytes, text.size());
  bytes += text;
}

uint64_t site_id(const PrintfSite& site) {
  std::string key;
  append(key, site.format);
  append(key, site.arguments.size());
  for (const PrintfArgument& argument : site.arguments) {
    append(key, static_cast<uint64_t>(argument.shape));
    append(key, argument.text);
    append(key, argument.scalars.size());
    for (const Scalar& scalar : argument.scalars) {
      key += static_cast<char>(scalar.kind);
      key += static_cast<char>(scalar.width);
    }
  }
  append(key, site.shader_hash);
  append(key, site.entry_point);
  append(key, static_cast<uint64_t>(site.stage));
  append(key, site.ordinal);
  const uint64_t id = XXH3_64bits(key.data(), key.size()) & id_mask;
  return id != 0 ? id : 1;
}

}  // namespace

bool PrintfPass::describe(const PrintfInstruction& printf, PrintfSite& site) {
  const ModuleView& view = module_.view();
  const InstructionView instruction = view.at(printf.offset);
  const auto leave_alone = [&](const std::string& why) {
    record_.notes.push_back({"DebugPrintf number " + std::to_string(printf.ordinal) +
                                 " of the module is left alone: " + why + ".",
                             Concern::printf});
    return false;
  };
  if (instruction.size() <= format_word) return leave_alone("it has no format");
  if (!view.definition(instruction.word(1), spv::Op::OpTypeVoid))
    return leave_alone("its result is not void");
  auto format = view.string(instruction.word(format_word));
  if (!format) return leave_alone("its format is not an OpString");
  site.format = std::move(*format);
  for (uint32_t word = format_word + 1; word < instruction.size(); ++word) {
    const std::string problem =
        describe_argument(view, instruction.word(word), site.arguments.emplace_back());
    if (!problem.empty())
      return leave_alone("argument " + std::to_string(word - format_word) + " " + problem);
  }
  const uint32_t invocation = invocation_ == InvocationKind::none ? 0 : SHADERQA_INVOCATION_DWORDS;
  if (site.payload_dwords() + invocation > SQA_PRINTF_MAX_ENTRY_DWORDS - SQA_PRINTF_ENTRY_HEADER_DWORDS)
    return leave_alone("its arguments are more than one message holds");
  site.ordinal = printf.ordinal;
  site.invocation = invocation_;
  site.shader_hash = shader_hash_;
  site.stage = entry_point_.stage;
  site.entry_point = entry_point_.name;
  site.id = site_id(site);
  return true;
}

uint32_t PrintfPass::reserving(const std::string& name) {
  if (calls_) {
    runtime_.keep_out_of_line(name);
    // Most of their code, which then is not in each of them.
    if (called_.insert(name).second && called_.size() > 1) runtime_.keep_out_of_line("sqa_reserve");
  }
  return runtime_.function(name);
}

void PrintfPass::call(SiteBuilder& site, uint32_t result, uint32_t function,
                      std::vector<uint32_t> arguments) {
  arguments.insert(arguments.begin(), function);
  site.emit_as(result, spv::Op::OpFunctionCall, module_.void_type(), arguments);
}

// The last call takes over the instruction's result id, which names and other non-semantic instructions may
// refer to.
void PrintfPass::replace(Instruction* printf, const PrintfSite& described) {
  SiteBuilder site(module_, printf);
  uint32_t live = builtins_.live(site);

  std::vector<uint32_t> dwords;
  for (uint32_t i = 3; i < printf->NumInOperands(); ++i)
    flatten_argument(site, printf->GetSingleWordInOperand(i), dwords);
  if (described.invocation != InvocationKind::none) {
    const auto invocation = builtins_.invocation(site);
    dwords.insert(dwords.end(), invocation.begin(), invocation.end());
  }

  const uint32_t count = static_cast<uint32_t>(dwords.size());
  const uint32_t low = (count + SQA_PRINTF_ENTRY_HEADER_DWORDS) | static_cast<uint32_t>(described.id << 16);
  const uint32_t root = module_.constant(static_cast<uint32_t>(options_.root_address),
                                         static_cast<uint32_t>(options_.root_address >> 32));
  const uint32_t header = module_.constant(low, static_cast<uint32_t>(described.id >> 16));
  if (options_.printf_first != 0 || options_.printf_every != 0) {
    const uint32_t budget = module_.constant(options_.printf_first, options_.printf_every);
    const uint32_t header_low = module_.constant(low);
    const uint32_t type = module_.bool_type();
    const uint32_t due = runtime_.function("sqa_printf_due");
    live = site.emit(spv::Op::OpFunctionCall, type, {due, root, header_low, budget, live});
  }

  const uint32_t result = printf->result_id();
  if (count <= dwords_per_call) {
    std::vector<uint32_t> arguments{root, header, live};
    arguments.insert(arguments.end(), dwords.begin(), dwords.end());
    call(site, result, reserving("sqa_printf_" + std::to_string(count)), std::move(arguments));
  } else {
    const uint32_t type = module_.vector_type(module_.uint_type(), 3);
    const uint32_t begin = reserving("sqa_printf_begin");
    if (calls_) runtime_.keep_out_of_line("sqa_printf_put");
    const uint32_t entry = site.emit(spv::Op::OpFunctionCall, type, {begin, root, header, live});
    for (uint32_t done = 0; done < count; done += dwords_per_call) {
      // The last one writes some dwords again rather than needing functions of its own.
      const uint32_t first = std::min(done, count - dwords_per_call);
      std::vector<uint32_t> arguments{entry, module_.constant(first + SQA_PRINTF_ENTRY_HEADER_DWORDS)};
      arguments.insert(arguments.end(), dwords.begin() + first, dwords.begin() + first + dwords_per_call);
      call(site, module_.take_id(), runtime_.function("sqa_printf_put"), std::move(arguments));
    }
    call(site, result, runtime_.function("sqa_printf_end"), {entry, header});
  }
  copies_.add(*site.last(), 1);
  printf->RemoveFromList();
  delete printf;
}

// Removes the import when nothing refers to it any more, and with the last such import the extension.
void PrintfPass::remove_import(uint32_t left_alone) {
  if (left_alone != 0) return;
  const ModuleView& view = module_.view();
  const auto sets = view.imports(debug_printf_set);
  const auto is_set = [&](uint32_t id) { return std::ranges::find(sets, id) != sets.end(); };
  bool other_use = false;
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t) {
    // Other numbers of the set than DebugPrintf; names and decorations of the import.
    if (i.op() == spv::Op::OpExtInst && is_set(i.word(3)) && i.word(4) != debug_printf_instruction)
      other_use = true;
    if ((i.op() == spv::Op::OpName || i.op() == spv::Op::OpDecorate) && is_set(i.word(1))) other_use = true;
    return !other_use;
  });
  if (other_use) return;

  const auto remove_if = [](auto range, auto&& predicate) {
    for (auto it = range.begin(); it != range.end();) {
      Instruction* instruction = &*it;
      ++it;
      if (!predicate(*instruction)) continue;
      instruction->RemoveFromList();
      delete instruction;
    }
  };
  bool non_semantic = false;
  remove_if(context()->module()->ext_inst_imports(), [&](const Instruction& import) {
    if (is_set(import.result_id())) return true;
    non_semantic = non_semantic || import.GetInOperand(0).AsString().starts_with("NonSemantic.");
    return false;
  });
  if (non_semantic) return;
  remove_if(context()->module()->extensions(), [](const Instruction& extension) {
    return extension.GetInOperand(0).AsString() == "SPV_KHR_non_semantic_info";
  });
}

spvtools::opt::Pass::Status PrintfPass::Process() {
  const ModuleView& view = module_.view();
  const auto printfs = find_printf_instructions(view, entry_point_.function);
  if (std::ranges::none_of(printfs, &PrintfInstruction::reachable)) return Status::SuccessWithoutChange;
  const auto sets = view.imports(debug_printf_set);
  const auto sites = static_cast<size_t>(std::ranges::count_if(printfs, &PrintfInstruction::reachable));
  calls_ = calls_code_of(sites, entry_point_.stage);

  if (options_.record_invocation) {
    if (builtins_.can_record_invocation())
      invocation_ = builtins_.invocation_kind();
    else
      record_.notes.push_back(
          {"Messages do not say which invocation printed them: a block holds that input.", Concern::nothing});
  }

  SourcePositions positions(view);
  auto next = printfs.begin();
  uint32_t left_alone = 0;
  uint32_t function_index = 0;
  // The IR keeps the order of functions, blocks and instructions, so the two walks meet at each DebugPrintf.
  for (auto& function : *context()->module()) {
    while (next != printfs.end() && next->function < function_index) ++next;
    if (next == printfs.end()) break;
    const bool here = next->function == function_index;
    ++function_index;
    if (!here) continue;
    if (!next->reachable) {
      for (; next != printfs.end() && next->function < function_index; ++next) ++left_alone;
      continue;
    }
    for (auto& block : function) {
      for (auto it = block.begin(); it != block.end();) {
        Instruction* instruction = &*it;
        ++it;
        if (instruction->opcode() != spv::Op::OpExtInst ||
            instruction->GetSingleWordInOperand(1) != debug_printf_instruction ||
            std::ranges::find(sets, instruction->GetSingleWordInOperand(0)) == sets.end())
          continue;
        if (next == printfs.end() || view.at(next->offset).word(2) != instruction->result_id())
          return Status::Failure;
        PrintfSite site;
        if (options_.max_sites != 0 && record_.printf_sites.size() >= options_.max_sites) {
          ++record_.sites_beyond_limit;
          ++left_alone;
        } else if (describe(*next, site)) {
          site.source = positions.at(next->line_offset);
          replace(instruction, site);
          record_.printf_sites.push_back(std::move(site));
        } else {
          ++left_alone;
        }
        ++next;
      }
    }
  }
  if (record_.printf_sites.empty()) return Status::SuccessWithoutChange;
  if (copies_.estimate(entry_point_.function) > most_printing_copies) copies_.stop_unrolling();
  remove_import(left_alone);
  return module_.exhausted() ? Status::Failure : Status::SuccessWithChange;
}

}  // namespace shaderqa
