// SPDX-License-Identifier: Apache-2.0
#include "layer/output/check_output.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "host/findings/check_collector.h"
#include "host/findings/check_table.h"
#include "host/findings/report.h"
#include "host/rescue/rescue_buffers.h"
#include "host/summary/run_summary.h"
#include "instrument/runtime/abi_report.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/loader/device.h"
#include "layer/memory/rescue_buffer.h"
#include "layer/memory/root_block.h"
#include "layer/output/finding_context.h"
#include "layer/output/race_pictures.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/buffer_table.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_value.h"

namespace shaderqa::layer {
namespace {

constexpr VkDeviceSize kRecordBytes = sizeof(abi::Report) * SQA_REPORT_SLOTS;

struct CheckBuffers {
  std::unique_ptr<DeviceBuffer> control;
  RescueBuffer records;
};

// `vkCmdDispatch(37, 3, 1), action 12 of command buffer main in frame > probes, shader 1f00... (compute,
// main)`
std::string begun_text(const ActionOrigin& action, const std::string& shader) {
  std::string text = action.command + ", action " + std::to_string(action.index) + " of command buffer " +
                     action.command_buffer;
  for (size_t i = 0; i < action.labels.size(); ++i) text += (i == 0 ? " in " : " > ") + action.labels[i];
  return shader.empty() ? text : text + ", shader " + shader;
}

}  // namespace

struct CheckOutput::Impl : CheckClient {
  Impl(Device& its_device, RootBlock& its_root, CheckBuffers its_buffers)
      : device(its_device),
        root(its_root),
        buffers(std::move(its_buffers)),
        reader(reinterpret_cast<abi::ReportControl*>(buffers.control->mapped()),
               reinterpret_cast<abi::Report*>(buffers.records.buffer->mapped())),
        collector(table, device.instance->settings.bloom_buffer_size_log2, *this) {
    if (buffers.records.file) list_buffers();
  }
  ~Impl() override {
    if (buffers.records.file) device.buffers.listen(nullptr);
  }

  // For hazards that are read when the process is gone.
  void list_buffers() {
    auto list = std::make_shared<RescueBuffers>(buffers.records.file->buffer_slots());
    device.buffers.listen([this, list](const BufferTable::Buffer& buffer) {
      // The file is the parent's.
      if (device.instance->in_forked_child()) return;
      const auto handle = handle_value(buffer.handle);
      if (buffer.destroyed) {
        list->destroyed(handle);
      } else {
        list->put(handle, buffer.address, buffer.size, buffer.name);
      }
    });
  }

  FindingContext context(const CheckReport& report) override { return surroundings_of(device, report); }
  void finding(const Finding& finding) override { device.instance->reporter->report(finding); }
  void note(const std::string& key, const std::string& text) override { device.note(key, text); }

  Device& device;
  RootBlock& root;
  CheckBuffers buffers;
  CheckTable table;
  std::mutex sites_mutex;  // around the rescue file's sites
  std::mutex mutex;        // around what follows
  CheckReader reader;
  CheckCollector collector;
};

std::unique_ptr<CheckOutput> CheckOutput::create(Device& device, RootBlock& root, std::string& problem) {
  CheckBuffers buffers;
  DeviceBuffer::Request request;
  request.size = sizeof(abi::ReportControl);
  // Atomics of shaders go to their own memory; the records are read by the host, where they wait.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  buffers.control = DeviceBuffer::create(device, request, problem);
  if (!buffers.control) return nullptr;
  buffers.records = RescueBuffer::create(device, 1, kRecordBytes, RescueFile::Content::checks, problem);
  if (!buffers.records.buffer) return nullptr;
  root.root().report_records_address = buffers.records.buffer->address();
  root.root().report_control_address = buffers.control->address();
  return std::unique_ptr<CheckOutput>(
      new CheckOutput(std::make_unique<Impl>(device, root, std::move(buffers))));
}

CheckOutput::CheckOutput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CheckOutput::~CheckOutput() = default;

void CheckOutput::set_engine_state(uint64_t address) { impl_->root.root().engine_address = address; }

void CheckOutput::add_shader(const ShaderRecord& record) {
  impl_->table.add(record);
  if (RescueFile* rescue_file = impl_->buffers.records.file.get()) {
    const std::lock_guard lock(impl_->sites_mutex);
    rescue_file->add_sites(record);
  }
}

uint64_t CheckOutput::drain(CheckReader::Mode mode) noexcept {
  uint64_t news = 0;
  guarded([&] {
    const std::lock_guard lock(impl_->mutex);
    impl_->reader.drain(mode,
                        [&](const abi::Report& record) { news += impl_->collector.take(record) ? 1 : 0; });
  });
  if (news != 0) impl_->device.race_pictures.save_soon();
  return news;
}

std::string CheckOutput::last_begun() const {
  abi::BegunAction& begun = impl_->root.root().begun;
  const auto read = [](uint32_t& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); };
  const uint32_t number = read(begun.number);
  const uint64_t hash = read(begun.shader_hash[0]) | uint64_t{read(begun.shader_hash[1])} << 32;
  // Another one is beginning: the hash may be its.
  if (number == 0 || read(begun.number) != number) return {};
  const Device& device = impl_->device;
  const std::optional<ActionOrigin> action = device.command_buffers.find_action(number);
  if (!action) return {};
  return begun_text(*action, device.instance->summary->shader_name(hash));
}

void CheckOutput::finish() noexcept {
  drain(CheckReader::Mode::finished);
  report_counts();
}

void CheckOutput::report_counts() noexcept {
  guarded([&] {
    const std::lock_guard lock(impl_->mutex);
    impl_->collector.report_counts([&](uint32_t counter) { return impl_->reader.failures(counter); });
    if (const uint32_t unclaimed = impl_->reader.unclaimed())
      impl_->device.note("unclaimed reports", std::to_string(unclaimed) +
                                                  " failures of checks found the report block full: sites "
                                                  "that failed only then are not reported");
    if (const uint32_t unqueued = impl_->reader.unqueued())
      impl_->device.note("unqueued accesses",
                         std::to_string(unqueued) +
                             " accesses of shaders were not checked: one invocation made more than its "
                             "queue holds; sync_calls=never checks each at once",
                         Concern::sync);
  });
}

}  // namespace shaderqa::layer
