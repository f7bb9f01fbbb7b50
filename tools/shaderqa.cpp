// SPDX-License-Identifier: Apache-2.0
// The command line of `shaderqa`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/findings/finding_types.h"
#include "host/settings/check_selection.h"
#include "host/settings/settings_table.h"
#include "host/settings/settings_values.h"
#include "host/version.h"
#include "tools/attach.h"
#include "tools/doctor.h"
#include "tools/findings.h"
#include "tools/help.h"
#include "tools/offline.h"
#include "tools/reports.h"
#include "tools/run.h"
#include "tools/setting_options.h"
#include "tools/show_command.h"
#include "tools/trace_command.h"

namespace {

using shaderqa::InstrumentRequest;
using shaderqa::RunOptions;
using shaderqa::Setting;
using shaderqa::SettingType;
using shaderqa::valid_value;
using shaderqa::value_name;

constexpr int kExitUsage = 2;

CLI::Validator integer(uint64_t most) {
  return CLI::Validator(
      [most](std::string& value) -> std::string {
        const auto number = shaderqa::parse_size(value);
        if (number && *number <= most) return {};
        return "\"" + value + "\" is not an integer from 0 to " + std::to_string(most);
      },
      "");
}

std::string help_text(const Setting& setting) {
  std::string text = setting.text;
  if (setting.type != SettingType::choice) return text;
  for (const shaderqa::SettingChoice& choice : choices_of(setting).subspan(1))
    text += std::string("\n") + choice.name + ": " + choice.text;
  return text + "\nWithout a value: " + setting.when_true + ".";
}

// CLI11 does not know what stands behind "--".
class RunFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: shaderqa run [OPTIONS] -- PROGRAM [ARGUMENTS...]\n";
  }
};

class RunCommand {
 public:
  explicit RunCommand(CLI::App& app) : command_(app.add_subcommand("run", "Run a program under the layer")) {
    for (const Setting& setting : shaderqa::settings_table())
      if (setting.use == shaderqa::SettingUse::option) add_option(setting);
    command_->formatter(std::make_shared<RunFormatter>());
    // By a function: CLI11 2.4 counts a flag with a number as given in every call, and --log-level excludes
    // it.
    command_
        ->add_flag_function(
            "-v,--verbose", [this](int64_t times) { verbosity_ = times; },
            "Show more with each finding (--details), and log what the layer does: -v is "
            "--log-level=info, -vv "
            "debug, -vvv trace")
        ->excludes("--log-level");
    add_gate();
    command_->footer(
        "The program keeps its own input, output and environment, except for the variables that enable the "
        "layer (it is\n"
        "enabled even where SHADERQA_DISABLE is set). Findings go to standard error. Messages that the "
        "program left behind\n"
        "when it crashed or was killed are printed after its end.\n\n"
        "The last lines say what was checked and what not.\n\n"
        "Exit code: the program's; 128 + N if signal N ended it; 99: --fail-on, and there is such a finding; "
        "98: "
        "--fail-on,\n"
        "and the run was not checked, or not completely; 2: nothing was started, the message says why; "
        "126: the command cannot be executed; 127: it was not found.");
  }

  CLI::App* command() { return command_; }

  int run(std::vector<std::string> program) {
    RunOptions options;
    options.allow_incomplete = allow_incomplete_;
    options.suppress = suppress_;
    options.baseline = baseline_;
    options.command = std::move(program);
    for (const std::string& kind : fail_on_)
      options.fail_on.push_back(shaderqa::finding_kind(kind).value());  // the validator knows it
    for (const auto& [setting, option] : options_) {
      if (option->count() == 0) continue;
      const std::vector<std::string>& given = option->results();
      const bool bare = given.empty() || given[0].empty();
      if (setting->type == SettingType::boolean) {
        options.settings[setting->key] = switches_off(*setting) ? "false" : "true";
      } else {
        options.settings[setting->key] = bare ? setting->when_true : given[0];
      }
    }
    if (verbosity_ > 0) options.settings["details"] = "true";
    if (verbosity_ > 0)
      options.settings["log_level"] = verbosity_ == 1 ? "info" : verbosity_ == 2 ? "debug" : "trace";
    return shaderqa::run_program(options).exit_code;
  }

 private:
  // What decides about the exit code.
  void add_gate() {
    command_
        ->add_option("--fail-on", fail_on_,
                     "Exit with code " + std::to_string(shaderqa::kExitFindings) +
                         " if any process reports a finding of these kinds (commas between): " +
                         shaderqa::finding_kind_names())
        ->type_name("KINDS")
        ->delimiter(',')
        ->check(CLI::Validator(
            [](std::string& kind) -> std::string {
              if (shaderqa::finding_kind(kind)) return {};
              return "\"" + kind + "\" is no kind of finding; there are " + shaderqa::finding_kind_names();
            },
            ""));
    command_
        ->add_option(
            "--suppress", suppress_,
            "Do not count or show findings that a rule of this file matches. A rule is a line KEY=PATTERN "
            "... # reason, with the keys kind, fingerprint, shader, source (FILE or FILE:LINE), buffer and "
            "label, and * and ? in patterns")
        ->type_name("FILE");
    command_
        ->add_option("--baseline", baseline_,
                     "Do not count or show findings that are in this report of an earlier run (--report)")
        ->type_name("FILE");
    command_
        ->add_flag(
            "--allow-incomplete", allow_incomplete_,
            "With --fail-on: pass also if not everything could be checked, but something was. The last "
            "lines say what was not")
        ->needs("--fail-on");
  }
  void add_option(const Setting& setting) {
    const std::string name = command_line_option(setting), text = help_text(setting);
    if (setting.type == SettingType::boolean) {
      const std::string about = (switches_off(setting) ? "Switch off: " : "") + text;
      options_.emplace_back(&setting, command_->add_flag(name, about));
      return;
    }
    CLI::Option* option =
        command_->add_option(name, text)->type_name(value_name(setting))->check(valid_value(setting));
    if (setting.type == SettingType::choice) option->expected(0, 1);
    options_.emplace_back(&setting, option);
  }

  CLI::App* command_;
  std::vector<std::pair<const Setting*, CLI::Option*>> options_;
  bool allow_incomplete_ = false;
  std::string suppress_, baseline_;
  std::vector<std::string> fail_on_;
  int64_t verbosity_ = 0;
};

class InstrumentCommand {
 public:
  explicit InstrumentCommand(CLI::App& app)
      : command_(app.add_subcommand("instrument", "Instrument one SPIR-V file, as the layer would")) {
    shaderqa::InstrumentOptions& options = request_.options;
    command_->add_option("IN", request_.input, "SPIR-V module")->required();
    command_->add_option("-o,--output", request_.output, "The instrumented module")
        ->type_name("FILE")
        ->required();
    command_->add_option("--strings", request_.strings, "The format strings, as JSON, for shaderqa decode")
        ->type_name("FILE");
    command_->add_option("--entry", request_.entry, "Entry point; without it the only one")
        ->type_name("NAME");
    command_->add_option("--stage", request_.stage, "Its stage, where several entry points share the name")
        ->type_name("NAME")
        ->check(CLI::IsMember(shaderqa::stage_names()));
    command_
        ->add_option("--root-address", root_address_,
                     "Device address of the root block (instrument/runtime/abi_root.h)")
        ->type_name("ADDRESS")
        ->check(integer(UINT64_MAX));
    command_->add_flag("--assume", options.assume, "Check assumptions, report breakpoints passed");
    command_->add_flag("--expect", options.expect, "Report expectations that turn out wrong");
    command_->add_flag("--no-expect-assume", no_expect_assume_,
                       "The driver does not take SPV_KHR_expect_assume: remove its instructions");
    nan_ = command_->add_option("--nan", "NaN and infinity: writes, full, flush-nan")
               ->type_name("MODE")
               ->expected(0, 1)
               ->check(valid_value(*shaderqa::find_setting("nan")));
    command_->add_flag("--no-printf", no_printf_, "Leave DebugPrintf alone");
    command_->add_flag("--subgroup", options.subgroup_ballot,
                       "The device has ballot operations in this stage");
    command_->add_flag("--no-int64-atomics", no_int64_atomics_, "The device has no 64-bit buffer atomics");
    command_->add_flag("--no-memory-barrier", no_memory_barrier_, "No barrier between payload and header");
    command_->add_flag("--invocation", options.record_invocation,
                       "Record with every message which invocation printed");
    command_->add_option("--first", first_, "Budget of a printf: its first N messages ...")
        ->type_name("N")
        ->check(integer(UINT32_MAX));
    command_->add_option("--every", every_, "... and after these every Nth")
        ->type_name("N")
        ->check(integer(UINT32_MAX));
    command_->footer(
        "A module with nothing to print or check is copied. What checks report lies in memory as "
        "instrument/runtime/abi_report.h says. Exit code: 0; 1 if the module cannot be instrumented; 2 if a "
        "file "
        "cannot be used.");
  }

  CLI::App* command() { return command_; }

  int run() {
    shaderqa::Settings settings;
    if (nan_->count() != 0) {
      const std::string given = nan_->results().empty() ? "" : nan_->results()[0];
      shaderqa::assign_setting(settings, "nan", given.empty() ? "true" : given);
    }
    request_.options.nan = select_checks(settings, shaderqa::kHashAllow, shaderqa::Stage::unknown).nan;
    request_.options.printf = !no_printf_;
    request_.options.keep_assume = !no_expect_assume_;
    request_.options.int64_atomics = !no_int64_atomics_;
    request_.options.memory_barrier = !no_memory_barrier_;
    request_.options.root_address = shaderqa::parse_size(root_address_).value_or(0);
    request_.options.printf_first = static_cast<uint32_t>(shaderqa::parse_size(first_).value_or(0));
    request_.options.printf_every = static_cast<uint32_t>(shaderqa::parse_size(every_).value_or(0));
    return shaderqa::instrument_file(request_);
  }

 private:
  CLI::App* command_;
  InstrumentRequest request_;
  bool no_int64_atomics_ = false, no_memory_barrier_ = false;
  bool no_printf_ = false, no_expect_assume_ = false;
  CLI::Option* nan_ = nullptr;
  std::string root_address_ = "0", first_ = "0", every_ = "0";
};

// What stands behind the first "--" of run, show, trace, debug and doctor is the program's, whatever it looks
// like.
struct CommandLine {
  std::vector<std::string> arguments, program;
  bool has_program = false;
  CommandLine(int argc, char** argv) : arguments(argv + 1, argv + argc) {
    if (!names("run") && !names("show") && !names("trace") && !names("debug") && !names("doctor")) return;
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    has_program = dashes != arguments.end();
    if (has_program) program.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }
  bool names(const char* command) const { return !arguments.empty() && arguments[0] == command; }
};

class Commands {
 public:
  Commands() {
    app_.set_version_flag("--version", std::string("shaderqa ") + shaderqa::version());
    app_.require_subcommand(1);
    run_.emplace(app_);
    show_.emplace(app_);
    trace_.emplace(app_);
    debug_.emplace(app_);
    replay_.emplace(app_);
    instrument_.emplace(app_);
    add_decode();
    add_completion();
    add_hash();
    add("doctor", "Say whether the layer works here, and why not",
        [this] { return shaderqa::examine(program_); })
        ->footer(
            "With -- PROGRAM it also says whether that program would get the layer. Exit code: 0 if "
            "everything "
            "works, 1 if "
            "not.");
    add_attach();
    add_diff();
    add_report();
  }

  int run(const CommandLine& line) {
    program_ = line.program;
    std::vector<std::string> arguments(line.arguments.rbegin(),
                                       line.arguments.rend());  // as CLI11 wants a vector
    try {
      app_.parse(arguments);
      if ((run_->command()->parsed() || show_->command()->parsed() || trace_->command()->parsed() ||
           debug_->command()->parsed()) &&
          program_.empty())
        throw CLI::RequiredError("A program");
      if ((trace_->command()->parsed() && !trace_->is_complete()) ||
          (debug_->command()->parsed() && !debug_->is_complete()))
        throw CLI::RequiredError("--at or --finding");
      if (show_->command()->parsed() && !show_->is_complete()) throw CLI::RequiredError("WHAT");
      if (replay_->command()->parsed() && !replay_->is_complete()) throw CLI::RequiredError("FILE");
    } catch (const CLI::ParseError& error) {
      return error.get_exit_code() == 0 ? app_.exit(error) : refuse(line, error);
    }
    if (run_->command()->parsed()) return run_->run(program_);
    if (show_->command()->parsed()) return show_->run(program_);
    if (trace_->command()->parsed()) return trace_->run(program_);
    if (debug_->command()->parsed()) return debug_->run(program_);
    if (replay_->command()->parsed()) return replay_->run();
    if (instrument_->command()->parsed()) return instrument_->run();
    for (const auto& [command, action] : others_)
      if (command->parsed()) return action();
    return kExitUsage;
  }

 private:
  CLI::App* add(const char* name, const char* about, std::function<int()> action) {
    CLI::App* const command = app_.add_subcommand(name, about);
    others_.emplace_back(command, std::move(action));
    return command;
  }
  void add_decode() {
    CLI::App* const decode = add("decode", "Print the messages of a raw printf buffer",
                                 [this] { return shaderqa::decode_file(strings_, dump_, decode_json_); });
    decode->add_option("--strings", strings_, "What shaderqa instrument --strings wrote")
        ->type_name("FILE")
        ->required();
    decode->add_option("DUMP", dump_, "The buffer: a header of 16 bytes, then entries")->required();
    decode->add_flag("--json", decode_json_, "One JSON object a line, as in a report file");
  }
  void add_completion() {
    add("completion", "Print the completion script of a shell",
        [this] { return print(shaderqa::completion(app_, shell_)); })
        ->add_option("SHELL", shell_, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember(shaderqa::completion_shells()));
    add("manual", "Print the manual page, as man reads it",
        [this] { return print(shaderqa::manual_page(app_, shaderqa::version())); });
  }
  void add_hash() {
    add("hash", "Print the hash of SPIR-V files, as --hashes matches it",
        [this] { return shaderqa::hash_files(modules_); })
        ->add_option("IN", modules_, "SPIR-V modules")
        ->required();
  }
  void add_attach() {
    CLI::App* const attach = add("attach", "Switch the checks of a program that runs on or off",
                                 [this] { return shaderqa::attach(process_, attach_action_); });
    attach->add_option("PID", process_, "The process, or the shaderqa run that started it")->required();
    attach->add_option("ACTION", attach_action_, "on, off or status; without it status")
        ->check(CLI::IsMember(shaderqa::attach_actions()));
    attach->footer(
        "Checks go on for command buffers that are recorded from then on. Exit code: 0; 1 if the process "
        "cannot be switched, and the message says why; 2: wrong use.");
  }
  void add_diff() {
    CLI::App* const diff = add("diff", "Compare the findings of two report files",
                               [this] { return shaderqa::diff_reports(before_, after_); });
    diff->add_option("OLD", before_, "A report file (shaderqa run --report)")->required();
    diff->add_option("NEW", after_, "Another one")->required();
    diff->footer("Exit code: 0: the same bugs; 1: some are new or gone; 2: a file cannot be used.");
  }
  void add_report() {
    CLI::App* const report = add("report", "Show report files, or convert them for other tools",
                                 [this] { return shaderqa::convert_reports(reports_); });
    report->add_option("IN", reports_.files, "Report files (shaderqa run --report)")->required();
    report->add_option("--sarif", reports_.sarif, "Write SARIF 2.1.0, as code hosts read it")
        ->type_name("FILE");
    report->add_option("--junit", reports_.junit, "Write JUnit XML, as CI servers read it")
        ->type_name("FILE");
    CLI::Option* const html =
        report->add_option("-o,--html", reports_.html, "Write one HTML page")->type_name("FILE");
    report
        ->add_option("--shaders", reports_.shaders,
                     "Show the SPIR-V on the page: the folder that --dump-dir of the run wrote")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory)
        ->needs(html);
    report->footer(
        "Findings of one bug, in all files together, are shown once. Exit code: 0, or 2 if a file cannot be "
        "used.");
  }

  static int print(const std::string& text) {
    return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
  }
  int refuse(const CommandLine& line, const CLI::ParseError& error) {
    std::fprintf(stderr, "shaderqa: error: %s\n", error.what());
    const std::string meant = shaderqa::suggestion(app_, line.arguments);
    if (!meant.empty()) std::fprintf(stderr, "  did you mean %s?\n", meant.c_str());
    const bool is_trace = line.names("trace") || line.names("debug");
    const bool is_show = line.names("show");
    const bool is_run = is_trace || is_show || line.names("run");
    if (is_run && !line.has_program)
      std::fprintf(stderr, "  write the program behind --: shaderqa %s -- PROGRAM\n",
                   is_trace  ? (line.arguments[0] + " --at compute:GlobalInvocationID=0,0,0").c_str()
                   : is_show ? "show overdraw"
                             : "run --printf");
    const auto chosen = app_.get_subcommands();
    std::fprintf(stderr, "  shaderqa %s--help says more\n",
                 chosen.empty() ? "" : (chosen[0]->get_name() + " ").c_str());
    return kExitUsage;
  }

  CLI::App app_{"Finds on the GPU itself what is wrong with a Vulkan program's shaders.", "shaderqa"};
  std::optional<RunCommand> run_;
  std::optional<shaderqa::ShowCommand> show_;
  std::optional<shaderqa::TraceCommand> trace_;
  std::optional<shaderqa::DebugCommand> debug_;
  std::optional<shaderqa::ReplayCommand> replay_;
  std::optional<InstrumentCommand> instrument_;
  std::vector<std::pair<CLI::App*, std::function<int()>>> others_;
  std::vector<std::string> program_, modules_;
  std::string strings_, dump_, shell_, before_, after_, process_, attach_action_ = "status";
  bool decode_json_ = false;
  shaderqa::ReportRequest reports_;
};

}  // namespace

int main(int argc, char** argv) {
  const CommandLine line(argc, argv);
  return Commands().run(line);
}
