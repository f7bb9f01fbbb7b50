// SPDX-License-Identifier: Apache-2.0
// The commands that bind descriptor heaps and push data, and what actions find there.
#include "layer/recording/command_recorder.h"
#include "layer/resources/heap_tables.h"
#include "layer/vk/descriptor_heap.h"

namespace shaderqa::layer {

const HeapTables* CommandRecorder::heap_tables(const Binds& bound) const {
  if (!bound.by_push_data()) return nullptr;
  return bound.checked ? bound.checked->layout->heaps.get()
                       : device.pipeline_layouts.shader_object_tables().get();
}

RecordPlace CommandRecorder::record_in_push_data(const Binds& bound) const {
  if (!bound.by_push_data()) return {};
  if (bound.checked) return {bound.checked->layout->longer.record, bound.checked->layout->push_data_end};
  const auto last = last_place_of_record(device.facts.push_data_size);
  return {last.value_or(RecordPlace::kNowhere), bound.heap_shaders_end};
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindResourceHeapEXT(VkCommandBuffer commandBuffer,
                                                         const VkBindHeapInfoEXT* pBindInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.use_heaps().bind_resources(*pBindInfo);
  });
  device.next.CmdBindResourceHeapEXT(commandBuffer, pBindInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindSamplerHeapEXT(VkCommandBuffer commandBuffer,
                                                        const VkBindHeapInfoEXT* pBindInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.use_heaps().bind_samplers(*pBindInfo);
  });
  device.next.CmdBindSamplerHeapEXT(commandBuffer, pBindInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushDataEXT(VkCommandBuffer commandBuffer,
                                                 const VkPushDataInfoEXT* pPushDataInfo) {
  Device& device = with_recorder(
      commandBuffer, [&](Device&, CommandRecorder& state) { state.binds.use_heaps().push(*pPushDataInfo); });
  device.next.CmdPushDataEXT(commandBuffer, pPushDataInfo);
}

}  // namespace shaderqa::layer
