// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/device.h"

#include <utility>

#include "host/cache/shader_cache.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/messengers.h"
#include "layer/memory/root_block.h"
#include "layer/output/outputs.h"
#include "layer/output/race_pictures.h"
#include "layer/pipelines/checked_versions.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/ray_tracing_stacks.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/pipelines/shader_objects.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/queues/submissions.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/descriptor_sets.h"
#include "layer/resources/image_layouts.h"
#include "layer/resources/image_table.h"
#include "layer/resources/lease.h"
#include "layer/resources/object_facts.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/resources/race_map.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {

Device::Device(VkDevice device, std::shared_ptr<Instance> its_instance, PFN_vkGetDeviceProcAddr next_gdpa,
               DeviceFacts device_facts)
    : DeviceContext(device, std::move(its_instance), next_gdpa, std::move(device_facts)),
      names(parts_.make<ObjectNames>()),
      shader_modules(parts_.make<ShaderModules>()),
      shader_twins(parts_.make<ShaderTwins>()),
      instrumenter(parts_.make<Instrumenter>(*this)),
      ray_tracing_stacks(parts_.make<RayTracingStacks>()),
      leases(parts_.make<ObjectLeases>()),
      pipeline_layouts(parts_.make<PipelineLayouts>(*this)),
      buffers(parts_.make<BufferTable>()),
      images(parts_.make<ImageTable>(*this)),
      image_layouts(parts_.make<ImageLayouts>()),
      race_map(parts_.make<RaceMap>(*this)),
      race_pictures(parts_.make<RacePictures>(*this, images, race_map)),
      descriptor_sets(parts_.make<DescriptorSets>(*this)),
      descriptor_bytes(parts_.make<DescriptorBytes>(*this)),
      object_facts(parts_.make<ObjectFacts>()),
      vertex_stages(parts_.make<VertexStages>()),
      engine(&parts_.adopt(make_engine(*this))),
      command_buffers(parts_.make<CommandBuffers>(*this)),
      submissions(parts_.make<Submissions>(*this)),
      checked_versions(parts_.make<CheckedVersions>(*this)),
      outputs_(std::make_unique<Outputs>(*this)) {
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
             ", because its addresses, which are in them, are others in every run",
         Concern::nothing);
  }
}

Device::~Device() {
  finish();
  engine->release_commands();
}

void Device::finish() {
  checked_versions.stop();  // they use everything else
  if (!outputs_->any()) return;
  if (instance->in_forked_child()) {
    // The thread, the files and the device are the parent's.
    outputs_->abandon();
    static_cast<void>(root_.release());
    return;
  }
  guarded([&] { engine->finish_own_work(); });
  guarded([&] { report_at_end(true); });
  outputs_->finish();
  guarded([&] { instance->messengers->deliver(); });
}

void Device::report_at_end(bool done) {
  if (!lost_) engine->report_at_end(done);
}

// The application exits without waiting for the device.
void Device::drain_at_exit() noexcept {
  checked_versions.stop_at_exit();
  if (!instance->in_forked_child()) guarded([&] { report_at_end(false); });
  outputs_->drain_at_exit();
}

VkDeviceAddress Device::root_address() const { return root_->address(); }

ShaderCache* Device::shader_cache() const {
  return root_->has_stable_address() ? instance->shader_cache.get() : nullptr;
}

PrintfOutput* Device::printf_output() const { return outputs_->printf(); }
CheckOutput* Device::check_output() const { return outputs_->checks(); }
TraceOutput* Device::trace_output() const { return outputs_->trace(); }
PictureOutput* Device::picture_output() const { return outputs_->pictures(); }
PictureOutput* Device::require_picture_output() {
  return root_ ? outputs_->require_pictures(*root_) : nullptr;
}
TraceOutput* Device::require_trace_output() { return root_ ? outputs_->require_trace(*root_) : nullptr; }
PrintfOutput* Device::require_printf_output() { return root_ ? outputs_->require_printf(*root_) : nullptr; }
CheckOutput* Device::require_check_output() { return root_ ? outputs_->require_checks(*root_) : nullptr; }

uint32_t Device::hook_groups() const {
  const uint32_t groups = instance->hook_groups();
  if (!instruments()) return groups & (kHookAlways | kHookShaders);
  return two_versions() ? groups : groups & ~uint32_t{kHookVersions};
}

void Device::deliver_after(VkResult result, bool idle) noexcept {
  if (result == VK_ERROR_DEVICE_LOST) return after_loss();
  if (result < 0) return;
  if (outputs_->any() && !instance->in_forked_child()) {
    outputs_->drain(idle);
    guarded([&] { instance->messengers->deliver(); });
  }
}

void Device::after_submit(VkResult result) noexcept {
  if (result == VK_ERROR_DEVICE_LOST) return after_loss();
  outputs_->poke();
}

void Device::after_loss() noexcept {
  if (!outputs_->any() || instance->in_forked_child() || lost_.exchange(true)) return;
  outputs_->drain(true);
  race_pictures.save();
  guarded([&] {
    const std::string begun = outputs_->last_begun();
    note("device lost", "the device was lost: what ran last was not checked to its end" +
                            (begun.empty() ? begun : ". The last checked action to begin was " + begun));
    instance->messengers->deliver();
  });
}

}  // namespace shaderqa::layer
