// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/device.h"

namespace shaderqa::layer {

Device::Device(VkDevice device, std::shared_ptr<Instance> its_instance, PFN_vkGetDeviceProcAddr next_gdpa,
               DeviceFacts device_facts)
    : handle(device),
      instance(std::move(its_instance)),
      next_get_proc(next_gdpa),
      facts(std::move(device_facts)),
      instrumenter(*this),
      pipeline_layouts(*this),
      descriptor_sets(*this),
      engine(make_engine(*this)),
      command_buffers(*this),
      submissions(*this),
      outputs_(*this) {
  next.load(handle, next_get_proc);
  if (!instance->checks_anything() || !instruments()) return;
  if (!next.GetBufferDeviceAddress) {
    facts.inert_reason = "the driver has no vkGetBufferDeviceAddress";
    return;
  }
  std::string problem;
  root_ = RootBlock::create(*this, problem);
  if (!root_) facts.inert_reason = problem;
  if (root_ && instance->shader_cache && !root_->has_stable_address()) {
    note("shader cache without address",
         "rewritten shaders of this device are not kept in " + instance->settings.cache_dir +
             ", because its addresses, which are in them, are others in every run");
  }
}

Device::~Device() {
  finish();
  engine->release_commands();
}

void Device::finish() {
  if (!outputs_.any()) return;
  if (instance->in_forked_child()) {
    // The thread, the files and the device are the parent's.
    outputs_.abandon();
    static_cast<void>(root_.release());
    return;
  }
  guarded([&] { engine->finish_own_work(); });
  guarded([&] { report_at_end(true); });
  outputs_.finish();
  guarded([&] { instance->messengers.deliver(); });
}

void Device::report_at_end(bool done) {
  if (!lost_) engine->report_at_end(done);
}

// Nobody has waited for the device, and nobody will.
void Device::drain_at_exit() noexcept {
  if (!instance->in_forked_child()) guarded([&] { report_at_end(false); });
  outputs_.drain_at_exit();
}

uint32_t Device::hook_groups() const {
  const uint32_t groups = instance->hook_groups();
  return instruments() ? groups : groups & (kHookAlways | kHookShaders);
}

void Device::after_wait(VkResult result, PrintfStream::Mode mode) noexcept {
  if (result == VK_ERROR_DEVICE_LOST) return after_loss();
  if (result < 0) return;
  if (outputs_.any() && !instance->in_forked_child()) {
    outputs_.drain(mode);
    guarded([&] { instance->messengers.deliver(); });
  }
}

void Device::after_submit(VkResult result) noexcept {
  if (result == VK_ERROR_DEVICE_LOST) return after_loss();
  outputs_.poke();
}

void Device::after_loss() noexcept {
  if (!outputs_.any() || instance->in_forked_child() || lost_.exchange(true)) return;
  outputs_.drain(PrintfStream::Mode::finished);
  guarded([&] { instance->messengers.deliver(); });
}

}  // namespace shaderqa::layer
