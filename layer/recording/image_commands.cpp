// SPDX-License-Identifier: Apache-2.0
// Commands that access images alone: the engine is told which texels. Barriers around them are not judged
// (docs/internals/redundant.md).
#include <algorithm>
#include <optional>

#include "layer/recording/image_accesses.h"
#include "layer/recording/layout_commands.h"
#include "layer/recording/transfers.h"
#include "layer/resources/object_facts.h"

namespace shaderqa::layer {
namespace {

// Says what the command does, and what it accesses. name(state): the layouts that it names.
template <typename Name, typename Describe>
Device& before_image_command(VkCommandBuffer command_buffer, const char* command, uint32_t main_class,
                             CommandArguments arguments, const Name& name,
                             const Describe& describe) noexcept {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    name(state);
    state.use_memory(VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, kUsesImages);
    if (!device.engine->needs.images || !state.can_record_accesses()) return;
    CommandAccesses accesses;
    accesses.command = command;
    accesses.main_class = main_class;
    accesses.images = true;
    accesses.arguments = arguments;
    describe(device, accesses);
    state.record_accesses(accesses);
  });
}

struct Images {
  VkImage source, destination;
  VkImageLayout source_layout, destination_layout;
};

template <typename Region>
void name_layouts(CommandRecorder& state, const char* command, const Images& images, uint32_t count,
                  const Region* regions) {
  LayoutCommand layouts(state, command);
  layouts.access(images.source, images.source_layout, count, regions, &Region::srcSubresource);
  layouts.access(images.destination, images.destination_layout, count, regions, &Region::dstSubresource);
}

CommandArguments arguments_of(const Images& images, uint32_t count) {
  return CommandArguments(HandleArgument(images.source), HandleArgument(images.destination), count);
}

// A copy of a texel of one format may be of a block of the other one. Nothing where the blocks are not known.
template <typename Region>
std::optional<VkExtent3D> in_destination(const Device& device, const Images& images, const Region& region) {
  const auto block = [&](VkImage image, VkImageAspectFlags aspect) {
    const ImageFacts* const facts = device.object_facts.images.find(image);
    // Those of swapchains have no blocks, nor have planes, depth and stencil.
    const bool may_have = facts && aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    return may_have ? texel_block(facts->format, aspect) : TexelBlock{1, 1, 1};
  };
  const TexelBlock from = block(images.source, region.srcSubresource.aspectMask),
                   to = block(images.destination, region.dstSubresource.aspectMask);
  VkExtent3D extent = region.extent;
  if (from.bytes == 0 || to.bytes == 0) return std::nullopt;
  const auto scaled = [](uint32_t size, uint32_t from_block, uint32_t to_block) {
    return (size + from_block - 1) / from_block * to_block;
  };
  if (from.width != to.width) extent.width = scaled(extent.width, from.width, to.width);
  if (from.height != to.height) extent.height = scaled(extent.height, from.height, to.height);
  return extent;
}

// Layers of one side may be slices of the other one.
VkImageSubresourceLayers as_many(VkImageSubresourceLayers layers, uint32_t depth) {
  if (layers.layerCount == 1 && depth > 1) layers.layerCount = depth;
  return layers;
}

template <typename Region>
Device& before_copy(VkCommandBuffer command_buffer, const char* command, const Images& images, uint32_t count,
                    const Region* regions) noexcept {
  return before_image_command(
      command_buffer, command, SQA_CLASS_TRANSFER, arguments_of(images, count),
      [&](CommandRecorder& state) { name_layouts(state, command, images, count, regions); },
      [&](Device& device, CommandAccesses& accesses) {
        for (uint32_t i = 0; i < count; ++i) {
          const Region& region = regions[i];
          VkExtent3D from = region.extent;
          const std::optional<VkExtent3D> scaled = in_destination(device, images, region);
          if (!scaled) continue;
          VkExtent3D to = *scaled;
          const uint32_t slices = std::max({region.extent.depth,
                                            region.srcSubresource.layerCount == VK_REMAINING_ARRAY_LAYERS
                                                ? 1u
                                                : region.srcSubresource.layerCount,
                                            region.dstSubresource.layerCount == VK_REMAINING_ARRAY_LAYERS
                                                ? 1u
                                                : region.dstSubresource.layerCount});
          from.depth = to.depth = slices;
          add_box(device, accesses, images.source,
                  {as_many(region.srcSubresource, slices), region.srcOffset, from}, false);
          add_box(device, accesses, images.destination,
                  {as_many(region.dstSubresource, slices), region.dstOffset, to}, true);
        }
      });
}

// The corners of a blit may be in any order.
ImageBox box_of(const VkImageSubresourceLayers& subresources, const VkOffset3D (&corners)[2]) {
  const auto [x0, x1] = std::minmax(corners[0].x, corners[1].x);
  const auto [y0, y1] = std::minmax(corners[0].y, corners[1].y);
  const auto [z0, z1] = std::minmax(corners[0].z, corners[1].z);
  const auto size = [](int32_t from, int32_t to) {
    return static_cast<uint32_t>(to) - static_cast<uint32_t>(from);
  };
  return {subresources, {x0, y0, z0}, {size(x0, x1), size(y0, y1), size(z0, z1)}};
}

// Whether a blit reads every texel of what it names: it does if it does not shrink, and with a linear filter
// also down to a half.
bool reads_all(const VkExtent3D& from, const VkExtent3D& to, VkFilter filter) {
  const uint64_t most = filter == VK_FILTER_LINEAR ? 2 : 1;
  return from.width <= most * to.width && from.height <= most * to.height && from.depth <= most * to.depth;
}

template <typename Region>
Device& before_blit(VkCommandBuffer command_buffer, const char* command, const Images& images, uint32_t count,
                    const Region* regions, VkFilter filter) noexcept {
  return before_image_command(
      command_buffer, command, SQA_CLASS_OTHER, arguments_of(images, count),
      [&](CommandRecorder& state) { name_layouts(state, command, images, count, regions); },
      [&](Device& device, CommandAccesses& accesses) {
        for (uint32_t i = 0; i < count; ++i) {
          const ImageBox from = box_of(regions[i].srcSubresource, regions[i].srcOffsets);
          const ImageBox to = box_of(regions[i].dstSubresource, regions[i].dstOffsets);
          if (reads_all(from.extent, to.extent, filter))
            add_box(device, accesses, images.source, from, false);
          add_box(device, accesses, images.destination, to, true);
        }
      });
}

template <typename Region>
Device& before_resolve(VkCommandBuffer command_buffer, const char* command, const Images& images,
                       uint32_t count, const Region* regions) noexcept {
  return before_image_command(
      command_buffer, command, SQA_CLASS_OTHER, arguments_of(images, count),
      [&](CommandRecorder& state) { name_layouts(state, command, images, count, regions); },
      [&](Device& device, CommandAccesses& accesses) {
        for (uint32_t i = 0; i < count; ++i) {
          const Region& region = regions[i];
          add_box(device, accesses, images.source, {region.srcSubresource, region.srcOffset, region.extent},
                  false);
          add_box(device, accesses, images.destination,
                  {region.dstSubresource, region.dstOffset, region.extent}, true);
        }
      });
}

Device& before_clear(VkCommandBuffer command_buffer, const char* command, VkImage image, VkImageLayout layout,
                     uint32_t count, const VkImageSubresourceRange* ranges) noexcept {
  return before_image_command(
      command_buffer, command, SQA_CLASS_CLEAR, CommandArguments(HandleArgument(image), count),
      [&](CommandRecorder& state) {
        LayoutCommand layouts(state, command);
        for (uint32_t i = 0; i < count; ++i) layouts.access(image, ranges[i], layout);
      },
      [&](Device& device, CommandAccesses& accesses) {
        for (uint32_t i = 0; i < count; ++i) add_subresources(device, accesses, image, ranges[i], true);
      });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyImage(VkCommandBuffer commandBuffer, VkImage srcImage,
                                               VkImageLayout srcImageLayout, VkImage dstImage,
                                               VkImageLayout dstImageLayout, uint32_t regionCount,
                                               const VkImageCopy* pRegions) {
  Device& device = before_copy(commandBuffer, "vkCmdCopyImage",
                               {srcImage, dstImage, srcImageLayout, dstImageLayout}, regionCount, pRegions);
  device.next.CmdCopyImage(commandBuffer, srcImage, srcImageLayout, dstImage, dstImageLayout, regionCount,
                           pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyImage2(VkCommandBuffer commandBuffer,
                                                const VkCopyImageInfo2* pCopyImageInfo) {
  const VkCopyImageInfo2& info = *pCopyImageInfo;
  Device& device = before_copy(commandBuffer, "vkCmdCopyImage2",
                               {info.srcImage, info.dstImage, info.srcImageLayout, info.dstImageLayout},
                               info.regionCount, info.pRegions);
  device.next.CmdCopyImage2(commandBuffer, pCopyImageInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBlitImage(VkCommandBuffer commandBuffer, VkImage srcImage,
                                               VkImageLayout srcImageLayout, VkImage dstImage,
                                               VkImageLayout dstImageLayout, uint32_t regionCount,
                                               const VkImageBlit* pRegions, VkFilter filter) {
  Device& device =
      before_blit(commandBuffer, "vkCmdBlitImage", {srcImage, dstImage, srcImageLayout, dstImageLayout},
                  regionCount, pRegions, filter);
  device.next.CmdBlitImage(commandBuffer, srcImage, srcImageLayout, dstImage, dstImageLayout, regionCount,
                           pRegions, filter);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBlitImage2(VkCommandBuffer commandBuffer,
                                                const VkBlitImageInfo2* pBlitImageInfo) {
  const VkBlitImageInfo2& info = *pBlitImageInfo;
  Device& device = before_blit(commandBuffer, "vkCmdBlitImage2",
                               {info.srcImage, info.dstImage, info.srcImageLayout, info.dstImageLayout},
                               info.regionCount, info.pRegions, info.filter);
  device.next.CmdBlitImage2(commandBuffer, pBlitImageInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdResolveImage(VkCommandBuffer commandBuffer, VkImage srcImage,
                                                  VkImageLayout srcImageLayout, VkImage dstImage,
                                                  VkImageLayout dstImageLayout, uint32_t regionCount,
                                                  const VkImageResolve* pRegions) {
  Device& device =
      before_resolve(commandBuffer, "vkCmdResolveImage", {srcImage, dstImage, srcImageLayout, dstImageLayout},
                     regionCount, pRegions);
  device.next.CmdResolveImage(commandBuffer, srcImage, srcImageLayout, dstImage, dstImageLayout, regionCount,
                              pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdResolveImage2(VkCommandBuffer commandBuffer,
                                                   const VkResolveImageInfo2* pResolveImageInfo) {
  const VkResolveImageInfo2& info = *pResolveImageInfo;
  Device& device = before_resolve(commandBuffer, "vkCmdResolveImage2",
                                  {info.srcImage, info.dstImage, info.srcImageLayout, info.dstImageLayout},
                                  info.regionCount, info.pRegions);
  device.next.CmdResolveImage2(commandBuffer, pResolveImageInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdClearColorImage(VkCommandBuffer commandBuffer, VkImage image,
                                                     VkImageLayout imageLayout,
                                                     const VkClearColorValue* pColor, uint32_t rangeCount,
                                                     const VkImageSubresourceRange* pRanges) {
  Device& device =
      before_clear(commandBuffer, "vkCmdClearColorImage", image, imageLayout, rangeCount, pRanges);
  device.next.CmdClearColorImage(commandBuffer, image, imageLayout, pColor, rangeCount, pRanges);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdClearDepthStencilImage(VkCommandBuffer commandBuffer, VkImage image,
                                                            VkImageLayout imageLayout,
                                                            const VkClearDepthStencilValue* pDepthStencil,
                                                            uint32_t rangeCount,
                                                            const VkImageSubresourceRange* pRanges) {
  Device& device =
      before_clear(commandBuffer, "vkCmdClearDepthStencilImage", image, imageLayout, rangeCount, pRanges);
  device.next.CmdClearDepthStencilImage(commandBuffer, image, imageLayout, pDepthStencil, rangeCount,
                                        pRanges);
}

}  // namespace shaderqa::layer
