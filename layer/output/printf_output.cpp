// SPDX-License-Identifier: Apache-2.0
#include "layer/output/printf_output.h"

#include <algorithm>

#include "host/findings/report.h"
#include "host/printf/printf_format.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

// Reading the counters is slow if they are in device memory. It is done only after messages came, and outside
// the lock that the application's waits take.
constexpr std::chrono::seconds kFirstCounterInterval{1};
constexpr std::chrono::seconds kLastCounterInterval{64};

}  // namespace

std::unique_ptr<PrintfOutput> PrintfOutput::create(const DeviceContext& device, const ObjectNames& names,
                                                   RootBlock& root, std::string& problem) {
  std::unique_ptr<PrintfBuffers> buffers = PrintfBuffers::create(device, root, problem);
  if (!buffers) return nullptr;
  return std::unique_ptr<PrintfOutput>(new PrintfOutput(device, names, std::move(buffers), root));
}

PrintfOutput::PrintfOutput(const DeviceContext& device, const ObjectNames& names,
                           std::unique_ptr<PrintfBuffers> buffers, RootBlock& root)
    : device_(device),
      names_(names),
      buffers_(std::move(buffers)),
      stream_(buffers_->segments(), &root.root().printf_active, table_, buffers_->oldest()),
      counters_interval_(kFirstCounterInterval) {
  callbacks_.message = [this](const PrintfMessage& message) { report(message); };
  callbacks_.delivered = [this] { device_.instance->reporter->flush(); };
  callbacks_.problem = [this](const std::string& text) { device_.note(text, text, Concern::printf); };
}

void PrintfOutput::add_shader(const ShaderRecord& record) {
  for (const std::string& warning : table_.add(record)) device_.note(warning, warning, Concern::printf);
  // Said now, and not with the first message: the program may never print it.
  for (const PrintfSite& site : record.printf_sites) {
    const PrintfTable::Entry* const entry = table_.find_entry(site.id);
    if (!entry) continue;
    const std::string place =
        site.source.line == 0 ? "" : site.source.file + ":" + std::to_string(site.source.line) + ": ";
    for (const std::string& warning : entry->format.warnings())
      device_.instance->reporter->printf_format(place + warning);
  }
  if (RescueFile* rescue_file = buffers_->rescue_file()) rescue_file->add_sites(record);
}

uint64_t PrintfOutput::drain(PrintfStream::Mode mode) noexcept {
  uint64_t messages = 0;
  guarded([&] {
    const std::lock_guard lock(mutex_);
    ++drain_;
    messages = stream_.drain(mode, callbacks_);
  });
  return messages;
}

uint64_t PrintfOutput::poll() noexcept {
  const uint64_t messages = drain(PrintfStream::Mode::running);
  counters_stale_ |= messages != 0;
  const auto now = std::chrono::steady_clock::now();
  if (counters_stale_ && now >= counters_due_) {
    counters_stale_ = false;
    counters_due_ = now + counters_interval_;
    guarded([&] { report_dropped(); });
  }
  return messages;
}

void PrintfOutput::finish() noexcept {
  drain(PrintfStream::Mode::finished);
  guarded([&] {
    report_dropped();
    report_budgets();
    device_.instance->reporter->flush();
  });
}

PrintfOutput::SiteFinding& PrintfOutput::finding_of(const PrintfMessage& message) {
  const PrintfSite& site = *message.site;
  const auto [found, is_new] = findings_.try_emplace(&site);
  SiteFinding& known = found->second;
  Finding& finding = known.finding;
  if (is_new) finding = site_finding(site);
  if (known.drain != drain_) {
    known.drain = drain_;
    finding.pipeline = names_.pipeline_of_shader(site.shader_hash);
    finding.shader_name = names_.shader_name(site.shader_hash);
  }
  return known;
}

void PrintfOutput::report(const PrintfMessage& message) {
  if (!message.site) return;  // the stream has reported it
  Finding& finding = finding_of(message).finding;
  finding.text.clear();
  message.format->render(message.payload, finding.text);
  if (message.site->invocation != InvocationKind::none) {
    finding.invocation = render_invocation(*message.site, message.payload);
  }
  device_.instance->reporter->report(finding);
}

void PrintfOutput::report_dropped() {
  const std::vector<std::string> sentences = counters_.dropped(buffers_->counters(), table_);
  for (const std::string& text : sentences) device_.note(text, text, Concern::printf);
  // A program that keeps dropping messages is told so ever less often.
  if (!sentences.empty()) counters_interval_ = std::min(counters_interval_ * 2, kLastCounterInterval);
}

void PrintfOutput::report_budgets() {
  const Settings& settings = device_.instance->settings;
  if (!settings.printf_first && !settings.printf_every) return;
  for (const std::string& text :
       counters_.budgets(buffers_->counters(), table_, settings.printf_first, settings.printf_every)) {
    device_.note(text, text, Concern::nothing);
  }
}

}  // namespace shaderqa::layer
