// SPDX-License-Identifier: Apache-2.0
// What a module declares of descriptors and push constants: what the layer has to know before it is rewritten
// where no pipeline layout says it (docs/internals/descriptor-heaps.md).
#ifndef SHADERQA_INSTRUMENT_IR_SHADER_INTERFACE_H
#define SHADERQA_INSTRUMENT_IR_SHADER_INTERFACE_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shaderqa {

// What a variable declares, as bits with the values of Vulkan's VkSpirvResourceTypeFlagBitsEXT. Where it
// depends on decorations of members whether it is for reading alone, both are set.
enum ResourceBits : uint32_t {
  kSampledImage = 0x2,  // and uniform texel buffers
  kStorageImage = 0xc,  // and storage texel buffers
  kCombinedImage = 0x10,
  kUniformBuffer = 0x20,
  kStorageBuffer = 0xc0,
};

struct ShaderBinding {
  uint32_t set = 0, binding = 0;
  uint32_t resource = 0;  // ResourceBits
  uint32_t count = 1;     // descriptors; UINT32_MAX: not known
  bool image = false;     // but no texel buffer
  // Uniform buffers: where the bytes end that their block has; nothing: not known.
  std::optional<uint32_t> end;
};

struct ShaderInterface {
  // Buffers and images of all entry points. Several variables may have the same set and binding.
  std::vector<ShaderBinding> bindings;
  // Where the bytes end that push constant blocks have; nothing: not known.
  std::optional<uint32_t> push_end = std::nullopt;
  // Samplers without an image. They have no resource.
  std::vector<ShaderBinding> samplers = {};
};

// Nothing is known of malformed words.
ShaderInterface read_interface(std::span<const uint32_t> words);

}  // namespace shaderqa
#endif
