#include "layer/device.h"

#include "layer/printf_output.h"

namespace shaderqa::layer {

Device::Device(VkDevice device, std::shared_ptr<Instance> its_instance, PFN_vkGetDeviceProcAddr next_gdpa,
               DeviceFacts device_facts)
    : handle(device),
      instance(std::move(its_instance)),
      next_get_proc(next_gdpa),
      facts(std::move(device_facts)),
      instrumenter(*this) {
  next.load(handle, next_get_proc);
  if (!instance->settings.printf || !instruments()) return;
  if (!next.GetBufferDeviceAddress) {
    facts.inert_reason = "the driver has no vkGetBufferDeviceAddress";
    return;
  }
  std::string problem;
  root_ = RootBlock::create(*this, problem);
  if (!root_) facts.inert_reason = problem;
}

Device::~Device() {
  std::unique_ptr<PrintfOutput> output(printf_output_.exchange(nullptr));
  if (!output) return;
  if (instance->in_forked_child()) {
    // The thread, the files and the device are the parent's.
    static_cast<void>(output.release());
    static_cast<void>(root_.release());
    return;
  }
  output->finish();
  guarded([&] { instance->messengers.deliver(); });
}

uint32_t Device::hook_groups() const {
  if (!instance->settings.printf) return kHookAlways;
  return instruments() ? kHookAlways | kHookShaders | kHookPrintf : kHookAlways | kHookShaders;
}

PrintfOutput* Device::require_printf_output() {
  if (PrintfOutput* output = printf_output()) return output;
  const std::lock_guard lock(printf_mutex_);
  if (PrintfOutput* output = printf_output()) return output;
  if (printf_failed_) return nullptr;
  std::string problem;
  std::unique_ptr<PrintfOutput> output = PrintfOutput::create(*this, *root_, problem);
  if (!output) {
    printf_failed_ = true;
    note("printf buffer", "shaders print nothing: " + problem + "; a smaller printf_buffer_size may help");
    return nullptr;
  }
  printf_output_.store(output.get(), std::memory_order_release);
  return output.release();
}

void Device::after_wait(VkResult result, PrintfStream::Mode mode) noexcept {
  if (result == VK_ERROR_DEVICE_LOST) return after_loss();
  if (result < 0) return;
  if (PrintfOutput* output = printf_output(); output && !instance->in_forked_child()) {
    output->drain(mode);
    guarded([&] { instance->messengers.deliver(); });
  }
}

void Device::after_submit(VkResult result) noexcept {
  if (result == VK_ERROR_DEVICE_LOST) return after_loss();
  if (PrintfOutput* output = printf_output()) output->poke();
}

void Device::after_loss() noexcept {
  PrintfOutput* output = printf_output();
  if (!output || instance->in_forked_child() || lost_.exchange(true)) return;
  output->drain(PrintfStream::Mode::finished);
  guarded([&] { instance->messengers.deliver(); });
}

}  // namespace shaderqa::layer
