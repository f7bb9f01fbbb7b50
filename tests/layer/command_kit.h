// SPDX-License-Identifier: Apache-2.0
// A program whose actions have checked accesses, and what its command buffers and submissions become.
#ifndef SHADERQA_TESTS_LAYER_COMMAND_KIT_H
#define SHADERQA_TESTS_LAYER_COMMAND_KIT_H

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "instrument/runtime/abi_submission.h"
#include "tests/layer/descriptor_kit.h"

namespace shaderqa::layer_tests {

using Stream = std::vector<std::string>;

constexpr VkPipelineStageFlags kComputeStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
// Bytes of the filter in these tests: no other buffer has this size.
constexpr uint32_t kFilterBytes = 1 << 20;

// What the exact engine is told of a command.
struct EnteredRange {
  uint64_t address = 0;
  uint32_t bytes = 0, rows = 1;
  uint64_t pitch = 0;
  bool writes = false;
  // Where indices name the rows.
  uint64_t indices = 0;
  uint32_t index_bytes = 0, row_offset = 0, last_row = 0;
  // Where a draw's arguments do.
  uint64_t arguments = 0;
  uint32_t fields = 0, divisor = 1;
  uint64_t draws = 0;
  uint32_t draw = 0;
  bool operator==(const EnteredRange&) const = default;
};
std::ostream& operator<<(std::ostream& out, const EnteredRange& range);

// The driver's latest record of the pipeline with this handle.
inline null_driver::PipelineRecord record_of(VkPipeline pipeline) {
  const std::vector<null_driver::PipelineRecord> all = driver().log().pipelines;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const null_driver::PipelineRecord& record) {
    return record.handle == reinterpret_cast<uint64_t>(pipeline);
  });
  return found == all.rend() ? null_driver::PipelineRecord() : *found;
}
// The pipelines that the driver was told to bind.
inline std::vector<VkPipeline> bound_in(VkCommandBuffer commands) {
  std::vector<VkPipeline> bound;
  for (const null_driver::CommandRecord& record : driver().log().commands) {
    if (record.command == "CmdBindPipeline" && record.command_buffer == reinterpret_cast<uint64_t>(commands))
      bound.push_back(reinterpret_cast<VkPipeline>(record.values.at(1)));
  }
  return bound;
}

class CommandTest : public SyncTest {
 protected:
  // settings: of the layer.
  explicit CommandTest(const DeviceOptions& options = {}, const null_driver::Config& config = {},
                       const char* engine = "bloom", const std::map<std::string, std::string>& settings = {},
                       const InstanceOptions& instance_options = {});
  void TearDown() override;

  const Device& device() const { return program_->device; }
  const VolkDeviceTable& vk() const { return program_->device.vk; }

  VkCommandBuffer allocate(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags = 0);
  VkCommandBuffer begin(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                        VkCommandBufferUsageFlags flags = 0) {
    const VkCommandBuffer commands = allocate(level);
    begin(commands, flags);
    return commands;
  }
  void end(VkCommandBuffer commands) { check(vk().vkEndCommandBuffer(commands), "vkEndCommandBuffer"); }
  // The checked pipeline, and the set with the buffer.
  void bind(VkCommandBuffer commands);
  void dispatch(VkCommandBuffer commands) { vk().vkCmdDispatch(commands, 1, 1, 1); }
  void barrier(VkCommandBuffer commands, VkPipelineStageFlags source, VkAccessFlags source_access,
               VkPipelineStageFlags destination, VkAccessFlags destination_access);
  void shader_barrier(VkCommandBuffer commands) {
    barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, kComputeStage, VK_ACCESS_SHADER_READ_BIT);
  }
  // The same for a part of a buffer.
  void buffer_barrier(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size);
  // One dispatch.
  VkCommandBuffer checked_commands();
  // As bind(), of a pipeline whose fragment shader writes to the buffer.
  void bind_graphics(VkCommandBuffer commands);
  void draw(VkCommandBuffer commands) { vk().vkCmdDraw(commands, 3, 1, 0, 0); }

  VkResult try_submit(const std::vector<VkCommandBuffer>& commands, VkSemaphore wait = VK_NULL_HANDLE,
                      VkPipelineStageFlags stage = 0);
  void submit(const std::vector<VkCommandBuffer>& commands, VkSemaphore wait = VK_NULL_HANDLE,
              VkPipelineStageFlags stage = 0) {
    check(try_submit(commands, wait, stage), "vkQueueSubmit");
  }
  VkSemaphore create_semaphore(VkSemaphoreType type = VK_SEMAPHORE_TYPE_BINARY);

  // What reached the driver: "bind record" for that of the reserved set, "clear" for the four commands of
  // one.
  static Stream stream_of(VkCommandBuffer commands);
  static Stream with_ends(Stream commands);
  static Stream joined(std::initializer_list<Stream> parts);
  // The command buffers of a batch, the latest one's by default: "clear" for one of the layer's.
  static Stream batch_of(const null_driver::BatchRecord& batch, const std::vector<VkCommandBuffer>& known);
  static Stream last_batch(const std::vector<VkCommandBuffer>& known) {
    return batch_of(driver().log().batches.back(), known);
  }

  // Action records in memory, in the order of their numbers.
  static std::vector<const uint32_t*> records();
  static uint64_t address_at(const uint32_t* record, uint32_t dword);
  static const abi::SubmissionState& submission_of(const uint32_t* record);
  // With the exact engine: the number up to which it finds what dispatches wrote before its command buffer.
  static uint32_t visible_before(const uint32_t* record);
  // What the exact engine's page table says of an address, as shaders find it; 0: the page has no cells.
  static uint64_t page_entry(uint64_t address);
  // The ranges that each dispatch of the layer's own enters, with the exact engine.
  static std::vector<std::vector<EnteredRange>> entered(VkCommandBuffer commands);

  static inline const Stream kClear{"CmdPipelineBarrier", "fill filter", "fill dispatch_id",
                                    "CmdPipelineBarrier"};
  static inline const Stream kSeparation{"CmdPipelineBarrier"};
  static inline const Stream kBound{"CmdBindPipeline", "CmdBindDescriptorSets"};
  // Apart from what is before it, by a clear or a barrier.
  static inline const Stream kAction{"CmdPipelineBarrier", "bind record", "CmdDispatch"};
  static inline const Stream kActionAfterClear{"bind record", "CmdDispatch"};
  static inline const Stream kDraw{"bind record", "CmdDraw"};

  std::optional<Program> program_;
  std::optional<BoundBuffer> buffer_;
  std::optional<OneSet> descriptors_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkPipeline graphics_ = VK_NULL_HANDLE;  // by bind_graphics
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkSemaphore> semaphores_;
};

// A shader's record of an unsynchronised access of accesses.comp, in that slot, but not yet announced to the
// host.
void leave_hazard(uint32_t slot, uint64_t address, uint32_t action);

// All memory can be mapped.
null_driver::Config host_visible();

VkPipelineLayout create_pipeline_layout(const Device& device, const std::vector<VkDescriptorSetLayout>& sets);
VkPipeline create_compute_with(const Device& device, const Words& words, VkPipelineLayout layout);
// One query, which counts what compute shaders do.
VkQueryPool create_statistics(const Device& device);
// With a vertex shader that does nothing.
VkPipeline create_graphics_with(const Device& device, const Words& fragment, VkPipelineLayout layout);

}  // namespace shaderqa::layer_tests
#endif
