// SPDX-License-Identifier: Apache-2.0
// Samplers that may be immutable in the layout of a pipeline whose checked version is made later, and what
// samplers there are.
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/image_table.h"
#include "layer/resources/lease.h"
#include "layer/vk/guarded.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateSampler(VkDevice handle, const VkSamplerCreateInfo* pCreateInfo,
                                                    const VkAllocationCallbacks* pAllocator,
                                                    VkSampler* pSampler) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateSampler(handle, pCreateInfo, pAllocator, pSampler);
  // A conversion can be destroyed by itself.
  const bool converts = find_in_chain<VkSamplerYcbcrConversionInfo>(
      pCreateInfo->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO);
  if (result == VK_SUCCESS && !pAllocator && !converts)
    guarded([&] { device.leases.samplers.created(device, *pSampler); });
  if (result == VK_SUCCESS && device.engine->needs.images)
    guarded([&] { device.images.see_sampler(*pCreateInfo); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroySampler(VkDevice handle, VkSampler sampler,
                                                 const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (sampler && device.leases.samplers.destroy(sampler)) return;
  device.next.DestroySampler(handle, sampler, pAllocator);
}

}  // namespace shaderqa::layer
