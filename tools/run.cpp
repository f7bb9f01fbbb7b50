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
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "host/findings/report.h"
#include "host/rescue/rescue_file.h"
#include "host/settings/settings.h"
#include "host/settings/settings_table.h"
#include "tools/findings.h"
#include "tools/run_environment.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

// A private folder, because messages of shaders may be private; in memory if possible, because GPUs write
// there.
class RescueFolder {
 public:
  RescueFolder() {
    const char* temporary = std::getenv("TMPDIR");
    for (const char* place : {"/dev/shm", temporary ? temporary : "", "/tmp"}) {
      if (place[0] != '/') continue;
      std::string name = std::string(place) + "/shaderqa-XXXXXX";
      if (mkdtemp(name.data())) {
        path_ = name;
        return;
      }
      error_ += (error_.empty() ? "" : ", ") + std::string(place) + ": " + std::strerror(errno);
    }
  }
  ~RescueFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  RescueFolder(const RescueFolder&) = delete;
  RescueFolder& operator=(const RescueFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: there is none
  const std::string& error() const { return error_; }

 private:
  std::string path_, error_;
};

int refuse(const std::string& what) {
  std::fprintf(stderr, "shaderqa: error: %s\n", what.c_str());
  return kExitRunFailed;
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
    const std::string problem = reads ? check_readable(option, variable) : check_writable(option, variable);
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

void report_leftovers(const std::string& folder, Reporter& reporter) {
  std::map<uint64_t, CompiledFormat> formats;
  std::string text;
  RescueCallbacks callbacks;
  callbacks.message = [&](const RescuedMessage& message) {
    text.clear();
    formats.try_emplace(message.site->id, *message.site).first->second.render(message.payload, text);
    reporter.report(printf_finding(*message.site, message.payload, text));
  };
  callbacks.finding = [&](const Finding& finding) { reporter.report(finding); };
  callbacks.problem = [&](const std::string& problem) { reporter.note(problem, problem); };
  rescue(folder, callbacks);
  reporter.flush();
}

// How many findings of these kinds the report file has from `offset` on, by kind.
std::map<FindingKind, uint64_t> count_findings(const std::string& path, uint64_t offset,
                                               const std::vector<FindingKind>& kinds) {
  std::map<FindingKind, uint64_t> counts;
  std::error_code none;
  std::ifstream file(path, std::ios::binary);
  // The program may have emptied or replaced the file.
  if (fs::file_size(path, none) >= offset) file.seekg(static_cast<std::streamoff>(offset));
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const auto name = json.find("kind");
    if (name == json.end() || !name->is_string()) continue;
    const std::optional<FindingKind> kind = finding_kind(name->get<std::string>());
    if (kind && std::ranges::find(kinds, *kind) != kinds.end()) ++counts[*kind];
  }
  return counts;
}

void say_signal(const std::string& program, int signal) {
  const char* name = sigabbrev_np(signal);
  std::fprintf(stderr, "shaderqa: %s was ended by signal %d (%s%s)\n", program.c_str(), signal,
               name ? "SIG" : "", name ? name : strsignal(signal));
}

}  // namespace

int run_program(const RunOptions& options) {
  std::string error;
  const std::string share = find_share_folder(error);
  if (share.empty()) return refuse(error);

  EnvironmentMap environment = current_environment();
  error = set_variables(options.settings, environment);
  if (!error.empty()) return refuse(error);
  enable_layer(environment, share);

  const RescueFolder folder;
  const std::string rescue_variable = variable_of("rescue_dir");
  environment.erase(rescue_variable);
  if (!folder.path().empty()) {
    environment[rescue_variable] = folder.path();
  } else {
    std::fprintf(stderr,
                 "shaderqa: note: no private folder could be made (%s): messages of a program that crashes "
                 "may be lost; "
                 "set TMPDIR to a folder that can be written to\n",
                 folder.error().c_str());
  }

  Settings settings = effective_settings(environment);
  if (settings.report.empty() && !options.fail_on.empty()) {
    if (folder.path().empty()) return refuse("--fail-on needs a report file: add --report FILE");
    settings.report = folder.path() + "/report.jsonl";
  }
  uint64_t report_begin = 0;
  if (!settings.report.empty()) {
    // An absolute path also holds for programs that change their working directory.
    settings.report = fs::absolute(settings.report).lexically_normal().string();
    environment[variable_of("report")] = settings.report;
    if (!options.fail_on.empty() && !is_regular_or_missing(settings.report))
      return refuse("--report " + settings.report + ": --fail-on reads the report back: give a regular file");
    std::error_code none;
    const uintmax_t size = fs::file_size(settings.report, none);
    report_begin = none ? 0 : size;
  }

  // Keeps signals blocked until the end of this function: the key that ends the program must not end this
  // process before it has reported the rest.
  ChildProcess child;
  const ChildEnd end = child.run(options.command, environment);
  if (!end.error.empty()) {
    std::fprintf(stderr, "shaderqa: error: %s\n", end.error.c_str());
    return end.exit_code;
  }
  Reporter reporter(settings);
  if (!folder.path().empty()) report_leftovers(folder.path(), reporter);
  if (end.signal != 0) say_signal(options.command[0], end.signal);
  if (options.fail_on.empty()) return end.exit_code;

  const auto counts = count_findings(settings.report, report_begin, options.fail_on);
  if (counts.empty()) return end.exit_code;
  std::string list;
  for (const auto& [kind, count] : counts)
    list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + to_string(kind);
  std::fprintf(stderr, "shaderqa: exit code %d because of --fail-on: %s; the program's own was %d\n",
               kExitFindings, list.c_str(), end.exit_code);
  return kExitFindings;
}

}  // namespace shaderqa
