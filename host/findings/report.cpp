// SPDX-License-Identifier: Apache-2.0
#include "host/findings/report.h"

#include <unistd.h>
#include <utility>

#include "host/findings/report_fields.h"
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
  bool verbose = false, printf_to_stderr = true, quiet_notes = false;
  bool keep = false, queue_full = false, version_said = false;
  std::unordered_set<std::string> noted;
  std::vector<Finding> queue;

  void add(const Finding& finding);
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

void Reporter::Impl::add(const Finding& finding) {
  const bool is_printf = finding.kind == FindingKind::printf;
  const bool is_note = finding.kind == FindingKind::note;
  if (terminal.usable() && (is_printf ? printf_to_stderr : !(is_note && quiet_notes)))
    append_block(terminal.buffer(), finding, is_printf ? verbose : !is_note || verbose);
  if (file.usable()) append_to_file(finding);
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
    append_block(terminal.buffer(), finding, false);
  }
  terminal.flush();  // nobody is left to tell that stderr is gone
}

Reporter::Reporter(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  impl_->verbose = settings.printf_verbose;
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
  append_block(impl_->terminal.buffer(), finding, false);
  impl_->flush();
}

Reporter::~Reporter() { flush(); }

void Reporter::report(const Finding& finding) {
  const std::lock_guard lock(impl_->mutex);
  impl_->add(finding);
}

void Reporter::note(const std::string& key, const std::string& text) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->noted.insert(key).second) return;
  Finding finding;
  finding.text = text;
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
