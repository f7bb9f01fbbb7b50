// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/workgroup_cells.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "instrument/runtime/abi_shared.h"
#include "xxhash.h"

namespace shaderqa {
namespace {

// Every Vulkan device has this much.
constexpr uint32_t least_limit = 16384;
constexpr uint32_t least_phase_bits = 8;

}  // namespace

bool WorkgroupCells::is_block(uint32_t variable) const {
  const auto found = std::ranges::find(*variables_, variable, &WorkgroupMemory::Variable::id);
  return found != variables_->end() && found->in_bytes;
}

bool WorkgroupCells::is_initialised(uint32_t variable) const {
  const auto found = std::ranges::find(*variables_, variable, &WorkgroupMemory::Variable::id);
  return found != variables_->end() && found->initialised;
}

void WorkgroupCells::make_groups() {
  variables_ = &memory_.find_variables();
  size_t block_group = SIZE_MAX;
  for (const WorkgroupMemory::Variable& variable : *variables_) {
    if (!variable.size) continue;
    size_t group = groups_.size();
    if (variable.in_bytes) {
      blocks_ = true;
      block_bytes_ = std::max(block_bytes_, variable.bytes);
      if (block_group == SIZE_MAX) block_group = group;
      group = block_group;
    }
    if (group == groups_.size()) groups_.emplace_back();
    groups_[group].variables.push_back(&variable);
    groups_[group].size = std::max(groups_[group].size, *variable.size);
    group_of_.emplace(variable.id, group);
  }
}

// Scalars that are only accessed together share a cell.
void WorkgroupCells::find_units(const WorkgroupAccesses& found) {
  const auto meet = [&](const WorkgroupPlace& place, const std::vector<MemoryRun>& runs) {
    const auto group = group_of_.find(place.start);
    if (group == group_of_.end()) return;
    uint32_t& unit = groups_[group->second].unit;
    for (const MemoryRun& run : runs) unit = std::gcd(std::gcd(unit, place.offset + run.offset), run.size);
    for (const ScaledIndex& index : place.indices) unit = std::gcd(unit, index.stride);
  };
  for (const WorkgroupAccess& access : found.accesses) meet(access.place, access.runs);
  // What a parameter leads to is counted in scalars.
  for (const WorkgroupAccesses::Argument& argument : found.arguments) meet(argument.place, {{0, 1}});
}

uint32_t WorkgroupCells::bytes_of_program() const {
  uint32_t bytes = block_bytes_;
  for (const WorkgroupMemory::Variable& variable : *variables_)
    if (!variable.in_bytes) bytes += variable.bytes;
  return bytes;
}

uint32_t WorkgroupCells::words() const {
  return cells_ + 1 + (options_.uninitialised ? (cells_ + 31) / 32 : 0);
}

std::string WorkgroupCells::name_of(uint32_t variable) const {
  std::string name = decorations_.name(variable);
  if (!name.empty()) return name;
  const InstructionView type = module_.definition(module_.type_of(variable), spv::Op::OpTypePointer);
  if (type && is_block(variable)) name = decorations_.name(type.word(3));
  return name.empty() ? "%" + std::to_string(variable) : name;
}

// Leaves out the largest ones until the rest fits.
void WorkgroupCells::fit() {
  const uint32_t limit = std::max(options_.limit, least_limit);
  const bool unknown = std::ranges::any_of(*variables_, [](const auto& each) { return !each.size; });
  for (;;) {
    cells_ = 0;
    Group* largest = nullptr;
    for (Group& group : groups_) {
      group.range = {};
      if (group.unit == 0) continue;
      group.range = {cells_, (group.size + group.unit - 1) / group.unit, group.unit};
      cells_ += group.range.count;
      if (!largest || group.range.count > largest->range.count) largest = &group;
    }
    // A variable of unknown size may need all there is.
    if (!largest || (!unknown && uint64_t{bytes_of_program()} + 4 * uint64_t{words()} + 16 <= limit)) return;
    for (const WorkgroupMemory::Variable* variable : largest->variables)
      left_out_.push_back(name_of(variable->id));
    largest->unit = 0;
  }
}

void WorkgroupCells::place(const WorkgroupAccesses& found) {
  make_groups();
  find_units(found);
  fit();
}

const CellRange* WorkgroupCells::range_of(uint32_t variable) const {
  const auto group = group_of_.find(variable);
  if (group == group_of_.end()) return nullptr;
  const CellRange& range = groups_[group->second].range;
  return range.count != 0 ? &range : nullptr;
}

WorkgroupLayout WorkgroupCells::layout() const {
  WorkgroupLayout layout;
  std::string all;
  for (const WorkgroupMemory::Variable& variable : *variables_) {
    const CellRange* range = range_of(variable.id);
    const InstructionView type = module_.definition(module_.type_of(variable.id), spv::Op::OpTypePointer);
    if (!range || !type) continue;
    const WorkgroupVariable& last = layout.variables.emplace_back(WorkgroupVariable{
        name_of(variable.id), range->first, (*variable.size + range->unit - 1) / range->unit, range->unit,
        memory_.shape_of(type.word(3), variable.in_bytes)});
    all += last.name + " " + std::to_string(last.first) + " " + std::to_string(last.unit) + last.shape + "\n";
  }
  layout.id = static_cast<uint32_t>(XXH3_64bits(all.data(), all.size())) | 1;
  return layout;
}

CellShape cell_shape(uint32_t invocations, uint32_t tags, CellSubgroups subgroups) {
  CellShape shape;
  // Subgroups that are not full leave gaps between the numbers of their lanes.
  shape.owner_bits = static_cast<uint32_t>(std::bit_width(std::max(invocations, 2u) - 1)) +
                     (subgroups == CellSubgroups::not_held ? 0 : 1);
  shape.subphase_bits = subgroups == CellSubgroups::with_subphases ? SQA_SHARED_SUBPHASE_BITS : 0;
  const uint32_t taken = SQA_SHARED_STATE_BITS + shape.owner_bits + shape.subphase_bits + least_phase_bits;
  shape.tag_bits = std::min(static_cast<uint32_t>(std::bit_width(tags)), taken < 32 ? 32 - taken : 0);
  shape.tag_bits = std::min(shape.tag_bits, 16u);
  return shape;
}

uint32_t CellShape::mark(uint32_t state, uint32_t tag) const {
  if (tag >> tag_bits != 0) tag = 0;
  return state << (tag_bits + owner_bits) | tag;
}

}  // namespace shaderqa
