// SPDX-License-Identifier: Apache-2.0
// A program of many submissions, each of two dispatches, for tests of what is checked of a run:
//   e2e_switch_runner FILE.spv [--style=once|each|reuse|ahead|secondary] [--submissions=N] [--racy]
//                     [--racy-from=N] [--present] [--toggle=SEED] [--pause=MS] [--queue-labels] [--times]
//                     [--until=FILE]
// once: a command buffer for each submission, which says so; each: two that are recorded anew; reuse: two
// that are recorded once; ahead: all are recorded first; secondary: a reused secondary in primaries that are
// recorded anew. Two dispatches are ordered by a barrier, in racy submissions by none. It prints what they
// computed.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/begin_info.h"
#include "vulkan_kit.h"

namespace {

constexpr uint32_t kWords = 256;
// Before the first call of Vulkan, so that no time of the layer's is longer.
const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

struct Options {
  std::string file, style = "once", until;
  uint32_t submissions = 8, racy_from = UINT32_MAX, pause_ms = 0, seed = 0;
  bool present = false, queue_labels = false, times = false;
};

uint32_t number(const std::string& text) {
  return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (key == "--style")
      options.style = value;
    else if (key == "--submissions")
      options.submissions = number(value);
    else if (key == "--racy")
      options.racy_from = 1;
    else if (key == "--racy-from")
      options.racy_from = number(value);
    else if (key == "--pause")
      options.pause_ms = number(value);
    else if (key == "--toggle")
      options.seed = number(value);
    else if (key == "--present")
      options.present = true;
    else if (key == "--queue-labels")
      options.queue_labels = true;
    else if (key == "--until")
      options.until = value;
    else if (key == "--times")
      options.times = true;
    else
      options.file = argument;
  }
  return options;
}

kit::DeviceOptions device_options(const Options& options) {
  kit::DeviceOptions device;
  device.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  if (options.present) {
    device.instance_extensions.push_back(VK_KHR_SURFACE_EXTENSION_NAME);
    device.instance_extensions.push_back(VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME);
    device.device_extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  }
  return device;
}

// Frames of a window that nobody sees.
class Swapchain {
 public:
  explicit Swapchain(kit::Device& device) : device_(device) {
    VkHeadlessSurfaceCreateInfoEXT surface{};
    surface.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
    kit::check(vkCreateHeadlessSurfaceEXT(device.instance, &surface, nullptr, &surface_), "surface");
    VkSwapchainCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
    info.surface = surface_;
    info.minImageCount = 3;
    info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
    info.imageExtent = {16, 16};
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
    info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
    info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
    kit::check(vkCreateSwapchainKHR(device.handle, &info, nullptr, &swapchain_), "swapchain");
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    kit::check(vkCreateFence(device.handle, &fence, nullptr, &fence_), "fence");
    uint32_t count = 0;
    vkGetSwapchainImagesKHR(device.handle, swapchain_, &count, nullptr);
    images_.resize(count);
    vkGetSwapchainImagesKHR(device.handle, swapchain_, &count, images_.data());
  }
  ~Swapchain() {
    vkDeviceWaitIdle(device_.handle);
    vkDestroyFence(device_.handle, fence_, nullptr);
    vkDestroySwapchainKHR(device_.handle, swapchain_, nullptr);
    vkDestroySurfaceKHR(device_.instance, surface_, nullptr);
  }
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  // What the frame's command buffer does to the image that comes next.
  void acquire() {
    kit::check(vkAcquireNextImageKHR(device_.handle, swapchain_, UINT64_MAX, VK_NULL_HANDLE, fence_, &index_),
               "acquire");
    kit::check(vkWaitForFences(device_.handle, 1, &fence_, VK_TRUE, UINT64_MAX), "wait");
    kit::check(vkResetFences(device_.handle, 1, &fence_), "reset");
  }
  void make_presentable(VkCommandBuffer commands, uint32_t index) const {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = images_[index];
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0,
                         0, nullptr, 0, nullptr, 1, &barrier);
  }
  void present() {
    VkPresentInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
    info.swapchainCount = 1;
    info.pSwapchains = &swapchain_;
    info.pImageIndices = &index_;
    kit::check(vkQueuePresentKHR(device_.queues[0], &info), "present");
  }
  uint32_t index() const { return index_; }

 private:
  kit::Device& device_;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
  uint32_t index_ = 0;
};

class Program {
 public:
  explicit Program(const Options& options)
      : options_(options),
        device_(device_options(options)),
        words_{buffer("first"), buffer("second")},
        there_(device_.compute(kit::read_spirv(options.file), {words_[0], words_[1]}, 4)),
        back_(device_.compute(kit::read_spirv(options.file), {words_[1], words_[0]}, 4)),
        random_(options.seed) {
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = device_.queue_family;
    kit::check(vkCreateCommandPool(device_.handle, &pool, nullptr, &pool_), "vkCreateCommandPool");
    device_.later([this] { vkDestroyCommandPool(device_.handle, pool_, nullptr); });
    for (uint32_t i = 0; i < kWords; ++i) words_[0].as<uint32_t>()[i] = i;
  }

  void run();

 private:
  kit::Buffer buffer(const char* name) {
    const kit::Buffer made = device_.buffer(kWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    device_.name(made, name);
    return made;
  }
  VkCommandBuffer allocate(VkCommandBufferLevel level) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_;
    info.level = level;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    kit::check(vkAllocateCommandBuffers(device_.handle, &info, &commands), "vkAllocateCommandBuffers");
    return commands;
  }
  // Switches checks, or does not.
  void toggle() {
    if (options_.seed != 0 && random_() % 4 == 0) std::raise(SIGUSR1);
  }
  void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags);
  void label(VkCommandBuffer commands, const std::string& text);
  void work(VkCommandBuffer commands, uint32_t step);
  void record(VkCommandBuffer commands, uint32_t step, VkCommandBufferUsageFlags flags);
  VkCommandBuffer commands_for(uint32_t step);
  void submit(VkCommandBuffer commands, uint32_t step);

  const Options options_;
  kit::Device device_;
  const std::vector<kit::Buffer> words_;
  const kit::Compute there_, back_;
  std::mt19937 random_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> kept_;
  VkCommandBuffer secondary_ = VK_NULL_HANDLE;
};

void Program::begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags) {
  const shaderqa::testing::BeginInfo begin(flags);
  toggle();
  kit::check(vkBeginCommandBuffer(commands, &begin.info), "vkBeginCommandBuffer");
  toggle();
}

void Program::label(VkCommandBuffer commands, const std::string& text) {
  VkDebugUtilsLabelEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  info.pLabelName = text.c_str();
  vkCmdBeginDebugUtilsLabelEXT(commands, &info);
}

void Program::work(VkCommandBuffer commands, uint32_t step) {
  const auto dispatch = [&](const kit::Compute& pass) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.layout, 0, 1, &pass.set, 0,
                            nullptr);
    vkCmdPushConstants(commands, pass.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &step);
    toggle();
    vkCmdDispatch(commands, kWords / 64, 1, 1);
  };
  label(commands, "step " + std::to_string(step));
  kit::compute_barrier(commands);
  label(commands, "there");
  dispatch(there_);
  vkCmdEndDebugUtilsLabelEXT(commands);
  if (step < options_.racy_from) kit::compute_barrier(commands);
  label(commands, "back");
  dispatch(back_);
  vkCmdEndDebugUtilsLabelEXT(commands);
  kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                      VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  vkCmdEndDebugUtilsLabelEXT(commands);
}

void Program::record(VkCommandBuffer commands, uint32_t step, VkCommandBufferUsageFlags flags) {
  begin(commands, flags);
  if (options_.style == "secondary") {
    if (!secondary_) {
      secondary_ = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
      begin(secondary_, 0);
      work(secondary_, step);
      kit::check(vkEndCommandBuffer(secondary_), "vkEndCommandBuffer");
    }
    vkCmdExecuteCommands(commands, 1, &secondary_);
  } else {
    work(commands, step);
  }
  kit::check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

VkCommandBuffer Program::commands_for(uint32_t step) {
  constexpr VkCommandBufferLevel primary = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  if (options_.style == "once") {
    kept_.push_back(allocate(primary));
    record(kept_.back(), step, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    return kept_.back();
  }
  const size_t most = options_.style == "ahead" ? options_.submissions : 2;
  const bool anew = options_.style == "each" || options_.style == "secondary";
  const size_t place = (step - 1) % most;
  while (kept_.size() < most) {
    kept_.push_back(allocate(primary));
    if (!anew) record(kept_.back(), static_cast<uint32_t>(kept_.size()), 0);
  }
  if (anew) record(kept_[place], step, 0);
  return kept_[place];
}

void Program::submit(VkCommandBuffer commands, uint32_t step) {
  toggle();
  VkDebugUtilsLabelEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  info.pLabelName = step % 2 == 0 ? "even" : "odd";
  if (options_.queue_labels) vkQueueBeginDebugUtilsLabelEXT(device_.queues[0], &info);
  VkSubmitInfo submission{};
  submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submission.commandBufferCount = 1;
  submission.pCommandBuffers = &commands;
  kit::check(vkQueueSubmit(device_.queues[0], 1, &submission, VK_NULL_HANDLE), "vkQueueSubmit");
  if (options_.queue_labels) vkQueueEndDebugUtilsLabelEXT(device_.queues[0]);
  if (options_.times)
    std::fprintf(stderr, "step %u submitted within %lld ms\n", step,
                 static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                            std::chrono::steady_clock::now() - started)
                                            .count()));
  toggle();
  kit::check(vkQueueWaitIdle(device_.queues[0]), "vkQueueWaitIdle");
}

void Program::run() {
  std::optional<Swapchain> swapchain;
  if (options_.present) swapchain.emplace(device_);
  const auto goes_on = [this](uint32_t step) {
    return options_.until.empty() ? step <= options_.submissions : !std::filesystem::exists(options_.until);
  };
  for (uint32_t step = 1; goes_on(step); ++step) {
    const VkCommandBuffer commands = commands_for(step);
    submit(commands, step);
    if (swapchain) {
      swapchain->acquire();
      const VkCommandBuffer last = device_.begin();
      swapchain->make_presentable(last, swapchain->index());
      device_.run(last);
      swapchain->present();
    }
    if (options_.pause_ms != 0) std::this_thread::sleep_for(std::chrono::milliseconds(options_.pause_ms));
    if (step == 1) std::puts("begun"), std::fflush(stdout);
  }
  const uint64_t first = kit::checksum(words_[0].as<uint32_t>());
  std::printf("%016llx\n", static_cast<unsigned long long>(kit::checksum(words_[1].as<uint32_t>(), first)));
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  // Without the layer, a signal does nothing.
  if (options.seed != 0 && !std::getenv("SHADERQA_SWITCH_SIGNAL")) std::signal(SIGUSR1, SIG_IGN);
  try {
    Program(options).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
