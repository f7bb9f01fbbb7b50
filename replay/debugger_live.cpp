// SPDX-License-Identifier: Apache-2.0
// What the debugger does with a program that runs (docs/internals/debug.md).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "host/trace/trace_selector.h"
#include "replay/condition.h"
#include "replay/debugger.h"
#include "replay/expression.h"

namespace shaderqa {
namespace {

// A driver may write the trace a little later than the mailbox.
constexpr int kMostReads = 50;
constexpr std::chrono::milliseconds kBetweenReads{1};

void set_bit(LiveAnswer& answer, const TracedShader& shader, size_t piece) {
  const uint32_t bit = abi::debug_bit(shader.shader().hash, static_cast<uint32_t>(piece));
  answer.stops[bit / 32] |= 1u << (bit % 32);
}

}  // namespace

bool Debugger::waits_here() const { return waiting_ == current_ && step() + 1 == last(); }

// Where the shader says so itself: a breakpoint of its own, or an assumption that does not hold.
bool Debugger::asks_for_stop(size_t at) const {
  if (waiting_ != current_ || at + 1 != last()) return false;
  if (!lives_[current_]->violation.empty()) return true;
  const TracePiece& piece = now().shader().plan().pieces[*lives_[current_]->waits];
  if (!piece.asks) return false;
  const InstructionView i = now().shader().view().at(piece.stop);
  if (i.op() != spv::Op::OpAssumeTrueKHR) return true;
  const auto condition = now().value(i.word(1), now().steps()[at].frame, at);
  return condition && !condition->empty() && condition->front() == 0;
}

// Whether it waits in front of the piece that has the instruction.
bool Debugger::waits_in(uint32_t offset, size_t at) const {
  if (waiting_ != current_ || at + 1 != last()) return false;
  const TracePiece& piece = now().shader().plan().pieces[*lives_[current_]->waits];
  return piece.first <= offset && offset < piece.end;
}

bool Debugger::knows_place(const Breakpoint& breakpoint) const {
  if (shaders_.empty() || (breakpoint.line == 0 && breakpoint.function.empty())) return true;
  return std::ranges::any_of(shaders_, [&](const auto& shader) {
    if (breakpoint.line == 0) return !shader->named(breakpoint.function).empty();
    return std::ranges::any_of(shader->plan().pieces, [&](const TracePiece& piece) {
      const SourcePosition& position = shader->position(piece.stop);
      return piece.stop != 0 && position.line == breakpoint.line && position.file.ends_with(breakpoint.file);
    });
  });
}

// Whether stops at chosen places are not enough.
bool Debugger::needs_every_stop() const {
  return std::ranges::any_of(
      breakpoints_, [](const Breakpoint& each) { return each.watch || (each.line == 0 && !each.shader); });
}

LiveAnswer Debugger::answer(bool everywhere) const {
  LiveAnswer answer = pending_;
  answer.mode = everywhere ? SQA_DEBUG_EVERYWHERE : SQA_DEBUG_CHOSEN;
  for (const auto& shader : shaders_)
    for (size_t number = 0; number < shader->plan().pieces.size(); ++number) {
      const TracePiece& piece = shader->plan().pieces[number];
      if (piece.stop == 0) continue;
      const SourcePosition& position = shader->position(piece.stop);
      const bool wanted = std::ranges::any_of(breakpoints_, [&](const Breakpoint& each) {
        if (each.shader)
          return each.shader == shader.get() && piece.first <= each.offset && each.offset < piece.end;
        return each.line != 0 && position.line == each.line && position.file.ends_with(each.file);
      });
      if (wanted || piece.asks) set_bit(answer, *shader, number);
    }
  return answer;
}

const TracedShader* Debugger::shader_of(const LiveStop& stop, const TraceSegment& segment,
                                        std::string& problem) {
  const auto find = [&]() -> const TracedShader* {
    for (const auto& each : shaders_)
      if (each->shader().hash == segment.shader_hash && each->shader().stage == segment.stage)
        return each.get();
    return nullptr;
  };
  if (const TracedShader* known = find()) return known;
  TraceContents contents;
  if (!read_trace_file(stop.trace, contents, problem)) return nullptr;
  for (const TraceShader& shader : contents.shaders) {
    if (std::ranges::any_of(shaders_, [&](const auto& each) {
          return each->shader().hash == shader.hash && each->shader().entry_point == shader.entry_point;
        }))
      continue;
    if (auto traced = TracedShader::load(shader, problem)) shaders_.push_back(std::move(traced));
  }
  const TracedShader* const found = find();
  if (!found && problem.empty()) problem = "its shader is not in the trace";
  return found;
}

std::string Debugger::violation_of(const LiveStop& stop, const TracedShader& shader) {
  const TracePiece& piece = shader.plan().pieces[stop.piece];
  if (stop.violation == 0 || piece.accesses.empty()) return {};
  const InstructionView i = shader.view().at(piece.stop);
  const std::string what = i.op() == spv::Op::OpCopyMemory ? "copy "
                           : i.op() == spv::Op::OpLoad     ? "read "
                           : i.op() == spv::Op::OpStore    ? "store "
                                                           : "access ";
  if (stop.violation == SQA_DEBUG_ADDRESS) {
    char address[32];
    std::snprintf(address, sizeof address, "0x%llx",
                  static_cast<unsigned long long>(stop.about[0] | uint64_t{stop.about[1]} << 32));
    return "memory violation: the next instruction would " + what + std::to_string(stop.about[2]) +
           " bytes at " + address + ", where no buffer is: " + stop.why;
  }
  const auto access = std::ranges::find(piece.accesses, 0u, &CheckedAccess::bytes);
  if (access == piece.accesses.end()) return {};
  uint32_t block = shader.pointee(shader.view().type_of(access->variable));
  if (access->descriptor != 0) block = shader.view().definition(block).word(2);
  const std::string own = shader.name(access->variable), member = shader.member_name(block, access->member);
  return "memory violation: the next instruction would " + what + (own.empty() ? "" : own + ".") + member +
         "[" + std::to_string(stop.about[0]) + "], but what is bound there ends behind " +
         std::to_string(stop.about[1]) + " elements";
}

// Returns what is wrong, or nothing.
std::string Debugger::show(const LiveStop& stop) {
  std::string problem;
  std::optional<TraceSegment> segment;
  for (int i = 0; i < kMostReads; ++i) {
    segment = read_trace_segment(stop.trace, stop.segment, problem);
    if (segment && segment->count == stop.records) break;
    std::this_thread::sleep_for(kBetweenReads);
  }
  if (!segment) return problem;
  problem.clear();
  const TracedShader* const shader = shader_of(stop, *segment, problem);
  if (!shader) return problem;
  if (stop.piece >= shader->plan().pieces.size() || shader->plan().pieces[stop.piece].stop == 0)
    return "its shader has no stop " + std::to_string(stop.piece);
  const auto known =
      std::ranges::find_if(lives_, [&](const auto& each) { return each->segment.number == stop.segment; });
  const size_t index = static_cast<size_t>(known - lives_.begin());
  if (known == lives_.end()) {
    lives_.push_back(std::make_unique<Live>());
    invocations_.emplace_back();
    steps_.push_back(0);
  }
  Live& live = *lives_[index];
  invocations_[index].reset();
  const uint32_t segment_count = segment->count;
  live.segment = std::move(*segment);
  const bool went_on = segment_count > stop.records;
  live.waits.reset();
  if (!went_on) live.waits = stop.piece;
  live.violation = violation_of(stop, *shader);
  invocations_[index] = std::make_unique<Invocation>(*shader, live.segment, live.waits, live.changes);
  if (known == lives_.end()) steps_[index] = invocations_[index]->steps().size() - 1;
  if (waiting_ && *waiting_ != index) refresh(*waiting_);
  current_ = index;
  waiting_.reset();
  if (went_on) return "the invocation had gone on before it could be looked at";
  waiting_ = index;
  return {};
}

// The invocation that waited did not take the answer.
void Debugger::note_went_on(const std::string& why) {
  live_note_ += "the invocation went on by itself: " + why;
  if (pending_.changed != 0) {
    live_note_ += "; the change was not made";
    Live& live = *lives_[*waiting_];
    std::erase_if(live.changes, [&](const TraceChange& each) { return each.record == live.segment.count; });
  }
  live_note_ += "\n";
}

Debugger::Advance Debugger::advance(bool everywhere) {
  const size_t before = current_;
  const bool first = invocations_.empty();
  for (;;) {
    std::string why = waiting_ ? live_->went_on() : std::string();
    const auto stop = live_->go_on(answer(everywhere));
    if (why.empty()) why = live_->came_too_late();
    if (waiting_ && !why.empty()) note_went_on(why);
    pending_ = {};
    if (!stop) break;
    const std::string problem = show(*stop);
    if (problem.empty()) {
      if (first || current_ != before) return Advance::other;
      steps_[current_] = std::min(steps_[current_], last() - 1);
      return Advance::on;
    }
    live_note_ += "a stop cannot be shown: " + problem + "\n";
  }
  live_ended_ = true;
  waiting_.reset();
  if (!first) refresh(current_);
  return Advance::end;
}

// What an invocation did after its last stop.
void Debugger::refresh(size_t index) {
  Live& live = *lives_[index];
  const TracedShader& shader = invocations_[index]->shader();
  std::string problem;
  if (auto segment = live_->last_state(live.segment.number, problem)) {
    invocations_[index].reset();
    live.segment = std::move(*segment);
  }
  live.waits.reset();
  invocations_[index] = std::make_unique<Invocation>(shader, live.segment, std::nullopt, live.changes);
  steps_[index] = std::min(steps_[index], invocations_[index]->steps().size());
}

Reply Debugger::set_before_start(const std::string& line) {
  if (line.starts_with("break ")) return add_breakpoint(line.substr(6));
  if (line.starts_with("watch ")) return add_watch(line.substr(6));
  if (line.starts_with("log ")) return add_log(line.substr(4));
  return {"only break, watch and log", false, false};
}

Reply Debugger::start() {
  live_note_.clear();
  if (advance(needs_every_stop()) == Advance::end) return {live_note_ + where(), false, false};
  const bool first = breakpoints_.empty() && !expects_violations_;
  if (first || stops_at(step())) return {live_note_ + where()};
  return go_on({});
}

void Debugger::detach() {
  if (!live_ || live_ended_) return;
  LiveAnswer free = pending_;
  free.mode = SQA_DEBUG_GO_ON;
  while (live_->go_on(free)) free.changed = 0;
  live_ended_ = true;
  waiting_.reset();
}

std::optional<uint32_t> Debugger::changeable(const Named& named, uint32_t& component) const {
  const Invocation& invocation = now();
  const TraceStep& here = invocation.steps()[step()];
  const uint32_t function = invocation.frame(here.frame).function;
  const uint64_t size = invocation.shader().size_of(named.type);
  const auto& all = invocation.shader().plan().variables;
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].function != 0 && all[i].function != function) continue;
    const auto at = invocation.place(all[i].pointer, here.frame, step());
    if (!at || at->variable != named.variable) continue;
    const uint64_t first = at->dword + all[i].dword;
    if (named.dword < first || named.dword + size > first + all[i].dwords) continue;
    component = static_cast<uint32_t>(named.dword - first);
    return i;
  }
  return std::nullopt;
}

Reply Debugger::aim(const std::string& argument) {
  if (!is_live())
    return {"a trace has what it has; shaderqa debug follows a program that runs", false, false};
  std::string error;
  if (!parse_trace_selectors(argument, error)) return {"at: " + error, false, false};
  pending_.at = argument;
  return {"when it goes on, the next invocations are chosen by " + argument};
}

Reply Debugger::change(const std::string& argument) {
  if (!is_live())
    return {"a trace cannot be changed; shaderqa debug stops a program that runs", false, false};
  std::string text = argument.starts_with("var ") ? argument.substr(4) : argument;
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return {"set takes NAME = VALUE", false, false};
  std::string name = text.substr(0, equals);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  if (!waits_here())
    return {waiting_ ? "only where the invocation waits, at step " + std::to_string(last() - 1) +
                           ": goto leads there"
                     : "the invocation has ended",
            false, false};
  if (const std::string why = live_->went_on(); !why.empty())
    return {"the invocation went on by itself: " + why, false, false};
  std::string error;
  const auto named = resolve(now(), frame_here(), name, error);
  if (!named) return {error, false, false};
  uint32_t component = 0;
  const auto variable = named->is_value || named->type == 0 ? std::nullopt : changeable(*named, component);
  if (!variable)
    return {name +
                " cannot be changed here: only scalars and vectors of 32 bits, in variables, parameters "
                "and outputs of the function that waits",
            false, false};
  const TracedShader& shader = now().shader();
  const InstructionView vector = shader.view().definition(named->type, spv::Op::OpTypeVector);
  const uint32_t type = vector ? vector.word(2) : named->type;
  const uint32_t count = static_cast<uint32_t>(shader.size_of(named->type));
  TraceChange change{now().segment().count, *variable, 0, {}};
  std::string rest = text.substr(equals + 1);
  std::erase_if(rest, [](char c) { return c == '(' || c == ')' || c == '{' || c == '}' || c == ' '; });
  for (uint32_t i = 0; i < count; ++i) {
    const size_t comma = rest.find(',');
    const auto bits = bits_of_number(shader, type, std::string_view(rest).substr(0, comma));
    if (!bits || (comma == std::string::npos) != (i + 1 == count))
      return {"the value of " + name + " is " +
                  (count == 1 ? "one number" : std::to_string(count) + " numbers") +
                  " of its type, with commas between",
              false, false};
    change.mask |= 1u << (component + i);
    change.words[component + i] = *bits;
    rest.erase(0, comma == std::string::npos ? rest.size() : comma + 1);
  }
  if (pending_.changed != 0 && pending_.changed != *variable + 1)
    return {"a stop can change one variable: step on before changing another one", false, false};
  pending_.changed = *variable + 1;
  pending_.change_mask |= change.mask;
  for (uint32_t i = 0; i < 4; ++i)
    if ((change.mask >> i & 1) != 0) pending_.change[i] = change.words[i];
  Live& live = *lives_[current_];
  live.changes.push_back(change);
  invocations_[current_] = std::make_unique<Invocation>(shader, live.segment, live.waits, live.changes);
  return {name + " = " + text_of(now(), *named, step())};
}

}  // namespace shaderqa
