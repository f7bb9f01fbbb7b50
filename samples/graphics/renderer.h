// SPDX-License-Identifier: Apache-2.0
// Renders boxes offscreen with depth test and texture; gives back colour and the number of the box at each
// pixel.
#ifndef SHADERQA_SAMPLES_GRAPHICS_RENDERER_H
#define SHADERQA_SAMPLES_GRAPHICS_RENDERER_H

#include <array>
#include <cstdint>
#include <span>

#include "vulkan_kit.h"

struct Box {
  std::array<float, 4> centre;
  std::array<float, 4> half_size;
};

struct FrameConstants {
  std::array<float, 16> view_projection;  // column-major
  std::array<uint32_t, 2> picked;
};

struct Frame {
  kit::Buffer colour;  // RGBA8
  kit::Buffer box;     // uint32: 0 for the background, else the box's index + 1
};

Frame render_boxes(kit::Device& device, VkExtent2D extent, std::span<const Box> boxes,
                   const FrameConstants& constants);

#endif
