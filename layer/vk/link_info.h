// SPDX-License-Identifier: Apache-2.0
// The loader's node that leads to the next layer, in the pNext chain of vkCreateInstance and vkCreateDevice.
#ifndef SHADERQA_LAYER_VK_LINK_INFO_H
#define SHADERQA_LAYER_VK_LINK_INFO_H

#include <vulkan/vk_layer.h>

#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

// The node may be written although the chain is const: every layer must advance u.pLayerInfo before it calls
// the next layer. Other nodes of the same sType carry callbacks.
template <typename LinkInfo, typename CreateInfo>
LinkInfo* find_link_info(const CreateInfo& info, VkStructureType type) {
  auto node = find_in_chain<LinkInfo>(info.pNext, type);
  while (node && node->function != VK_LAYER_LINK_INFO) node = find_in_chain<LinkInfo>(node->pNext, type);
  return node && node->u.pLayerInfo ? const_cast<LinkInfo*>(node) : nullptr;
}

}  // namespace shaderqa::layer
#endif
