// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/descriptor_bytes.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "instrument/runtime/abi_image.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostDescriptorBytes = 512;
constexpr size_t kFirstPlaces = 1024;
constexpr size_t kMostTableBytes = size_t{64} << 20;
constexpr VkDeviceSize kAlignment = 32;  // for the number in the lowest bits of a table's address
static_assert(kAlignment == SQA_DESCRIPTOR_LOG2 + 1);

struct Kind {
  VkDescriptorType type;
  uint32_t kind;
  size_t VkPhysicalDeviceDescriptorBufferPropertiesEXT::*size;
  size_t VkPhysicalDeviceDescriptorBufferPropertiesEXT::*robust_size;
};
using Sizes = VkPhysicalDeviceDescriptorBufferPropertiesEXT;
constexpr Kind kKinds[] = {
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SQA_DESCRIPTOR_UNIFORM, &Sizes::uniformBufferDescriptorSize,
     &Sizes::robustUniformBufferDescriptorSize},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SQA_DESCRIPTOR_STORAGE, &Sizes::storageBufferDescriptorSize,
     &Sizes::robustStorageBufferDescriptorSize},
    {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, SQA_DESCRIPTOR_UNIFORM_TEXEL,
     &Sizes::uniformTexelBufferDescriptorSize, &Sizes::robustUniformTexelBufferDescriptorSize},
    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, SQA_DESCRIPTOR_STORAGE_TEXEL,
     &Sizes::storageTexelBufferDescriptorSize, &Sizes::robustStorageTexelBufferDescriptorSize},
    {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, SQA_DESCRIPTOR_SAMPLED_IMAGE, &Sizes::sampledImageDescriptorSize,
     &Sizes::sampledImageDescriptorSize},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, SQA_DESCRIPTOR_STORAGE_IMAGE, &Sizes::storageImageDescriptorSize,
     &Sizes::storageImageDescriptorSize},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, SQA_DESCRIPTOR_COMBINED_IMAGE,
     &Sizes::combinedImageSamplerDescriptorSize, &Sizes::combinedImageSamplerDescriptorSize},
    {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, SQA_DESCRIPTOR_INPUT, &Sizes::inputAttachmentDescriptorSize,
     &Sizes::inputAttachmentDescriptorSize},
    // No kind, but mutable descriptors may be as large.
    {VK_DESCRIPTOR_TYPE_SAMPLER, SQA_DESCRIPTOR_KINDS, &Sizes::samplerDescriptorSize,
     &Sizes::samplerDescriptorSize},
    {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, SQA_DESCRIPTOR_KINDS,
     &Sizes::accelerationStructureDescriptorSize, &Sizes::accelerationStructureDescriptorSize}};

const Kind* find_kind(VkDescriptorType type) {
  const auto found = std::ranges::find(kKinds, type, &Kind::type);
  return found == std::end(kKinds) ? nullptr : found;
}

size_t bytes_of(const DeviceFacts& facts, const Kind& kind) {
  return facts.descriptor_sizes.*(facts.robust_descriptors ? kind.robust_size : kind.size);
}

size_t usable(size_t bytes) { return bytes % 4 == 0 && bytes <= kMostDescriptorBytes ? bytes : 0; }

}  // namespace

uint32_t descriptor_kind(VkDescriptorType type) {
  if (type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) return SQA_DESCRIPTOR_MUTABLE;
  const Kind* const kind = find_kind(type);
  return kind ? kind->kind : SQA_DESCRIPTOR_KINDS;
}

size_t descriptor_size(const DeviceFacts& facts, VkDescriptorType type) {
  const Kind* const kind = find_kind(type);
  return kind ? usable(bytes_of(facts, *kind)) : 0;
}

size_t heap_descriptor_size(const DeviceFacts& facts, VkDescriptorType type) {
  const auto found =
      std::ranges::find(facts.heap_descriptor_sizes, type, [](const auto& known) { return known.first; });
  return found == facts.heap_descriptor_sizes.end() ? 0 : usable(found->second);
}

size_t descriptor_stride(const DeviceFacts& facts, const BindingSlots& binding) {
  if (binding.type != VK_DESCRIPTOR_TYPE_MUTABLE_EXT) {
    const bool apart = binding.type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER && binding.count > 1 &&
                       !facts.descriptor_sizes.combinedImageSamplerDescriptorSingleArray;
    return apart ? 0 : descriptor_size(facts, binding.type);
  }
  size_t largest = 0;
  for (const VkDescriptorType type : binding.mutable_types) {
    const size_t bytes = descriptor_size(facts, type);
    if (bytes == 0) return 0;
    largest = std::max(largest, bytes);
  }
  return largest;
}

DescriptorTable::DescriptorTable(size_t descriptor_bytes)
    : bytes_(descriptor_bytes), place_quads_(static_cast<uint32_t>(1 + (descriptor_bytes + 15) / 16)) {}

std::array<uint32_t, 4> DescriptorTable::directory_quad() const {
  std::array<uint32_t, 4> quad{0, 0, place_quads_, static_cast<uint32_t>(bytes_ / 4)};
  if (!memory_) return quad;
  const uint64_t address = memory_->address() + skipped_ + static_cast<uint64_t>(std::countr_zero(places_));
  std::memcpy(quad.data(), &address, sizeof address);
  return quad;
}

uint32_t DescriptorTable::hash_of(const uint32_t* dwords) const {
  uint32_t hash = 0;
  for (size_t i = 0; i < std::max<size_t>(bytes_ / 4, 4); ++i) hash = SQA_DESCRIPTOR_HASH(hash, dwords[i]);
  return hash;
}

size_t DescriptorTable::find(const uint32_t* dwords, uint32_t hash) {
  const size_t mask = places_ - 1;
  size_t number = hash & mask;
  while (place(number)[3] != 0 && std::memcmp(place(number) + 4, dwords, bytes_) != 0)
    number = (number + 1) & mask;
  return number;
}

// Shaders may look into the place meanwhile. They take it if its tag and its bytes are theirs, so the tag is
// written last.
void DescriptorTable::write(size_t number) {
  const uint32_t* const from = place(number);
  auto* const to = reinterpret_cast<uint32_t*>(memory_->mapped() + skipped_) + (from - copy_.data());
  std::memcpy(to + 4, from + 4, size_t{place_quads_ - 1} * 16);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memcpy(to, from, 12);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_ref(to[3]).store(from[3], std::memory_order_release);
}

DescriptorTable::Added DescriptorTable::grow(const DeviceContext& device) {
  const size_t places = places_ ? places_ * 2 : kFirstPlaces;
  const size_t dwords = places * place_quads_ * 4;
  if (dwords * 4 > kMostTableBytes) return Added::full;
  DeviceBuffer::Request request;
  request.size = dwords * 4 + kAlignment;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  std::string problem;
  auto memory = DeviceBuffer::create(device, request, problem);
  if (!memory) return Added::no_memory;
  const std::vector<uint32_t> before = std::exchange(copy_, std::vector<uint32_t>(dwords));
  const size_t places_before = std::exchange(places_, places);
  std::unordered_multimap<size_t, uint32_t> views;
  for (const auto& [view, number] : views_) views.emplace(number, view);
  views_.clear();
  for (size_t i = 0; i < places_before; ++i) {
    const uint32_t* const old = before.data() + i * place_quads_ * 4;
    if (old[3] == 0) continue;
    const size_t number = find(old + 4, hash_of(old + 4));
    std::memcpy(place(number), old, size_t{place_quads_} * 16);
    const auto [first, last] = views.equal_range(i);
    for (auto view = first; view != last; ++view) views_.emplace(view->second, number);
  }
  skipped_ = (kAlignment - memory->address() % kAlignment) % kAlignment;
  std::memcpy(memory->mapped() + skipped_, copy_.data(), dwords * 4);
  if (memory_) outgrown_.push_back(std::move(memory_));
  memory_ = std::move(memory);
  return Added::yes;
}

DescriptorTable::Added DescriptorTable::add(const DeviceContext& device, std::span<const std::byte> bytes,
                                            const TableEntry& entry) {
  const Added grown = used_ >= places_ / 2 ? grow(device) : Added::yes;
  if (places_ == 0) return grown;
  std::array<uint32_t, kMostDescriptorBytes / 4> dwords;
  std::fill_n(dwords.begin(), 4, 0);
  std::memcpy(dwords.data(), bytes.data(), bytes_);
  const uint32_t hash = hash_of(dwords.data());
  const size_t number = find(dwords.data(), hash);
  uint32_t* const at = place(number);
  // In a fuller table shaders would look for long at what is not there. What is known gets its new meaning.
  if (at[3] == 0 && grown != Added::yes && used_ >= places_ - places_ / 4) return grown;
  const bool image = (entry.meta & SQA_TABLE_IMAGE) != 0;
  const uint32_t view = image ? entry.meta >> SQA_TABLE_VIEW_SHIFT : SQA_NO_VIEW;
  uint32_t now[4];
  std::memcpy(now, &entry.address, sizeof entry.address);
  now[2] = image ? view : entry.range;
  const uint32_t tag = (hash & SQA_DESCRIPTOR_TAG) != 0 ? hash & SQA_DESCRIPTOR_TAG : 0x400;
  now[3] = (entry.meta & 0x3ff) | tag;
  // Drivers may round sizes up: then both descriptors mean this memory, and the shorter one is safe to
  // assume.
  const bool same_buffer =
      at[3] != 0 && !image && (entry.meta & 0xff) == 0 && at[0] == now[0] && at[1] == now[1];
  if (same_buffer) now[2] = std::min(now[2], at[2]);
  // The driver does not tell layouts apart, so which of them the program means is not known.
  const auto names = [](uint32_t meta) { return meta & SQA_TABLE_LAYOUT; };
  if (image && at[3] != 0 && names(at[3]) != names(now[3]) && is_of_living_view(number))
    now[3] &= ~SQA_TABLE_LAYOUT;
  if (std::memcmp(at, now, sizeof now) == 0) return Added::yes;
  const bool is_new = at[3] == 0;
  if (is_new) {
    ++used_;
    std::memcpy(at + 4, dwords.data(), bytes_);
  }
  std::memcpy(at, now, sizeof now);
  if (image && (is_new || !leads_to(view, number))) views_.emplace(view, number);
  write(number);
  return Added::yes;
}

bool DescriptorTable::is_of_living_view(size_t number) const {
  const bool leads_to_one = copy_[number * place_quads_ * 4 + 2] != SQA_NO_VIEW;
  return leads_to_one ||
         std::ranges::any_of(views_, [&](const auto& known) { return known.second == number; });
}

bool DescriptorTable::leads_to(uint32_t view, size_t number) const {
  const auto [first, last] = views_.equal_range(view);
  return std::any_of(first, last, [&](const auto& known) { return known.second == number; });
}

void DescriptorTable::forget_view(uint32_t number) {
  const auto [first, last] = views_.equal_range(number);
  for (auto view = first; view != last; ++view) {
    uint32_t* const at = place(view->second);
    if (at[2] != number) continue;  // the bytes are those of another view now
    at[0] = at[1] = 0;
    at[2] = SQA_NO_VIEW;
    at[3] &= ~SQA_TABLE_LAYOUT;
    write(view->second);
  }
  views_.erase(first, last);
}

DescriptorBytes::DescriptorBytes(const DeviceContext& device) : device_(device) {}

DescriptorBytes::~DescriptorBytes() {
  if (!device_.instance->in_forked_child()) return;
  static_cast<void>(directory_.release());
  for (auto& table : tables_) static_cast<void>(table.release());
}

bool DescriptorBytes::require() {
  if (std::exchange(tried_, true)) return directory_ != nullptr;
  DeviceBuffer::Request request;
  request.size = SQA_DESCRIPTORS_BYTES;
  std::string problem;
  directory_ = DeviceBuffer::create(device_, request, problem);
  if (!directory_)
    device_.note("descriptor buffers",
                 "accesses through descriptors in descriptor buffers or heaps are not checked: " + problem);
  return directory_ != nullptr;
}

VkDeviceAddress DescriptorBytes::address() {
  const std::lock_guard lock(mutex_);
  return require() ? directory_->address() : 0;
}

void DescriptorBytes::add(VkDescriptorType type, std::span<const std::byte> bytes, const TableEntry& entry) {
  const uint32_t kind = descriptor_kind(type);
  if (kind < SQA_DESCRIPTOR_KINDS) add(kind, descriptor_size(device_.facts, type), bytes, entry);
}

void DescriptorBytes::add_in_heap(VkDescriptorType type, std::span<const std::byte> bytes,
                                  const TableEntry& entry) {
  const uint32_t kind = descriptor_kind(type);
  if (kind < SQA_DESCRIPTOR_KINDS)
    add(SQA_DESCRIPTOR_HEAP + kind, heap_descriptor_size(device_.facts, type), bytes, entry);
}

void DescriptorBytes::add(uint32_t table, size_t size, std::span<const std::byte> bytes,
                          const TableEntry& entry) {
  if (size == 0 || bytes.size() < size) return;
  const std::lock_guard lock(mutex_);
  if (!require()) return;
  auto& known = tables_[table];
  if (!known) known = std::make_unique<DescriptorTable>(size);
  TableEntry meant = entry;
  if (is_image(table) && (entry.meta & SQA_TABLE_IMAGE) == 0) meant.range = SQA_NO_VIEW;
  if (known->add(device_, bytes, meant) != DescriptorTable::Added::yes) return note_full();
  write_directory(table);
  if (!is_writable(table) || !entry.address) return;
  has_writable_.store(true, std::memory_order_relaxed);
  if (collects_) writable_.insert(entry.address);
}

bool DescriptorBytes::is_writable(uint32_t table) {
  const uint32_t kind = table % SQA_DESCRIPTOR_HEAP;
  return kind == SQA_DESCRIPTOR_STORAGE || kind == SQA_DESCRIPTOR_STORAGE_TEXEL ||
         kind == SQA_DESCRIPTOR_STORAGE_IMAGE;
}

bool DescriptorBytes::is_image(uint32_t table) {
  const uint32_t kind = table % SQA_DESCRIPTOR_HEAP;
  return kind >= SQA_DESCRIPTOR_SAMPLED_IMAGE && kind < SQA_DESCRIPTOR_KINDS;
}

std::vector<VkDeviceAddress> DescriptorBytes::take_writable() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(collects_, true)) {
    for (uint32_t table = 0; table < SQA_DESCRIPTOR_TABLES; ++table)
      if (tables_[table] && is_writable(table))
        tables_[table]->for_each_address([&](VkDeviceAddress address) { writable_.insert(address); });
  }
  std::vector<VkDeviceAddress> taken(writable_.begin(), writable_.end());
  writable_.clear();
  return taken;
}

// Its size is written before its address is, and then stays as it is.
void DescriptorBytes::write_directory(uint32_t table) {
  const std::array<uint32_t, 4> quad = tables_[table]->directory_quad();
  if (quad == written_[table]) return;
  written_[table] = quad;
  std::byte* const at = directory_->mapped() + size_t{16} * table;
  std::memcpy(at + 8, quad.data() + 2, 8);
  uint64_t address;
  std::memcpy(&address, quad.data(), 8);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_ref(*reinterpret_cast<uint64_t*>(at)).store(address, std::memory_order_release);
}

void DescriptorBytes::note_full() const {
  device_.note(
      "descriptor tables",
      "accesses through some descriptors in descriptor buffers or heaps are not checked: the program made "
      "more of them than there is memory to remember them");
}

void DescriptorBytes::forget_view(const TableEntry& entry) {
  if ((entry.meta & SQA_TABLE_IMAGE) == 0) return;
  const std::lock_guard lock(mutex_);
  for (const auto& table : tables_)
    if (table) table->forget_view(entry.meta >> SQA_TABLE_VIEW_SHIFT);
}

bool DescriptorBytes::unknown_found() const {
  const std::lock_guard lock(mutex_);
  return directory_ &&
         std::atomic_ref(reinterpret_cast<uint32_t*>(directory_->mapped())[SQA_DESCRIPTORS_UNKNOWN])
                 .load(std::memory_order_relaxed) != 0;
}

}  // namespace shaderqa::layer
