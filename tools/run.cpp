// SPDX-License-Identifier: Apache-2.0
#include "tools/run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "host/findings/bug_block.h"
#include "host/findings/report.h"
#include "host/findings/report_line.h"
#include "host/rescue/rescue_file.h"
#include "host/settings/hash_filter.h"
#include "host/settings/possible_checks.h"
#include "host/settings/settings.h"
#include "host/settings/settings_table.h"
#include "host/summary/known_bugs.h"
#include "host/summary/process_record.h"
#include "host/summary/verdict.h"
#include "host/text/rotated_file.h"
#include "host/trace/trace_memory.h"
#include "tools/files.h"
#include "tools/findings.h"
#include "tools/process_watch.h"
#include "tools/progress.h"
#include "tools/rescue_folder.h"
#include "tools/run_environment.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

RunEnd refuse(const std::string& what, int exit_code = kExitNotStarted) {
  std::fprintf(stderr, "shaderqa: error: %s\n", what.c_str());
  return {exit_code, false};
}

bool is_regular_or_missing(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

// The next two return what is wrong with a file, or nothing. The layer would only say it once the program
// runs.
std::string check_readable(const std::string& option, const std::string& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) return option + " " + path + ": is a directory; give the name of a file";
  if (access(path.c_str(), R_OK) != 0)
    return option + " " + path + ": cannot read the file: " + std::strerror(errno) + "; check the path";
  return {};
}

std::string check_writable(const std::string& option, const std::string& path) {
  // Opening a pipe would wait for its reader.
  if (!is_regular_or_missing(path)) {
    std::error_code none;
    return fs::is_directory(path, none) ? option + " " + path + ": is a directory; give the name of a file"
                                        : "";
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return option + " " + path + ": cannot write the file: " + std::strerror(errno) +
           "; check that its folder exists and may be written to";
  close(descriptor);
  return {};
}

// Puts the options into the environment, paths as absolute ones: the program may change its directory.
// Returns what is wrong with a file, or nothing.
std::string set_variables(const EnvironmentMap& settings, EnvironmentMap& environment) {
  for (const auto& [key, value] : settings) {
    std::string& variable = environment[variable_of(key)] = value;
    const Setting& setting = *find_setting(key);
    const bool reads = setting.type == SettingType::load_file,
               writes = setting.type == SettingType::save_file;
    if (!reads && !writes && setting.type != SettingType::save_folder) continue;
    variable = fs::absolute(value).lexically_normal().string();
    if (setting.type == SettingType::save_folder) continue;  // the layer makes it
    const std::string option = command_line_option(setting);
    std::string problem = reads ? check_readable(option, variable) : check_writable(option, variable);
    if (!problem.empty()) return problem;
  }
  return {};
}

Settings effective_settings(const EnvironmentMap& environment) {
  SettingsSources sources;
  sources.environment = [&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  };
  std::tie(sources.file_text, sources.file_name) = find_settings_file(sources.environment);
  // The layer reads the same settings and reports problems with them.
  return load_settings(sources).settings;
}

// What the processes left behind when they died: reported now, and part of what was found.
void report_leftovers(const std::string& folder, Reporter& reporter, std::vector<ProcessRecord>& records) {
  std::map<uint64_t, CompiledFormat> formats;
  std::string text;
  ProcessRecord left;
  left.ended = true;
  Reporter::Listener listener;
  listener.message = [&] { ++left.tallies[static_cast<size_t>(Tally::messages)]; };
  listener.finding = [&](const Finding& finding) {
    if (auto line = read_report_line(to_json_line(finding))) left.lines.push_back(std::move(*line));
  };
  reporter.listen(listener);
  RescueCallbacks callbacks;
  callbacks.message = [&](const RescuedMessage& message) {
    text.clear();
    formats.try_emplace(message.site->id, *message.site).first->second.render(message.payload, text);
    reporter.report(printf_finding(*message.site, message.payload, text));
  };
  callbacks.finding = [&](const Finding& finding) { reporter.report(finding); };
  callbacks.problem = [&](const std::string& problem) { reporter.note(problem, problem); };
  rescue(folder, callbacks);
  rescue_traces(folder, callbacks.problem);
  reporter.flush();
  reporter.listen({});
  if (left.lines.empty() && left.tally(Tally::messages) == 0) return;
  if (records.empty()) records.emplace_back().damage = "a process wrote no summary";
  ProcessRecord& first = records.front();
  first.tallies[static_cast<size_t>(Tally::messages)] += left.tally(Tally::messages);
  std::ranges::move(left.lines, std::back_inserter(first.lines));
}

bool is_checked(FindingKind kind, const Settings& settings) {
  std::vector<std::string> problems;
  const HashFilter filter =
      settings.hashes.empty() ? HashFilter() : HashFilter::load(settings.hashes, problems);
  const PossibleChecks possible = possible_checks(settings, filter);
  switch (kind) {
    case FindingKind::printf:
      return possible.printf;
    case FindingKind::assume:
      return filter.empty() ? settings.assume || settings.expect : possible.values;
    case FindingKind::nan:
      return filter.empty() ? possible.values && settings.nan != "flush-nan" &&
                                  (!settings.nan.empty() || settings.instruction_qa_checks)
                            : possible.values;
    case FindingKind::uninit:
      return settings.uninit;
    case FindingKind::hazard:
      return possible.sync;
    case FindingKind::layout:
      return possible.sync && settings.sync_images && !settings.sync_redundant;
    case FindingKind::redundant:
      return possible.sync && settings.sync_redundant;
    case FindingKind::trace:
    case FindingKind::note:
      break;
  }
  return true;
}

const char* option_for(FindingKind kind) {
  switch (kind) {
    case FindingKind::printf:
      return "--printf";
    case FindingKind::assume:
      return "--assume";
    case FindingKind::nan:
      return "--nan";
    case FindingKind::uninit:
      return "--uninit";
    case FindingKind::layout:
      return "--sync-images";
    case FindingKind::redundant:
      return "--sync-redundant";
    default:
      return "--sync";
  }
}

// A gate must not pass because nothing was looked at. Returns what is wrong, or nothing.
std::string check_gate(const RunOptions& options, const Settings& settings) {
  for (const FindingKind kind : options.fail_on) {
    if (is_checked(kind, settings)) continue;
    return std::string("--fail-on ") + to_string(kind) +
           ": the check is off, so nothing would ever be found; add " + option_for(kind);
  }
  return {};
}

struct KnownBugs {
  Suppressions suppressions;
  std::set<std::string> baseline;
};

// Returns what is wrong with the files, or nothing.
std::string load_known(const RunOptions& options, KnownBugs& known) {
  std::vector<std::string> problems;
  std::string text;
  if (!options.suppress.empty()) {
    if (const std::string error = read_file(options.suppress, text); !error.empty())
      return "--suppress " + error;
    known.suppressions = Suppressions::parse(text, options.suppress, problems);
  }
  if (!options.baseline.empty()) {
    for (const std::string& part : with_rotated_files(options.baseline)) {
      if (const std::string error = read_file(part, text); !error.empty()) return "--baseline " + error;
      known.baseline.merge(fingerprints_of(read_report_text(text, part, problems), part, problems));
    }
  }
  return problems.empty() ? std::string() : problems.front();
}

// The exit code, and why it is not the program's own.
int gate(const RunOptions& options, const Verdict& verdict, bool anything, int own) {
  std::string list;
  for (const FindingKind kind : options.fail_on) {
    const uint64_t count = verdict.findings_of(kind);
    if (count != 0) list += (list.empty() ? "" : ", ") + count_of_kind(count, kind);
  }
  if (!list.empty()) {
    std::fprintf(stderr, "shaderqa: exit code %d because of --fail-on: %s; the program's own was %d\n",
                 kExitFindings, list.c_str(), own);
    return kExitFindings;
  }
  if (verdict.complete_for(options.fail_on) || (options.allow_incomplete && anything)) return own;
  std::fprintf(stderr, "shaderqa: exit code %d because of --fail-on: %s; the program's own was %d%s\n",
               kExitIncomplete, anything ? "the run was not checked completely" : "nothing was checked", own,
               anything ? " (--allow-incomplete keeps that)" : "");
  return kExitIncomplete;
}

void say_signal(const std::string& program, int signal) {
  const char* name = sigabbrev_np(signal);
  std::fprintf(stderr, "shaderqa: %s was ended by signal %d (%s%s)\n", program.c_str(), signal,
               name ? "SIG" : "", name ? name : strsignal(signal));
}

// What the program's messengers were to hear when it ended.
void say_undelivered(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != kUndeliveredSuffix) continue;
    std::string text;
    if (read_file(it->path().string(), text).empty()) std::fputs(text.c_str(), stderr);
  }
}

// Shows the bugs and the verdict; returns the exit code.
int conclude(const RunOptions& options, const Settings& settings, Reporter& reporter,
             const std::vector<ProcessRecord>& records, Verdict verdict, KnownBugs& known, int own) {
  set_known_aside(verdict, known.suppressions, known.baseline);
  for (const std::string& rule : known.suppressions.unused())
    std::fprintf(stderr, "shaderqa: this suppression matched nothing: %s\n", rule.c_str());
  BlockStyle style = style_of(STDERR_FILENO);
  style.details = settings.details;
  std::fputs(bug_blocks(verdict.bugs, style).c_str(), stderr);
  // Where the report has no room for what was checked, it says too little of what was found.
  const std::string unwritten = "cannot write the report file " + settings.report;
  if (!reporter.append_line(checked_line(records, verdict)) &&
      std::ranges::none_of(verdict.gaps, [&](const Gap& gap) { return gap.text.starts_with(unwritten); }))
    verdict.gaps.push_back({unwritten + ": what was checked is not in it", Concern::everything});
  std::fputs(verdict_text(records, verdict, style.width).c_str(), stderr);
  if (options.fail_on.empty()) return own;
  return gate(options, verdict, checked_anything(records), own);
}

}  // namespace

RunEnd run_program(const RunOptions& options) {
  std::string error;
  const std::string share = find_share_folder(error);
  if (share.empty()) return refuse(error);

  KnownBugs known;
  error = load_known(options, known);
  if (!error.empty()) return refuse(error);
  EnvironmentMap environment = current_environment();
  error = set_variables(options.settings, environment);
  if (!error.empty()) return refuse(error);
  enable_layer(environment, share);

  const RescueFolder folder;
  const std::string rescue_variable = variable_of("rescue_dir");
  environment.erase(rescue_variable);
  if (!folder.path().empty()) {
    environment[rescue_variable] = folder.path();
  } else if (!options.fail_on.empty()) {
    return refuse(
        "--fail-on needs a private folder for what the processes of the program found, and none "
        "could be made (" +
            folder.error() + "); set TMPDIR to a folder that can be written to",
        kExitIncomplete);
  } else {
    std::fprintf(stderr,
                 "shaderqa: note: no private folder could be made (%s): messages of a program that crashes "
                 "may be lost, and nothing is known of what was checked; "
                 "set TMPDIR to a folder that can be written to\n",
                 folder.error().c_str());
  }

  Settings settings = effective_settings(environment);
  if (const std::string wrong = check_gate(options, settings); !wrong.empty())
    return refuse(wrong, kExitIncomplete);
  if (!settings.report.empty()) {
    // An absolute path also holds for programs that change their working directory.
    settings.report = fs::absolute(settings.report).lexically_normal().string();
    environment[variable_of("report")] = settings.report;
  }

  // Keeps signals blocked until the end of this function: the key that ends the program must not end this
  // process before it has reported the rest.
  ChildProcess child;
  ProcessWatch watch(rescue_variable, folder.path(), find_program(options.command[0], environment));
  ChildEnd end;
  {
    ProgressLine progress(folder.path());
    end = child.run(options.command, environment, [&](pid_t process) {
      watch.look(process);
      progress.show();
    });
  }
  if (!end.error.empty()) return refuse(end.error, end.exit_code);
  Reporter reporter(settings);
  std::vector<ProcessRecord> records;
  if (!folder.path().empty()) {
    records = read_processes(folder.path());
    say_undelivered(folder.path());
    report_leftovers(folder.path(), reporter, records);
  }
  if (end.signal != 0) say_signal(options.command[0], end.signal);
  if (folder.path().empty()) return {end.exit_code, true};

  return {conclude(options, settings, reporter, records, judge(records, watch.gaps(records), options.fail_on),
                   known, end.exit_code),
          true};
}

}  // namespace shaderqa
