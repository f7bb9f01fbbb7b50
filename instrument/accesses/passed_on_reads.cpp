// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/passed_on_reads.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrument/ir/atomics.h"
#include "instrument/ir/pointer_base.h"
#include "instrument/ir/subgroup_exchange.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

constexpr uint32_t quad = 4;

// How many invocations an operation connects.
uint32_t width_of(const ModuleView& module, InstructionView exchange) {
  switch (exchange.op()) {
    case spv::Op::OpGroupNonUniformQuadBroadcast:
    case spv::Op::OpGroupNonUniformQuadSwap:
    case spv::Op::OpGroupNonUniformQuadAllKHR:
    case spv::Op::OpGroupNonUniformQuadAnyKHR:
      return quad;
    default:
      break;
  }
  const bool reduces = exchange.op() >= spv::Op::OpGroupNonUniformIAdd &&
                       exchange.op() <= spv::Op::OpGroupNonUniformLogicalXor;
  if (!reduces || exchange.size() != 7 ||
      static_cast<spv::GroupOperation>(exchange.word(4)) != spv::GroupOperation::ClusteredReduce)
    return whole_subgroup;
  const uint32_t size = module.constant(exchange.word(6)).value_or(whole_subgroup);
  return std::clamp(size, 1u, whole_subgroup);
}

// What information flows from where to where. Its nodes are ids: of a value; of a variable of the invocation
// or a parameter that is a pointer, for what lies there; of a block, for what decides whether it runs; of a
// function, for what it returns.
class InformationFlow {
 public:
  explicit InformationFlow(const ModuleView& module) : module_(module) {
    for_each_instruction(module.words(), module.functions_offset(), [&](InstructionView i, uint32_t offset) {
      enter(i, offset);
      return true;
    });
    connect_calls();
    const auto bound = module.words()[3];
    std::erase_if(edges_, [bound](const auto& edge) { return edge.first >= bound || edge.second >= bound; });
  }

  struct Exchange {
    InstructionView instruction;
    uint32_t block = 0;
  };
  const std::vector<Exchange>& exchanges() const { return exchanges_; }
  // The block that an instruction stands in.
  uint32_t block_of(uint32_t offset) const {
    const auto behind = blocks_.upper_bound(offset);
    return behind == blocks_.begin() ? 0 : std::prev(behind)->second;
  }
  // The variable or parameter that holds what a pointer leads to; 0: it is in other memory.
  uint32_t holder(uint32_t pointer) const {
    const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
    const auto storage = static_cast<spv::StorageClass>(type.word(2));
    if (!type || (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private)) return 0;
    const InstructionView base = base_of_pointer(module_, pointer);
    const bool holds = base.op() == spv::Op::OpVariable || base.op() == spv::Op::OpFunctionParameter;
    return holds ? base.word(2) : 0;
  }

  // By id: what leads to these nodes, or what they lead to.
  std::vector<bool> before(const std::vector<uint32_t>& nodes) const { return reach(nodes, true); }
  std::vector<bool> behind(const std::vector<uint32_t>& nodes) const { return reach(nodes, false); }

 private:
  void add(uint32_t from, uint32_t to) {
    if (from != 0 && to != 0) edges_.emplace_back(from, to);
  }

  void store(uint32_t pointer, uint32_t value) {
    const uint32_t to = holder(pointer);
    for (const uint32_t from : {value, pointer, block_}) add(from, to);
  }

  // Literals that look like an id count as a use of it.
  void operands_flow_on(InstructionView i) {
    if (module_.definition(i.word(2)).words.data() != i.words.data()) return;
    for (uint32_t n = 3; n < i.size(); ++n) add(i.word(n), i.word(2));
  }

  void branch(InstructionView i) {
    const bool chooses = i.op() != spv::Op::OpBranch;
    for (uint32_t n = chooses ? 2 : 1; n < i.size(); ++n) {
      if (module_.definition(i.word(n)).op() != spv::Op::OpLabel) continue;
      add(block_, i.word(n));
      if (chooses) add(i.word(1), i.word(n));
    }
  }

  void enter(InstructionView i, uint32_t offset) {
    switch (i.op()) {
      case spv::Op::OpFunction:
        function_ = i.word(2);
        block_ = 0;
        return;
      case spv::Op::OpFunctionParameter:
        parameters_[function_].push_back(i.word(2));
        return;
      case spv::Op::OpLabel:
        block_ = i.word(1);
        blocks_.emplace(offset, block_);
        first_blocks_.emplace(function_, block_);
        return;
      case spv::Op::OpBranch:
      case spv::Op::OpBranchConditional:
      case spv::Op::OpSwitch:
        return branch(i);
      case spv::Op::OpReturnValue:
        add(i.word(1), function_);
        return add(block_, function_);
      case spv::Op::OpFunctionCall:
        calls_.emplace_back(i, block_);
        return;
      case spv::Op::OpStore:
        store(i.word(1), i.word(2));
        break;
      case spv::Op::OpCopyMemory:
        store(i.word(1), holder(i.word(2)));
        store(i.word(1), i.word(2));
        break;
      case spv::Op::OpExtInst:  // modf, frexp
        for (uint32_t n = 5; n < i.size(); ++n)
          if (holder(i.word(n)) != 0) store(i.word(n), i.word(2));
        operands_flow_on(i);
        break;
      case spv::Op::OpLoad:
        add(holder(i.word(3)), i.word(2));
        operands_flow_on(i);
        break;
      default:
        operands_flow_on(i);
        break;
    }
    if (is_subgroup_exchange(i.op())) exchanges_.push_back({i, block_});
  }

  void connect_calls() {
    for (const auto& [call, block] : calls_) {
      const uint32_t callee = call.word(3);
      add(callee, call.word(2));
      if (const auto first = first_blocks_.find(callee); first != first_blocks_.end())
        add(block, first->second);
      const std::vector<uint32_t>& parameters = parameters_[callee];
      for (uint32_t n = 0; n < parameters.size(); ++n) {
        const uint32_t argument = call.word(4 + n);
        add(argument, parameters[n]);
        add(holder(argument), parameters[n]);
        if (holder(parameters[n]) != 0) add(parameters[n], holder(argument));
      }
    }
  }

  std::vector<bool> reach(std::vector<uint32_t> nodes, bool backwards) const {
    std::unordered_map<uint32_t, std::vector<uint32_t>> next;
    for (const auto& [from, to] : edges_) {
      if (backwards)
        next[to].push_back(from);
      else
        next[from].push_back(to);
    }
    std::vector<bool> reached(module_.words()[3]);
    while (!nodes.empty()) {
      const uint32_t node = nodes.back();
      nodes.pop_back();
      if (node >= reached.size() || reached[node]) continue;
      reached[node] = true;
      if (const auto found = next.find(node); found != next.end())
        nodes.insert(nodes.end(), found->second.begin(), found->second.end());
    }
    return reached;
  }

  const ModuleView& module_;
  std::vector<std::pair<uint32_t, uint32_t>> edges_;
  std::vector<Exchange> exchanges_;
  std::map<uint32_t, uint32_t> blocks_;  // by the offset of their label
  std::vector<std::pair<InstructionView, uint32_t>> calls_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> parameters_;
  std::unordered_map<uint32_t, uint32_t> first_blocks_;
  uint32_t function_ = 0, block_ = 0;
};

bool has_exchanges(const ModuleView& module) {
  bool found = false;
  for_each_instruction(module.words(), module.functions_offset(), [&](InstructionView i, uint32_t) {
    found = is_subgroup_exchange(i.op());
    return !found;
  });
  return found;
}

}  // namespace

uint32_t find_passed_on_reads(std::span<WorkgroupAccess> accesses, const ModuleView& module) {
  if (accesses.empty() || !has_exchanges(module)) return 0;
  const InformationFlow flow(module);
  uint32_t width = 0;
  std::vector<uint32_t> into, from;
  for (const auto& [exchange, block] : flow.exchanges()) {
    width = std::max(width, width_of(module, exchange));
    into.push_back(block);
    into.insert(into.end(), exchange.words.begin() + 3, exchange.words.end());
    from.push_back(exchange.word(2));
  }
  const std::vector<bool> passed_on = flow.before(into), returned = flow.behind(from);
  const auto is_in = [](const std::vector<bool>& nodes, uint32_t id) {
    return id < nodes.size() && nodes[id];
  };
  for (WorkgroupAccess& access : accesses) {
    const InstructionView i = module.at(access.at.offset);
    if (access.only_reads || access.access == SQA_ACCESS_LOAD) {
      const uint32_t value = i.op() == spv::Op::OpCopyMemory ? flow.holder(i.word(1)) : i.word(2);
      access.passed_on = is_in(passed_on, value);
      continue;
    }
    // What it stores and where, and whether it does.
    std::vector<uint32_t> causes(i.words.begin() + 1, i.words.begin() + std::min<ptrdiff_t>(3, i.size()));
    if (is_atomic(i.op())) causes.assign(i.words.begin() + 1, i.words.end());
    if (i.op() == spv::Op::OpCopyMemory) causes.push_back(flow.holder(i.word(2)));
    causes.push_back(flow.block_of(access.at.offset));
    access.follows_exchange =
        std::ranges::any_of(causes, [&](uint32_t cause) { return is_in(returned, cause); });
  }
  return width;
}

}  // namespace shaderqa
