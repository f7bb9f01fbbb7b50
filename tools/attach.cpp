// SPDX-License-Identifier: Apache-2.0
#include "tools/attach.h"

#include <charconv>
#include <cstdint>
#include <cstdio>

#include "host/summary/verdict.h"
#include "host/switch/control_page.h"
#include "host/text/count_text.h"

namespace shaderqa {
namespace {

constexpr int kExitUsage = 2;

int refuse(const std::string& what, int exit_code = 1) {
  std::fprintf(stderr, "shaderqa: error: %s\n", what.c_str());
  return exit_code;
}

void show(const AttachedProcess& attached) {
  const ControlPage& page = attached.page();
  const char* const state = page.open.load() ? "on" : "off";
  std::string selection(page.selection);
  std::printf("process %u: checks are %s%s\n", attached.process(), state,
              selection.empty() ? "" : (" (chosen part: " + selection + ")").c_str());
  const auto line = [](const char* what, uint64_t all, const std::string& parts) {
    if (all != 0) std::printf("  %s: %s, %s\n", what, with_commas(all).c_str(), parts.c_str());
  };
  line("frames", page.frames.load(), with_commas(page.frames_checked.load()) + " checked");
  line("submissions", page.submissions.load(), with_commas(page.submissions_checked.load()) + " checked");
  line("actions", page.actions.load(),
       with_commas(page.actions_checked.load()) + " checked, " + with_commas(page.actions_left_out.load()) +
           " outside of the chosen part");
}

}  // namespace

std::vector<std::string> attach_actions() { return {"on", "off", "status"}; }

int attach(const std::string& text, const std::string& action) {
  uint32_t process = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), process);
  if (error != std::errc() || end != text.data() + text.size() || process == 0)
    return refuse("\"" + text + "\" is no number of a process; pgrep and ps show them", kExitUsage);
  std::string problem;
  AttachedProcess attached = AttachedProcess::find(process, problem);
  if (!attached) return refuse(problem);
  if (action == "status") {
    show(attached);
    return 0;
  }
  if (attached.page().fixed.load())
    return refuse("checks of process " + std::to_string(attached.process()) +
                  " are not switched: sync_redundant looks at the whole run");
  attached.ask(action == "on");
  if (!attached.wait())
    std::fprintf(
        stderr, "shaderqa: process %u records and submits nothing at the moment; checks go %s when it does\n",
        attached.process(), action.c_str());
  show(attached);
  return 0;
}

}  // namespace shaderqa
