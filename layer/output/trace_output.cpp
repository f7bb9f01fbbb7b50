// SPDX-License-Identifier: Apache-2.0
#include "layer/output/trace_output.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "host/trace/trace_selector.h"
#include "host/trace/trace_when.h"
#include "instrument/runtime/abi_root.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

constexpr const char* kDefaultFile = "shaderqa.trace";
constexpr size_t kMostActions = 65536;  // that are listed

uint32_t segment_dwords(uint64_t bytes) {
  return static_cast<uint32_t>((bytes + kTracePage - 1) / kTracePage * kTracePage / sizeof(uint32_t));
}

}  // namespace

std::unique_ptr<TraceOutput> TraceOutput::create(const DeviceContext& device, const ObjectNames& names,
                                                 const BufferTable& buffers, RootBlock& root,
                                                 std::string& problem) {
  const Settings& settings = device.instance->settings;
  const auto selectors = parse_trace_selectors(settings.trace_at, problem);
  if (!selectors) {
    problem = "trace_at: " + problem;
    return nullptr;
  }
  uint32_t stages = 0;
  for (const abi::TraceSelector& selector : *selectors) stages |= selector.stages;
  std::vector<uint32_t> when;
  if (!settings.trace_when.empty()) {
    const auto words = parse_trace_when(settings.trace_when, stages, problem);
    if (!words) {
      problem = "trace_when: " + problem;
      return nullptr;
    }
    when = *words;
  }
  if (!CodeWindow::parse(settings.trace_code, problem)) {
    problem = "trace_code: " + problem;
    return nullptr;
  }
  std::unique_ptr<TraceOutput> output(new TraceOutput(device, names, buffers));
  const std::string path = settings.trace_file.empty() ? kDefaultFile : settings.trace_file;
  const PlanKind plans = settings.debug_socket.empty() ? PlanKind::trace
                         : settings.debug_violations   ? PlanKind::stops_and_accesses
                                                       : PlanKind::stops;
  output->file_ = TraceFile::create(path, settings.rescue_dir, settings.trace_segments,
                                    segment_dwords(settings.trace_segment_size),
                                    {settings.trace_at, settings.trace_code, plans}, problem);
  if (!output->file_ || !output->make_memory(problem)) return nullptr;

  auto& control = *reinterpret_cast<abi::TraceControl*>(output->control_->mapped());
  control.segments = settings.trace_segments;
  control.segment_dwords = segment_dwords(settings.trace_segment_size);
  control.segments_address = output->segments_->address();
  control.keep_last = settings.trace_last ? 1 : 0;
  control.skip = settings.trace_skip;
  control.records = settings.trace_records != 0 ? settings.trace_records : UINT32_MAX;
  std::ranges::copy(*selectors, control.selector);
  uint64_t limit = 0;
  for (const abi::TraceSelector& selector : *selectors) limit += selector.limit;
  output->most_claimed_ = static_cast<uint32_t>(std::min<uint64_t>(limit, control.segments));
  std::ranges::copy(when, control.when);
  control.when_words = static_cast<uint32_t>(when.size());
  if (!settings.debug_socket.empty()) output->start_debugging();
  control.selectors = static_cast<uint32_t>(selectors->size());
  root.root().trace_control_address = output->control_->address();
  return output;
}

// Without a debugger it is a trace like others.
void TraceOutput::start_debugging() {
  auto& control = *reinterpret_cast<abi::TraceControl*>(control_->mapped());
  DebugOutput::Setup setup;
  setup.trace = file_->path();
  setup.range = {control.segments_address, uint64_t{control.segment_dwords} * 4, control.segments};
  setup.save = [this] { save(); };
  setup.aim = [this](const std::string& selectors) { aim(selectors); };
  setup.buffers = &buffers_;
  std::string problem;
  debug_ = DebugOutput::create(device_, std::move(setup), problem);
  if (debug_)
    control.debug_address = debug_->address();
  else
    device_.note("debugger", "nothing stops for a debugger: " + problem, Concern::nothing);
}

// An invocation that begins at this moment may compare itself with parts of both. It can then be one that
// nobody asked for, but its segment says which it is.
void TraceOutput::aim(const std::string& text) {
  std::string problem;
  const auto selectors = parse_trace_selectors(text, problem);
  uint32_t stages = 0;
  if (selectors)
    for (const abi::TraceSelector& selector : *selectors) stages |= selector.stages;
  const std::string& when = device_.instance->settings.trace_when;
  std::optional<std::vector<uint32_t>> words;
  if (selectors && !when.empty()) words = parse_trace_when(when, stages, problem);
  if (!selectors || (!when.empty() && !words))
    return device_.note("aim",
                        "the debugger chose invocations by " + text + ", which cannot be done: " + problem,
                        Concern::nothing);
  auto& control = *reinterpret_cast<abi::TraceControl*>(control_->mapped());
  if (claimed() >= control.segments)
    device_.note("aim without segments",
                 "the debugger cannot follow more than " + std::to_string(control.segments) +
                     " invocations (trace_segments)",
                 Concern::nothing);
  most_claimed_ = control.segments;
  const std::atomic_ref count(control.selectors);
  count.store(0, std::memory_order_release);
  if (words) std::ranges::copy(*words, control.when);
  if (words) control.when_words = static_cast<uint32_t>(words->size());
  std::ranges::copy(*selectors, control.selector);
  count.store(static_cast<uint32_t>(selectors->size()), std::memory_order_release);
}

void TraceOutput::stop_debugging() noexcept {
  if (debug_) debug_->stop();
}

bool TraceOutput::make_memory(std::string& problem) {
  DeviceBuffer::Request request;
  request.size = sizeof(abi::TraceControl);
  // Every invocation reads it.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  control_ = DeviceBuffer::create(device_, request, problem);
  if (!control_) return false;
  request = {};
  request.size = file_->segment_bytes();
  request.preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const VkDeviceSize alignment = device_.facts.host_import_alignment;
  std::byte* const shared = file_->importable();
  if (shared && alignment != 0 && kTracePage % alignment == 0 && request.size % alignment == 0 &&
      reinterpret_cast<uintptr_t>(shared) % alignment == 0) {
    request.import = shared;
    std::string unused;
    segments_ = DeviceBuffer::create(device_, request, unused);
  }
  if (!segments_) {
    request.import = nullptr;
    segments_ = DeviceBuffer::create(device_, request, problem);
  }
  return segments_ != nullptr;
}

void TraceOutput::add_shader(const ShaderRecord& record, std::span<const uint32_t> words) {
  const std::lock_guard lock(mutex_);
  if (!shaders_.emplace(record.shader_hash, record.entry_point).second) return;
  TraceShader shader;
  shader.hash = record.shader_hash;
  shader.stage = record.stage;
  shader.entry_point = record.entry_point;
  shader.name = names_.shader_name(record.shader_hash);
  shader.words.assign(words.begin(), words.end());
  check_written(file_->add_shader(shader));
}

void TraceOutput::check_written(bool written) {
  if (!written)
    device_.note("trace file", "the trace file " + file_->path() + " lacks shaders: it cannot be written to");
}

void TraceOutput::add_unlisted(uint64_t shader_hash) {
  const std::lock_guard lock(mutex_);
  if (unlisted_.insert(shader_hash).second) check_written(file_->add_unlisted(shader_hash));
}

uint32_t TraceOutput::claimed() const {
  return std::atomic_ref(reinterpret_cast<abi::TraceControl*>(control_->mapped())->claimed)
      .load(std::memory_order_relaxed);
}

bool TraceOutput::lists_actions() const {
  const std::lock_guard lock(mutex_);
  return !unlisted_.contains(0) && claimed() < most_claimed_;
}

void TraceOutput::add_submission(TracedSubmission submission, bool more) {
  {
    const std::lock_guard lock(mutex_);
    actions_ += submission.actions.size();
    more = more || actions_ > kMostActions;
    submission.claimed = claimed();
    if (!more) check_written(file_->add_submission(submission));
  }
  if (more) add_unlisted(0);
}

void TraceOutput::save() noexcept {
  guarded([&] {
    const std::lock_guard lock(mutex_);
    const auto& control = *reinterpret_cast<const abi::TraceControl*>(control_->mapped());
    const size_t claimed = std::min(control.claimed, control.segments);
    file_->store(segments_->mapped(), claimed * control.segment_dwords * sizeof(uint32_t));
  });
}

}  // namespace shaderqa::layer
