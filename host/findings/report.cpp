// SPDX-License-Identifier: Apache-2.0
#include "host/findings/report.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "host/findings/bug_block.h"
#include "host/findings/check_details.h"
#include "host/findings/report_fields.h"
#include "host/findings/report_line.h"
#include "host/findings/report_text.h"
#include "host/findings/shader_subject.h"
#include "host/log/log.h"
#include "host/text/line_sink.h"
#include "host/text/rotated_file.h"
#include "host/version.h"

namespace shaderqa {
namespace {
// Bounds the memory that a program needs which has a messenger but never calls Vulkan again.
constexpr size_t kMaxQueued = 1u << 16;

// Text for stderr that a messenger is going to have instead. With a folder it lies in a file there too, so
// that the parent can show it if the process ends before.
class Undelivered {
 public:
  void use_folder(const std::string& folder) { folder_ = folder; }
  std::string& text() { return text_; }
  // The file gets what was added.
  void save() {
    if (folder_.empty() || saved_ == text_.size()) return;
    if (!file_.usable() && !open()) return;
    file_.buffer().append(text_, saved_);
    saved_ = text_.size();
    file_.flush();
  }
  void taken() { taken_ = text_.size(); }
  void delivered() { drop(std::exchange(taken_, 0)); }
  std::string take() {
    std::string all = text_;
    drop(text_.size());
    return all;
  }

 private:
  bool open() {
    static std::atomic<unsigned> made = 0;
    path_ = folder_ + "/" + std::to_string(::getpid()) + "-" + std::to_string(made++) + kUndeliveredSuffix;
    if (file_.open(path_).empty()) return true;
    folder_.clear();
    return false;
  }
  void drop(size_t size) {
    text_.erase(0, size);
    saved_ = 0;
    if (!file_.usable()) return;
    std::error_code ignored;
    std::filesystem::resize_file(path_, 0, ignored);
    save();
  }

  std::string folder_, path_, text_;
  size_t saved_ = 0, taken_ = 0;
  LineSink file_;
};

}  // namespace

struct Reporter::Impl {
  std::mutex mutex;
  LineSink terminal;
  RotatedFile rotated;
  Rotation rotation;
  LineSink& file = rotated.lines();
  std::string file_name;
  BlockStyle terminal_style;
  std::unordered_set<std::string> found;  // lines about bugs, while a parent shows the blocks
  bool has_parent = false, details = false;
  bool verbose = false, printf_to_stderr = true, quiet_notes = false;
  Takes takes;  // null: no messenger
  bool stderr_too = false, no_messengers = false, queue_full = false;
  Undelivered undelivered;
  // Members of each line of the report file, and those of the first one in each file.
  std::string process_members, writer_members;
  bool writer_is_known = false;
  bool lines_are_dropped = false, said_dropped = false;
  std::unordered_set<std::string> noted;
  std::unordered_map<std::string, uint32_t> shaders_noted;  // by what is said of them
  std::vector<Finding> queue;
  Listener listener;
  std::optional<Finding> unheard;  // what was reported before there was a listener

  void add(const Finding& finding);
  // Writes it to the report file, and tells the listener.
  void add_silently(const Finding& finding);
  void append_to_terminal(const Finding& finding, std::string& out);
  void append_to_file(const Finding& finding);
  void renew_file(bool may_rotate);
  void say_file_problem(const std::string& problem);
  void say_dropped();
  bool keep_for_messenger(const Finding& finding);
  void append_origin(std::string& out);
  void know_writer(const Settings& settings);
  void flush();
  void say_undelivered();
};

// Each line says which process it is from, and the first one what that process is.
void Reporter::Impl::know_writer(const Settings& settings) {
  append_number_member(process_members, "process", static_cast<uint64_t>(::getpid()));
  append_member(writer_members, "version", version());
  append_member(writer_members, "program", program_invocation_short_name);
  utsname machine{};
  if (::uname(&machine) == 0) append_member(writer_members, "host", machine.nodename);
  // The folder is one for all processes that a `shaderqa run` starts.
  std::string run = settings.rescue_dir.substr(settings.rescue_dir.find_last_of('/') + 1);
  if (run.empty()) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    run = std::to_string(::getpid()) + "-" + std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec);
  }
  append_member(writer_members, "run", run);
}

void Reporter::Impl::append_origin(std::string& out) {
  out.resize(out.size() - 2);  // "}\n"
  out += process_members;
  if (!std::exchange(writer_is_known, true)) out += writer_members;
  out += "}\n";
}

// Between two batches, the report file may become an older one.
void Reporter::Impl::renew_file(bool may_rotate) {
  if (!file.buffer().empty()) return;
  const RotatedFile::Renewal renewal = rotated.renew(may_rotate);
  if (renewal.is_new) writer_is_known = false;
  lines_are_dropped = lines_are_dropped || renewal.dropped;
  if (!renewal.error.empty())
    say_file_problem("cannot rotate the report file " + file_name + ": " + renewal.error);
}

void Reporter::Impl::say_dropped() {
  if (!lines_are_dropped || std::exchange(said_dropped, true)) return;
  Finding finding;
  finding.text = "the report file " + file_name +
                 " is not complete: its oldest lines are dropped, because there is more than rotate_size (" +
                 std::to_string(rotation.size) + " bytes) and rotate_files (" +
                 std::to_string(rotation.files) + ") allow";
  finding.incomplete = Concern::everything;
  add(finding);
  SHADERQA_LOG(warn, finding.text);
}

void Reporter::Impl::append_to_file(const Finding& finding) {
  renew_file(true);
  if (!file.usable()) return;
  append_json_line(file.buffer(), finding);
  append_origin(file.buffer());
}

// Where a parent shows the bugs at the end, one line each says what has been found so far, and counts are
// left to the parent.
void Reporter::Impl::append_to_terminal(const Finding& finding, std::string& out) {
  const bool is_message = finding.kind == FindingKind::printf || finding.kind == FindingKind::note;
  if (has_parent && finding.check) {
    if (finding.check->count) return;
    const auto line = read_report_line(to_json_line(finding));
    if (!line) return;
    // A bug of which a side is not known for sure has another fingerprint, and the same line.
    const std::string said = std::string("shaderqa: found ") + to_string(finding.kind) + ": " +
                             bug_headline(*line, terminal_style.folder) + "\n";
    if (found.insert(said).second) out += said;
    return;
  }
  BlockStyle style = terminal_style;
  style.details = is_message ? verbose : details;
  append_block(out, finding, style);
  if (finding.check && finding.source.line == 0) terminal_style.advice = false;
}

// Whether a messenger will hear of the finding.
bool Reporter::Impl::keep_for_messenger(const Finding& finding) {
  if (!takes || !takes(finding)) return false;
  if (queue.size() < kMaxQueued) {
    queue.push_back(finding);
    return true;
  }
  if (!std::exchange(queue_full, true)) {
    queue.back() = {};
    queue.back().text =
        "too many findings wait for the application's messengers; further ones are only in the log";
  }
  return false;
}

void Reporter::Impl::add_silently(const Finding& finding) {
  const bool is_printf = finding.kind == FindingKind::printf;
  if (file.usable()) append_to_file(finding);
  if (is_printf ? listener.message != nullptr : listener.finding != nullptr)
    is_printf ? listener.message() : listener.finding(finding);
}

void Reporter::Impl::add(const Finding& finding) {
  const bool is_printf = finding.kind == FindingKind::printf;
  const bool is_note = finding.kind == FindingKind::note;
  const bool kept = keep_for_messenger(finding);
  if (terminal.usable() && (is_printf ? printf_to_stderr : !(is_note && quiet_notes)))
    append_to_terminal(finding, kept && !stderr_too ? undelivered.text() : terminal.buffer());
  add_silently(finding);
  // Printf messages come in thousands, and whoever reads them from the device flushes after each pass. Other
  // findings are rare and shown at once.
  if (!is_printf || terminal.is_big() || file.is_big()) flush();
  say_dropped();
}

void Reporter::Impl::say_undelivered() {
  terminal.buffer() += undelivered.take();
  flush();
}

void Reporter::Impl::say_file_problem(const std::string& problem) {
  Finding finding;
  finding.text = problem + "; findings no longer go there";
  finding.incomplete = Concern::everything;
  append_block(terminal.buffer(), finding, {});
  if (listener.finding) listener.finding(finding);
}

void Reporter::Impl::flush() {
  undelivered.save();
  if (const std::string error = file.flush(); !error.empty())
    say_file_problem("cannot write the report file " + file_name + ": " + error);
  terminal.flush();  // nobody is left to tell that stderr is gone
}

Reporter::Reporter(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  impl_->verbose = settings.printf_verbose;
  impl_->details = settings.details;
  impl_->stderr_too = settings.messengers == "also";
  impl_->no_messengers = settings.messengers == "never";
  impl_->undelivered.use_folder(settings.rescue_dir);
  impl_->has_parent = !settings.rescue_dir.empty();
  impl_->terminal_style = style_of(STDERR_FILENO);
  impl_->printf_to_stderr = settings.printf_to_stderr;
  impl_->quiet_notes = settings.quiet_notes;
  impl_->terminal.borrow(STDERR_FILENO);
  if (settings.report.empty()) return;
  impl_->file_name = settings.report;
  impl_->know_writer(settings);
  impl_->rotation = {settings.rotate_size, settings.rotate_files};
  const std::string error = impl_->rotated.open(settings.report, impl_->rotation);
  if (error.empty()) return;
  Finding finding;
  finding.text =
      "cannot open the report file " + settings.report + ": " + error + "; findings go to stderr only";
  finding.incomplete = Concern::everything;
  impl_->add(finding);
  impl_->unheard = finding;
}

Reporter::~Reporter() { say_undelivered(); }

void Reporter::report(const Finding& finding) {
  const std::lock_guard lock(impl_->mutex);
  impl_->add(finding);
}

bool Reporter::append_line(const std::string& line) {
  const std::lock_guard lock(impl_->mutex);
  impl_->renew_file(false);
  if (!impl_->file.usable()) return impl_->file_name.empty();
  impl_->file.buffer() += line;
  impl_->append_origin(impl_->file.buffer());
  impl_->flush();
  return impl_->file.usable();
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

void Reporter::note_about(const ShaderSubject& shader, const std::string& rest, Concern incomplete) {
  const std::lock_guard lock(impl_->mutex);
  Finding finding;
  finding.text = shader_text(shader) + rest;
  if (!impl_->noted.insert(finding.text).second) return;
  finding.incomplete = incomplete;
  finding.shader = shader.hash;
  finding.stage = shader.stage;
  finding.entry_point = shader.entry_point;
  finding.source.file = shader.file;
  finding.shader_name = shader.name;
  const uint32_t number = ++impl_->shaders_noted[rest];
  SHADERQA_LOG(warn, finding.text);
  if (number <= kMostShadersSaid) return impl_->add(finding);
  impl_->add_silently(finding);
  if (number > kMostShadersSaid + 1) return impl_->flush();
  Finding last;
  last.text =
      "further shaders have the same note, and only the report file and the verdict have those: the note is "
      "\"" +
      finding.text + "\"";
  impl_->add(last);
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

void Reporter::keep_for_messengers(Takes takes) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->no_messengers) return;
  impl_->takes = std::move(takes);
  if (impl_->takes) return;
  impl_->queue.clear();
  impl_->say_undelivered();
}

std::vector<Finding> Reporter::take_for_messengers() {
  const std::lock_guard lock(impl_->mutex);
  impl_->queue_full = false;
  impl_->undelivered.taken();
  return std::exchange(impl_->queue, {});
}

void Reporter::delivered() {
  const std::lock_guard lock(impl_->mutex);
  impl_->undelivered.delivered();
}

void Reporter::say_undelivered() {
  const std::lock_guard lock(impl_->mutex);
  impl_->say_undelivered();
}

}  // namespace shaderqa
