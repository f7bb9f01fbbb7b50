// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/noted_slots.h"

#include <algorithm>
#include <utility>

#include "instrument/ir/block_start.h"
#include "source/opt/ir_context.h"
#include "source/opt/module.h"

namespace shaderqa {

using spvtools::opt::Function;

void NotedSlots::find_code(const std::unordered_map<const Instruction*, uint32_t>& accesses,
                           const std::function<Repeats(const Instruction&)>& repeats) {
  for (Function& function : *module_.context().module()) {
    functions_.push_back(function.result_id());
    Code& code = code_[function.result_id()];
    function.ForEachInst([&](Instruction* i) {
      if (accesses.contains(i)) code.accesses.push_back(i);
      if (i->opcode() == spv::Op::OpFunctionCall)
        code.calls.push_back({i, i->GetSingleWordInOperand(0), 0, repeats(*i)});
    });
  }
}

std::vector<uint32_t> NotedSlots::in_order(uint32_t entry_function) const {
  std::vector<uint32_t> order;
  std::unordered_map<uint32_t, bool> seen;
  const std::function<void(uint32_t)> visit = [&](uint32_t function) {
    const auto code = code_.find(function);
    if (code == code_.end() || !seen.emplace(function, true).second) return;
    for (const Call& call : code->second.calls) visit(call.callee);
    order.push_back(function);
  };
  visit(entry_function);
  std::ranges::reverse(order);
  return order;
}

void NotedSlots::measure(uint32_t function) {
  Code& code = code_[function];
  code.all = code.own;
  for (Call& call : code.calls) {
    call.offset = code.all;
    code.all += code_[call.callee].all;
  }
}

void NotedSlots::place(uint32_t function, uint32_t base) {
  Code& code = code_[function];
  code.bases.push_back(base);
  for (const Call& call : code.calls)
    if (code_[call.callee].all != 0) place(call.callee, base + call.offset);
}

void NotedSlots::assign(uint32_t entry_function,
                        const std::unordered_map<const Instruction*, uint32_t>& accesses,
                        const std::function<Repeats(const Instruction&)>& repeats) {
  find_code(accesses, repeats);
  std::vector<uint32_t> order = in_order(entry_function);
  code_[entry_function].copies = 1;
  constexpr uint64_t many = most + 1;
  for (const uint32_t function : order) {
    const Code& code = code_[function];
    for (const Call& call : code.calls) {
      const auto callee = code_.find(call.callee);
      if (callee == code_.end()) continue;
      callee->second.copies = std::min(many, callee->second.copies + code.copies);
      callee->second.repeats = callee->second.repeats || code.executes_again(call.repeats);
    }
  }
  // Callers come first: a function has at least as many copies as each of its callers.
  for (const uint32_t function : order) {
    Code& code = code_[function];
    for (const Instruction* const access : code.accesses) {
      if (code.executes_again(repeats(*access))) continue;
      const uint32_t slots = accesses.at(access);
      if (size_ + slots * code.copies > most) continue;
      own_[access] = {function, code.own, 0};
      code.own += slots;
      size_ += static_cast<uint32_t>(slots * code.copies);
    }
  }
  std::ranges::reverse(order);
  for (const uint32_t function : order) measure(function);
  if (size_ != 0) place(entry_function, 0);
}

void NotedSlots::emit_bases() {
  if (size_ == 0) return;
  const uint32_t uint_type = module_.uint_type();
  const uint32_t pointer = module_.pointer_type(spv::StorageClass::Private, uint_type);
  for (const uint32_t function : functions_) {
    Code& code = code_[function];
    if (code.bases.size() < 2) continue;
    if (base_ == 0) {
      base_ = module_.add_variable(spv::StorageClass::Private, pointer);
      module_.add_name(base_, "sqa_noted_base");
    }
    SiteBuilder site(module_, start_of(module_.context(), function));
    code.base = site.emit(spv::Op::OpLoad, uint_type, {base_});
  }
  for (const uint32_t function : functions_) {
    if (code_[function].bases.empty()) continue;
    for (const Call& call : code_[function].calls) {
      if (code_[call.callee].bases.size() < 2) continue;
      SiteBuilder site(module_, call.instruction);
      site.emit_as(0, spv::Op::OpStore, 0, std::vector{base_, slot(site, function, call.offset)});
    }
  }
}

uint32_t NotedSlots::slot(SiteBuilder& site, uint32_t function, uint32_t offset) {
  const Code& code = code_[function];
  if (code.base == 0) return module_.constant(code.bases.front() + offset);
  return site.emit(spv::Op::OpIAdd, module_.uint_type(), {code.base, module_.constant(offset)});
}

// Accesses read the slots behind their own, too, as if each had most of them.
uint32_t NotedSlots::values() {
  if (values_ == 0) {
    const uint32_t element = module_.vector_type(module_.uint_type(), 2);
    const uint32_t length = module_.constant(size_ + most_of_access - 1);
    const uint32_t array = module_.add_global(spv::Op::OpTypeArray, 0, std::vector{element, length});
    values_ = module_.add_variable(spv::StorageClass::Private,
                                   module_.pointer_type(spv::StorageClass::Private, array));
    module_.add_name(values_, "sqa_noted_values");
  }
  return values_;
}

uint32_t NotedSlots::bits() {
  if (bits_ == 0) {
    const uint32_t length = module_.constant(masks());
    const uint32_t array =
        module_.add_global(spv::Op::OpTypeArray, 0, std::vector{module_.uint_type(), length});
    bits_ = module_.add_variable(spv::StorageClass::Private,
                                 module_.pointer_type(spv::StorageClass::Private, array));
    module_.add_name(bits_, "sqa_noted_bits");
  }
  return bits_;
}

uint32_t NotedSlots::element(SiteBuilder& site, uint32_t variable, uint32_t type,
                             std::vector<uint32_t> indices) {
  indices.insert(indices.begin(), variable);
  const uint32_t chain = module_.take_id();
  site.emit_as(chain, spv::Op::OpAccessChain, module_.pointer_type(spv::StorageClass::Private, type),
               indices);
  return chain;
}

void NotedSlots::begin(SiteBuilder& site) {
  for (uint32_t i = 0; i < masks(); ++i)
    site.emit_as(
        0, spv::Op::OpStore, 0,
        std::vector{element(site, bits(), module_.uint_type(), {module_.constant(i)}), module_.constant(0)});
}

void NotedSlots::set_bit(SiteBuilder& site, uint32_t function, uint32_t offset, uint32_t live) {
  const uint32_t uint_type = module_.uint_type();
  const Code& code = code_[function];
  uint32_t mask = 0, bit = 0;
  if (code.base == 0) {
    const uint32_t number = code.bases.front() + offset;
    mask = module_.constant(number / 32);
    bit = module_.constant(1u << number % 32);
  } else {
    const uint32_t number = slot(site, function, offset);
    mask = site.emit(spv::Op::OpShiftRightLogical, uint_type, {number, module_.constant(5)});
    const uint32_t rest = site.emit(spv::Op::OpBitwiseAnd, uint_type, {number, module_.constant(31)});
    bit = site.emit(spv::Op::OpShiftLeftLogical, uint_type, {module_.constant(1), rest});
  }
  const uint32_t pointer = element(site, bits(), uint_type, {mask});
  const uint32_t before = site.emit(spv::Op::OpLoad, uint_type, {pointer});
  const uint32_t added = site.emit(spv::Op::OpSelect, uint_type, {live, bit, module_.constant(0)});
  const uint32_t after = site.emit(spv::Op::OpBitwiseOr, uint_type, {before, added});
  site.emit_as(0, spv::Op::OpStore, 0, std::vector{pointer, after});
}

std::vector<uint32_t> NotedSlots::note(SiteBuilder& site, const Instruction& access,
                                       const std::vector<Value>& values, uint32_t live) {
  Own& own = own_.at(&access);
  const uint32_t first = own.first + own.used;
  own.used += static_cast<uint32_t>(values.size());
  const uint32_t uint_type = module_.uint_type(), pair = module_.vector_type(uint_type, 2);
  for (uint32_t i = 0; i < values.size(); ++i) {
    const bool is_pair = values[i].dwords == 2;
    std::vector<uint32_t> indices{slot(site, own.function, first + i)};
    if (!is_pair) indices.push_back(module_.constant(0));
    const uint32_t pointer = element(site, this->values(), is_pair ? pair : uint_type, std::move(indices));
    site.emit_as(0, spv::Op::OpStore, 0, std::vector{pointer, values[i].id});
  }
  set_bit(site, own.function, first, live);
  std::vector<uint32_t> slots;
  for (const uint32_t base : code_[own.function].bases) slots.push_back(base + first);
  return slots;
}

}  // namespace shaderqa
