#include "layer/check_output.h"

#include <mutex>
#include <utility>

#include "host/check_collector.h"
#include "host/check_table.h"
#include "layer/check_surroundings.h"
#include "layer/device.h"

namespace shaderqa::layer {
namespace {

struct CheckBuffers {
  std::unique_ptr<DeviceBuffer> control, records;
};

std::unique_ptr<DeviceBuffer> allocate(Device& device, VkDeviceSize size, VkMemoryPropertyFlags preferred,
                                       std::string& problem) {
  DeviceBuffer::Request request;
  request.size = size;
  request.preferred = preferred;
  return DeviceBuffer::create(device, request, problem);
}

}  // namespace

struct CheckOutput::Impl {
  Impl(Device& its_device, CheckBuffers its_buffers)
      : device(its_device),
        buffers(std::move(its_buffers)),
        reader(reinterpret_cast<abi::ReportControl*>(buffers.control->mapped()),
               reinterpret_cast<abi::Report*>(buffers.records->mapped())),
        collector(table, device.instance->settings.bloom_buffer_size_log2, callbacks()) {}

  CheckCollector::Callbacks callbacks() {
    return {[this](const abi::Report& record) { return surroundings_of(device, record); },
            [this](Finding& finding) {
              finding.pipeline = device.names.pipeline_of_shader(finding.shader);
              finding.shader_name = device.names.shader_name(finding.shader);
              device.instance->reporter.report(finding);
            },
            [this](const std::string& key, const std::string& text) { device.note(key, text); }};
  }

  Device& device;
  CheckBuffers buffers;
  CheckTable table;
  std::mutex mutex;  // around what follows
  CheckReader reader;
  CheckCollector collector;
};

std::unique_ptr<CheckOutput> CheckOutput::create(Device& device, RootBlock& root, std::string& problem) {
  CheckBuffers buffers;
  // Atomics of shaders go to their own memory; the records are read by the host, where they wait.
  buffers.control =
      allocate(device, sizeof(abi::ReportControl), VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, problem);
  if (!buffers.control) return nullptr;
  buffers.records =
      allocate(device, sizeof(abi::Report) * SQA_REPORT_SLOTS, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, problem);
  if (!buffers.records) return nullptr;
  root.root().report_records_address = buffers.records->address();
  root.root().report_control_address = buffers.control->address();
  return std::unique_ptr<CheckOutput>(new CheckOutput(std::make_unique<Impl>(device, std::move(buffers))));
}

CheckOutput::CheckOutput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CheckOutput::~CheckOutput() = default;

void CheckOutput::add_shader(const ShaderRecord& record) {
  impl_->table.add(record);
  for (const std::string& note : record.notes) impl_->device.note(note, note);
}

uint64_t CheckOutput::drain(CheckReader::Mode mode) noexcept {
  uint64_t news = 0;
  guarded([&] {
    const std::lock_guard lock(impl_->mutex);
    impl_->reader.drain(mode,
                        [&](const abi::Report& record) { news += impl_->collector.take(record) ? 1 : 0; });
  });
  return news;
}

void CheckOutput::finish() noexcept {
  drain(CheckReader::Mode::finished);
  report_counts();
}

void CheckOutput::report_counts() noexcept {
  guarded([&] {
    const std::lock_guard lock(impl_->mutex);
    impl_->collector.report_counts([&](uint32_t counter) { return impl_->reader.failures(counter); });
  });
}

}  // namespace shaderqa::layer
