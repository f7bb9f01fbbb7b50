// SPDX-License-Identifier: Apache-2.0
// The commands of `shaderqa replay`, after gdb's. Every command gives its text back; nothing is printed here.
#ifndef SHADERQA_REPLAY_DEBUGGER_H
#define SHADERQA_REPLAY_DEBUGGER_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/trace/trace_file.h"
#include "replay/live_target.h"
#include "replay/scopes.h"
#include "replay/watchpoint.h"

namespace shaderqa {

struct Named;

struct Reply {
  std::string text;  // for a person, without a final newline
  bool ok = true;
  bool quit = false;
};

class Debugger {
 public:
  explicit Debugger(TraceContents contents);
  // For a program that runs; the target must live longer. Call start() once breakpoints are set.
  explicit Debugger(LiveTarget& target) : live_(&target) {}

  // Waits for the first stop: at a breakpoint, or without any, where the first chosen invocation begins.
  Reply start();
  // It also stops before accesses that leave their buffer, so the first invocation's beginning is no stop.
  void expect_violations() { expects_violations_ = true; }
  // A breakpoint or watch command, before there is anything to look it up in.
  Reply set_before_start(const std::string& line);
  bool is_live() const { return live_ != nullptr; }
  // Lets everything go on without stops, until the program's end.
  void detach();

  // Whether there is an invocation that can be walked.
  bool has_invocation() const { return !invocations_.empty(); }
  Reply command(const std::string& line);
  size_t current() const { return current_; }
  size_t invocation_count() const { return invocations_.size(); }
  const Invocation& invocation(size_t i) const { return *invocations_[i]; }
  // Where it stands; as many as it has steps: at the end.
  size_t step_of(size_t i) const { return steps_[i]; }
  // Whether the current invocation stands at a breakpoint.
  bool at_breakpoint() const { return !at_end() && stops_at(step()); }
  // Where the current one stands, in one or two lines.
  std::string where() const;
  // What the invocation is, its match, and its action where that is known.
  std::string title(const Invocation& invocation) const;
  const std::vector<std::string>& notes() const { return notes_; }  // what cannot be shown
  // The invocations, what is missing, and where the first one stands.
  std::string greeting() const;
  // A command's reply as one JSON object on one line.
  std::string to_json(const std::string& line, const Reply& reply) const;

 private:
  struct Breakpoint {
    std::string text;   // as given
    std::string file;   // empty: any
    uint32_t line = 0;  // 0: a function
    std::string function;
    bool watch = false, logs = false;  // logs: nothing stops there
    Watched watched;
    std::string condition;                 // empty: none. Without a place: wherever it begins to hold
    const TracedShader* shader = nullptr;  // of an instruction
    uint32_t offset = 0;
  };
  using Method = Reply (Debugger::*)(const std::string&);
  struct Command;
  static const Command* find_command(std::string_view name);

  const Invocation& now() const { return *invocations_[current_]; }
  size_t& step() { return steps_[current_]; }
  size_t step() const { return steps_[current_]; }
  size_t last() const { return now().steps().size(); }
  bool at_end() const { return step() >= last(); }

  bool same_line(size_t a, size_t b) const;
  uint32_t depth(size_t at) const;
  bool stops_at(size_t at) const;
  bool reached(const Breakpoint& breakpoint, size_t at) const;
  std::string changes_at(size_t at, bool logs) const;
  bool is_at(const Breakpoint& breakpoint, size_t at) const;
  bool holds(const Breakpoint& breakpoint, size_t at) const;
  std::string place_text(size_t at) const;
  std::string place_text(const StackFrame& frame) const;
  template <typename Stop>
  Reply run_forward(Stop stop, bool everywhere = true);
  template <typename Stop>
  Reply run_backward(Stop stop);
  void to_line_begin();
  StackFrame frame_here() const;  // at the end, of the last step

  Reply step_line(const std::string&);
  Reply next_line(const std::string&);
  Reply step_instruction(const std::string& argument);
  Reply finish(const std::string&);
  Reply go_on(const std::string&);
  Reply reverse_step(const std::string&);
  Reply reverse_next(const std::string&);
  Reply reverse_instruction(const std::string& argument);
  Reply reverse_finish(const std::string&);
  Reply reverse_continue(const std::string&);
  Reply jump(const std::string& argument);
  Reply add_breakpoint(const std::string& argument);
  Reply add_watch(const std::string& argument);
  Reply add_log(const std::string& argument);
  Reply watch(const std::string& argument, bool logs);
  Reply remove_breakpoint(const std::string& argument);
  Reply print(const std::string& argument);
  Reply examine(const std::string& argument);
  Reply who(const std::string& argument);
  Reply backtrace(const std::string&);
  Reply list(const std::string& argument);
  Reply disassemble(const std::string&);
  Reply info(const std::string& argument);
  Reply locals();
  Reply barriers();
  std::string standing_text(const Invocation& invocation) const;
  Reply choose(const std::string& argument);
  Reply help(const std::string&);
  Reply quit(const std::string&);
  Reply aim(const std::string& argument);
  Reply change(const std::string& argument);

  // What runs forward in a live program (debugger_live.cpp).
  struct Live {
    TraceSegment segment;
    std::optional<uint32_t> waits;  // piece
    std::vector<TraceChange> changes;
    std::string violation;  // what the next instruction does wrong; empty: nothing that is known
  };
  enum class Advance { on, other, end };  // the same invocation, another one, nothing comes any more
  bool waits_here() const;                // the step is the one at which the current invocation waits
  bool asks_for_stop(size_t at) const;
  bool waits_in(uint32_t offset, size_t at) const;
  bool knows_place(const Breakpoint& breakpoint) const;
  bool needs_every_stop() const;
  Advance advance(bool everywhere);
  void note_went_on(const std::string& why);
  std::string show(const LiveStop& stop);
  static std::string violation_of(const LiveStop& stop, const TracedShader& shader);
  void refresh(size_t index);
  const TracedShader* shader_of(const LiveStop& stop, const TraceSegment& segment, std::string& problem);
  LiveAnswer answer(bool everywhere) const;
  std::optional<uint32_t> changeable(const Named& named, uint32_t& component) const;

  TraceContents contents_;
  std::vector<std::unique_ptr<TracedShader>> shaders_;
  std::vector<std::unique_ptr<Invocation>> invocations_;
  std::vector<size_t> steps_;  // of each invocation: the step it stands at
  std::vector<std::string> notes_;
  std::vector<Breakpoint> breakpoints_;
  size_t current_ = 0;
  std::string last_command_;
  LiveTarget* live_ = nullptr;
  bool live_ended_ = false;
  bool expects_violations_ = false;
  std::vector<std::unique_ptr<Live>> lives_;  // of each invocation
  std::optional<size_t> waiting_;             // invocation that waits
  LiveAnswer pending_;                        // a change that goes with the next answer
  std::string live_note_;                     // what happened on the way to where it stands
};

}  // namespace shaderqa
#endif
