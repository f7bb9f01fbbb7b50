// SPDX-License-Identifier: Apache-2.0
#include "replay/debugger.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/trace/trace_selector.h"
#include "replay/condition.h"
#include "replay/debugger_numbers.h"
#include "replay/watchpoint.h"

namespace shaderqa {

struct Debugger::Command {
  std::string_view name, short_name;
  Method method;
  std::string_view text;
};

const Debugger::Command* Debugger::find_command(std::string_view name) {
  static constexpr Command commands[] = {
      {"step", "s", &Debugger::step_line, "to the next source line, into functions"},
      {"next", "n", &Debugger::next_line, "to the next source line, over functions"},
      {"stepi", "si", &Debugger::step_instruction, "[N]: by SPIR-V instructions"},
      {"finish", "fin", &Debugger::finish, "to the end of the function"},
      {"continue", "c", &Debugger::go_on, "to the next breakpoint, or the end"},
      {"reverse-step", "rs", &Debugger::reverse_step, "to the source line before, into functions"},
      {"reverse-next", "rn", &Debugger::reverse_next, "to the source line before, over functions"},
      {"reverse-stepi", "rsi", &Debugger::reverse_instruction, "[N]: back by SPIR-V instructions"},
      {"reverse-finish", "rfin", &Debugger::reverse_finish, "back to the call of the function"},
      {"reverse-continue", "rc", &Debugger::reverse_continue, "back to a breakpoint, or the beginning"},
      {"goto", "g", &Debugger::jump, "STEP: to a step by its number"},
      {"break", "b", &Debugger::add_breakpoint,
       "[FILE:]LINE, FUNCTION, or *N: instruction N; then if CONDITION, which can stand alone"},
      {"watch", "wa", &Debugger::add_watch,
       "NAME, NAME[FIRST..LAST] or ADDRESS[,BYTES]: stop after a store there, with old and new value"},
      {"log", "log", &Debugger::add_log, "as watch, but only say what is stored, and go on"},
      {"delete", "d", &Debugger::remove_breakpoint, "[N]: a breakpoint, or all"},
      {"set", "set", &Debugger::change,
       "NAME = VALUE: changes a variable of a program that waits (shaderqa debug)"},
      {"at", "at", &Debugger::aim, "SELECTORS: the invocations to stop from now on, as --at takes them"},
      {"print", "p", &Debugger::print, "NAME, NAME.member, NAME[2], %ID: its value"},
      {"x", "x", &Debugger::examine, "NAME: every access to the variable or buffer so far"},
      {"who", "w", &Debugger::who, "NAME: what stored to it last"},
      {"backtrace", "bt", &Debugger::backtrace, "the calls that led here"},
      {"list", "l", &Debugger::list, "[LINE]: source around it"},
      {"disassemble", "dis", &Debugger::disassemble, "SPIR-V around the next instruction"},
      {"info", "i", &Debugger::info, "locals, breakpoints, invocations, barriers or shader"},
      {"invocation", "inv", &Debugger::choose, "N: another invocation of the trace"},
      {"help", "h", &Debugger::help, "this list"},
      {"quit", "q", &Debugger::quit, "ends the replay"},
  };
  if (name.empty()) return std::begin(commands);
  for (const Command& command : commands)
    if (command.name == name || command.short_name == name) return &command;
  return nullptr;
}

Debugger::Debugger(TraceContents contents) : contents_(std::move(contents)) {
  notes_ = contents_.notes;
  for (const TraceShader& shader : contents_.shaders) {
    std::string error;
    if (auto traced = TracedShader::load(shader, error))
      shaders_.push_back(std::move(traced));
    else
      notes_.push_back("a shader of the trace cannot be used: " + error);
  }
  for (const TraceSegment& segment : contents_.segments) {
    const auto shader = std::ranges::find_if(shaders_, [&](const auto& each) {
      return each->shader().hash == segment.shader_hash && each->shader().stage == segment.stage;
    });
    const std::string name = describe_location(segment.stage, segment.location);
    if (shader == shaders_.end()) {
      notes_.push_back(name + " cannot be shown: its shader is not in the trace");
      continue;
    }
    auto invocation = std::make_unique<Invocation>(**shader, segment);
    if (invocation->steps().empty())
      notes_.push_back(name + " cannot be shown: " +
                       (invocation->notes().empty() ? "it has no records" : invocation->notes().front()));
    else
      invocations_.push_back(std::move(invocation));
  }
  steps_.resize(invocations_.size(), 0);
}

std::string Debugger::title(const Invocation& invocation) const {
  const TraceSegment& segment = invocation.segment();
  const std::string action = describe_action(contents_.actions, segment.number, segment.shader_hash);
  return describe_location(segment.stage, segment.location) + ", match " + std::to_string(segment.match + 1) +
         (action.empty() ? "" : ", " + action);
}

std::string Debugger::greeting() const {
  std::string text;
  for (const std::string& note : notes_) text += "note: " + note + "\n";
  if (invocations_.empty()) return text + "The trace has no invocation to show.";
  for (size_t i = 0; i < invocations_.size(); ++i) {
    const Invocation& each = *invocations_[i];
    text += "invocation " + std::to_string(i + 1) + ": " + title(each) + ", " +
            std::to_string(each.steps().size()) + " instructions" +
            (each.shader().shader().name.empty() ? "" : ", shader " + each.shader().shader().name) + "\n";
    for (const std::string& note : each.notes()) text += "  note: " + note + "\n";
  }
  return text + where();
}

Reply Debugger::command(const std::string& line) {
  if (invocations_.empty() && is_live()) return {"No invocation waits.", false, false};
  if (invocations_.empty()) return {"The trace has no invocation to show.", false, false};
  std::string text = line;
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) text.pop_back();
  text.erase(0, text.find_first_not_of(" \t"));
  if (text.empty()) text = last_command_;
  if (text.empty()) return {};
  last_command_ = text;
  const size_t space = text.find(' ');
  const std::string name = text.substr(0, space);
  std::string argument = space == std::string::npos ? "" : text.substr(space + 1);
  argument.erase(0, std::min(argument.find_first_not_of(' '), argument.size()));
  const Command* command = find_command(name);
  if (!command) return {"there is no command \"" + name + "\"; help lists them", false, false};
  return (this->*command->method)(argument);
}

std::string Debugger::to_json(const std::string& line, const Reply& reply) const {
  nlohmann::json json = {{"command", line}, {"ok", reply.ok}, {"text", reply.text}};
  if (!invocations_.empty()) {
    json["invocation"] = current_ + 1;
    json["step"] = step();
    json["steps"] = last();
    if (!at_end()) {
      const SourcePosition& position = now().position(step());
      json["instruction"] = now().shader().text(now().steps()[step()].offset);
      json["function"] = frame_here().function;
      json["depth"] = depth(step());
      if (position.line != 0) {
        json["file"] = position.file;
        json["line"] = position.line;
      }
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

uint32_t Debugger::depth(size_t at) const { return now().depth(at); }

StackFrame Debugger::frame_here() const { return frame_at(now(), std::min(step(), last() - 1)); }

bool Debugger::same_line(size_t a, size_t b) const {
  const TraceStep &first = now().steps()[a], &second = now().steps()[b];
  if (first.frame != second.frame || first.scope.inlined_at != second.scope.inlined_at) return false;
  const SourcePosition &x = now().position(a), &y = now().position(b);
  return x.line == y.line && x.file == y.file;
}

bool Debugger::holds(const Breakpoint& breakpoint, size_t at) const {
  if (breakpoint.condition.empty()) return true;
  return condition_holds(now(), frame_at(now(), at), at, breakpoint.condition).value_or(false);
}

bool Debugger::reached(const Breakpoint& breakpoint, size_t at) const {
  if (!is_at(breakpoint, at) || !holds(breakpoint, at)) return false;
  const bool anywhere =
      !breakpoint.shader && breakpoint.line == 0 && breakpoint.function.empty() && !breakpoint.watch;
  if (!anywhere || at == 0) return true;
  // It begins to hold at a line, if it did not at the line before of the same call.
  if (same_line(at - 1, at)) return false;
  size_t before = at - 1;
  while (before > 0 && now().steps()[before].frame != now().steps()[at].frame) --before;
  while (before > 0 && same_line(before - 1, before)) --before;
  return now().steps()[before].frame != now().steps()[at].frame || !holds(breakpoint, before);
}

bool Debugger::is_at(const Breakpoint& breakpoint, size_t at) const {
  const Invocation& invocation = now();
  if (breakpoint.watch) return !change_of(invocation, breakpoint.watched, at).empty();
  if (breakpoint.shader)
    return breakpoint.shader == &invocation.shader() &&
           (waits_in(breakpoint.offset, at) || invocation.steps()[at].offset == breakpoint.offset);
  if (breakpoint.line == 0 && breakpoint.function.empty()) return true;
  if (breakpoint.line == 0) {
    // Calls from code that is not traced have no depth.
    const bool calls = at == 0 || depth(at) > depth(at - 1) ||
                       invocation.frame(invocation.steps()[at].frame).first_step == at;
    return calls && frame_at(invocation, at).function == breakpoint.function;
  }
  const SourcePosition& position = invocation.position(at);
  if (position.line != breakpoint.line || !position.file.ends_with(breakpoint.file)) return false;
  if (at == 0 || invocation.whole_since(at) == at) return true;
  // Who comes back from a call to the rest of its line is not there anew.
  size_t before = at - 1;
  if (depth(before) > depth(at))
    while (before > 0 && invocation.steps()[before].frame != invocation.steps()[at].frame) --before;
  return !same_line(before, at);
}

bool Debugger::stops_at(size_t at) const {
  return asks_for_stop(at) || std::ranges::any_of(breakpoints_, [&](const Breakpoint& each) {
           return !each.logs && reached(each, at);
         });
}

// What the instruction before the step stored to watched places, a line for each store. logs: to those where
// nothing stops.
std::string Debugger::changes_at(size_t at, bool logs) const {
  std::string text;
  for (size_t i = 0; i < breakpoints_.size(); ++i) {
    const Breakpoint& each = breakpoints_[i];
    if (!each.watch || each.logs != logs) continue;
    std::string changes = change_of(now(), each.watched, at);
    if (changes.empty()) continue;
    const std::string where = logs ? " at " + place_text(at - 1) : std::string();
    for (size_t end = changes.find('\n'); !changes.empty(); end = changes.find('\n')) {
      text += "watch " + std::to_string(i + 1) + ": " + changes.substr(0, end) + where + "\n";
      changes.erase(0, end == std::string::npos ? end : end + 1);
    }
  }
  return text;
}

std::string Debugger::place_text(size_t at) const { return place_text(frame_at(now(), at)); }

std::string Debugger::place_text(const StackFrame& frame) const {
  const SourcePosition& position = frame.position;
  std::string text = "step " + std::to_string(frame.step) + ", " + frame.function;
  if (position.line != 0)
    text += ", " + (position.file.empty() ? "line" : position.file) + (position.file.empty() ? " " : ":") +
            std::to_string(position.line);
  return text;
}

std::string Debugger::where() const {
  if (invocations_.empty()) return live_ ? live_->end() : std::string();
  if (at_end() && is_live())
    return "the end of the invocation" + (live_ended_ ? "\n" + live_->end()
                                          : waiting_
                                              ? "; invocation " + std::to_string(*waiting_ + 1) + " waits"
                                              : std::string());
  if (at_end())
    return now().ends() ? "the end of the invocation" : "the end of the trace: " + now().notes().back();
  const SourcePosition& position = now().position(step());
  const bool violates = waits_here() && !lives_[current_]->violation.empty();
  std::string text = (violates ? lives_[current_]->violation + "\n" : "") + place_text(step());
  if (step() != 0 && now().whole_since(step()) == step()) text += " (behind code that is not traced)";
  const std::string source = now().shader().source_line(position, position.line).value_or(position.text);
  if (position.line != 0 && !source.empty())
    return text + "\n" + std::to_string(position.line) + "\t" + source;
  return text + "\n\t" + now().shader().text(now().steps()[step()].offset);
}

template <typename Stop>
Reply Debugger::run_forward(Stop stop, bool everywhere) {
  live_note_.clear();
  if (at_end()) return {where(), false, false};
  bool own = true;  // still the invocation that the caller's condition is about
  do {
    if (waits_here()) {
      const Advance advanced = advance(everywhere);
      own = own && advanced != Advance::other;
      if (advanced != Advance::other) ++step();
    } else {
      ++step();
    }
    if (!at_end()) live_note_ += changes_at(step(), true);
  } while (!at_end() && !(own && stop(step())) && !stops_at(step()));
  if (!at_end()) live_note_ += changes_at(step(), false);
  return {live_note_ + where()};
}

template <typename Stop>
Reply Debugger::run_backward(Stop stop) {
  if (step() == 0) return {"the beginning of the trace\n" + where(), false, false};
  do {
    --step();
  } while (step() != 0 && !stop(step()) && !stops_at(step()));
  return {changes_at(step(), false) + where()};
}

// Lines are left at their last instruction when walking back; the user wants to stand before the line.
void Debugger::to_line_begin() {
  while (!at_end() && step() != 0 && same_line(step() - 1, step())) --step();
}

Reply Debugger::step_line(const std::string&) {
  if (at_end()) return {where(), false, false};
  const size_t from = step();
  return run_forward([&](size_t at) {
    if (!now().shader().has_lines()) return true;
    return now().position(at).line != 0 && !same_line(from, at);
  });
}

Reply Debugger::next_line(const std::string&) {
  if (at_end()) return {where(), false, false};
  const size_t from = step();
  const uint32_t own = depth(from);
  return run_forward([&](size_t at) {
    if (depth(at) > own) return false;
    if (!now().shader().has_lines()) return true;
    return now().position(at).line != 0 && !same_line(from, at);
  });
}

Reply Debugger::step_instruction(const std::string& argument) {
  const auto count = number_of(argument, 1);
  if (!count) return {"stepi takes a number", false, false};
  if (at_end()) return {where(), false, false};
  for (uint64_t i = 0; i < *count && !at_end(); ++i) run_forward([](size_t) { return true; });
  return {at_end() ? where() : where() + "\n\t" + now().shader().text(now().steps()[step()].offset)};
}

Reply Debugger::finish(const std::string&) {
  if (at_end()) return {where(), false, false};
  const uint32_t own = depth(step());
  return run_forward([&](size_t at) { return depth(at) < own; });
}

Reply Debugger::go_on(const std::string&) {
  return run_forward([](size_t) { return false; }, needs_every_stop());
}

Reply Debugger::reverse_step(const std::string&) {
  if (step() == 0) return {"the beginning of the trace\n" + where(), false, false};
  const size_t from = at_end() ? last() - 1 : step();
  const bool leaves_end = at_end();
  Reply reply = run_backward([&](size_t at) {
    if (!now().shader().has_lines() || leaves_end) return true;
    return now().position(at).line != 0 && !same_line(from, at);
  });
  if (now().shader().has_lines()) to_line_begin();
  reply.text = where();
  return reply;
}

Reply Debugger::reverse_next(const std::string&) {
  if (step() == 0) return {"the beginning of the trace\n" + where(), false, false};
  const bool leaves_end = at_end();
  const size_t from = leaves_end ? last() - 1 : step();
  const uint32_t own = depth(from);
  Reply reply = run_backward([&](size_t at) {
    if (leaves_end) return true;
    if (depth(at) > own) return false;
    return !now().shader().has_lines() || (now().position(at).line != 0 && !same_line(from, at));
  });
  if (now().shader().has_lines()) to_line_begin();
  reply.text = where();
  return reply;
}

Reply Debugger::reverse_instruction(const std::string& argument) {
  const auto count = number_of(argument, 1);
  if (!count) return {"reverse-stepi takes a number", false, false};
  if (step() == 0) return {"the beginning of the trace\n" + where(), false, false};
  step() -= std::min<size_t>(*count, step());
  return {where() + "\n\t" + now().shader().text(now().steps()[step()].offset)};
}

Reply Debugger::reverse_finish(const std::string&) {
  if (step() == 0) return {"the beginning of the trace\n" + where(), false, false};
  const uint32_t own = at_end() ? depth(last() - 1) : depth(step());
  return run_backward([&](size_t at) { return depth(at) < own; });
}

Reply Debugger::reverse_continue(const std::string&) {
  return run_backward([](size_t) { return false; });
}

Reply Debugger::jump(const std::string& argument) {
  const auto target = number_of(argument, UINT64_MAX);
  if (!target || *target > last())
    return {"goto takes a step from 0 to " + std::to_string(last()), false, false};
  step() = *target;
  return {where()};
}

Reply Debugger::choose(const std::string& argument) {
  const auto number = number_of(argument, 0);
  if (!number || *number == 0 || *number > invocations_.size())
    return {"invocation takes a number from 1 to " + std::to_string(invocations_.size()), false, false};
  current_ = *number - 1;
  return {where()};
}

Reply Debugger::help(const std::string&) {
  std::string text;
  const Command* const first = find_command("");
  for (const Command* each = first;; ++each) {
    std::string name(each->name);
    if (each->short_name != each->name) name += " (" + std::string(each->short_name) + ")";
    name.resize(std::max<size_t>(name.size(), 24), ' ');
    text += (each == first ? "" : "\n") + name + " " + std::string(each->text);
    if (each->name == "quit") break;
  }
  return {text};
}

Reply Debugger::quit(const std::string&) { return {"", true, true}; }

}  // namespace shaderqa
