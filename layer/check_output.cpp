#include "layer/check_output.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "host/check_finding.h"
#include "host/check_table.h"
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

// A site that failed.
struct Failed {
  Finding finding;  // the first
  uint32_t counter = 0;
  uint32_t reports = 0;  // records of it, at least so many failures
  uint32_t said = 1;     // the count that was told
};

}  // namespace

struct CheckOutput::Impl {
  Impl(Device& its_device, CheckBuffers its_buffers)
      : device(its_device),
        buffers(std::move(its_buffers)),
        reader(reinterpret_cast<abi::ReportControl*>(buffers.control->mapped()),
               reinterpret_cast<abi::Report*>(buffers.records->mapped())) {}

  bool report(const abi::Report& record);  // true: something new
  bool is_believed(const CheckReport& report);
  void report_counts();

  Device& device;
  CheckBuffers buffers;
  CheckTable table;
  std::mutex mutex;  // around what follows
  CheckReader reader;
  std::map<const KnownCheck*, Failed> failed;  // as many as there are sites and stages
  uint64_t not_believed = 0, not_believed_said = 0;
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
    impl_->reader.drain(mode, [&](const abi::Report& record) { news += impl_->report(record) ? 1 : 0; });
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
    impl_->report_counts();
  });
}

bool CheckOutput::Impl::is_believed(const CheckReport& report) {
  if (report.check != SQA_CHECK_HAZARD || report.occupancy <= kMaxBelievedOccupancy) return true;
  ++not_believed;
  device.note("saturated",
              "the filter of the sync check is too full to be believed (" + std::to_string(report.occupancy) +
                  " of " + std::to_string(SQA_OCCUPANCY_PROBES) +
                  " probed buckets were taken): hazards that it finds then are not reported; raise "
                  "bloom_buffer_size_log2 (VKD3D_BLOOM_BUFFER_SIZE_LOG2), now " +
                  std::to_string(device.instance->settings.bloom_buffer_size_log2));
  return false;
}

bool CheckOutput::Impl::report(const abi::Report& record) {
  const CheckReport report(record);
  if (const CheckDamage damage = check_report_damage(report); damage.what) {
    device.note(damage.what, damage.sentence);
    return false;
  }
  const CheckTable::Found found = table.find(report.shader_hash, record.instruction, report.check,
                                             report.access, static_cast<Stage>(report.stage));
  if (!found.check) {
    const CheckDamage damage = check_report_miss(found.miss, report, record.instruction);
    device.note(damage.what, damage.sentence);
    return false;
  }
  if (!is_believed(report)) return false;
  const auto known = failed.find(found.check);
  if (known != failed.end()) {
    ++known->second.reports;
    return false;
  }
  Finding finding = check_finding(found, record, {});
  finding.pipeline = device.names.pipeline_of_shader(report.shader_hash);
  finding.shader_name = device.names.shader_name(report.shader_hash);
  device.instance->reporter.report(finding);
  failed[found.check] = {std::move(finding), failure_counter(report.shader_hash, record.instruction), 1, 1};
  return true;
}

void CheckOutput::Impl::report_counts() {
  for (auto& [check, site] : failed) {
    const uint32_t count = std::max(reader.failures(site.counter), site.reports);
    if (count <= site.said) continue;
    site.said = count;
    device.instance->reporter.report(
        check_count_finding(site.finding, count, table.sharers(site.counter), not_believed != 0));
  }
  if (not_believed == not_believed_said) return;
  not_believed_said = not_believed;
  const std::string text = std::to_string(not_believed) +
                           (not_believed == 1 ? " hazard report was" : " hazard reports were") +
                           " not believed, because the filter was too full; raise bloom_buffer_size_log2";
  device.note(text, text);
}

}  // namespace shaderqa::layer
