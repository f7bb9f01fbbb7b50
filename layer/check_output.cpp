#include "layer/check_output.h"

#include <mutex>
#include <utility>

#include "host/check_collector.h"
#include "host/check_table.h"
#include "host/rescue_file.h"
#include "layer/check_surroundings.h"
#include "layer/device.h"

namespace shaderqa::layer {
namespace {

constexpr VkDeviceSize kRecordBytes = sizeof(abi::Report) * SQA_REPORT_SLOTS;

struct CheckBuffers {
  // Declared first: Vulkan must be done with the file's memory before it is unmapped.
  std::unique_ptr<RescueFile> rescue_file;  // null: the records are in ordinary memory
  std::unique_ptr<DeviceBuffer> control, records;
};

std::unique_ptr<DeviceBuffer> allocate(Device& device, VkDeviceSize size, VkMemoryPropertyFlags preferred,
                                       void* import, std::string& problem) {
  DeviceBuffer::Request request;
  request.size = size;
  request.preferred = preferred;
  request.import = import;
  return DeviceBuffer::create(device, request, problem);
}

// The records in a file that outlives the process; not, with one note, where that cannot be.
void place_in_rescue_file(Device& device, CheckBuffers& buffers) {
  const std::string& directory = device.instance->settings.rescue_dir;
  if (directory.empty()) return;
  std::string problem = "the driver cannot import host memory (VK_EXT_external_memory_host)";
  const VkDeviceSize alignment = device.facts.host_import_alignment;
  if (alignment != 0) {
    buffers.rescue_file =
        RescueFile::create(directory, 1, kRecordBytes, problem, RescueFile::Content::checks);
    if (buffers.rescue_file) {
      void* memory = buffers.rescue_file->segment_memory();
      if (reinterpret_cast<uintptr_t>(memory) % alignment == 0 && kRecordBytes % alignment == 0) {
        buffers.records = allocate(device, kRecordBytes, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, memory, problem);
      } else {
        problem = "the driver imports only memory aligned to " + std::to_string(alignment) + " bytes";
      }
    }
  }
  if (buffers.records) return;
  buffers.rescue_file.reset();
  device.note("rescue checks", "what checks find in the last moment before a crash can be lost: " + problem);
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
  std::mutex sites_mutex;  // around the rescue file's sites
  std::mutex mutex;        // around what follows
  CheckReader reader;
  CheckCollector collector;
};

std::unique_ptr<CheckOutput> CheckOutput::create(Device& device, RootBlock& root, std::string& problem) {
  CheckBuffers buffers;
  // Atomics of shaders go to their own memory; the records are read by the host, where they wait.
  buffers.control =
      allocate(device, sizeof(abi::ReportControl), VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, nullptr, problem);
  if (!buffers.control) return nullptr;
  place_in_rescue_file(device, buffers);
  if (!buffers.records)
    buffers.records = allocate(device, kRecordBytes, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, nullptr, problem);
  if (!buffers.records) return nullptr;
  root.root().report_records_address = buffers.records->address();
  root.root().report_control_address = buffers.control->address();
  return std::unique_ptr<CheckOutput>(new CheckOutput(std::make_unique<Impl>(device, std::move(buffers))));
}

CheckOutput::CheckOutput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CheckOutput::~CheckOutput() = default;

void CheckOutput::add_shader(const ShaderRecord& record) {
  impl_->table.add(record);
  if (RescueFile* rescue_file = impl_->buffers.rescue_file.get()) {
    const std::lock_guard lock(impl_->sites_mutex);
    rescue_file->add_sites(record);
  }
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
    if (const uint32_t unclaimed = impl_->reader.unclaimed())
      impl_->device.note("unclaimed reports", std::to_string(unclaimed) +
                                                  " failures of checks found the report block full: sites "
                                                  "that failed only then are not reported");
  });
}

}  // namespace shaderqa::layer
