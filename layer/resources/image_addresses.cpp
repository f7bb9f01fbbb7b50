// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/image_addresses.h"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "layer/vk/range_allocator.h"

namespace shaderqa::layer {
namespace {

constexpr uint64_t kPageBytes = uint64_t{1} << SQA_PAGE_LOG2;
constexpr uint64_t kAlignment = 256;
constexpr uint32_t kPages = 1u << 30;
static_assert(ImageAddresses::kSmallImage == kPageBytes / 2);
static_assert(abi::image_addresses + kPages * kPageBytes - 1 == abi::highest_image_address);

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
uint32_t pages_of(uint64_t bytes) { return static_cast<uint32_t>((bytes + kPageBytes - 1) / kPageBytes); }

}  // namespace

struct ImageAddresses::Pages {
  uint64_t allocate(uint64_t size);
  void free(uint64_t address, uint64_t size);

  std::mutex mutex;  // guards all members below
  RangeAllocator all{kPages};
  std::unordered_map<uint32_t, uint32_t> small;  // pages of small images -> how many they are
  uint32_t page = 0, used = 0;                   // the page that is being filled; used is 0 if there is none
};

uint64_t ImageAddresses::Pages::allocate(uint64_t size) {
  const std::lock_guard lock(mutex);
  if (size > kSmallImage) {
    const auto first = all.allocate(pages_of(size));
    return first ? abi::image_addresses + *first * kPageBytes : 0;
  }
  if (used == 0 || used + size > kPageBytes) {
    const auto next = all.allocate(1);
    if (!next) return 0;
    page = *next;
    used = 0;
    small[page] = 0;
  }
  const uint64_t address = abi::image_addresses + page * kPageBytes + used;
  used += static_cast<uint32_t>(size);
  ++small[page];
  return address;
}

void ImageAddresses::Pages::free(uint64_t address, uint64_t size) {
  const std::lock_guard lock(mutex);
  const auto first = static_cast<uint32_t>((address - abi::image_addresses) / kPageBytes);
  if (size > kSmallImage) return all.free(first, pages_of(size));
  const auto found = small.find(first);
  if (found == small.end() || --found->second != 0) return;
  small.erase(found);
  if (first == page) used = 0;
  all.free(first, 1);
}

// The addresses that are reserved, until nobody holds them.
struct ImageAddresses::Reserved {
  Reserved(std::shared_ptr<Pages> from, uint64_t first, uint64_t its_size)
      : pages(std::move(from)), address(first), size(its_size) {}
  ~Reserved() { pages->free(address, size); }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  const std::shared_ptr<Pages> pages;
  const uint64_t address, size;
};

ImageAddresses::ImageAddresses() : pages_(std::make_shared<Pages>()) {}

ImageAddresses::Reservation ImageAddresses::reserve(uint64_t bytes) {
  const uint64_t size = aligned(bytes);
  const uint64_t address = pages_->allocate(size);
  if (!address) return nullptr;
  const auto reserved = std::make_shared<const Reserved>(pages_, address, size);
  return {reserved, &reserved->address};
}

}  // namespace shaderqa::layer
