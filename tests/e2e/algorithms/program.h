// SPDX-License-Identifier: Apache-2.0
// What an algorithm's host side is written with: named buffers, dispatches, barriers that a mutant leaves
// out.
#ifndef SHADERQA_TESTS_E2E_PROGRAM_H
#define SHADERQA_TESTS_E2E_PROGRAM_H

#include <volk.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vulkan_kit.h"

namespace algorithms {

class Program {
 public:
  // variant: "correct", or the mutant's name. files: SPIR-V of the algorithm's shaders.
  Program(kit::Device& device, std::string variant, const std::vector<std::string>& files);

  using BufferId = size_t;
  BufferId buffer(const char* name, std::vector<uint32_t> words);
  BufferId zeroes(const char* name, size_t count) { return buffer(name, std::vector<uint32_t>(count)); }

  // buffers: bindings from 0.
  void dispatch(size_t shader, const std::vector<BufferId>& buffers, const std::vector<uint32_t>& push,
                uint32_t groups, uint32_t groups_y = 1, uint32_t groups_z = 1);
  // Between shaders' accesses to all memory.
  void barrier(const std::string& name);
  void run();  // what was recorded

  std::span<const uint32_t> words(BufferId buffer) const { return buffers_[buffer].as<const uint32_t>(); }
  uint64_t checksum() const;  // of all buffers

 private:
  kit::Device& device_;
  const std::string variant_;
  std::vector<kit::Buffer> buffers_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::vector<VkPipeline> pipelines_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

// Numbers that are the same in every run.
std::vector<uint32_t> some_numbers(size_t count, uint32_t below);

}  // namespace algorithms
#endif
