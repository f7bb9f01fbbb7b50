// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/queue_function.h"

#include <bit>
#include <utility>

#include "instrument/runtime/abi_exact.h"

namespace shaderqa {
namespace {

// An entry's common values and its SQA_NOTED_*, in one dword.
constexpr uint32_t common_bits = 24;

// What is not logged.
constexpr uint32_t checked_forms = (1u << SQA_NOTED_LOGGED) - 1;

}  // namespace

bool QueueFunction::has_more() const {
  return ((table_.forms | table_.forms >> SQA_NOTED_LOGGED) & checked_forms) >> SQA_NOTED_IMAGE != 0;
}

uint32_t QueueFunction::call(uint32_t type, std::string_view function, std::vector<uint32_t> arguments) {
  const uint32_t id = module_.take_id();
  arguments.insert(arguments.begin(), {type, id, checks_.runtime().function(function)});
  words_.add(spv::Op::OpFunctionCall, arguments);
  return id;
}

// Nothing is in them then: an access in the loop that these checks are in sets its bit again.
void QueueFunction::load_masks() {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t pointer = module_.pointer_type(spv::StorageClass::Private, uint_type);
  for (uint32_t i = 0; i < slots_.masks(); ++i) {
    const uint32_t mask = result(spv::Op::OpAccessChain, pointer, {slots_.bits(), constant(i)});
    const uint32_t loaded = result(spv::Op::OpLoad, uint_type, {mask});
    words_.add(spv::Op::OpStore, {mask, constant(0)});
    masks_.push_back({loaded, module_.take_id(), module_.take_id()});
  }
}

uint32_t QueueFunction::leave_out_logged() {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t mark = call(uint_type, "sqa_unlogged_reads", {checks_.hash()});
  const uint32_t any = result(spv::Op::OpINotEqual, module_.bool_type(), {mark, constant(0)});
  std::vector<uint32_t> others(masks_.size());
  for (uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (!is_read_of_buffer(table_.entries[slot].form)) others[slot / 32] |= 1u << slot % 32;
  for (size_t i = 0; i < masks_.size(); ++i) {
    const uint32_t kept = result(spv::Op::OpBitwiseAnd, uint_type, {masks_[i].loaded, constant(others[i])});
    masks_[i].loaded = result(spv::Op::OpSelect, uint_type, {any, masks_[i].loaded, kept});
  }
  return mark;
}

uint32_t QueueFunction::any_of_masks() {
  uint32_t any = masks_.front().now;
  for (size_t i = 1; i < masks_.size(); ++i)
    any = result(spv::Op::OpBitwiseOr, module_.uint_type(), {any, masks_[i].now});
  return result(spv::Op::OpINotEqual, module_.bool_type(), {any, constant(0)});
}

uint32_t QueueFunction::take_slot() {
  const uint32_t uint_type = module_.uint_type(), bool_type = module_.bool_type();
  uint32_t mask = masks_.back().now, first = constant(static_cast<uint32_t>(masks_.size() - 1) * 32);
  for (size_t i = masks_.size() - 1; i-- > 0;) {
    const uint32_t here = result(spv::Op::OpINotEqual, bool_type, {masks_[i].now, constant(0)});
    mask = result(spv::Op::OpSelect, uint_type, {here, masks_[i].now, mask});
    first = result(spv::Op::OpSelect, uint_type, {here, constant(static_cast<uint32_t>(i) * 32), first});
  }
  uint32_t lower = constant(0);  // what masks before this one have
  for (size_t i = 0; i < masks_.size(); ++i) {
    const Mask& each = masks_[i];
    const uint32_t less = result(spv::Op::OpISub, uint_type, {each.now, constant(1)});
    const bool selects = i != 0;
    const uint32_t rest = selects ? module_.take_id() : each.next;
    words_.add(spv::Op::OpBitwiseAnd, {uint_type, rest, each.now, less});
    if (selects) {
      const uint32_t waits = result(spv::Op::OpINotEqual, bool_type, {lower, constant(0)});
      words_.add(spv::Op::OpSelect, {uint_type, each.next, waits, each.now, rest});
    }
    lower = result(spv::Op::OpBitwiseOr, uint_type, {lower, each.now});
  }
  const uint32_t negative = result(spv::Op::OpSNegate, uint_type, {mask});
  const uint32_t lowest = result(spv::Op::OpBitwiseAnd, uint_type, {mask, negative});
  const uint32_t below = result(spv::Op::OpISub, uint_type, {lowest, constant(1)});
  const uint32_t bit = result(spv::Op::OpBitCount, uint_type, {below});
  return result(spv::Op::OpIAdd, uint_type, {first, bit});
}

uint32_t QueueFunction::load(uint32_t slot, uint32_t offset) {
  const uint32_t uint_type = module_.uint_type(), pair = module_.vector_type(uint_type, 2);
  if (offset != 0) slot = result(spv::Op::OpIAdd, uint_type, {slot, constant(offset)});
  const uint32_t value =
      result(spv::Op::OpAccessChain, module_.pointer_type(spv::StorageClass::Private, pair),
             {slots_.values(), slot});
  return result(spv::Op::OpLoad, pair, {value});
}

QueueFunction::Noted QueueFunction::noted_in_slot() {
  const uint32_t uint_type = module_.uint_type(), triple = module_.vector_type(uint_type, 3);
  uint32_t slot = take_slot();
  // Without a bit there is no slot of that number.
  if (table_.room != 0) slot = result(spv::Op::OpSelect, uint_type, {in_slot_, slot, constant(0)});
  Noted noted{slot, result(spv::Op::OpCompositeConstruct, triple, {constant(0), load(slot, 0)}), 0};
  if (!has_more()) return noted;
  const uint32_t second = load(slot, 1), third = load(slot, 2);
  const uint32_t last = result(spv::Op::OpCompositeExtract, uint_type, {third, 0});
  noted.more = result(spv::Op::OpCompositeConstruct, triple, {second, last});
  return noted;
}

QueueFunction::Noted QueueFunction::noted_in_queue() {
  const uint32_t uint_type = module_.uint_type(), triple = module_.vector_type(uint_type, 3);
  const uint32_t room = constant(table_.room);
  Noted noted{0, call(triple, "sqa_noted", {room, index_}), 0};
  noted.number = result(spv::Op::OpCompositeExtract, uint_type, {noted.values, 0});
  if (!has_more()) return noted;
  const uint32_t second = result(spv::Op::OpIAdd, uint_type, {index_, constant(1)});
  noted.more = call(triple, "sqa_noted", {room, second});
  return noted;
}

QueueFunction::Noted QueueFunction::noted() {
  const uint32_t uint_type = module_.uint_type(), triple = module_.vector_type(uint_type, 3);
  Noted noted;
  if (masks_.empty()) {
    noted = noted_in_queue();
  } else if (table_.room == 0) {
    noted = noted_in_slot();
  } else {
    const Noted slot = noted_in_slot(), queue = noted_in_queue();
    const uint32_t in_slots =
        result(spv::Op::OpCompositeConstruct, module_.vector_type(module_.bool_type(), 3),
               {in_slot_, in_slot_, in_slot_});
    noted.number = result(spv::Op::OpSelect, uint_type, {in_slot_, slot.number, queue.number});
    noted.values = result(spv::Op::OpSelect, triple, {in_slots, slot.values, queue.values});
    if (has_more()) noted.more = result(spv::Op::OpSelect, triple, {in_slots, slot.more, queue.more});
  }
  const uint32_t zero = constant(0);
  if (!has_more()) noted.more = module_.global(spv::Op::OpConstantComposite, triple, {zero, zero, zero});
  return noted;
}

// What sqa_check_access_noted is called with.
std::vector<uint32_t> QueueFunction::arguments(const Noted& noted) {
  const uint32_t uint_type = module_.uint_type();
  const bool one_form = std::has_single_bit(table_.forms), one_common = table_.common.size() == 1;
  Chooser entries(module_, words_, noted.number);
  std::vector<uint32_t> sites, kinds;
  for (const NotedEntry& entry : table_.entries) {
    sites.push_back(entry.site);
    kinds.push_back(entry.site == 0 ? 0 : constant(entry.common | entry.form << common_bits));
  }
  const uint32_t site = entries.choose(sites, 2);
  const uint32_t kind = one_form && one_common ? constant(0) : entries.choose(kinds, 1);
  uint32_t form = constant(static_cast<uint32_t>(std::countr_zero(table_.forms))), number = kind;
  if (!one_form) {
    form = result(spv::Op::OpShiftRightLogical, uint_type, {kind, constant(common_bits)});
    number = result(spv::Op::OpBitwiseAnd, uint_type, {kind, constant((1u << common_bits) - 1)});
  } else if (!one_common) {
    number = result(spv::Op::OpBitwiseAnd, uint_type, {kind, constant((1u << common_bits) - 1)});
  }
  Chooser common(module_, words_, number);
  std::vector<uint32_t> parts;
  for (size_t part = 0; part < NotedCommon().size(); ++part) {
    std::vector<uint32_t> values;
    for (const NotedCommon& each : table_.common) values.push_back(each[part]);
    parts.push_back(common.choose(values, part == 0 ? 4 : 1));
  }
  const uint32_t rest = result(spv::Op::OpCompositeConstruct, module_.vector_type(uint_type, 4),
                               {parts[2], parts[3], parts[4], parts[5]});
  return {checks_.root(), checks_.hash(), noted.values, noted.more, constant(table_.forms),
          form,           site,           parts[0],     parts[1],   rest};
}

// Checks or logs it. Returns how many slots it has in the queue.
uint32_t QueueFunction::look_at(const std::vector<uint32_t>& arguments) {
  const uint32_t uint_type = module_.uint_type();
  const bool checks = (table_.forms & checked_forms) != 0, logs = (table_.forms & ~checked_forms) != 0;
  if (!logs) return call(uint_type, "sqa_check_access_noted", arguments);
  if (!checks) {
    call(module_.void_type(), "sqa_log_access_noted", arguments);
    return constant(0);
  }
  const uint32_t form = arguments[5], log = module_.take_id(), check = module_.take_id(),
                 end = module_.take_id();
  const uint32_t logged =
      result(spv::Op::OpUGreaterThanEqual, module_.bool_type(), {form, constant(SQA_NOTED_LOGGED)});
  words_.add(spv::Op::OpSelectionMerge, {end, 0});
  words_.add(spv::Op::OpBranchConditional, {logged, log, check});
  words_.label(log);
  call(module_.void_type(), "sqa_log_access_noted", arguments);
  words_.add(spv::Op::OpBranch, {end});
  words_.label(check);
  const uint32_t slots = call(uint_type, "sqa_check_access_noted", arguments);
  words_.add(spv::Op::OpBranch, {end});
  words_.label(end);
  return result(spv::Op::OpPhi, uint_type, {slots, check, constant(0), log});
}

// least: as far as there is a queue. for (i = 0; in a slot or i < length;) check what is there, and take it
// out
void QueueFunction::write(uint32_t function) {
  const uint32_t uint_type = module_.uint_type(), bool_type = module_.bool_type(),
                 void_type = module_.void_type();
  const uint32_t entry = module_.take_id(), header = module_.take_id(), body = module_.take_id(),
                 next = module_.take_id(), merge = module_.take_id(), more = module_.take_id();
  const bool has_queue = table_.room != 0;
  module_.add_name(function, "sqa_check_noted");
  words_.add(spv::Op::OpFunction,
             {void_type, function, 0, module_.global(spv::Op::OpTypeFunction, 0, {void_type, uint_type})});
  const uint32_t least = result(spv::Op::OpFunctionParameter, uint_type, {});
  words_.label(entry);
  load_masks();
  const uint32_t mark = table_.marks_reads ? leave_out_logged() : 0;
  const uint32_t length = has_queue ? call(uint_type, "sqa_queue_length", {least}) : 0;
  words_.add(spv::Op::OpBranch, {header});
  words_.label(header);
  for (const Mask& mask : masks_)
    words_.add(spv::Op::OpPhi, {uint_type, mask.now, mask.loaded, entry, mask.next, next});
  uint32_t inside = 0;
  if (has_queue) {
    index_ = module_.take_id();
    words_.add(spv::Op::OpPhi, {uint_type, index_, constant(0), entry, more, next});
    inside = result(spv::Op::OpULessThan, bool_type, {index_, length});
  }
  if (!masks_.empty()) {
    in_slot_ = any_of_masks();
    inside = has_queue ? result(spv::Op::OpLogicalOr, bool_type, {inside, in_slot_}) : in_slot_;
  }
  words_.add(spv::Op::OpLoopMerge, {merge, next, static_cast<uint32_t>(spv::LoopControlMask::DontUnroll)});
  words_.add(spv::Op::OpBranchConditional, {inside, body, merge});
  words_.label(body);
  uint32_t slots = look_at(arguments(noted()));
  if (has_queue) {
    if (!masks_.empty()) slots = result(spv::Op::OpSelect, uint_type, {in_slot_, constant(0), slots});
    words_.add(spv::Op::OpIAdd, {uint_type, more, index_, slots});
  }
  words_.add(spv::Op::OpBranch, {next});
  words_.label(next);
  words_.add(spv::Op::OpBranch, {header});
  words_.label(merge);
  if (table_.marks_reads) call(module_.void_type(), "sqa_end_reads", {mark});
  words_.add(spv::Op::OpReturn, {});
  words_.add(spv::Op::OpFunctionEnd, {});
  checks_.runtime().add_function(words_.take());
}

}  // namespace shaderqa
