// SPDX-License-Identifier: Apache-2.0
// An application may destroy a pipeline layout, a render pass or a sampler once its pipelines are created.
// The layer needs some of them longer, and puts their destruction off until then.
#ifndef SHADERQA_LAYER_RESOURCES_LEASE_H
#define SHADERQA_LAYER_RESOURCES_LEASE_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <memory>
#include <vector>

#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

inline void destroy_object(const DeviceContext& device, VkPipelineLayout layout) {
  device.next.DestroyPipelineLayout(device.handle, layout, nullptr);
}
inline void destroy_object(const DeviceContext& device, VkRenderPass render_pass) {
  device.next.DestroyRenderPass(device.handle, render_pass, nullptr);
}
inline void destroy_object(const DeviceContext& device, VkSampler sampler) {
  device.next.DestroySampler(device.handle, sampler, nullptr);
}

template <typename Handle>
class Lease {
 public:
  Lease(const DeviceContext& device, Handle object) : handle(object), device_(device) {}
  ~Lease() {
    if (destroy_at_end_.load(std::memory_order_relaxed) && !device_.instance->in_forked_child())
      destroy_object(device_, handle);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  void destroy_at_end() { destroy_at_end_.store(true, std::memory_order_relaxed); }

  const Handle handle;

 private:
  const DeviceContext& device_;
  std::atomic<bool> destroy_at_end_ = false;
};
using LayoutLease = Lease<VkPipelineLayout>;

// The living objects of one type whose destruction can be put off: those created without an allocator of the
// application's, which must not be called later. Thread-safe.
template <typename Handle>
class Leases {
 public:
  void created(const DeviceContext& device, Handle object) {
    leases_.emplace(object, std::make_shared<Lease<Handle>>(device, object));
  }
  // While the object lives. Null: its destruction cannot be put off.
  std::shared_ptr<Lease<Handle>> borrow(Handle object) const {
    const auto* found = leases_.find(object);
    return found ? *found : nullptr;
  }
  // The application destroys it. True: that is done, or will be once nobody needs it.
  bool destroy(Handle object) {
    const std::unique_ptr<std::shared_ptr<Lease<Handle>>> lease = leases_.erase(object);
    if (lease) (*lease)->destroy_at_end();
    return lease != nullptr;
  }

 private:
  HandleTable<Handle, std::shared_ptr<Lease<Handle>>> leases_;
};

// Which attachments a subpass uses: pipelines for it may have invalid pointers to the state of the others.
struct SubpassUse {
  bool color = false, depth = false;
};

struct ObjectLeases {
  Leases<VkPipelineLayout> layouts;
  Leases<VkRenderPass> render_passes;
  Leases<VkSampler> samplers;
  HandleTable<VkRenderPass, std::vector<SubpassUse>> subpasses;
};

}  // namespace shaderqa::layer
#endif
