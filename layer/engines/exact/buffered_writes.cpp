// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/buffered_writes.h"

#include <string>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_resolve.h"
#include "layer/context/instance.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/resources/descriptor_bytes.h"

namespace shaderqa::layer {

BufferedWrites::~BufferedWrites() {
  if (device_.instance->in_forked_child()) static_cast<void>(list_.release());
}

VkDeviceAddress BufferedWrites::make_list() {
  DeviceBuffer::Request request;
  request.size = SQA_WRITTEN_BYTES;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  std::string problem;
  list_ = DeviceBuffer::create(device_, request, problem);
  return list_ ? list_->address() : 0;
}

void BufferedWrites::take() {
  const std::vector<VkDeviceAddress> fresh = device_.descriptor_bytes.take_writable();
  if (marks_.load(std::memory_order_relaxed)) {
    for (const VkDeviceAddress address : fresh) engine_.mark_written(address);
    return;
  }
  for (const VkDeviceAddress address : fresh) engine_.suspect_written(address);
  suspected_.insert(fresh.begin(), fresh.end());
}

void BufferedWrites::mark_all() {
  const std::lock_guard lock(mutex_);
  if (!marks_.exchange(true, std::memory_order_acq_rel))
    for (const VkDeviceAddress address : std::exchange(suspected_, {})) engine_.mark_written(address);
  take();
}

void BufferedWrites::suspect_all() {
  if (marks_.load(std::memory_order_acquire) || !list_) return mark_all();
  const std::lock_guard lock(mutex_);
  suspects_.store(true, std::memory_order_release);
  take();
}

// The device counts first, and then says which buffer it is.
void BufferedWrites::take_marked() {
  auto* const count = reinterpret_cast<uint32_t*>(list_->mapped());
  auto* const places = reinterpret_cast<uint64_t*>(count + SQA_WRITTEN_FIRST);
  const uint32_t marked = std::atomic_ref(*count).load(std::memory_order_acquire);
  if (marked - taken_ > SQA_WRITTEN_PLACES) {
    // Some are lost, but all of them are suspected.
    for (const VkDeviceAddress address : suspected_) engine_.mark_written(address);
    for (uint32_t i = 0; i < SQA_WRITTEN_PLACES; ++i)
      std::atomic_ref(places[i]).store(0, std::memory_order_relaxed);
    taken_ = marked;
    return;
  }
  for (; taken_ != marked; ++taken_) {
    const uint64_t address =
        std::atomic_ref(places[taken_ % SQA_WRITTEN_PLACES]).exchange(0, std::memory_order_acq_rel);
    if (address == 0) return;
    engine_.mark_written(address);
  }
}

bool BufferedWrites::found_apart() const {
  return list_ && std::atomic_ref(reinterpret_cast<uint32_t*>(list_->mapped())[SQA_WRITTEN_APART])
                          .load(std::memory_order_relaxed) != 0;
}

void BufferedWrites::before_submission() {
  if (marks_.load(std::memory_order_acquire)) return mark_all();
  if (!suspects_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  take();
  take_marked();
  if (!engine_.cells_are_apart() && found_apart()) engine_.expect_cells_apart();
}

}  // namespace shaderqa::layer
