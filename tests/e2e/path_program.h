// SPDX-License-Identifier: Apache-2.0
// A small program that gets its shaders into pipelines by one path: its device, its buffer, and the two runs
// of its action that race each other.
#ifndef SHADERQA_TESTS_E2E_PATH_PROGRAM_H
#define SHADERQA_TESTS_E2E_PATH_PROGRAM_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vulkan_kit.h"

namespace path_programs {

// Extensions and features of a device, each structure chained to the ones before.
class Features {
 public:
  template <typename T>
  T& chain(VkStructureType type) {
    auto structure = std::make_shared<T>();
    structure->sType = type;
    structure->pNext = head_;
    head_ = structure.get();
    owned_.push_back(structure);
    return *structure;
  }
  void extension(const char* name) { extensions_.push_back(name); }
  kit::DeviceOptions options() const;

 private:
  void* head_ = nullptr;
  std::vector<std::shared_ptr<void>> owned_;
  std::vector<const char*> extensions_;
};

constexpr uint32_t kIoWords = 256;
constexpr VkExtent2D kExtent{8, 8};  // of what graphics paths draw, into their buffer alone

class Program {
 public:
  // all_sets: the layout has as many sets as the device allows.
  Program(const Features& features, const std::vector<std::string>& files, bool all_sets);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The words of the file with this part in its name, such as ".comp". Throws if there is none.
  const std::vector<uint32_t>& words(const std::string& part = ".comp") const;
  VkShaderModuleCreateInfo code(const std::string& part = ".comp") const;
  VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits stage, const std::string& part = ".comp");
  VkComputePipelineCreateInfo compute_info();
  VkPipeline keep(VkPipeline pipeline);  // destroyed with the device

  VkPipeline create(const VkComputePipelineCreateInfo& info, VkPipelineCache cache = VK_NULL_HANDLE);

  // Records the action twice with nothing between, and waits.
  void twice(const std::function<void(VkCommandBuffer)>& action);
  void bind_set(VkCommandBuffer commands, VkPipelineBindPoint point) const;
  void dispatch_twice(VkPipeline pipeline);
  void draw_twice(VkPipeline pipeline);
  // bind: what is drawn with, its dynamic state included.
  void draw_twice_with(const std::function<void(VkCommandBuffer)>& bind);
  void print_result() const;  // "result: <hash of the buffer>"

  kit::Device device;
  kit::Buffer io;
  VkDescriptorSetLayout set_layout;
  VkDescriptorSet set;
  VkPipelineLayout layout;

 private:
  std::vector<std::pair<std::string, std::vector<uint32_t>>> files_;
};

struct Path {
  const char* name;
  std::function<void(Features&)> features;
  std::function<void(Program&)> run;
};

// One a file.
std::vector<Path> pipeline_paths();
std::vector<Path> library_paths();
std::vector<Path> shader_object_paths();
std::vector<Path> ray_tracing_paths();
std::vector<Path> generated_command_paths();

}  // namespace path_programs
#endif
