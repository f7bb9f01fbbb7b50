// SPDX-License-Identifier: Apache-2.0
#include "host/findings/report.h"

#include <unistd.h>
#include <optional>
#include <utility>

#include "host/findings/bug_block.h"
#include "host/findings/check_details.h"
#include "host/findings/report_fields.h"
#include "host/findings/report_line.h"
#include "host/findings/report_text.h"
#include "host/log/log.h"
#include "host/text/line_sink.h"
#include "host/version.h"

namespace shaderqa {
namespace {
// Bounds the memory that a program needs which has a messenger but never calls Vulkan again.
constexpr size_t kMaxQueued = 1u << 16;
}  // namespace

struct Reporter::Impl {
  std::mutex mutex;
  LineSink terminal, file;
  std::string file_name;
  BlockStyle terminal_style;
  bool has_parent = false, details = false;
  bool verbose = false, printf_to_stderr = true, quiet_notes = false;
  bool keep = false, queue_full = false, version_said = false;
  std::unordered_set<std::string> noted;
  std::vector<Finding> queue;
  Listener listener;
  std::optional<Finding> unheard;  // what was reported before there was a listener

  void add(const Finding& finding);
  void append_to_terminal(const Finding& finding);
  void append_to_file(const Finding& finding);
  void flush();
};

// The first line says which version of shaderqa writes.
void Reporter::Impl::append_to_file(const Finding& finding) {
  std::string& out = file.buffer();
  append_json_line(out, finding);
  if (std::exchange(version_said, true)) return;
  out.resize(out.size() - 2);  // "}\n"
  append_member(out, "version", version());
  out += "}\n";
}

// Where a parent shows the bugs at the end, one line each says what has been found so far, and counts are
// left to the parent.
void Reporter::Impl::append_to_terminal(const Finding& finding) {
  const bool is_message = finding.kind == FindingKind::printf || finding.kind == FindingKind::note;
  if (has_parent && finding.check) {
    if (finding.check->count) return;
    if (const auto line = read_report_line(to_json_line(finding)))
      terminal.buffer() +=
          std::string("shaderqa: found ") + to_string(finding.kind) + ": " + bug_headline(*line) + "\n";
    return;
  }
  BlockStyle style = terminal_style;
  style.details = is_message ? verbose : details;
  append_block(terminal.buffer(), finding, style);
}

void Reporter::Impl::add(const Finding& finding) {
  const bool is_printf = finding.kind == FindingKind::printf;
  const bool is_note = finding.kind == FindingKind::note;
  if (terminal.usable() && (is_printf ? printf_to_stderr : !(is_note && quiet_notes)))
    append_to_terminal(finding);
  if (file.usable()) append_to_file(finding);
  if (is_printf ? listener.message != nullptr : listener.finding != nullptr)
    is_printf ? listener.message() : listener.finding(finding);
  if (keep) {
    if (queue.size() < kMaxQueued) {
      queue.push_back(finding);
    } else if (!queue_full) {
      queue_full = true;
      queue.back() = {};
      queue.back().text =
          "too many findings wait for the application's messengers; further ones are only in the log";
    }
  }
  // Printf messages come in thousands, and whoever reads them from the device flushes after each pass. Other
  // findings are rare and shown at once.
  if (!is_printf || terminal.is_big() || file.is_big()) flush();
}

void Reporter::Impl::flush() {
  if (const std::string error = file.flush(); !error.empty() && terminal.usable()) {
    Finding finding;
    finding.text =
        "cannot write the report file " + file_name + ": " + error + "; findings no longer go there";
    finding.incomplete = Concern::everything;
    append_block(terminal.buffer(), finding, {});
    if (listener.finding) listener.finding(finding);
  }
  terminal.flush();  // nobody is left to tell that stderr is gone
}

Reporter::Reporter(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  impl_->verbose = settings.printf_verbose;
  impl_->details = settings.details;
  impl_->has_parent = !settings.rescue_dir.empty();
  impl_->terminal_style = style_of(STDERR_FILENO);
  impl_->printf_to_stderr = settings.printf_to_stderr;
  impl_->quiet_notes = settings.quiet_notes;
  impl_->terminal.borrow(STDERR_FILENO);
  if (settings.report.empty()) return;
  impl_->file_name = settings.report;
  const std::string error = impl_->file.open(settings.report);
  if (error.empty()) return;
  Finding finding;
  finding.text =
      "cannot open the report file " + settings.report + ": " + error + "; findings go to stderr only";
  finding.incomplete = Concern::everything;
  impl_->add(finding);
  impl_->unheard = finding;
}

Reporter::~Reporter() { flush(); }

void Reporter::report(const Finding& finding) {
  const std::lock_guard lock(impl_->mutex);
  impl_->add(finding);
}

void Reporter::listen(Listener listener) {
  const std::lock_guard lock(impl_->mutex);
  impl_->listener = std::move(listener);
  if (impl_->unheard && impl_->listener.finding) impl_->listener.finding(*impl_->unheard);
  impl_->unheard.reset();
}

void Reporter::note(const std::string& key, const std::string& text, Concern incomplete) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->noted.insert(key).second) return;
  Finding finding;
  finding.text = text;
  finding.incomplete = incomplete;
  impl_->add(finding);
  SHADERQA_LOG(warn, text);
}

void Reporter::printf_format(const std::string& text) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->noted.insert(text).second) return;
  Finding finding;
  finding.text = text;
  finding.printf_format = true;
  impl_->add(finding);
  SHADERQA_LOG(warn, text);
}

void Reporter::flush() {
  const std::lock_guard lock(impl_->mutex);
  impl_->flush();
}

void Reporter::keep_for_messengers(bool keep) {
  const std::lock_guard lock(impl_->mutex);
  impl_->keep = keep;
  if (!keep) impl_->queue.clear();
}

std::vector<Finding> Reporter::take_for_messengers() {
  const std::lock_guard lock(impl_->mutex);
  impl_->queue_full = false;
  return std::exchange(impl_->queue, {});
}

}  // namespace shaderqa
