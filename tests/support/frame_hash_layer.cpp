// SPDX-License-Identifier: Apache-2.0
// A layer for tests: writes a hash of every presented image to the file that SHADERQA_FRAME_HASHES names, one
// line each. Two runs of a program drew the same if the files are equal. One device with one swapchain at a
// time is enough here.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

PFN_vkGetInstanceProcAddr next_instance_proc;
PFN_vkGetDeviceProcAddr next_device_proc;
VkInstance the_instance;
VkPhysicalDevice the_gpu;
VkDevice the_device;
uint32_t the_family;
VkExtent2D extent;
std::vector<VkImage> images;

template <typename Function>
Function instance_command(const char* name) {
  return reinterpret_cast<Function>(next_instance_proc(the_instance, name));
}
template <typename Function>
Function device_command(const char* name) {
  return reinterpret_cast<Function>(next_device_proc(the_device, name));
}
#define INSTANCE(name) instance_command<PFN_vk##name>("vk" #name)
#define DEVICE(name) device_command<PFN_vk##name>("vk" #name)

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "frame hash layer: %s\n", what);
  std::exit(EXIT_FAILURE);
}

template <typename Link>
Link* find_link(const void* chain, VkStructureType type) {
  auto* link = static_cast<Link*>(const_cast<void*>(chain));
  while (link != nullptr && (link->sType != type || link->function != VK_LAYER_LINK_INFO))
    link = static_cast<Link*>(const_cast<void*>(link->pNext));
  return link;
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                    VkInstance* instance) {
  auto* link =
      find_link<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  the_instance = VK_NULL_HANDLE;
  const VkResult result = INSTANCE(CreateInstance)(info, allocator, instance);
  the_instance = *instance;
  return result;
}

VkResult VKAPI_CALL create_device(VkPhysicalDevice gpu, const VkDeviceCreateInfo* info,
                                  const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto* link = find_link<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkResult result = INSTANCE(CreateDevice)(gpu, info, allocator, device);
  the_gpu = gpu;
  the_device = *device;
  the_family = info->pQueueCreateInfos[0].queueFamilyIndex;
  return result;
}

VkResult VKAPI_CALL create_swapchain(VkDevice device, const VkSwapchainCreateInfoKHR* info,
                                     const VkAllocationCallbacks* allocator, VkSwapchainKHR* swapchain) {
  VkSwapchainCreateInfoKHR readable = *info;
  readable.imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VkResult result = DEVICE(CreateSwapchainKHR)(device, &readable, allocator, swapchain);
  if (result != VK_SUCCESS) return result;
  extent = info->imageExtent;
  const auto get_images = DEVICE(GetSwapchainImagesKHR);
  uint32_t count = 0;
  get_images(device, *swapchain, &count, nullptr);
  images.resize(count);
  return get_images(device, *swapchain, &count, images.data());
}

uint32_t host_visible_type(uint32_t allowed) {
  VkPhysicalDeviceMemoryProperties memory;
  INSTANCE(GetPhysicalDeviceMemoryProperties)(the_gpu, &memory);
  const VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((allowed >> i & 1u) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  give_up("no host-visible memory");
}

void record_copy(VkCommandBuffer commands, VkImage image, VkBuffer buffer) {
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  DEVICE(BeginCommandBuffer)(commands, &begin);
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const auto pipeline_barrier = DEVICE(CmdPipelineBarrier);
  pipeline_barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                   nullptr, 0, nullptr, 1, &barrier);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {extent.width, extent.height, 1};
  DEVICE(CmdCopyImageToBuffer)(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &region);
  std::swap(barrier.oldLayout, barrier.newLayout);
  std::swap(barrier.srcAccessMask, barrier.dstAccessMask);
  pipeline_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                   nullptr, 0, nullptr, 1, &barrier);
  DEVICE(EndCommandBuffer)(commands);
}

// The program's work is done when this is called.
std::vector<uint32_t> read_image(VkQueue queue, VkImage image) {
  std::vector<uint32_t> pixels(size_t{extent.width} * extent.height);
  VkBufferCreateInfo buffer_info{};
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = pixels.size() * 4;
  buffer_info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer;
  if (DEVICE(CreateBuffer)(the_device, &buffer_info, nullptr, &buffer) != VK_SUCCESS)
    give_up("vkCreateBuffer");
  VkMemoryRequirements requirements;
  DEVICE(GetBufferMemoryRequirements)(the_device, buffer, &requirements);
  VkMemoryAllocateInfo memory_info{};
  memory_info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory_info.allocationSize = requirements.size;
  memory_info.memoryTypeIndex = host_visible_type(requirements.memoryTypeBits);
  VkDeviceMemory memory;
  if (DEVICE(AllocateMemory)(the_device, &memory_info, nullptr, &memory) != VK_SUCCESS)
    give_up("vkAllocateMemory");
  DEVICE(BindBufferMemory)(the_device, buffer, memory, 0);

  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = the_family;
  VkCommandPool pool;
  if (DEVICE(CreateCommandPool)(the_device, &pool_info, nullptr, &pool) != VK_SUCCESS)
    give_up("vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands;
  DEVICE(AllocateCommandBuffers)(the_device, &allocate, &commands);
  // A dispatchable object made by a layer gets its device's dispatch pointer by hand.
  *reinterpret_cast<void**>(commands) = *reinterpret_cast<void**>(the_device);
  record_copy(commands, image, buffer);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  if (DEVICE(QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE) != VK_SUCCESS) give_up("vkQueueSubmit");
  if (DEVICE(QueueWaitIdle)(queue) != VK_SUCCESS) give_up("vkQueueWaitIdle");
  void* data;
  if (DEVICE(MapMemory)(the_device, memory, 0, VK_WHOLE_SIZE, 0, &data) != VK_SUCCESS) give_up("vkMapMemory");
  std::memcpy(pixels.data(), data, pixels.size() * 4);
  DEVICE(DestroyCommandPool)(the_device, pool, nullptr);
  DEVICE(DestroyBuffer)(the_device, buffer, nullptr);
  DEVICE(FreeMemory)(the_device, memory, nullptr);
  return pixels;
}

VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR* info) {
  static FILE* const file = [] {
    const char* path = std::getenv("SHADERQA_FRAME_HASHES");
    FILE* opened = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (opened == nullptr) give_up("SHADERQA_FRAME_HASHES does not name a file that can be written");
    return opened;
  }();
  DEVICE(DeviceWaitIdle)(the_device);
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const uint32_t pixel : read_image(queue, images.at(info->pImageIndices[0])))
    hash = (hash ^ pixel) * 0x100000001b3u;
  std::fprintf(file, "%016llx %ux%u\n", static_cast<unsigned long long>(hash), extent.width, extent.height);
  std::fflush(file);
  return DEVICE(QueuePresentKHR)(queue, info);
}

struct Hook {
  const char* name;
  PFN_vkVoidFunction function;
};

PFN_vkVoidFunction find_hook(const char* name) {
  static const Hook hooks[] = {
      {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(create_instance)},
      {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(create_device)},
      {"vkCreateSwapchainKHR", reinterpret_cast<PFN_vkVoidFunction>(create_swapchain)},
      {"vkQueuePresentKHR", reinterpret_cast<PFN_vkVoidFunction>(present)}};
  const auto* found = std::find_if(std::begin(hooks), std::end(hooks),
                                   [&](const Hook& hook) { return std::strcmp(hook.name, name) == 0; });
  return found == std::end(hooks) ? nullptr : found->function;
}

PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char* name) {
  if (const auto hook = find_hook(name)) return hook;
  return next_device_proc(device, name);
}

PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(get_device_proc);
  if (const auto hook = find_hook(name)) return hook;
  return next_instance_proc != nullptr ? next_instance_proc(instance, name) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
  negotiation->loaderLayerInterfaceVersion = 2;
  negotiation->pfnGetInstanceProcAddr = get_instance_proc;
  negotiation->pfnGetDeviceProcAddr = get_device_proc;
  negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
