// SPDX-License-Identifier: Apache-2.0
// The debugger's commands that show something.
#include <algorithm>

#include "host/trace/trace_selector.h"
#include "replay/debugger.h"
#include "replay/debugger_numbers.h"
#include "replay/expression.h"
#include "replay/shader_calls.h"

namespace shaderqa {
namespace {

constexpr uint32_t kLinesAround = 5;
constexpr size_t kMostAccesses = 100;

}  // namespace

Reply Debugger::print(const std::string& argument) {
  if (argument.empty()) return {"print takes a name", false, false};
  std::string error;
  const auto named = resolve(now(), frame_here(), argument, error);
  if (!named) return {error, false, false};
  // Compilers without inner scopes do not say which one of several is meant.
  std::string text;
  const std::vector<Local> locals = locals_of(now(), frame_here());
  if (std::ranges::count(locals, argument, &Local::name) > 1)
    for (const Local& local : locals)
      if (local.name == argument && local.named)
        text += (text.empty() ? "" : "\n") + local.name + " (line " + std::to_string(local.line) +
                ") = " + text_of(now(), *local.named, step());
  return {text.empty() ? argument + " = " + text_of(now(), *named, step()) : text};
}

Reply Debugger::examine(const std::string& argument) {
  std::string error;
  const auto named = resolve(now(), frame_here(), argument, error);
  if (!named) return {error, false, false};
  const auto* accesses = named->is_value || named->type == 0 ? nullptr : now().accesses(named->variable);
  const uint64_t size = now().shader().size_of(named->type);
  std::vector<std::string> lines;
  if (accesses)
    for (const TraceAccess& access : *accesses) {
      if (access.step >= step()) break;
      if (access.seen) continue;
      if (access.dword + access.count <= named->dword || access.dword >= named->dword + size) continue;
      const TraceStep& where = now().steps()[access.step];
      lines.push_back(place_text(access.step) + (access.writes ? ": stores " : ": loads ") +
                      now().shader().text(where.offset));
      const InstructionView i = now().shader().view().at(where.offset);
      const uint32_t pointer = i.word(i.op() == spv::Op::OpStore || i.op() == spv::Op::OpCopyMemory ||
                                              i.op() == spv::Op::OpAtomicStore
                                          ? 1
                                          : 3);
      const auto place = now().place(pointer, where.frame, access.step);
      std::vector<std::optional<uint32_t>> dwords(access.count);
      if (access.dwords) std::ranges::copy(*access.dwords, dwords.begin());
      if (place)
        lines.back() +=
            "\n  dword " + std::to_string(access.dword) + ": " + now().shader().format(place->type, dwords);
    }
  if (lines.empty()) return {argument + " has not been accessed yet"};
  std::string text;
  const size_t begin = lines.size() > kMostAccesses ? lines.size() - kMostAccesses : 0;
  if (begin != 0) text = "(" + std::to_string(begin) + " earlier ones are left out)\n";
  for (size_t i = begin; i < lines.size(); ++i) text += (i == begin ? "" : "\n") + lines[i];
  return {text};
}

Reply Debugger::who(const std::string& argument) {
  std::string error;
  const auto named = resolve(now(), frame_here(), argument, error);
  if (!named) return {error, false, false};
  if (named->is_value || named->type == 0)
    return {argument + " is a value that was computed, and not in memory: look for it in the source", false,
            false};
  const uint64_t size = now().shader().size_of(named->type);
  const auto* accesses = now().accesses(named->variable);
  const TraceAccess* found = nullptr;
  if (accesses)
    for (const TraceAccess& access : *accesses)
      if (access.writes && access.step < step() && access.dword < named->dword + size &&
          named->dword < access.dword + access.count)
        found = &access;
  // Code that was not traced may have stored, too.
  const size_t since = now().whole_since(step());
  if (since != 0 && (!found || found->step < since))
    return {"it is not known: behind " + std::string(found ? place_text(found->step) : "the beginning") +
            " code ran that is not traced (trace_code)"};
  if (!found) return {"this invocation has not stored to " + argument + " before here"};
  const SourcePosition& position = now().position(found->step);
  const std::string source = now().shader().source_line(position, position.line).value_or(position.text);
  return {place_text(found->step) +
          (source.empty() ? "" : "\n" + std::to_string(position.line) + "\t" + source) + "\n\t" +
          now().shader().text(now().steps()[found->step].offset) + "\n" + argument + " = " +
          text_of(now(), *named, found->step + 1)};
}

Reply Debugger::backtrace(const std::string&) {
  std::string text;
  int number = 0;
  for (const StackFrame& frame : stack_of(now(), std::min(step(), last() - 1))) {
    text += (number == 0 ? "#" : "\n#") + std::to_string(number) + " " + place_text(frame);
    ++number;
  }
  // Shaders of ray tracing are called by others, which are invocations of their own in the trace.
  auto caller = caller_of(invocations_, current_);
  for (uint32_t depth = call_depth(invocations_, current_); caller && depth > 0; --depth) {
    const Invocation& outer = *invocations_[caller->invocation];
    text += "\nrecursion depth " + std::to_string(depth) + ": called by invocation " +
            std::to_string(caller->invocation + 1) + ", " +
            describe_location(outer.segment().stage, outer.segment().location);
    for (const StackFrame& frame : stack_of(outer, caller->step)) {
      text += "\n#" + std::to_string(number) + " " + place_text(frame);
      ++number;
    }
    caller = caller_of(invocations_, caller->invocation);
  }
  return {text};
}

Reply Debugger::list(const std::string& argument) {
  const SourcePosition& position = now().position(std::min(step(), last() - 1));
  const auto middle = number_of(argument, position.line);
  if (!middle || *middle > UINT32_MAX) return {"list takes a line", false, false};
  const uint32_t line = static_cast<uint32_t>(*middle);
  std::string text;
  for (uint32_t i = line > kLinesAround ? line - kLinesAround : 1; i <= line + kLinesAround; ++i) {
    const auto source = now().shader().source_line(position, i);
    if (!source) continue;
    text += (text.empty() ? "" : "\n") + std::string(i == position.line ? "> " : "  ") + std::to_string(i) +
            "\t" + *source;
  }
  if (text.empty())
    return {"the shader does not have its source: compile it with -g, or -gVS, or look at disassemble", false,
            false};
  return {text};
}

Reply Debugger::disassemble(const std::string&) {
  const ModuleView& view = now().shader().view();
  const uint32_t here = now().steps()[std::min(step(), last() - 1)].offset;
  std::vector<uint32_t> before;
  std::string text;
  uint32_t after = 0;
  for_each_instruction(view.words(), view.functions_offset(), [&](InstructionView, uint32_t offset) {
    if (offset < here) before.push_back(offset);
    if (offset >= here) {
      if (offset == here)
        for (size_t i = before.size() > kLinesAround ? before.size() - kLinesAround : 0; i < before.size();
             ++i)
          text += "  " + now().shader().text(before[i]) + "\n";
      text += (offset == here ? "> " : "\n  ") + now().shader().text(offset);
      ++after;
    }
    return after <= kLinesAround;
  });
  return {text};
}

Reply Debugger::locals() {
  std::string text;
  const std::vector<Local> all = locals_of(now(), frame_here());
  for (const Local& local : all) {
    const bool several = std::ranges::count(all, local.name, &Local::name) > 1;
    text += (text.empty() ? "" : "\n") + local.name +
            (several ? " (line " + std::to_string(local.line) + ")" : std::string()) + " = " +
            (local.named ? text_of(now(), *local.named, step()) : local.why);
  }
  return {text.empty() ? "no variables with names in this function" : text};
}

Reply Debugger::info(const std::string& argument) {
  if (argument == "locals" || argument == "l") return locals();
  if (argument == "invocations" || argument == "i") {
    std::string text;
    for (size_t i = 0; i < invocations_.size(); ++i) {
      text += (i == 0 ? "" : "\n") + std::string(i == current_ ? "* " : "  ") + std::to_string(i + 1) + " " +
              title(*invocations_[i]);
      if (const auto caller = caller_of(invocations_, i))
        text += ", called by invocation " + std::to_string(caller->invocation + 1) + " at step " +
                std::to_string(caller->step) + ", recursion depth " +
                std::to_string(call_depth(invocations_, i));
    }
    return {text};
  }
  if (argument == "barriers") return barriers();
  if (argument == "breakpoints" || argument == "b") {
    std::string text;
    for (size_t i = 0; i < breakpoints_.size(); ++i)
      text += (i == 0 ? "" : "\n") + std::to_string(i + 1) +
              (breakpoints_[i].logs    ? " log "
               : breakpoints_[i].watch ? " watch "
                                       : " break ") +
              breakpoints_[i].text;
    return {text.empty() ? "no breakpoints" : text};
  }
  if (argument == "shader" || argument == "s") {
    const TraceShader& shader = now().shader().shader();
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(shader.hash));
    return {std::string(to_string(shader.stage)) + " shader " + hash +
            (shader.name.empty() ? "" : " (" + shader.name + ")") + ", entry point " + shader.entry_point +
            ", " + std::to_string(shader.words.size()) + " words"};
  }
  return {"info takes locals, breakpoints, invocations, barriers or shader", false, false};
}

}  // namespace shaderqa
