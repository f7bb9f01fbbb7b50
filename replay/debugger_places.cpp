// SPDX-License-Identifier: Apache-2.0
// The debugger's commands that set breakpoints and watchpoints, and the question who waits at which barrier.
#include <algorithm>
#include <map>

#include "host/trace/trace_selector.h"
#include "replay/condition.h"
#include "replay/debugger.h"
#include "replay/debugger_numbers.h"
#include "replay/expression.h"

namespace shaderqa {

Reply Debugger::add_breakpoint(const std::string& argument) {
  Breakpoint breakpoint;
  breakpoint.text = argument;
  std::string place = argument;
  const size_t condition = argument.starts_with("if ") ? 0 : argument.find(" if ");
  if (condition != std::string::npos) {
    place = argument.substr(0, condition);
    breakpoint.condition = argument.substr(condition + (condition == 0 ? 3 : 4));
    if (const std::string wrong = check_condition(breakpoint.condition); !wrong.empty())
      return {"the condition cannot be used: " + wrong, false, false};
  }
  while (!place.empty() && place.back() == ' ') place.pop_back();
  if (place.empty() && breakpoint.condition.empty())
    return {"break takes [FILE:]LINE, a function, or * and an instruction's number", false, false};
  if (place.starts_with('*')) {
    if (invocations_.empty()) return {"break * needs an invocation that waits", false, false};
    const std::vector<uint32_t>& all = now().shader().instructions();
    const auto number = number_of(place.substr(1), 0);
    if (!number || *number == 0 || *number > all.size())
      return {"break * takes an instruction from 1 to " + std::to_string(all.size()), false, false};
    breakpoint.shader = &now().shader();
    breakpoint.offset = all[*number - 1];
    breakpoints_.push_back(breakpoint);
    return {"breakpoint " + std::to_string(breakpoints_.size()) + ": " + argument};
  }
  const size_t colon = place.rfind(':');
  const std::string line = colon == std::string::npos ? place : place.substr(colon + 1);
  if (const auto number = number_of(line, 0); number && *number != 0 && *number <= UINT32_MAX) {
    breakpoint.line = static_cast<uint32_t>(*number);
    if (colon != std::string::npos) breakpoint.file = place.substr(0, colon);
  } else {
    breakpoint.function = place;
  }
  std::string remark;
  if (is_live()) {
    if (!knows_place(breakpoint)) remark = " (no shader that has run so far has code there)";
  } else {
    bool found = false;
    for (size_t at = 0; at < last() && !found; ++at) found = is_at(breakpoint, at);
    if (!found) remark = " (this invocation does not come there)";
  }
  breakpoints_.push_back(breakpoint);
  return {"breakpoint " + std::to_string(breakpoints_.size()) + ": " + argument + remark};
}

Reply Debugger::add_watch(const std::string& argument) { return watch(argument, false); }

Reply Debugger::add_log(const std::string& argument) { return watch(argument, true); }

Reply Debugger::watch(const std::string& argument, bool logs) {
  std::string error;
  const auto watched = parse_watched(argument, error);
  if (!watched) return {error, false, false};
  // Before the first stop nobody knows the shader's names.
  if (!invocations_.empty() && !watched->name.empty() && !resolve(now(), frame_here(), watched->name, error))
    return {error, false, false};
  Breakpoint breakpoint;
  breakpoint.text = argument;
  breakpoint.watched = *watched;
  breakpoint.watch = true;
  breakpoint.logs = logs;
  breakpoints_.push_back(std::move(breakpoint));
  return {"breakpoint " + std::to_string(breakpoints_.size()) + (logs ? ": log " : ": watch ") + argument};
}

Reply Debugger::remove_breakpoint(const std::string& argument) {
  if (argument.empty()) {
    breakpoints_.clear();
    return {"all breakpoints are deleted"};
  }
  const auto number = number_of(argument, 0);
  if (!number || *number == 0 || *number > breakpoints_.size())
    return {"there is no breakpoint " + argument, false, false};
  breakpoints_.erase(breakpoints_.begin() + static_cast<std::ptrdiff_t>(*number - 1));
  return {"breakpoint " + argument + " is deleted"};
}

// The state of an invocation that is not the one that waits may be newer than what the debugger has.
Reply Debugger::barriers() {
  std::string text;
  for (size_t i = 0; i < invocations_.size(); ++i) {
    const Invocation* invocation = invocations_[i].get();
    std::optional<TraceSegment> segment;
    std::optional<Invocation> newer;
    std::string problem;
    if (is_live() && waiting_ != i && (segment = live_->last_state(lives_[i]->segment.number, problem)))
      invocation = &newer.emplace(invocation->shader(), *segment, std::nullopt, lives_[i]->changes);
    text += (text.empty() ? "" : "\n") + std::to_string(i + 1) + " " + title(*invocation) + ": " +
            (waiting_ == i ? "stopped by the debugger, at " +
                                 place_text(frame_at(*invocation, invocation->steps().size() - 1))
                           : standing_text(*invocation));
  }
  return {text};
}

std::string Debugger::standing_text(const Invocation& invocation) const {
  const Invocation::Standing standing = invocation.standing();
  const SourcePosition& position = invocation.shader().position(standing.offset);
  const std::string place = position.line == 0 ? invocation.shader().text(standing.offset)
                                               : position.file + ":" + std::to_string(position.line) +
                                                     (position.text.empty() ? "" : "  " + position.text);
  switch (standing.kind) {
    case Invocation::Standing::Kind::ended:
      return "has ended";
    case Invocation::Standing::Kind::at_barrier:
      return "waits at the barrier " + place;
    case Invocation::Standing::Kind::elsewhere:
      return "not at a barrier; the last that is known is " + place;
    case Invocation::Standing::Kind::unknown:
      break;
  }
  return "not known: its last records are missing; trace_last keeps them";
}

}  // namespace shaderqa
