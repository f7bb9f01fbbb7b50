// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/watched_slots.h"

#include <algorithm>
#include <array>
#include <bit>

#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/bind_state.h"
#include "layer/resources/descriptor_pools.h"
#include "layer/resources/descriptor_sets.h"

namespace shaderqa::layer {
namespace {

// Above this size any element of an array may be written: then everything may.
constexpr uint32_t kMostDescriptors = 64;

// What is written through the layout so far.
const std::vector<WrittenSlots::Slots>& written_slots(const std::shared_ptr<const PipelineLayout>& layout,
                                                      BoundSlots& slots) {
  // Read first: what is added meanwhile is looked at again.
  const size_t version = layout->written->version();
  if (slots.written_of != layout || slots.written_version != version) {
    slots.written_version = version;
    slots.written_slots = layout->written->slots();
    slots.written_of = layout;
  }
  return slots.written_slots;
}

void mark(ExactEngine& engine, const Device& device, const TableEntry& entry, bool parts, BoundSlots& slots) {
  // Buffers that are looked up lie at even addresses, except views of texels, which are marked anew.
  const VkDeviceAddress key = (entry.address & ~VkDeviceAddress{1}) | (parts ? 1 : 0);
  VkDeviceAddress& marked = slots.marked[(key >> 8 ^ key >> 16 ^ key) % slots.marked.size()];
  if (marked == key) return;
  engine.mark_written(entry.address);
  if (parts) engine.add_parts(memory_of(device, entry));
  marked = key;
}

// Texel buffers say how large their elements are.
bool has_parts(const TableEntry& entry) {
  if (entry.meta & SQA_TABLE_IMAGE) return true;
  const uint32_t texel = entry.meta & 0xff;
  return entry.address % 4 != 0 || texel == 0 || texel % 4 != 0;
}

}  // namespace

void mark_written(ExactEngine& engine, const Device& device, const Binds& bound, bool resolved,
                  BoundSlots& slots, std::set<LateWrites>& late) {
  if (!bound.checked) return engine.mark_everything_written();  // shader objects
  if (bound.checked->layout->written->version() == 0) return;
  // Read first: what is removed meanwhile is marked again for the next action.
  if (const uint64_t removals = engine.removals(); slots.marked_removals != removals) {
    slots.marked = {};
    slots.marked_removals = removals;
  }
  for (const WrittenSlots::Slots& written : written_slots(bound.checked->layout, slots)) {
    // Where descriptors in descriptor buffers lead to is not known before the shader runs.
    if ((written.slot & (SQA_IN_HEAP | SQA_INDIRECT)) == SQA_INDIRECT)
      return engine.mark_everything_written();  // no descriptor leads there
    if (written.slot & SQA_IN_BUFFER) {
      if (resolved && written.direct != 0)
        engine.buffered_writes().suspect_all();
      else
        engine.buffered_writes().mark_all();
      continue;
    }
    if (written.count > kMostDescriptors) return engine.mark_everything_written();
    const BoundTable table = bound_table(device, bound, written.table());
    if (table.updated_after_bind())
      late.insert({bound.sets[written.set], written.slot, written.count, written.parts});
    for (uint32_t i = written.slot; i < written.slot + written.count && i < table.slots(); ++i) {
      const TableEntry entry = table.load(i);
      if (entry.address) mark(engine, device, entry, written.parts && has_parts(entry), slots);
    }
  }
}

void mark_late_writes(ExactEngine& engine, const Device& device, const std::set<LateWrites>& late) {
  for (const LateWrites& writes : late) {
    const DescriptorSet* const set = device.descriptor_sets.find(writes.set);
    for (uint32_t i = writes.slot; set && i < writes.slot + writes.count; ++i) {
      const TableEntry entry = set->load(i);
      if (entry.address == 0) continue;
      engine.mark_written(entry.address);
      if (writes.parts && has_parts(entry)) engine.add_parts(memory_of(device, entry));
    }
  }
}

BoundSlots::Watched SlotWatcher::work_out(const BoundTable& table) {
  // A slot without an address is not checked: its bit must not send others the slow way.
  std::array<UnwatchedSlot, SQA_WATCHED_SLOTS> found;
  std::array<AddressSpan, SQA_WATCHED_SLOTS> spans;
  uint32_t count = 0, images = 0,
           large = 0;  // bits: of those found, images with small steps, and large ones of these
  for (uint32_t slot = 0; slot < std::min<uint32_t>(table.slots(), SQA_WATCHED_SLOTS); ++slot) {
    const TableEntry entry = table.load(slot);
    if (entry.address == 0) continue;
    spans[count] = memory_of(device_, entry);
    found[count] = {spans[count], 1u << slot};
    if ((entry.meta & SQA_TABLE_IMAGE) && !(entry.meta & SQA_TABLE_COARSE)) {
      images |= 1u << count;
      if (entry.meta & SQA_TABLE_LARGE) large |= 1u << count;
    }
    ++count;
  }
  const std::span<const AddressSpan> all{spans.data(), count};
  const uint32_t written = engine_.written_among(all);
  const uint32_t sparse =
      large ? large & ~engine_.written_among(all, ShadowCells::Writers::but_transitions) : 0;
  BoundSlots::Watched watched{0, 0, static_cast<uint32_t>(unwatched_.slots.size()), 0, {}, 0};
  watched.dense = {0, static_cast<uint32_t>(unwatched_.sparse.size()),
                   static_cast<uint32_t>(std::popcount(sparse))};
  for (uint32_t i = 0; i < count; ++i) {
    if (sparse >> i & 1)
      unwatched_.sparse.push_back(found[i]);
    else if (images >> i & 1)
      watched.dense.mask |= found[i].bit;
    if (written >> i & 1) {
      watched.mask |= found[i].bit;
    } else {
      unwatched_.slots.push_back(found[i]);
      ++watched.count;
    }
  }
  return watched;
}

BoundSlots::Watched SlotWatcher::look_up(const Binds& bound, uint32_t set, uint64_t generation) {
  const BoundTable table = bound_table(device_, bound, set);
  BoundSlots::Watched watched;
  // A descriptor that may be updated after it is bound is not known yet.
  if (table && !table.updated_after_bind()) watched = look_up(table, generation);
  if (const SetLayout* const layout = table.layout()) watched.inputs = layout->input_slots;
  return watched;
}

BoundSlots::Watched SlotWatcher::look_up(const BoundTable& table, uint64_t generation) {
  const uint64_t version = table.version();
  if (version == 0) return work_out(table);
  if (sets_.known_.empty()) sets_.known_.resize(WatchedSets::kKnown);
  // Versions of different sets differ in their upper halves, those of one set in their lower.
  WatchedSets::Known& known = sets_.known_[(version >> 32 ^ version) % WatchedSets::kKnown];
  if (known.version != version || known.written_generation != generation)
    known = {version, generation, work_out(table)};
  return known.watched;
}

// The slots of inputs whose images the render pass writes: what it has written itself is in no cell yet.
// inputs: not 0.
uint32_t SlotWatcher::inputs_left_out(const Binds& bound, uint32_t set, uint32_t inputs) const {
  const BoundTable table = bound_table(device_, bound, set);
  uint32_t left_out = 0;
  for (uint32_t slots = inputs; slots; slots &= slots - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
    const uint64_t image = table.load(slot).address;
    if (!drawn_ || std::ranges::find(*drawn_, image) != drawn_->end()) left_out |= 1u << slot;
  }
  return left_out;
}

void SlotWatcher::write(const Binds& bound, BoundSlots& slots, const ActionRecord& record) {
  const uint64_t generation = engine_.written_generation();
  if (slots.written_generation != generation) {
    for (BoundSlots::Watched& watched : slots.watched) watched.changed = BoundSlots::kNever;
    slots.written_generation = generation;
  }
  if (unwatched_.uses.empty()) unwatched_.generation = generation;
  std::fill_n(record.dwords + SQA_ACTION_WATCHED, SQA_MAX_SETS, BoundSlots::Watched().mask);
  uint32_t dense = 0, sparse = 0;
  for (uint32_t sets = bound.ever_set; sets; sets &= sets - 1) {
    const auto set = static_cast<uint32_t>(std::countr_zero(sets));
    BoundSlots::Watched& watched = slots.watched[set];
    if (watched.changed != bound.changed[set]) {
      watched = bound.tables[set] ? look_up(bound, set, generation) : BoundSlots::Watched();
      watched.changed = bound.changed[set];
    }
    const uint32_t dword = SQA_ACTION_WATCHED + set;
    const uint32_t left_out = watched.inputs ? inputs_left_out(bound, set, watched.inputs) : 0;
    const uint32_t mask = watched.mask & ~left_out;
    record.dwords[dword] = mask;
    if (watched.count)
      unwatched_.uses.push_back({record.place + dword, mask, watched.first, watched.count, left_out});
    dense |= std::rotl(watched.dense.mask, static_cast<int>(sqa_layout_bit(set, 0)));
    if (watched.dense.count) sparse |= 1u << set;
  }
  record.dwords[SQA_ACTION_DENSE] = dense;
  for (; sparse; sparse &= sparse - 1) {
    const auto set = static_cast<uint32_t>(std::countr_zero(sparse));
    const BoundSlots::Dense& images = slots.watched[set].dense;
    unwatched_.uses.push_back({record.place + SQA_ACTION_DENSE, dense, images.first, images.count, 0,
                               sqa_layout_bit(set, 0), true});
  }
}

void mend_unwatched(const ExactEngine& engine, UnwatchedSlots& unwatched) {
  const uint64_t generation = engine.written_generation();
  if (unwatched.uses.empty() || unwatched.generation == generation) return;
  using Writers = ShadowCells::Writers;
  const auto bits_of = [&](const std::vector<UnwatchedSlot>& slots, Writers writers) {
    std::vector<uint32_t> bits(slots.size());
    for (size_t i = 0; i < bits.size(); ++i)
      if (engine.written_among({&slots[i].memory, 1}, writers)) bits[i] = slots[i].bit;
    return bits;
  };
  const std::vector<uint32_t> written = bits_of(unwatched.slots, Writers::all);
  const std::vector<uint32_t> dense = bits_of(unwatched.sparse, Writers::but_transitions);
  for (UnwatchedSlots::Use& use : unwatched.uses) {
    uint32_t more = 0;
    for (uint32_t i = use.first; i < use.first + use.count; ++i) more |= (use.sparse ? dense : written)[i];
    more = std::rotl(more & ~use.left_out, static_cast<int>(use.rotated)) & ~use.mask;
    if (more == 0) continue;
    use.mask |= more;
    *use.dword |= more;  // several sets share that of images
  }
  unwatched.generation = generation;
}

}  // namespace shaderqa::layer
