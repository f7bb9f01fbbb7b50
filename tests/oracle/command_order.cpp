// SPDX-License-Identifier: Apache-2.0
// What barriers, events, semaphores and fences order. One access is followed from its command to that of
// another: which stages come after it, for which stages it is available, and to what it is visible.
#include <array>
#include <map>

#include "truth.h"

namespace oracle {
namespace {

constexpr VkPipelineStageFlags2 kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                kCopy = VK_PIPELINE_STAGE_2_COPY_BIT, kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT,
                                kBlit = VK_PIPELINE_STAGE_2_BLIT_BIT,
                                kInput = VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
                                kVertex = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
                                kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                kColour = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
// Those of draws, the logically earliest first.
constexpr std::array kGraphics{kIndirect, kInput, kVertex, kFragment, kColour};
constexpr VkPipelineStageFlags2 kAllGraphics = kIndirect | kInput | kVertex | kFragment | kColour;
// Nothing is accessed in blits and colour output, but barriers chain through them.
constexpr VkPipelineStageFlags2 kEvery = kAllGraphics | kCompute | kCopy | kClear | kBlit;

// The stages that a mask names explicitly, of those that occur here.
VkPipelineStageFlags2 named(VkPipelineStageFlags2 mask) {
  if ((mask & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0) return kEvery;
  VkPipelineStageFlags2 stages = mask & kEvery;
  if ((mask & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) != 0) stages |= kCopy | kClear | kBlit;
  if ((mask & VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT) != 0) stages |= kAllGraphics;
  if ((mask & VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT) != 0) stages |= kInput;
  if ((mask & VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT) != 0) stages |= kVertex;
  return stages;
}
// Execution dependencies cover logically earlier stages in the first scope, later ones in the second.
VkPipelineStageFlags2 with_earlier(VkPipelineStageFlags2 stages) {
  if ((stages & kCompute) != 0) stages |= kIndirect;
  for (size_t i = kGraphics.size() - 1; i > 0; --i)
    if ((stages & kGraphics[i]) != 0) stages |= kGraphics[i - 1];
  return stages;
}
VkPipelineStageFlags2 with_later(VkPipelineStageFlags2 stages) {
  if ((stages & kIndirect) != 0) stages |= kCompute;
  for (size_t i = 1; i < kGraphics.size(); ++i)
    if ((stages & kGraphics[i - 1]) != 0) stages |= kGraphics[i];
  return stages;
}

bool covers(VkAccessFlags2 mask, VkAccessFlags2 flag) {
  constexpr VkAccessFlags2 kReads = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT |
                                    VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT |
                                    VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT;
  constexpr VkAccessFlags2 kWrites = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  if ((mask & VK_ACCESS_2_MEMORY_READ_BIT) != 0) mask |= kReads;
  if ((mask & VK_ACCESS_2_MEMORY_WRITE_BIT) != 0) mask |= kWrites;
  if ((mask & VK_ACCESS_2_SHADER_READ_BIT) != 0) mask |= VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  if ((mask & VK_ACCESS_2_SHADER_WRITE_BIT) != 0) mask |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  return (mask & flag) != 0;
}

// A shader's atomic update reads and writes; a plain access does one of them.
bool is_of_shaders(VkPipelineStageFlags2 stage) { return (stage & (kCompute | kVertex | kFragment)) != 0; }
VkAccessFlags2 write_flag(VkPipelineStageFlags2 stage) {
  return is_of_shaders(stage) ? VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT : VK_ACCESS_2_TRANSFER_WRITE_BIT;
}
VkAccessFlags2 read_flag(VkPipelineStageFlags2 stage) {
  if (stage == kIndirect) return VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  if (stage == kInput) return VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT;
  return is_of_shaders(stage) ? VK_ACCESS_2_SHADER_STORAGE_READ_BIT : VK_ACCESS_2_TRANSFER_READ_BIT;
}

struct State {
  VkPipelineStageFlags2 executed = 0;   // later commands' stages that the access happens before
  VkPipelineStageFlags2 available = 0;  // those that its availability happens before
  VkPipelineStageFlags2 shown = 0;      // those behind an operation that made it visible to everything
  bool visible = false;                 // to the other access
  // Whether it happens before later layout transitions of the queue, and its availability does.
  bool executed_before_transitions = false, available_before_transitions = false;
};

class Follower {
 public:
  Follower(const Program& program, const Access& first, const Access& second, uint32_t byte, bool by_buffer)
      : program_(program),
        first_(first),
        second_(second),
        byte_(byte),
        by_buffer_(by_buffer),
        first_stage_(stage_of(program, first)),
        second_stage_(stage_of(program, second)),
        first_queue_(queue_of(program, first.site.command)),
        queue_(first_queue_) {}

  bool ordered() {
    if (is_transition(program_, first_.site.command)) begin_behind(command_of(first_).barrier);
    std::map<uint32_t, State> events;
    for (int i = first_.site.command + 1; i < second_.site.command; ++i) {
      const Command& command = program_.commands[i];
      if (command.what == Command::What::barrier) pass(command.barrier, state(), is_transition(program_, i));
      if (command.what == Command::What::set_event) events[command.event] = state();
      if (command.what == Command::What::wait_event && events.contains(command.event))
        pass(command.barrier, events[command.event]);
      if (command.what == Command::What::submit) pass_submission(command);
    }
    if (is_transition(program_, second_.site.command)) {
      const Barrier& barrier = command_of(second_).barrier;
      return oracle::writes(first_.kind) ? is_available_before(barrier, state(), true)
                                         : is_executed_before(barrier, state(), true);
    }
    if (!oracle::writes(first_.kind)) return (state().executed & second_stage_) != 0;
    if ((state().available & second_stage_) == 0) return false;
    return !oracle::reads(second_.kind) || state().visible || (state().shown & second_stage_) != 0;
  }

 private:
  State& state() { return states_[queue_]; }
  // The access itself is in the first scopes of its own queue's commands only.
  bool on_first_queue() const { return queue_ == first_queue_; }

  const Command& command_of(const Access& access) const { return program_.commands[access.site.command]; }

  // A layout transition happens before the second scope of its barrier, for which what it writes is made
  // available and visible, and before all later ones of its queue.
  void begin_behind(const Barrier& barrier) {
    const VkPipelineStageFlags2 to = named(barrier.dst_stages);
    state().executed = state().available = with_later(to);
    state().visible = shows(barrier);
    state().executed_before_transitions = state().available_before_transitions = true;
  }
  // A transition happens behind its first scope, behind what makes the writes there available, and behind
  // earlier transitions. at: how things stood where the first scope ended.
  bool is_executed_before(const Barrier& barrier, const State& at, bool transition) const {
    const VkPipelineStageFlags2 first_scope = with_earlier(named(barrier.src_stages));
    return (transition && at.executed_before_transitions) ||
           (on_first_queue() && (first_stage_ & first_scope) != 0) || (at.executed & first_scope) != 0;
  }
  bool is_available_before(const Barrier& barrier, const State& at, bool transition) const {
    return (transition && at.available_before_transitions) || makes_available(barrier) ||
           (at.available & with_earlier(named(barrier.src_stages))) != 0;
  }
  bool makes_available(const Barrier& barrier) const {
    return on_first_queue() && (named(barrier.src_stages) & first_stage_) != 0 &&
           covers(barrier.src_access, write_flag(first_stage_)) && in_range(barrier, first_);
  }
  bool shows(const Barrier& barrier) const {
    return (named(barrier.dst_stages) & second_stage_) != 0 &&
           covers(barrier.dst_access, read_flag(second_stage_)) && in_range(barrier, second_);
  }

  void pass(const Barrier& barrier, const State at, bool transition = false) {
    const VkPipelineStageFlags2 first_scope = with_earlier(named(barrier.src_stages)),
                                second_scope = with_later(named(barrier.dst_stages));
    const bool executed = is_executed_before(barrier, at, transition),
               available = is_available_before(barrier, at, transition);
    if (executed) state().executed |= second_scope;
    if ((at.shown & first_scope) != 0) state().shown |= second_scope;
    if (available) state().available |= second_scope;
    if (available && shows(barrier)) state().visible = true;
    if (!transition) return;
    state().executed_before_transitions = executed;
    state().available_before_transitions = available;
  }

  // A semaphore's signal and wait, and a fence with what is submitted after it, cover all memory accesses of
  // their queue until then.
  void pass_submission(const Command& command) {
    const bool executed = on_first_queue() || state().executed != 0;
    const bool available = on_first_queue() || state().available != 0;
    const auto reach = [&](State& reached, VkPipelineStageFlags2 to) {
      if (executed) reached.executed |= to;
      if (!available) return;
      reached.available |= to;
      reached.shown |= to;
    };
    queue_ = command.queue;
    if (command.submit == Command::Submit::semaphore)
      reach(state(), with_later(named(command.barrier.dst_stages)));
    if (command.submit == Command::Submit::fence)
      for (State& each : states_) reach(each, kEvery);
  }

  bool in_range(const Barrier& barrier, const Access& access) const {
    if (!barrier.ranged) return true;
    const Buffer& buffer = program_.buffers[barrier.buffer];
    if (by_buffer_ && access.buffer != barrier.buffer) return false;
    return buffer.memory == access.memory && byte_ >= buffer.offset + barrier.offset &&
           byte_ < buffer.offset + barrier.offset + barrier.bytes;
  }

  const Program& program_;
  const Access &first_, &second_;
  const uint32_t byte_;
  const bool by_buffer_;
  const VkPipelineStageFlags2 first_stage_, second_stage_;
  const uint32_t first_queue_;
  uint32_t queue_;  // of the command that is looked at
  std::array<State, kQueues> states_;
};

}  // namespace

VkPipelineStageFlags2 stage_of(const Program& program, const Access& access) {
  const Command& command = program.commands[access.site.command];
  if (access.site.statement >= 0) {
    if (!command.is_draw()) return kCompute;
    return command.stage == Command::Stage::vertex ? kVertex : kFragment;
  }
  switch (command.what) {
    case Command::What::draw:
      return kInput;
    case Command::What::draw_indirect:
      return static_cast<int>(access.memory) == program.arguments_memory ? kIndirect : kInput;
    case Command::What::dispatch_indirect:
      return kIndirect;
    case Command::What::fill:
      return kClear;
    case Command::What::barrier:  // a layout transition is in no stage
      return VK_PIPELINE_STAGE_2_NONE;
    default:
      return kCopy;
  }
}

VkAccessFlags2 flag_of(const Program& program, const Access& access) {
  const VkPipelineStageFlags2 stage = stage_of(program, access);
  return writes(access.kind) ? write_flag(stage) : read_flag(stage);
}

Verdict between_commands(const Program& program, const Access& first, const Access& second, uint32_t byte) {
  if (!Follower(program, first, second, byte, false).ordered()) return Verdict::race;
  // A buffer barrier names accesses through its buffer; the same memory through another one is a matter of
  // references.
  return Follower(program, first, second, byte, true).ordered() ? Verdict::none : Verdict::unsure;
}

}  // namespace oracle
