// SPDX-License-Identifier: Apache-2.0
#include "layer/output/outputs.h"

#include <memory>
#include <system_error>

#include "host/printf/printf_stream.h"
#include "host/summary/run_summary.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/loader/device.h"
#include "layer/output/check_output.h"
#include "layer/output/exit_drain.h"
#include "layer/output/picture_output.h"
#include "layer/output/printf_output.h"
#include "layer/output/race_pictures.h"
#include "layer/output/trace_output.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {

Outputs::Outputs(Device& device)
    : device_(device), thread_(std::make_unique<DrainThread>([this] { return round(); })) {}

Outputs::~Outputs() {
  thread_.reset();
  delete printf_.load();
  delete checks_.load();
  delete trace_.load();
  delete pictures_.load();
}

template <typename Output, typename Make>
Output* Outputs::require(std::atomic<Output*>& made, bool& failed, const Explanation& explanation,
                         const Make& make) {
  if (Output* output = made.load(std::memory_order_acquire)) return output;
  const std::lock_guard lock(mutex_);
  if (Output* output = made.load(std::memory_order_relaxed)) return output;
  if (failed) return nullptr;
  std::string problem;
  std::unique_ptr<Output> output = make(problem);
  if (!output) {
    failed = true;
    device_.note(explanation.key, std::string(explanation.without) + ": " + problem + explanation.advice,
                 explanation.incomplete);
    return nullptr;
  }
  made.store(output.get(), std::memory_order_release);
  start_thread();
  return output.release();
}

PrintfOutput* Outputs::require_printf(RootBlock& root) {
  return require(
      printf_, printf_failed_,
      {"printf buffer", "shaders print nothing", "; a smaller printf_buffer_size may help"},
      [&](std::string& problem) { return PrintfOutput::create(device_, device_.names, root, problem); });
}

CheckOutput* Outputs::require_checks(RootBlock& root) {
  return require(checks_, checks_failed_, {"check reports", "shaders check nothing", ""},
                 [&](std::string& problem) { return CheckOutput::create(device_, root, problem); });
}

TraceOutput* Outputs::require_trace(RootBlock& root) {
  return require(trace_, trace_failed_, {"trace", "nothing is traced", "", Concern::nothing},
                 [&](std::string& problem) {
                   return TraceOutput::create(device_, device_.names, device_.buffers, root, problem);
                 });
}

PictureOutput* Outputs::require_pictures(RootBlock& root) {
  return require(
      pictures_, pictures_failed_, {"pictures", "there are no pictures", "", Concern::nothing},
      [&](std::string& problem) { return PictureOutput::create(device_, device_.names, root, problem); });
}

void Outputs::start_thread() {
  if (started_) return;
  started_ = true;
  try {
    thread_->start();
  } catch (const std::system_error&) {
    device_.note(
        "thread",
        "no thread could be started: messages appear only when the application waits for the device");
  }
  register_exit_drain();
}

std::string Outputs::last_begun() const {
  const CheckOutput* const output = checks();
  return output ? output->last_begun() : std::string();
}

void Outputs::tell_begun() noexcept {
  constexpr uint64_t long_ns = 200'000'000;
  const uint64_t now = monotonic_ns();
  if (!checks() || now < next_look_ns_) return;
  next_look_ns_ = now + long_ns;
  RunSummary& summary = *device_.instance->summary;
  const uint64_t wait = summary.first_wait_ns();
  if (wait == 0 || wait + long_ns > now) return;
  guarded([&] {
    if (const std::string action = last_begun(); !action.empty()) summary.tell_begun(action, now);
  });
}

uint64_t Outputs::round() noexcept {
  tell_begun();
  uint64_t news = 0;
  if (PrintfOutput* output = printf()) news += output->poll();
  if (CheckOutput* output = checks()) news += output->drain(CheckReader::Mode::running);
  return news;
}

void Outputs::drain(bool finished) noexcept {
  if (PrintfOutput* output = printf())
    output->drain(finished ? PrintfStream::Mode::finished : PrintfStream::Mode::running);
  if (CheckOutput* output = checks())
    output->drain(finished ? CheckReader::Mode::finished : CheckReader::Mode::running);
  if (TraceOutput* output = trace()) output->save();
}

void Outputs::finish() noexcept {
  thread_->join();
  if (PrintfOutput* output = printf()) output->finish();
  if (CheckOutput* output = checks()) {
    output->finish();
    device_.race_pictures.finish();
  }
  if (TraceOutput* output = trace()) {
    output->stop_debugging();
    output->save();
  }
  if (PictureOutput* output = pictures()) output->save();
}

void Outputs::drain_at_exit() noexcept {
  if (!any() || device_.instance->in_forked_child() || !thread_->stop_at_exit()) return;
  if (TraceOutput* output = trace()) output->stop_debugging();
  drain(false);
  if (PictureOutput* output = pictures()) output->save();
  if (CheckOutput* output = checks()) {
    output->report_counts();
    device_.race_pictures.finish();
  }
}

void Outputs::abandon() noexcept {
  printf_.store(nullptr);
  checks_.store(nullptr);
  trace_.store(nullptr);
  pictures_.store(nullptr);
  static_cast<void>(thread_.release());
}

}  // namespace shaderqa::layer
