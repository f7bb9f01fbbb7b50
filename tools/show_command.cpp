// SPDX-License-Identifier: Apache-2.0
#include "tools/show_command.h"

#include <tuple>

#include <CLI/CLI.hpp>

#include "host/pictures/picture_scale.h"
#include "tools/setting_options.h"

namespace shaderqa {

ShowCommand::ShowCommand(CLI::App& app)
    : command_(app.add_subcommand("show", "Run a program and make pictures of what its shaders do")) {
  command_->add_option(
      "WHAT", request_.what,
      "A variable of a fragment or compute shader, or an expression, as in 'depth * 2.0 - offset.x'; "
      "overdraw: how many fragments each pixel had; divergence: how many invocations of a subgroup run "
      "together");
  add_options();
  command_->footer(
      "For each shader with such a value, DIR gets a PNG, the numbers as CSV, and a summary as JSON.\n"
      "The program keeps its own input, output and environment. Exit code: the program's; 128 + N if signal "
      "N ended it;\n2: nothing was started, the message says why.");
}

void ShowCommand::add_options() {
  request_.output = "shaderqa-pictures";
  command_->add_option("-o,--output", request_.output, "Folder for the pictures")->type_name("DIR");
  command_
      ->add_option(
          "--scale", scale_,
          "What is black and what is white, as in 0..10. Without it, the least and the greatest value")
      ->type_name("LOW..HIGH")
      ->check(CLI::Validator(
          [](std::string& text) -> std::string {
            if (parse_picture_scale(text)) return {};
            return "\"" + text + "\" is not two different numbers with .. between, as in 0..10";
          },
          ""));
  command_->add_flag("--colours", colours_,
                     "Write the value of a fragment shader to its colour output, too, so that the program "
                     "itself shows it");
  for (const auto& [option, key, text] :
       {std::tuple{"--location", "show_location", "The colour output that --colours means"},
        std::tuple{"--line", "show_line",
                   "Show the value as it is before this line of the source, instead of at the end of its "
                   "function"},
        std::tuple{"--width", "show_width",
                   "Pixels from left to right. A dispatch has room for width times height invocations"},
        std::tuple{"--height", "show_height", "Pixels from top to bottom"},
        std::tuple{"--shader", "only",
                   "Show only these shaders: patterns of source files, entry points, names or hashes"},
        std::tuple{"--action", "actions",
                   "Show only these draws and dispatches of each command buffer, counted from 1 on"},
        std::tuple{"--frame", "frames",
                   "Show only these frames. The first one is 1, and each present ends one. For programs that "
                   "cannot present, submissions are counted"},
        std::tuple{
            "--within", "within",
            "Show only draws and dispatches within these debug labels. Patterns as a shell has them"}}) {
    const Setting& setting = *find_setting(key);
    options_.emplace_back(
        &setting,
        command_->add_option(option, text)->type_name(value_name(setting))->check(valid_value(setting)));
  }
}

int ShowCommand::run(std::vector<std::string> program) {
  request_.run.command = std::move(program);
  for (const auto& [setting, option] : options_)
    if (option->count() != 0) request_.run.settings[setting->key] = option->results()[0];
  if (!scale_.empty()) {
    request_.scale = parse_picture_scale(scale_);
    request_.run.settings["show_scale"] = scale_;
  }
  if (colours_) request_.run.settings["show_colours"] = "true";
  return show_program(std::move(request_));
}

}  // namespace shaderqa
