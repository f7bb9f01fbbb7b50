// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/unwatched_version.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "instrument/accesses/buffered_descriptors.h"
#include "instrument/passes/entry_code.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;
using spvtools::opt::Operand;

// The bits of the slots in SQA_ACTION_WATCHED. Nothing: some slots have no bit.
std::optional<uint32_t> bits_of(const DescriptorSlots& slots, const IndexValue& element) {
  uint32_t first = slots.slot, count = slots.count;
  // Out of bounds: no check looks at it.
  if (element.id == 0 && element.constant >= count) return 0;
  if (slots.slot & SQA_IN_BUFFER) {
    if (slots.direct == 0) return std::nullopt;
    return 1u << (slots.direct - 1);  // abi_resolve.h
  }
  if (element.id == 0) {
    first += element.constant;
    count = 1;
  }
  if (first >= SQA_WATCHED_SLOTS || count > SQA_WATCHED_SLOTS - first) return std::nullopt;
  return static_cast<uint32_t>((uint64_t{1} << count) - 1) << first;
}

uint32_t all_bits_of(const DescriptorSlots& slots) {
  if (slots.slot & SQA_IN_BUFFER) return slots.direct ? 1u << (slots.direct - 1) : 0;
  uint32_t bits = 0;
  for (uint32_t slot = slots.slot; slot < SQA_WATCHED_SLOTS && slot - slots.slot < slots.count; ++slot)
    bits |= 1u << slot;
  return bits;
}

}  // namespace

bool UnwatchedVersion::is_wanted() const {
  return checks_.entry_point().stage == Stage::compute && is_allowed();
}

bool UnwatchedVersion::is_allowed() const {
  const SyncOptions& sync = checks_.options().sync;
  return sync.engine == SyncEngine::exact && sync.unwatched_version && !sync.footprints;
}

bool UnwatchedVersion::fragments_meet() const {
  if (checks_.entry_point().stage != Stage::fragment) return false;
  using spv::Capability;
  constexpr Capability exchanging[] = {Capability::Groups,
                                       Capability::GroupNonUniform,
                                       Capability::GroupNonUniformVote,
                                       Capability::GroupNonUniformArithmetic,
                                       Capability::GroupNonUniformBallot,
                                       Capability::GroupNonUniformShuffle,
                                       Capability::GroupNonUniformShuffleRelative,
                                       Capability::GroupNonUniformClustered,
                                       Capability::GroupNonUniformQuad,
                                       Capability::GroupNonUniformPartitionedNV,
                                       Capability::GroupNonUniformRotateKHR,
                                       Capability::SubgroupBallotKHR,
                                       Capability::SubgroupVoteKHR,
                                       Capability::QuadControlKHR};
  return std::ranges::any_of(exchanging, [&](Capability one) { return module_.view().has_capability(one); });
}

bool UnwatchedVersion::has_one_version() const { return checks_.queues() || fragments_meet(); }

bool UnwatchedVersion::may_leave_out_images() const {
  if (checks_.entry_point().stage != Stage::fragment) return is_wanted();
  return may_log_images() && !fragments_meet();
}

bool UnwatchedVersion::may_log_images() const {
  return checks_.entry_point().stage == Stage::fragment && is_allowed() && !has_interlocks(module_.view());
}

void UnwatchedVersion::note(const BufferAccess& access, const DescriptorSlots* slots) {
  if (access.access == SQA_ACCESS_LOAD) return;
  writes_buffers_ = true;
  if (slots)
    written_[slots->table()] |= all_bits_of(*slots);
  else
    writes_anywhere_ = true;
}

void UnwatchedVersion::note(const ImageAccess& access, const DescriptorSlots* slots) {
  writes_images_ = writes_images_ || access.access != SQA_ACCESS_LOAD;
  if (access.access != SQA_ACCESS_LOAD && slots) written_[slots->table()] |= all_bits_of(*slots);
}

// Memory that the shader itself writes is always watched. If it writes through an address, all memory is.
std::optional<uint32_t> UnwatchedVersion::left_out_bits(const BufferAccess& access,
                                                        const DescriptorSlots* slots) const {
  if (!is_wanted() || writes_anywhere_ || access.access != SQA_ACCESS_LOAD || !slots) return std::nullopt;
  const auto bits = bits_of(*slots, access.place.array_element);
  if (!bits || (*bits & written_[slots->table()])) return std::nullopt;
  return bits;
}

bool UnwatchedVersion::leave_out(uint32_t call, const BufferAccess& access, const DescriptorSlots* slots) {
  const auto bits = left_out_bits(access, slots);
  if (!bits) return false;
  calls_.insert(call);
  looked_at_[slots->table()] |= *bits;
  return true;
}

// Images that the shader itself writes are never sparse.
std::optional<uint32_t> UnwatchedVersion::left_out_bits(const ImageAccess& access,
                                                        const DescriptorSlots* slots) const {
  if (!may_leave_out_images() || access.access != SQA_ACCESS_LOAD || access.input || !slots ||
      (slots->slot & SQA_IN_BUFFER) != 0)
    return std::nullopt;
  const auto bits = bits_of(*slots, access.place.array_element);
  if (!bits || *bits == 0 || (*bits & written_[slots->table()])) return std::nullopt;
  return bits;
}

void UnwatchedVersion::leave_out(uint32_t call, const ImageAccess& access, const DescriptorSlots* slots) {
  if (skip(access, slots)) image_calls_.insert(call);
}

// What the shader itself stores is in order with its reads only where they are checked.
bool UnwatchedVersion::may_log(const BufferAccess& access, const DescriptorSlots* slots) const {
  if (access.access != SQA_ACCESS_LOAD || (slots && is_indirect(*slots))) return false;
  if (!writes_buffers_) return true;
  return !writes_anywhere_ && slots && is_never_written(*slots, access.place.array_element);
}

bool UnwatchedVersion::may_log(const ImageAccess& access, const DescriptorSlots* slots) const {
  if (!may_log_images() || access.access != SQA_ACCESS_LOAD || !slots || is_indirect(*slots)) return false;
  return !writes_images_ || is_never_written(*slots, access.place.array_element);
}

// False also where slots have no bits.
bool UnwatchedVersion::is_never_written(const DescriptorSlots& slots, const IndexValue& element) const {
  const auto bits = bits_of(slots, element);
  return bits && (*bits & written_[slots.table()]) == 0;
}

void UnwatchedVersion::log(uint32_t call, const ImageAccess& access, const DescriptorSlots* slots) {
  logs_ = true;
  image_calls_.insert(call);
  // As sqa_layout_bit() counts slots behind the 32nd.
  uint32_t bits = UINT32_MAX;
  const IndexValue& element = access.place.array_element;
  if (slots->slot & SQA_IN_BUFFER)
    bits = 1;  // these have no bits: any will do
  else if (element.id == 0)
    bits = 1u << ((slots->slot + element.constant) % 32);
  else if (slots->count < 32)
    bits = std::rotl((1u << slots->count) - 1, static_cast<int>(slots->slot % 32));
  images_[slots->table()] |= bits;
}

bool UnwatchedVersion::skip(const ImageAccess& access, const DescriptorSlots* slots) {
  const auto bits = left_out_bits(access, slots);
  if (bits) images_[slots->table()] |= *bits;
  return bits.has_value();
}

void UnwatchedVersion::skip(const BufferAccess& access, const DescriptorSlots* slots) {
  looked_at_[slots->table()] |= left_out_bits(access, slots).value_or(0);
}

uint32_t UnwatchedVersion::logs(SiteBuilder& site, const BufferAccess& access, const DescriptorSlots* slots) {
  const bool in_set = slots && (slots->slot & SQA_IN_BUFFER) == 0;
  const auto bits = in_set ? bits_of(*slots, access.place.array_element) : std::nullopt;
  if (bits)
    logged_slots_[slots->table()] |= *bits;
  else
    logs_always_ = true;
  return flag(loads_logged_, site);
}

uint32_t UnwatchedVersion::flag(uint32_t& variable, SiteBuilder& site) {
  if (variable == 0) {
    const uint32_t pointer = module_.pointer_type(spv::StorageClass::Private, module_.bool_type());
    variable = module_.add_variable(spv::StorageClass::Private, pointer);
  }
  return site.emit(spv::Op::OpLoad, module_.bool_type(), {variable});
}

void UnwatchedVersion::begin_skipping(SiteBuilder& site, bool placed) {
  const auto emit = [&](spv::Op op, uint32_t type, std::initializer_list<uint32_t> operands) {
    return site.emit(op, type, operands);
  };
  const auto set = [&](uint32_t variable, uint32_t skipped) {
    const uint32_t needed = skipped ? site.emit(spv::Op::OpLogicalNot, module_.bool_type(), {skipped})
                                    : module_.bool_constant(true);
    const uint32_t operands[] = {variable, needed};
    site.emit_as(0, spv::Op::OpStore, 0, operands);
  };
  if (watched_ != 0) set(watched_, is_unwatched(emit));
  if (images_watched_ != 0) set(images_watched_, placed ? leaves_out_images(emit) : 0);
  if (loads_logged_ != 0) set(loads_logged_, logs_no_loads(emit));
}

void UnwatchedVersion::keep_in_part(uint32_t call, const std::vector<uint32_t>& operands) {
  std::vector<Operand> ids;
  for (const uint32_t id : operands) ids.emplace_back(SPV_OPERAND_TYPE_ID, Operand::OperandData{id});
  replacements_[call] = std::make_unique<Instruction>(&module_.context(), spv::Op::OpFunctionCall,
                                                      module_.void_type(), call, ids);
}

template <typename Emit>
uint32_t UnwatchedVersion::for_all(const Emit& emit, std::string_view function,
                                   const std::array<uint32_t, SQA_MAX_SETS>& slots) {
  const uint32_t bool_type = module_.bool_type();
  uint32_t all = 0;
  for (uint32_t set = 0; set < SQA_MAX_SETS; ++set) {
    if (slots[set] == 0) continue;
    const uint32_t callee = checks_.runtime().function(function);
    const uint32_t number = module_.constant(set), bits = module_.constant(slots[set]);
    const uint32_t one = emit(spv::Op::OpFunctionCall, bool_type, {callee, number, bits});
    all = all == 0 ? one : emit(spv::Op::OpLogicalAnd, bool_type, {all, one});
  }
  return all;
}

template <typename Emit>
uint32_t UnwatchedVersion::is_unwatched(const Emit& emit) {
  return for_all(emit, "sqa_reads_unwatched", looked_at_);
}

template <typename Emit>
uint32_t UnwatchedVersion::logs_no_loads(const Emit& emit) {
  const uint32_t unwatched = logs_always_ ? 0 : for_all(emit, "sqa_reads_unwatched", logged_slots_);
  if (checks_.entry_point().stage != Stage::fragment) return unwatched;
  const uint32_t callee = checks_.runtime().function("sqa_tile_logs_nothing"), none = module_.constant(0);
  const uint32_t outside = emit(spv::Op::OpFunctionCall, module_.bool_type(), {callee, none, none});
  return unwatched == 0 ? outside : emit(spv::Op::OpLogicalOr, module_.bool_type(), {unwatched, outside});
}

template <typename Emit>
uint32_t UnwatchedVersion::leaves_out_images(const Emit& emit) {
  std::string_view function = "sqa_group_leaves_out";
  if (checks_.entry_point().stage == Stage::fragment)
    function = logs_ ? "sqa_tile_logs_nothing" : "sqa_tile_leaves_out";
  return for_all(emit, function, images_);
}

template <typename Emit>
uint32_t UnwatchedVersion::takes_second(const Emit& emit) {
  const uint32_t buffers = is_unwatched(emit), images = leaves_out_images(emit);
  if (buffers == 0 || images == 0) return buffers | images;
  return emit(spv::Op::OpLogicalAnd, module_.bool_type(), {buffers, images});
}

void UnwatchedVersion::make() {
  if (logs_) image_calls_.merge(log_calls_);
  if (placed_)
    calls_.merge(image_calls_);
  else
    images_ = {};
  if (!begin_ || calls_.empty()) return;
  SecondVersion::Plan plan;
  plan.leaves_out = [this](const Instruction& i) { return calls_.contains(i.result_id()); };
  plan.replacements = std::move(replacements_);
  plan.last = begin_;
  plan.takes_copy = [this](BasicBlock& block) {
    return takes_second([&](spv::Op op, uint32_t type, std::initializer_list<uint32_t> operands) {
      const uint32_t result = module_.take_id();
      append(module_, block, op, type, result, operands);
      return result;
    });
  };
  plan.suffix = "_watched";
  plan.suffix_of_copy = "_unwatched";
  SecondVersion(module_, checks_.decorations(), checks_.entry_point()).make(std::move(plan));
}

}  // namespace shaderqa
