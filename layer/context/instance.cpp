// SPDX-License-Identifier: Apache-2.0
#include "layer/context/instance.h"

#include <unistd.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "host/findings/report.h"
#include "host/summary/checked_run.h"
#include "host/summary/process_record.h"
#include "host/summary/run_summary.h"
#include "host/summary/verdict.h"
#include "host/switch/check_switch.h"
#include "host/text/line_sink.h"

namespace shaderqa::layer {

namespace {

// Instances whose end nobody has announced: the process may exit without vkDestroyInstance.
class OpenInstances {
 public:
  void end_all() {
    // Held until the end: a thread that destroys an instance waits.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    for (Instance* instance : open_) instance->end_summary();
    open_.clear();
  }
  void add(Instance* instance) {
    const std::lock_guard lock(mutex_);
    open_.insert(instance);
  }
  // False: its end was announced.
  bool remove(Instance* instance) {
    const std::lock_guard lock(mutex_);
    return open_.erase(instance) != 0;
  }

 private:
  std::mutex mutex_;
  std::set<Instance*> open_;
};

// Never destroyed, because the application may destroy instances later than this library's static objects. It
// is empty by then, and holds no memory.
OpenInstances& open_instances() {
  alignas(OpenInstances) static std::byte place[sizeof(OpenInstances)];
  static OpenInstances& instances = *new (place) OpenInstances;
  return instances;
}

// Runs when the process exits or the library is unloaded, behind the handler of layer/output/exit_drain,
// which is registered later.
struct AtExit {
  ~AtExit() { open_instances().end_all(); }
};

void end_instances_at_exit() { [[maybe_unused]] static const AtExit at_exit; }

std::unique_ptr<RunSummary> make_summary(const Settings& settings, std::string& problem) {
  return std::make_unique<RunSummary>(settings.rescue_dir, problem);
}

}  // namespace

Instance::Instance(const Settings& effective_settings)
    : settings(effective_settings),
      summary(make_summary(settings, summary_problem)),
      reporter(std::make_unique<Reporter>(settings)),
      checks(std::make_unique<CheckSwitch>(settings, *summary)),
      process_(getpid()) {
  Reporter::Listener listener;
  listener.message = [this] { summary->add(Tally::messages); };
  // Without a parent, a report file and a verdict nobody asks for the facts.
  if (!settings.rescue_dir.empty() || !settings.report.empty() || settings.verdict)
    listener.finding = [this](const Finding& finding) { summary->finding(finding); };
  reporter->listen(std::move(listener));
  if (!checks->signal_problem().empty())
    note("switch signal", settings.switch_signal + " switches no checks: " + checks->signal_problem(),
         Concern::nothing);
  if (!summary_problem.empty()) note("summary", "what is checked cannot be summed up: " + summary_problem);
  open_instances().add(this);
  end_instances_at_exit();
}

Instance::~Instance() {
  if (in_forked_child()) return;
  reporter->listen({});
  if (open_instances().remove(this)) end_summary();
}

namespace {

// "values (assume, nan)"; without a list where it depends on the shader.
std::string value_checks(const Settings& settings) {
  std::string list;
  const auto add = [&](bool on, const char* name) {
    if (on) list += (list.empty() ? "" : ", ") + std::string(name);
  };
  if (settings.hashes.empty()) {
    add(settings.assume, "assume");
    add(settings.expect, "expect");
    add(!settings.nan.empty() && settings.nan != "flush-nan", "nan");
    add(settings.uninit, "uninit");
  }
  const std::string values = to_string(Concern::values);
  return list.empty() || settings.instruction_qa_checks ? values : values + " (" + list + ")";
}

}  // namespace

void Instance::begin_summary() {
  std::vector<std::string> names;
  if (possible.printf) names.emplace_back(to_string(Concern::printf));
  if (possible.values) names.push_back(value_checks(settings));
  if (possible.sync)
    names.push_back(to_string(Concern::sync) + std::string(needs_images() ? kWithImages : ""));
  summary->begin(names, settings.only, CheckSwitch::selection_of(settings));
}

void Instance::end_summary() {
  if (in_forked_child()) return;
  reporter->say_undelivered();
  summary->end();
  if (!settings.rescue_dir.empty() || (!settings.verdict && settings.report.empty())) return;
  const std::vector<ProcessRecord> records{summary->record()};
  if (records.front().tally(Tally::devices) == 0) return;
  const Verdict verdict = judge(records, {}, {});
  reporter->append_line(checked_line(records, verdict));
  if (!settings.verdict) return;
  LineSink terminal;
  terminal.borrow(STDERR_FILENO);
  terminal.buffer() = verdict_text(records, verdict, style_of(STDERR_FILENO).width);
  terminal.flush();
}

bool Instance::in_forked_child() const { return getpid() != process_; }

void Instance::note(const std::string& key, const std::string& text, Concern incomplete) {
  reporter->note(key, text, incomplete);
}

void Instance::note_about(const ShaderSubject& shader, const std::string& rest, Concern incomplete) {
  reporter->note_about(shader, rest, incomplete);
}

uint32_t Instance::hook_groups() const {
  if (!checks_anything()) return kHookAlways;
  return kHookAlways | kHookShaders | kHookPrintf | (possible.sync ? kHookSync : 0u) |
         (possible.sync || settings.debug_violations ? kHookBuffers : 0u) |
         (checks->has_selection() || possible.trace || possible.pictures ? kHookCommands : 0u) |
         (needs_order() ? kHookOrder : 0u) | (needs_memory_use() ? kHookMemoryUse : 0u) |
         (needs_host_reads() ? kHookHostReads : 0u) | (needs_images() ? kHookImages : 0u) |
         (two_versions() ? kHookVersions : 0u);
}

}  // namespace shaderqa::layer
