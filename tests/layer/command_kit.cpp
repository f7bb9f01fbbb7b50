// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/command_kit.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "instrument/instrument.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_ranges.h"
#include "instrument/runtime/abi_report.h"
#include "tests/support/begin_info.h"

namespace shaderqa::layer_tests {

void leave_hazard(uint32_t slot, uint64_t address, uint32_t action) {
  InstrumentOptions options;
  options.root_address = 4096;
  options.sync.enabled = true;
  options.sync.record_set = 7;
  options.sync.descriptors = {{0, 0, 0, 1, SQA_NOT_DYNAMIC}};
  const InstrumentResult result = instrument(shaders::accesses_comp, options);
  const CheckSite& site = result.record.check_sites.at(0);
  abi::Report record{};
  record.shader_hash[0] = static_cast<uint32_t>(result.record.shader_hash);
  record.shader_hash[1] = static_cast<uint32_t>(result.record.shader_hash >> 32);
  record.instruction = site.instruction;
  record.kind = site.check | static_cast<uint32_t>(Stage::compute) << 8 | site.access << 16;
  record.address[0] = static_cast<uint32_t>(address);
  record.address[1] = static_cast<uint32_t>(address >> 32);
  record.size = 4;
  record.action = action;
  record.value[0] = 0x000f000f;  // a store's marks
  record.value[1] = 0x11;
  abi::Report& place = find_report_block().records[slot];
  place = record;
  std::atomic_ref(place.ticket).store(slot + 1, std::memory_order_release);
}

null_driver::Config host_visible() {
  null_driver::Config config;
  config.memory_types = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
  return config;
}

VkPipelineLayout create_pipeline_layout(const Device& device,
                                        const std::vector<VkDescriptorSetLayout>& sets) {
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(device.vk.vkCreatePipelineLayout(device.handle, &info, nullptr, &layout), "vkCreatePipelineLayout");
  return layout;
}

VkPipeline create_compute_with(const Device& device, const Words& words, VkPipelineLayout layout) {
  const VkShaderModule module = create_module(device, words);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateComputePipelines");
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
  return pipeline;
}

VkQueryPool create_statistics(const Device& device) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  info.queryCount = 1;
  info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
  VkQueryPool pool = VK_NULL_HANDLE;
  check(device.vk.vkCreateQueryPool(device.handle, &info, nullptr, &pool), "vkCreateQueryPool");
  return pool;
}

VkPipeline create_graphics_with(const Device& device, const Words& fragment, VkPipelineLayout layout) {
  const VkShaderModule modules[] = {create_module(device, shaders::silent_vert),
                                    create_module(device, fragment)};
  const VkPipelineShaderStageCreateInfo stages[] = {stage_info(VK_SHADER_STAGE_VERTEX_BIT, modules[0]),
                                                    stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, modules[1])};
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = 2;
  info.pStages = stages;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateGraphicsPipelines");
  for (const VkShaderModule module : modules) device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
  return pipeline;
}

CommandTest::CommandTest(const DeviceOptions& options, const null_driver::Config& config, const char* engine,
                         const std::map<std::string, std::string>& settings,
                         const InstanceOptions& instance_options) {
  for (const auto& [variable, value] : settings) set(variable, value);
  set("SHADERQA_SYNC", engine);
  set("SHADERQA_BLOOM_BUFFER_SIZE_LOG2", "20");
  driver().reset(config);
  program_.emplace(instance_options, options);
  buffer_.emplace(device(), 256);
  const std::vector<BindingOptions> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, {}}};
  descriptors_.emplace(device(), bindings);
  descriptors_->write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{buffer_->handle, 0, VK_WHOLE_SIZE}});
  set_layout_ = create_set_layout(device(), bindings);
  layout_ = create_pipeline_layout(device(), {set_layout_});
  pipeline_ = create_compute_with(device(), shaders::accesses_comp, layout_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  check(vk().vkCreateCommandPool(device().handle, &pool, nullptr, &pool_), "vkCreateCommandPool");
}

void CommandTest::TearDown() {
  for (const VkSemaphore semaphore : semaphores_) {
    vk().vkDestroySemaphore(device().handle, semaphore, nullptr);
  }
  vk().vkDestroyCommandPool(device().handle, pool_, nullptr);
  for (const VkPipeline pipeline : {pipeline_, graphics_}) {
    vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  }
  if (layout_) vk().vkDestroyPipelineLayout(device().handle, layout_, nullptr);
  vk().vkDestroyDescriptorSetLayout(device().handle, set_layout_, nullptr);
  descriptors_.reset();
  buffer_.reset();
  program_.reset();
  SyncTest::TearDown();
}

VkCommandBuffer CommandTest::allocate(VkCommandBufferLevel level) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = level;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vk().vkAllocateCommandBuffers(device().handle, &info, &commands), "vkAllocateCommandBuffers");
  return commands;
}

void CommandTest::begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags) {
  const testing::BeginInfo begin(flags);
  check(vk().vkBeginCommandBuffer(commands, &begin.info), "vkBeginCommandBuffer");
}

void CommandTest::bind(VkCommandBuffer commands) {
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &descriptors_->handle,
                               0, nullptr);
}

void CommandTest::buffer_barrier(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                 VkDeviceSize size) {
  VkBufferMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.buffer = buffer;
  barrier.offset = offset;
  barrier.size = size;
  vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 1, &barrier, 0, nullptr);
}

void CommandTest::barrier(VkCommandBuffer commands, VkPipelineStageFlags source, VkAccessFlags source_access,
                          VkPipelineStageFlags destination, VkAccessFlags destination_access) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = source_access;
  memory.dstAccessMask = destination_access;
  vk().vkCmdPipelineBarrier(commands, source, destination, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

VkCommandBuffer CommandTest::checked_commands() {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  end(commands);
  return commands;
}

void CommandTest::bind_graphics(VkCommandBuffer commands) {
  if (!graphics_) graphics_ = create_graphics_with(device(), shaders::accesses_frag, layout_);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics_);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1,
                               &descriptors_->handle, 0, nullptr);
}

VkResult CommandTest::try_submit(const std::vector<VkCommandBuffer>& commands, VkSemaphore wait,
                                 VkPipelineStageFlags stage) {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = wait ? 1 : 0;
  info.pWaitSemaphores = &wait;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = static_cast<uint32_t>(commands.size());
  info.pCommandBuffers = commands.data();
  return vk().vkQueueSubmit(device().queue, 1, &info, VK_NULL_HANDLE);
}

VkSemaphore CommandTest::create_semaphore(VkSemaphoreType type) {
  VkSemaphoreTypeCreateInfo type_info{};
  type_info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type_info.semaphoreType = type;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type_info;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(vk().vkCreateSemaphore(device().handle, &info, nullptr, &semaphore), "vkCreateSemaphore");
  semaphores_.push_back(semaphore);
  return semaphore;
}

Stream CommandTest::stream_of(VkCommandBuffer commands) {
  Stream stream;
  for (const null_driver::CommandRecord& record : driver().log().commands) {
    if (record.command_buffer != reinterpret_cast<uint64_t>(commands)) continue;
    std::string text = record.command;
    if (text == "BeginCommandBuffer") stream.clear();
    if (text == "CmdBindDescriptorSets" && record.values.at(1) != 0) text = "bind record";
    if (text == "CmdFillBuffer") {
      text = record.values.at(0) == kFilterBytes ? "fill filter" : "fill dispatch_id";
    }
    stream.push_back(text);
  }
  return stream;
}

Stream CommandTest::with_ends(Stream commands) {
  commands.insert(commands.begin(), "BeginCommandBuffer");
  commands.push_back("EndCommandBuffer");
  return commands;
}

Stream CommandTest::joined(std::initializer_list<Stream> parts) {
  Stream all;
  for (const Stream& part : parts) all.insert(all.end(), part.begin(), part.end());
  return with_ends(all);
}

Stream CommandTest::batch_of(const null_driver::BatchRecord& batch,
                             const std::vector<VkCommandBuffer>& known) {
  Stream texts;
  for (const uint64_t handle : batch.command_buffers) {
    std::string text = "?";
    for (size_t i = 0; i < known.size(); ++i) {
      if (handle == reinterpret_cast<uint64_t>(known[i])) text = std::to_string(i);
    }
    const Stream stream = stream_of(reinterpret_cast<VkCommandBuffer>(handle));
    if (text == "?" && stream == with_ends(kClear)) text = "clear";
    texts.push_back(text);
  }
  return texts;
}

// Each holds its own address first.
std::vector<const uint32_t*> CommandTest::records() {
  std::vector<const uint32_t*> found;
  for (const std::span<std::byte> memory : driver().memory()) {
    for (size_t at = 0; at + SQA_ACTION_MAX_DWORDS * 4 <= memory.size(); at += 16) {
      uint64_t self = 0;
      std::memcpy(&self, memory.data() + at, 8);
      const auto record = reinterpret_cast<const uint32_t*>(memory.data() + at);
      // Without a number: the one for actions that cannot have their own.
      if (self == reinterpret_cast<uint64_t>(record) && record[SQA_ACTION_NUMBER] != 0)
        found.push_back(record);
    }
  }
  std::ranges::sort(found, {}, [](const uint32_t* record) { return record[SQA_ACTION_NUMBER]; });
  return found;
}

std::ostream& operator<<(std::ostream& out, const EnteredRange& range) {
  return out << (range.writes ? "writes " : "reads ") << range.rows << " x " << range.bytes << " bytes at "
             << range.address << ", " << range.pitch << " apart, named by indices of " << range.index_bytes
             << " bytes at " << range.indices << " plus " << range.row_offset << ", the last is row "
             << range.last_row << ", arguments at " << range.arguments << " with fields " << std::hex
             << range.fields << std::dec << ", divisor " << range.divisor << ", draw " << range.draw
             << " of those at " << range.draws;
}

std::vector<std::vector<EnteredRange>> CommandTest::entered(VkCommandBuffer commands) {
  std::vector<std::vector<EnteredRange>> dispatches;
  const auto& engine =
      *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
  const auto blocks = reinterpret_cast<const uint64_t*>(engine.record_blocks_address);
  for (const null_driver::CommandRecord& command : driver().log().commands) {
    if (command.command_buffer != reinterpret_cast<uint64_t>(commands) ||
        command.command != "CmdDispatchBase")
      continue;
    const std::vector<uint64_t>& values = command.values;
    const auto record = reinterpret_cast<const uint32_t*>(blocks[values[2]] + values[1] * 16);
    std::vector<EnteredRange>& ranges = dispatches.emplace_back();
    for (uint32_t i = 0; i < values[3] / record[SQA_RANGES_GROUPS]; ++i) {
      const uint32_t at = SQA_RANGES_FIRST + i * SQA_RANGE_DWORDS;
      EXPECT_EQ(record[at + SQA_RANGE_SLICES], 1u);
      ranges.push_back({address_at(record, at + SQA_RANGE_ADDRESS), record[at + SQA_RANGE_BYTES],
                        record[at + SQA_RANGE_ROWS], address_at(record, at + SQA_RANGE_PITCH),
                        (record[at + SQA_RANGE_ACCESS] & ~uint32_t{SQA_RANGE_FLAGS}) == SQA_ACCESS_STORE,
                        address_at(record, at + SQA_RANGE_INDICES), record[at + SQA_RANGE_INDEX_BYTES],
                        record[at + SQA_RANGE_ROW_OFFSET], record[at + SQA_RANGE_LAST_ROW],
                        address_at(record, at + SQA_RANGE_ARGUMENTS), record[at + SQA_RANGE_FIELDS],
                        record[at + SQA_RANGE_DIVISOR], address_at(record, at + SQA_RANGE_DRAWS),
                        record[at + SQA_RANGE_DRAW]});
    }
  }
  return dispatches;
}

uint64_t CommandTest::address_at(const uint32_t* record, uint32_t dword) {
  uint64_t value = 0;
  std::memcpy(&value, record + dword, 8);
  return value;
}

const abi::SubmissionState& CommandTest::submission_of(const uint32_t* record) {
  return *reinterpret_cast<const abi::SubmissionState*>(address_at(record, SQA_ACTION_SUBMISSION));
}

uint32_t CommandTest::visible_before(const uint32_t* record) {
  const auto* const block = reinterpret_cast<const uint32_t*>(address_at(record, SQA_ACTION_FLOORS));
  const uint32_t floor =
      block[SQA_FLOOR_HEADER_DWORDS + 4 + SQA_FLOOR_VISIBLE * SQA_CLASSES + SQA_CLASS_COMPUTE];
  EXPECT_TRUE(floor & SQA_FLOOR_INHERITED);
  return submission_of(record).floors[floor & ~SQA_FLOOR_INHERITED];
}

uint64_t CommandTest::page_entry(uint64_t address) {
  const auto tables = reinterpret_cast<const uint64_t*>(address_at(records().at(0), SQA_ACTION_PAGES));
  const auto pages = reinterpret_cast<const uint64_t*>(tables[address >> 32 & 0xffff]);
  return pages ? pages[address >> SQA_PAGE_LOG2 & 0xffff] : 0;
}

}  // namespace shaderqa::layer_tests
