// SPDX-License-Identifier: Apache-2.0
// A compute shader that gets addresses: of a buffer of 64 bytes, and of one that is destroyed before the
// dispatch. Their memory is larger and stays, so that wrong accesses harm nobody.
#include <cstdlib>
#include <cstring>

#include "runner.h"

namespace runner {
namespace {

constexpr VkDeviceSize kMemory = 65536, kBuffer = 64;

class Pool {
 public:
  explicit Pool(kit::Device& device) : device_(device) {
    const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                          .pNext = nullptr,
                                          .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
                                          .deviceMask = 0};
    buffer_ = create();
    VkMemoryRequirements requirements{};
    vkGetBufferMemoryRequirements(device_.handle, buffer_, &requirements);
    VkPhysicalDeviceMemoryProperties memory{};
    vkGetPhysicalDeviceMemoryProperties(device_.gpu, &memory);
    constexpr VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while ((requirements.memoryTypeBits >> type & 1) == 0 ||
           (memory.memoryTypes[type].propertyFlags & wanted) != wanted)
      ++type;
    const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                    .pNext = &flags,
                                    .allocationSize = kMemory,
                                    .memoryTypeIndex = type};
    kit::check(vkAllocateMemory(device_.handle, &info, nullptr, &memory_), "vkAllocateMemory");
    void* mapped = nullptr;
    kit::check(vkMapMemory(device_.handle, memory_, 0, kMemory, 0, &mapped), "vkMapMemory");
    std::memset(mapped, 0, kMemory);
    pool_ = bind(buffer_, "pool", 0);
    VkBuffer gone = create();
    gone_ = bind(gone, "gone", kMemory / 2);
    vkDestroyBuffer(device_.handle, gone, nullptr);
  }
  ~Pool() {
    vkDestroyBuffer(device_.handle, buffer_, nullptr);
    vkFreeMemory(device_.handle, memory_, nullptr);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  uint64_t pool() const { return pool_; }
  uint64_t gone() const { return gone_; }

 private:
  VkBuffer create() const {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = kBuffer;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    kit::check(vkCreateBuffer(device_.handle, &info, nullptr, &buffer), "vkCreateBuffer");
    return buffer;
  }
  uint64_t bind(VkBuffer buffer, const char* name, VkDeviceSize offset) const {
    VkMemoryRequirements requirements{};
    vkGetBufferMemoryRequirements(device_.handle, buffer, &requirements);
    kit::check(vkBindBufferMemory(device_.handle, buffer, memory_, offset), "vkBindBufferMemory");
    kit::Buffer named;
    named.handle = buffer;
    device_.name(named, name);
    return device_.address(named);
  }

  kit::Device& device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  uint64_t pool_ = 0, gone_ = 0;
};

}  // namespace

int run_addresses(const Arguments& arguments) {
  RunnerDevice device(arguments, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  {
    const Pool pool(*device);
    const uint64_t addresses[] = {pool.pool(), pool.gone()};
    std::memcpy(io.mapped, addresses, sizeof addresses);
    io.as<uint32_t>()[4] = arguments.number("words", 0);
    io.as<uint32_t>()[5] = arguments.number("gone", 0);
    const auto compute = device->compute(kit::read_spirv(arguments.files.at(0)), {io});
    VkCommandBuffer commands = device->begin();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &compute.set, 0,
                            nullptr);
    vkCmdDispatch(commands, 1, 1, 1);
    device->run(commands);
  }
  // Addresses differ from run to run.
  std::memset(io.mapped, 0, 4 * sizeof(uint32_t));
  print_result(io);
  return EXIT_SUCCESS;
}

}  // namespace runner
