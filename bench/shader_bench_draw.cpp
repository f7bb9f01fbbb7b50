// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_loader.h"
#include "shader_bench.h"

namespace shader_bench {
namespace {

constexpr VkExtent2D kExtent{16, 16};
constexpr uint32_t kVertexBytes = 1024;

// Types of a variable in locations: numbers, vectors, and arrays and matrices of these.
class Types {
 public:
  explicit Types(const shaderqa::ModuleView& view) : view_(view) {}

  uint32_t count(uint32_t type) const {
    const shaderqa::InstructionView found = view_.definition(type);
    if (found.op() == spv::Op::OpTypeMatrix) return found.word(3);
    if (found.op() == spv::Op::OpTypeArray)
      return view_.constant(found.word(3)).value_or(1) * count(found.word(2));
    return 1;
  }
  VkFormat format(uint32_t type) const {
    const shaderqa::InstructionView found = view_.definition(type);
    switch (found.op()) {
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypeArray:
        return format(found.word(2));
      case spv::Op::OpTypeInt:
        return found.word(3) != 0 ? VK_FORMAT_R32G32B32A32_SINT : VK_FORMAT_R32G32B32A32_UINT;
      default:
        return VK_FORMAT_R32G32B32A32_SFLOAT;
    }
  }

 private:
  const shaderqa::ModuleView& view_;
};

VkAttachmentDescription attachment(const std::vector<Location>& outputs, uint32_t number) {
  const auto found = std::ranges::find(outputs, number, &Location::number);
  const VkFormat format = found == outputs.end() ? VK_FORMAT_R32G32B32A32_SFLOAT : found->format;
  return kit::attachment(format, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
}

// Those of a storage class, by number.
std::vector<Location> locations(std::span<const uint32_t> words, spv::StorageClass storage) {
  const shaderqa::LoadedModule module = shaderqa::load_module(words);
  if (!module.context) throw std::runtime_error(module.error);
  const shaderqa::Decorations decorations(module.view);
  const Types types(module.view);
  std::vector<Location> found;
  for (const spvtools::opt::Instruction& variable : module.context->types_values()) {
    if (variable.opcode() != spv::Op::OpVariable ||
        variable.GetSingleWordInOperand(0) != static_cast<uint32_t>(storage))
      continue;
    const auto number = decorations.find(variable.result_id(), spv::Decoration::Location);
    if (!number) continue;
    const uint32_t type = module.view.definition(variable.type_id()).word(3);
    for (uint32_t i = 0; i < types.count(type); ++i) found.push_back({*number + i, types.format(type)});
  }
  std::ranges::sort(found, {}, &Location::number);
  const auto same = [](const Location& a, const Location& b) { return a.number == b.number; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

}  // namespace

Target::Target(kit::Device& device, std::span<const uint32_t> vertex, std::span<const uint32_t> fragment)
    : device_(device),
      vertex_(vertex),
      fragment_(fragment),
      inputs_(locations(vertex, spv::StorageClass::Input)),
      vertices_(device.buffer(kVertexBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT)) {
  const std::vector<Location> outputs = locations(fragment, spv::StorageClass::Output);
  colours_ = outputs.empty() ? 1 : outputs.back().number + 1;
  std::vector<VkAttachmentDescription> attachments;
  std::vector<VkImageView> views;
  for (uint32_t i = 0; i < colours_; ++i) {
    attachments.push_back(attachment(outputs, i));
    views.push_back(device
                        .image(attachments[i].format, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                               VK_IMAGE_ASPECT_COLOR_BIT)
                        .view);
  }
  pass_ = kit::render_pass(device, attachments);
  framebuffer_ = kit::framebuffer(device, pass_, views, kExtent);
}

VkPipeline Target::pipeline(VkPipelineLayout layout) const {
  kit::GraphicsState state(kExtent,
                           {kit::stage(VK_SHADER_STAGE_VERTEX_BIT, device_.shader(vertex_)),
                            kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, device_.shader(fragment_))},
                           layout, pass_, colours_);
  const VkVertexInputBindingDescription binding{0, 0, VK_VERTEX_INPUT_RATE_VERTEX};
  std::vector<VkVertexInputAttributeDescription> attributes;
  for (const Location& input : inputs_) attributes.push_back({input.number, 0, input.format, 0});
  state.vertex_input.vertexBindingDescriptionCount = attributes.empty() ? 0 : 1;
  state.vertex_input.pVertexBindingDescriptions = &binding;
  state.vertex_input.vertexAttributeDescriptionCount = static_cast<uint32_t>(attributes.size());
  state.vertex_input.pVertexAttributeDescriptions = attributes.data();
  return kit::graphics_pipeline(device_, state.info);
}

void Target::draw(VkCommandBuffer commands) const {
  const std::vector<VkClearValue> clears(colours_);
  kit::begin_pass(commands, pass_, framebuffer_, kExtent, clears);
  const VkDeviceSize offset = 0;
  if (!inputs_.empty()) vkCmdBindVertexBuffers(commands, 0, 1, &vertices_.handle, &offset);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands);
}

}  // namespace shader_bench
