// SPDX-License-Identifier: Apache-2.0
#include "tools/trace_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/setting_options.h"

namespace shaderqa {

TraceCommand::TraceCommand(CLI::App& app)
    : TraceCommand(app, "trace", "Run a program and trace chosen invocations of its shaders") {
  command_->footer(
      "The program keeps its own input, output and environment. Exit code: the program's; 128 + N if signal "
      "N ended it;\n2: nothing was started, the message says why. shaderqa replay FILE walks through the "
      "trace.");
}

TraceCommand::TraceCommand(CLI::App& app, const char* name, const char* about)
    : command_(app.add_subcommand(name, about)) {
  command_
      ->add_option("--at", request_.at,
                   "The invocation: STAGE:INPUT=NUMBERS;..., as in compute:GlobalInvocationID=5,0,0 or "
                   "fragment:FragCoord=75,75;match=2. May be given up to 8 times")
      ->type_name("SELECTOR")
      ->take_all();
  command_
      ->add_option(
          "--finding", request_.finding,
          "The invocation, shader and action that a finding of a report file names (shaderqa run --report). "
          "Findings have the numbers of their lines; a fingerprint is taken, too")
      ->type_name("N FILE")
      ->expected(2);
  command_
      ->add_option(
          "--when", request_.when,
          "Trace only invocations that fulfil this condition, too: integers, the inputs that --at takes "
          "(WorkgroupID.x), and the operators of C, as in 'LocalInvocationIndex < 4 && WorkgroupID.x % 2 == "
          "1'")
      ->type_name("EXPRESSION");
  command_->add_option("-o,--output", request_.output, "The trace")->type_name("FILE");
  struct SettingOption {
    const char *option, *key, *text;  // no text: that of the setting
  };
  for (
      const auto& [option, key, text] :
      {SettingOption{"--code", "trace_code", nullptr},
       SettingOption{"--segment-size", "trace_segment_size", nullptr},
       SettingOption{"--segments", "trace_segments", nullptr}, SettingOption{"--skip", "trace_skip", nullptr},
       SettingOption{"--records", "trace_records", nullptr},
       SettingOption{
           "--action", "actions",
           "Trace only these draws, dispatches and traces of rays of each command buffer, counted from 1 on"},
       SettingOption{
           "--frame", "frames",
           "Trace only these frames. The first one is 1, and each present ends one. For programs that cannot "
           "present, submissions are counted"},
       SettingOption{
           "--within", "within",
           "Trace only draws and dispatches within these debug labels. Patterns as a shell has them"}}) {
    const Setting& setting = *find_setting(key);
    options_.emplace_back(&setting, command_->add_option(option, text ? text : setting.text)
                                        ->type_name(value_name(setting))
                                        ->check(valid_value(setting)));
  }
  command_->add_flag("--last", last_, find_setting("trace_last")->text);
}

int TraceCommand::run(std::vector<std::string> program) {
  TraceRequest wanted = request(std::move(program));
  if (wanted.output.empty()) wanted.output = "shaderqa.trace";
  return trace_program(std::move(wanted));
}

TraceRequest TraceCommand::request(std::vector<std::string> program) {
  request_.run.command = std::move(program);
  for (const auto& [setting, option] : options_)
    if (option->count() != 0) request_.run.settings[setting->key] = option->results()[0];
  if (last_) request_.run.settings["trace_last"] = "true";
  return std::move(request_);
}

DebugCommand::DebugCommand(CLI::App& app)
    : chosen_(app, "debug", "Stop chosen invocations of a program's shaders at breakpoints, while they run") {
  command()
      ->add_option("--break", request_.breakpoints,
                   "Stop before this place: [FILE:]LINE or a function; then, if wanted, if CONDITION: "
                   "'sort.comp:16 if "
                   "i > 3'. May be given several times. Without any, and without --break-if and --watch, the "
                   "first chosen "
                   "invocation stops where it begins")
      ->type_name("PLACE")
      ->take_all();
  command()
      ->add_option_function<std::vector<std::string>>(
          "--break-if",
          [this](const std::vector<std::string>& all) {
            for (const std::string& each : all) request_.breakpoints.push_back("if " + each);
          },
          "Stop wherever this condition over the shader's variables begins to hold, as in 'sum > 100'")
      ->type_name("CONDITION")
      ->take_all();
  command()
      ->add_option("--watch", request_.watches,
                   "Stop after a store to this variable, these elements of a buffer (NAME[FIRST..LAST]) or "
                   "this memory (ADDRESS,BYTES), and show the old and the new value")
      ->type_name("PLACE")
      ->take_all();
  command()
      ->add_option("--log", request_.logs, "As --watch, but only say what is stored, and go on")
      ->type_name("PLACE")
      ->take_all();
  command()->add_flag("--break-on-violation", request_.violations,
                      "Stop before an access beyond the end of a buffer's array, or by an address that no "
                      "buffer has");
  hold_ = command()
              ->add_option("--hold", find_setting("debug_hold")->text)
              ->type_name("SECONDS")
              ->check(valid_value(*find_setting("debug_hold")));
  command()->add_flag("--json", request_.json, "One JSON object a line for each command");
  command()
      ->add_flag("--dap", request_.dap,
                 "Serve a client of the Debug Adapter Protocol over standard input and output instead")
      ->excludes("--json", "--break", "--break-if", "--watch", "--log");
  command()->footer(
      "Reads commands from standard input; help lists them. At its end, everything goes on without stops. "
      "The "
      "program gets\nno input, and with --json and --dap its output goes to standard error. Exit code: as "
      "that of "
      "shaderqa trace.");
}

int DebugCommand::run(std::vector<std::string> program) {
  request_.trace = chosen_.request(std::move(program));
  if (hold_->count() != 0) request_.trace.run.settings["debug_hold"] = hold_->results()[0];
  return debug_program(std::move(request_));
}

ReplayCommand::ReplayCommand(CLI::App& app)
    : command_(app.add_subcommand("replay", "Walk through a trace, forwards and backwards")) {
  command_->add_option("FILE", file_, "What shaderqa trace wrote");
  command_->add_flag("--json", json_, "One JSON object a line for each command");
  command_->add_flag("--dap", dap_,
                     "Serve a client of the Debug Adapter Protocol, such as VS Code, over standard input and "
                     "output. Without FILE the client says which trace");
  command_
      ->add_option(
          "--html", page_,
          "Write one HTML page instead, which needs nothing else: a timeline, source beside SPIR-V, values")
      ->type_name("FILE");
  command_->footer(
      "Reads commands from standard input; help lists them. Exit code: 0, or 1 if there is nothing to show.");
}

int ReplayCommand::run() {
  if (dap_) return serve_trace(file_);
  if (!page_.empty()) return write_page(file_, page_);
  return replay_trace(file_, json_);
}

}  // namespace shaderqa
