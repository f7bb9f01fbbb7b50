// SPDX-License-Identifier: Apache-2.0
// The command line of `shaderqa`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "host/findings/finding_types.h"
#include "host/settings/check_selection.h"
#include "host/settings/settings_values.h"
#include "tools/findings.h"
#include "tools/offline.h"
#include "tools/run.h"

namespace {

using shaderqa::InstrumentRequest;
using shaderqa::RunOptions;

constexpr int kExitUsage = 2;

// Validators return what is wrong, or nothing. One of the settings knows its own values.
CLI::Validator setting_value(const char* key) {
  return CLI::Validator(
      [key](std::string& value) -> std::string {
        shaderqa::Settings scratch;
        const std::string wrong = shaderqa::assign_setting(scratch, key, value);
        return wrong.empty() ? "" : "\"" + value + "\" " + wrong;
      },
      "");
}

CLI::Validator integer(uint64_t most) {
  return CLI::Validator(
      [most](std::string& value) -> std::string {
        const auto number = shaderqa::parse_size(value);
        if (number && *number <= most) return {};
        return "\"" + value + "\" is not an integer from 0 to " + std::to_string(most);
      },
      "");
}

class RunCommand {
 public:
  explicit RunCommand(CLI::App& app) : command_(app.add_subcommand("run", "Run a program under the layer")) {
    flag("--printf", "printf",
         "Print the messages of shaders (debugPrintfEXT). This is on if no check is chosen");
    flag("--assume", "assume", "Report assumptions that do not hold, and breakpoints passed");
    flag("--expect", "expect", "Report expectations that turn out wrong");
    choice("--nan", "nan", "writes", "{writes,full,flush-nan}",
           "Report NaN and infinity where they leave a shader, or (full) where they are computed; flush-nan "
           "makes "
           "NaN zero instead");
    choice("--sync", "sync", "exact", "{exact,bloom}", "Report unsynchronised accesses to buffers");
    flag("--sync-redundant", "sync_redundant",
         "List the barriers that ordered no conflicting accesses in the whole run (docs/redundant.md); with "
         "--sync");
    choice(
        "--sync-host", "sync_host", "waits", "{waits,maps}",
        "Also check what the host reads of mapped memory: all of it, whenever it waited for the device, or "
        "(maps) what it maps or invalidates; with --sync");
    flag("--breadcrumbs", "breadcrumbs", "Say with every hazard which commands were recorded around it");
    value("--hashes", "hashes", "FILE", "Only shaders whose hash is in a range of this file");
    value("--report", "report", "FILE", "Append one JSON object a line for each finding to this file");
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
    flag("--printf-verbose", "printf_verbose", "Say with every message where it comes from");
    value("--printf-buffer-size", "printf_buffer_size", "BYTES",
          "For the messages of one device, with k, M or G");
    value("--printf-first", "printf_first", "N", "Print the first N messages of each printf ...");
    value("--printf-every", "printf_every", "N", "... and after these every Nth");
    flag("--quiet-notes", "quiet_notes", "Write notes only to the report file");
    command_->footer(
        "The program keeps its own input, output and environment, except for the variables that enable the "
        "layer (it is\n"
        "enabled even where SHADERQA_DISABLE is set). Findings go to standard error. Messages that the "
        "program left behind\n"
        "when it crashed or was killed are printed after its end.\n\n"
        "Exit code: the program's; 128 + N if signal N ended it; 99: --fail-on; 125: nothing was started, "
        "the message says\n"
        "why; 126: the command cannot be executed; 127: it was not found.");
  }

  CLI::App* command() { return command_; }

  int run(std::vector<std::string> program) {
    RunOptions options;
    options.command = std::move(program);
    for (const std::string& kind : fail_on_)
      options.fail_on.push_back(shaderqa::finding_kind(kind).value());  // the validator knows it
    for (const Setting& setting : settings_) {
      if (setting.option->count() == 0) continue;
      const std::vector<std::string>& given = setting.option->results();
      const bool bare = given.empty() || given[0].empty();
      options.settings[setting.key] = bare ? setting.otherwise : given[0];
    }
    return shaderqa::run_program(options);
  }

 private:
  struct Setting {
    const char* key;
    CLI::Option* option;
    const char* otherwise;  // the value of an option without one
  };

  void flag(const char* name, const char* key, const std::string& text) {
    settings_.push_back({key, command_->add_flag(name, text), "1"});
  }
  CLI::Option* value(const char* name, const char* key, const char* type, const std::string& text) {
    CLI::Option* option = command_->add_option(name, text)->type_name(type)->check(setting_value(key));
    settings_.push_back({key, option, ""});
    return option;
  }
  void choice(const char* name, const char* key, const char* otherwise, const char* type,
              const std::string& text) {
    value(name, key, type, text)->expected(0, 1);
    settings_.back().otherwise = otherwise;
  }

  CLI::App* command_;
  std::vector<Setting> settings_;
  std::vector<std::string> fail_on_;
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
                     "Device address of the root block (instrument/runtime/abi.h)")
        ->type_name("ADDRESS")
        ->check(integer(UINT64_MAX));
    command_->add_flag("--assume", options.assume, "Check assumptions, report breakpoints passed");
    command_->add_flag("--expect", options.expect, "Report expectations that turn out wrong");
    command_->add_flag("--no-expect-assume", no_expect_assume_,
                       "The driver does not take SPV_KHR_expect_assume: remove its instructions");
    nan_ = command_->add_option("--nan", "NaN and infinity: writes, full, flush-nan")
               ->type_name("MODE")
               ->expected(0, 1)
               ->check(setting_value("nan"));
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
        "instrument/runtime/abi.h says. Exit code: 0, or 1 if the module cannot be instrumented.");
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

}  // namespace

int main(int argc, char** argv) {
  // What follows the first "--" of run is the program's, whatever it looks like.
  std::vector<std::string> arguments(argv + 1, argv + argc), program;
  bool has_program = false;
  if (!arguments.empty() && arguments[0] == "run") {
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    has_program = dashes != arguments.end();
    if (has_program) program.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }

  CLI::App app("Finds on the GPU itself what is wrong with a Vulkan program's shaders.", "shaderqa");
  app.set_version_flag("--version", "shaderqa " SHADERQA_VERSION);
  app.require_subcommand(1);
  RunCommand run(app);
  InstrumentCommand instrument(app);

  CLI::App* decode = app.add_subcommand("decode", "Print the messages of a raw printf buffer");
  std::string strings, dump;
  bool json = false;
  decode->add_option("--strings", strings, "What shaderqa instrument --strings wrote")
      ->type_name("FILE")
      ->required();
  decode->add_option("DUMP", dump, "The buffer: a header of 16 bytes, then entries")->required();
  decode->add_flag("--json", json, "One JSON object a line, as in a report file");

  CLI::App* hash = app.add_subcommand("hash", "Print the hash of SPIR-V files, as --hashes matches it");
  std::vector<std::string> modules;
  hash->add_option("IN", modules, "SPIR-V modules")->required();

  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
    app.parse(arguments);
    if (run.command()->parsed() && program.empty()) throw CLI::RequiredError("A program");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "shaderqa: error: %s\n", error.what());
    const bool is_run = argc > 1 && argv[1] == std::string("run");
    if (is_run && !has_program)
      std::fprintf(stderr, "  write the program behind --: shaderqa run --printf -- PROGRAM\n");
    const auto chosen = app.get_subcommands();
    std::fprintf(stderr, "  shaderqa %s--help says more\n",
                 chosen.empty() ? "" : (chosen[0]->get_name() + " ").c_str());
    return is_run ? shaderqa::kExitRunFailed : kExitUsage;
  }
  if (run.command()->parsed()) return run.run(program);
  if (instrument.command()->parsed()) return instrument.run();
  if (decode->parsed()) return shaderqa::decode_file(strings, dump, json);
  return shaderqa::hash_files(modules);
}
