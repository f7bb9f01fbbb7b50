// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <utility>

namespace algorithms {
namespace {

constexpr uint32_t kBindings = 6;
constexpr uint32_t kPushBytes = 16;

std::vector<VkDescriptorSetLayoutBinding> bindings() {
  std::vector<VkDescriptorSetLayoutBinding> result;
  for (uint32_t i = 0; i < kBindings; ++i)
    result.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  return result;
}

}  // namespace

Program::Program(kit::Device& device, std::string variant, const std::vector<std::string>& files)
    : device_(device), variant_(std::move(variant)) {
  set_layout_ = device.set_layout(bindings());
  layout_ = device.pipeline_layout({&set_layout_, 1}, VK_SHADER_STAGE_COMPUTE_BIT, kPushBytes);
  for (const std::string& file : files)
    pipelines_.push_back(device.compute_pipeline(kit::read_spirv(file), layout_));
  commands_ = device.begin();
}

Program::BufferId Program::buffer(const char* name, std::vector<uint32_t> words) {
  const kit::Buffer buffer = device_.buffer(words.size() * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::ranges::copy(words, buffer.as<uint32_t>().begin());
  device_.name(buffer, (variant_ + " " + name).c_str());
  buffers_.push_back(buffer);
  return buffers_.size() - 1;
}

void Program::dispatch(size_t shader, const std::vector<BufferId>& buffers, const std::vector<uint32_t>& push,
                       uint32_t groups, uint32_t groups_y, uint32_t groups_z) {
  const VkDescriptorSet set = device_.descriptor_set(set_layout_, bindings());
  for (uint32_t i = 0; i < buffers.size(); ++i) device_.write_buffer(set, i, buffers_[buffers[i]]);
  vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.at(shader));
  vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  if (!push.empty())
    vkCmdPushConstants(commands_, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(push.size() * 4), push.data());
  vkCmdDispatch(commands_, groups, groups_y, groups_z);
}

void Program::barrier(const std::string& name) {
  if (name != variant_) kit::compute_barrier(commands_);
}

void Program::run() { device_.run(commands_); }

uint64_t Program::checksum() const {
  uint64_t hash = kit::checksum({});
  for (const kit::Buffer& buffer : buffers_) hash = kit::checksum(buffer.as<uint32_t>(), hash);
  return hash;
}

std::vector<uint32_t> some_numbers(size_t count, uint32_t below) {
  std::vector<uint32_t> numbers(count);
  uint32_t state = 2463534242u;
  for (uint32_t& number : numbers) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    number = state % below;
  }
  return numbers;
}

}  // namespace algorithms
