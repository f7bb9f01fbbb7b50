// SPDX-License-Identifier: Apache-2.0
// The commands that create layouts: all are remembered, and pipeline layouts get the reserved set in
// addition.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

void note_descriptor_buffers(const DeviceContext& device) {
  device.note("descriptor buffers",
              "accesses through descriptors in descriptor buffers are not checked for being unsynchronised, "
              "because the engine does not follow such descriptors; those by device address are");
}

// Where the descriptors lie, where that is of use.
void place_descriptors(const Device& device, VkDescriptorSetLayout handle, SetLayout& layout) {
  if (!device.engine->needs.descriptor_buffers || !layout.is_buffered()) return;
  if (!place_in_buffer(device, handle, layout))
    device.note("buffered descriptors",
                "accesses through some descriptors in descriptor buffers are not checked for being "
                "unsynchronised, because of how large they are, or where the driver puts them");
}

VkResult make_twin(const DeviceContext& device, const VkPipelineLayoutCreateInfo& info,
                   PipelineLayout& layout) {
  VkPipelineLayout twin = VK_NULL_HANDLE;
  const VkResult result = device.next.CreatePipelineLayout(device.handle, &info, nullptr, &twin);
  if (result < 0) return result;
  layout.twin = std::make_shared<LayoutLease>(device, twin);
  layout.twin->destroy_at_end();
  return result;
}

// PipelineLayout::beside_others and before_others. info: of the extended layout; given: the application's
// sets.
std::shared_ptr<LayoutLease> create_for_libraries(const DeviceContext& device,
                                                  VkPipelineLayoutCreateInfo info,
                                                  std::span<const VkDescriptorSetLayout> given,
                                                  bool before_others) {
  std::vector<VkDescriptorSetLayout> sets(info.pSetLayouts, info.pSetLayouts + info.setLayoutCount);
  const auto behind = std::ranges::copy(given, sets.begin()).out;
  if (before_others) std::fill(behind, sets.end() - 1, VK_NULL_HANDLE);
  info.pSetLayouts = sets.data();
  VkPipelineLayout layout = VK_NULL_HANDLE;
  if (device.next.CreatePipelineLayout(device.handle, &info, nullptr, &layout) < 0) return nullptr;
  auto lease = std::make_shared<LayoutLease>(device, layout);
  lease->destroy_at_end();
  return lease;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL
hooks::CreateDescriptorSetLayout(VkDevice handle, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                 const VkAllocationCallbacks* pAllocator, VkDescriptorSetLayout* pSetLayout) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateDescriptorSetLayout(handle, pCreateInfo, pAllocator, pSetLayout);
  if (result == VK_SUCCESS)
    guarded([&] {
      const auto layout = read_set_layout(*pCreateInfo, device.engine->needs.images);
      place_descriptors(device, *pSetLayout, *layout);
      device.pipeline_layouts.add(*pSetLayout, layout);
    });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyDescriptorSetLayout(VkDevice handle, VkDescriptorSetLayout layout,
                                                             const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  // Forgotten first: once it is destroyed the driver may reuse the handle.
  if (layout) guarded([&] { device.pipeline_layouts.remove(layout); });
  device.next.DestroyDescriptorSetLayout(handle, layout, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreatePipelineLayout(VkDevice handle,
                                                           const VkPipelineLayoutCreateInfo* pCreateInfo,
                                                           const VkAllocationCallbacks* pAllocator,
                                                           VkPipelineLayout* pPipelineLayout) {
  Device& device = device_of(handle);
  bool done = false;
  VkResult result = VK_SUCCESS;
  std::shared_ptr<PipelineLayout> layout;
  guarded([&] {
    const std::span set_layouts(pCreateInfo->pSetLayouts, pCreateInfo->setLayoutCount);
    layout = std::make_shared<PipelineLayout>(device.pipeline_layouts.describe(set_layouts));
    if (!device.checks_sync()) return;
    layout->constants.assign(pCreateInfo->pPushConstantRanges,
                             pCreateInfo->pPushConstantRanges + pCreateInfo->pushConstantRangeCount);
    layout->independent = pCreateInfo->flags & VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
    std::string reason;
    const auto extended = device.pipeline_layouts.extend(set_layouts, *layout, reason);
    if (extended.empty()) {
      if (layout->independent) device.pipeline_layouts.see_full_independent();
      layout->no_set = reason;
      if (!device.pipeline_layouts.add_constant(*pCreateInfo, *layout, reason))
        note_unchecked_layout(device, reason);
      return;
    }
    if (layout->descriptor_buffers && !device.engine->needs.descriptor_buffers)
      note_descriptor_buffers(device);
    VkPipelineLayoutCreateInfo info = *pCreateInfo;
    info.setLayoutCount = static_cast<uint32_t>(extended.size());
    info.pSetLayouts = extended.data();
    if (pAllocator) result = make_twin(device, info, *layout);
    if (result >= 0) result = device.next.CreatePipelineLayout(handle, &info, pAllocator, pPipelineLayout);
    done = result >= 0;
    layout->has_record = done;
    if (done && device.facts.generated_commands &&
        device.next.CreatePipelineLayout(handle, pCreateInfo, pAllocator, &layout->as_given) < 0)
      layout->as_given = VK_NULL_HANDLE;
    if (done && layout->independent) {
      layout->before_others = create_for_libraries(device, info, set_layouts, true);
      if (std::ranges::find(set_layouts, VkDescriptorSetLayout{VK_NULL_HANDLE}) != set_layouts.end())
        layout->beside_others = create_for_libraries(device, info, set_layouts, false);
    }
    if (!done)
      note_unchecked_layout(device,
                            "the driver refuses the longer layout (VkResult " + std::to_string(result) + ")");
  });
  if (!done) result = device.next.CreatePipelineLayout(handle, pCreateInfo, pAllocator, pPipelineLayout);
  if (result == VK_SUCCESS && layout) {
    guarded([&] {
      if (!pAllocator) device.leases.layouts.created(device, *pPipelineLayout);
      device.pipeline_layouts.add(*pPipelineLayout, std::move(layout));
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyPipelineLayout(VkDevice handle, VkPipelineLayout pipelineLayout,
                                                        const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  const auto known = pipelineLayout ? device.pipeline_layouts.find(pipelineLayout) : nullptr;
  if (known && known->as_given) device.next.DestroyPipelineLayout(handle, known->as_given, pAllocator);
  if (pipelineLayout) guarded([&] { device.pipeline_layouts.remove(pipelineLayout); });
  // Action records are bound with it as long as there are pipelines that were created with it, and checked
  // versions of pipelines may still have to be.
  if (pipelineLayout && device.leases.layouts.destroy(pipelineLayout)) return;
  device.next.DestroyPipelineLayout(handle, pipelineLayout, pAllocator);
}

// Pipelines of indirect execution sets have layouts without the reserved set, and this layout must match
// them.
VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateIndirectCommandsLayoutEXT(
    VkDevice handle, const VkIndirectCommandsLayoutCreateInfoEXT* pCreateInfo,
    const VkAllocationCallbacks* pAllocator, VkIndirectCommandsLayoutEXT* pIndirectCommandsLayout) {
  Device& device = device_of(handle);
  VkIndirectCommandsLayoutCreateInfoEXT info = *pCreateInfo;
  const bool switches = std::any_of(info.pTokens, info.pTokens + info.tokenCount, [](const auto& token) {
    return token.type == VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT;
  });
  const auto known = switches ? device.pipeline_layouts.find(info.pipelineLayout) : nullptr;
  if (known && known->as_given) info.pipelineLayout = known->as_given;
  return device.next.CreateIndirectCommandsLayoutEXT(handle, &info, pAllocator, pIndirectCommandsLayout);
}

}  // namespace shaderqa::layer
