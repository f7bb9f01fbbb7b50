// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/check_copies.h"

#include <algorithm>
#include <optional>

#include "instrument/ir/loop_hints.h"
#include "instrument/ir/structured_loops.h"
#include "source/opt/basic_block.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

constexpr uint64_t most_copies = uint64_t{1} << 32;  // products of two do not overflow
uint64_t product(uint64_t a, uint64_t b) { return std::min(a * b, most_copies); }

bool is_signed(spv::Op comparison) {
  return comparison == spv::Op::OpSLessThan || comparison == spv::Op::OpSLessThanEqual ||
         comparison == spv::Op::OpSGreaterThan || comparison == spv::Op::OpSGreaterThanEqual;
}

// How often a counter passes the comparison with `bound`; nothing: the loop is not a simple one.
std::optional<int64_t> iterations(spv::Op comparison, int64_t first, int64_t step, int64_t bound) {
  int64_t way = 0;
  switch (comparison) {
    case spv::Op::OpSLessThan:
    case spv::Op::OpULessThan:
      way = bound - first;
      break;
    case spv::Op::OpSLessThanEqual:
    case spv::Op::OpULessThanEqual:
      way = bound - first + 1;
      break;
    case spv::Op::OpSGreaterThan:
    case spv::Op::OpUGreaterThan:
      way = first - bound, step = -step;
      break;
    case spv::Op::OpSGreaterThanEqual:
    case spv::Op::OpUGreaterThanEqual:
      way = first - bound + 1, step = -step;
      break;
    default:
      return std::nullopt;
  }
  if (step <= 0) return std::nullopt;
  return way <= 0 ? 0 : (way + step - 1) / step;
}

}  // namespace

int64_t CheckCopies::step(uint32_t value, uint32_t counter) const {
  const InstructionView sum = view_.definition(value);
  if (!sum || (sum.op() != spv::Op::OpIAdd && sum.op() != spv::Op::OpISub)) return 0;
  uint32_t from = sum.word(3), by = sum.word(4);
  if (sum.op() == spv::Op::OpIAdd && view_.constant(from)) std::swap(from, by);
  const InstructionView load = view_.definition(from, spv::Op::OpLoad);
  const std::optional<uint32_t> constant = view_.constant(by);
  if (!constant || (from != counter && (!load || load.word(3) != counter))) return 0;
  const int64_t signed_step = static_cast<int32_t>(*constant);
  return sum.op() == spv::Op::OpISub ? -signed_step : signed_step;
}

CheckCopies::Counter CheckCopies::counter(const Code& code, uint32_t value) const {
  const InstructionView definition = view_.definition(value);
  uint32_t name = value;
  std::vector<uint32_t> values;
  if (definition && definition.op() == spv::Op::OpPhi && definition.size() == 7) {
    values = {definition.word(3), definition.word(5)};
  } else if (definition && definition.op() == spv::Op::OpLoad) {
    name = definition.word(3);
    if (const auto stores = code.stores.find(name); stores != code.stores.end()) values = stores->second;
  }
  if (values.size() != 2) return {};
  if (!view_.constant(values[0])) std::swap(values[0], values[1]);
  const std::optional<uint32_t> first = view_.constant(values[0]);
  const int64_t added = step(values[1], name);
  if (!first || added == 0) return {};
  return {true, static_cast<int64_t>(*first), added};
}

uint64_t CheckCopies::copies_of_loop(const Code& code, const Block& header) const {
  const Instruction* end = &*header.block->ctail();
  // The condition is in the header or in the block after it.
  if (end->opcode() == spv::Op::OpBranch) {
    const auto next = code.labels.find(end->GetSingleWordInOperand(0));
    if (next != code.labels.end()) end = &*code.blocks[next->second].block->ctail();
  }
  if (end->opcode() != spv::Op::OpBranchConditional ||
      end->GetSingleWordInOperand(2) != header.block->MergeBlockIdIfAny())
    return copies_of_unknown_loop;
  const InstructionView comparison = view_.definition(end->GetSingleWordInOperand(0));
  if (!comparison || comparison.size() != 5) return copies_of_unknown_loop;
  const std::optional<uint32_t> bound = view_.constant(comparison.word(4));
  const Counter found = counter(code, comparison.word(3));
  if (!bound || !found.found) return copies_of_unknown_loop;
  const auto extended = [&](int64_t value) {
    return is_signed(comparison.op()) ? static_cast<int64_t>(static_cast<int32_t>(value)) : value;
  };
  const auto count = iterations(comparison.op(), extended(found.first), found.step, extended(*bound));
  if (!count) return copies_of_unknown_loop;
  const auto known = static_cast<uint64_t>(std::max<int64_t>(*count, 1));
  return unrolling_ == Unrolling::whole ? std::min(known, most_iterations) : copies_of_iterations(known);
}

void CheckCopies::scan(spvtools::opt::Function& function) {
  Code& code = functions_[function.result_id()];
  std::vector<std::pair<size_t, Instruction*>> headers;
  for (BasicBlock& basic_block : function) {
    code.labels.emplace(basic_block.id(), code.blocks.size());
    Block& block = code.blocks.emplace_back();
    block.block = &basic_block;
    for (Instruction& instruction : basic_block) {
      if (const auto found = checks_.find(&instruction); found != checks_.end())
        block.checks += found->second;
      const spv::Op op = instruction.opcode();
      if (op == spv::Op::OpFunctionCall) block.callees.push_back(instruction.GetSingleWordInOperand(0));
      if (op == spv::Op::OpStore)
        code.stores[instruction.GetSingleWordInOperand(0)].push_back(instruction.GetSingleWordInOperand(1));
      if (op == spv::Op::OpLoopMerge && has_unroll_hint(instruction))
        headers.emplace_back(code.blocks.size() - 1, &instruction);
    }
    code.checks = code.checks || block.checks != 0;
  }
  const auto find = [&](uint32_t label) {
    const auto found = code.labels.find(label);
    return found == code.labels.end() ? nullptr : code.blocks[found->second].block;
  };
  for (const auto& [header, merge] : headers) {
    Loop& loop = code.loops.emplace_back();
    loop.merge = merge;
    const auto labels =
        blocks_of_loop(code.blocks[header].block->id(), merge->GetSingleWordInOperand(0), find);
    for (const uint32_t label : labels) loop.blocks.push_back(code.labels.at(label));
    const uint64_t copies = copies_of_loop(code, code.blocks[header]);
    for (const size_t each : loop.blocks)
      code.blocks[each].copies = product(code.blocks[each].copies, copies);
  }
}

void CheckCopies::scan() {
  if (scanned_) return;
  scanned_ = true;
  for (auto& function : module_) scan(function);
  const auto for_each_call = [&](uint32_t id, auto&& visit) {
    for (const Block& block : functions_[id].blocks)
      for (const uint32_t callee : block.callees)
        if (const auto found = functions_.find(callee); found != functions_.end())
          visit(*found, block.copies);
  };
  for (auto& function : module_)
    for_each_call(function.result_id(), [](auto& callee, uint64_t) { ++callee.second.calls; });
  for (auto& function : module_)
    if (functions_[function.result_id()].calls == 0) order_.push_back(function.result_id());
  // A function that calls itself, which no shader may do, never gets its turn.
  for (size_t i = 0; i < order_.size(); ++i)
    for_each_call(order_[i], [&](auto& callee, uint64_t) {
      if (--callee.second.calls == 0) order_.push_back(callee.first);
    });
  for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
    bool checks = functions_[*id].checks;
    for_each_call(*id, [&](auto& callee, uint64_t) { checks = checks || callee.second.checks; });
    functions_[*id].checks = checks;
  }
}

uint64_t CheckCopies::estimate(uint32_t entry_function) {
  scan();
  for (auto& [id, code] : functions_) code.copies = id == entry_function ? 1 : 0;
  uint64_t all = 0;
  for (const uint32_t id : order_) {
    const Code& code = functions_[id];
    for (const Block& block : code.blocks) {
      const uint64_t copies = product(code.copies, block.copies);
      all = std::min(all + product(copies, block.checks), most_copies);
      for (const uint32_t callee : block.callees)
        if (const auto found = functions_.find(callee); found != functions_.end())
          found->second.copies = std::min(found->second.copies + copies, most_copies);
    }
  }
  return all;
}

void CheckCopies::stop_unrolling() {
  scan();
  for (auto& function : functions_) {
    Code& code = function.second;
    for (Block& block : code.blocks) block.copies = 1;
    for (const Loop& loop : code.loops) {
      const bool checks = std::ranges::any_of(loop.blocks, [&](size_t index) {
        const Block& block = code.blocks[index];
        return block.checks != 0 || std::ranges::any_of(block.callees, [&](uint32_t callee) {
                 const auto found = functions_.find(callee);
                 return found != functions_.end() && found->second.checks;
               });
      });
      if (checks) remove_unroll_hint(*loop.merge);
    }
  }
}

}  // namespace shaderqa
