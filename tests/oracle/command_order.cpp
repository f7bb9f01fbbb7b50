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
// Nothing is accessed in blits, but barriers chain through them.
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
  constexpr VkAccessFlags2 kReads =
      VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT |
      VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT |
      VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT;
  constexpr VkAccessFlags2 kWrites = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                                     VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  if ((mask & VK_ACCESS_2_MEMORY_READ_BIT) != 0) mask |= kReads;
  if ((mask & VK_ACCESS_2_MEMORY_WRITE_BIT) != 0) mask |= kWrites;
  if ((mask & VK_ACCESS_2_SHADER_READ_BIT) != 0)
    mask |= VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  if ((mask & VK_ACCESS_2_SHADER_WRITE_BIT) != 0) mask |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  return (mask & flag) != 0;
}

// A shader's atomic update reads and writes; a plain access does one of them.
bool is_of_shaders(VkPipelineStageFlags2 stage) { return (stage & (kCompute | kVertex | kFragment)) != 0; }
VkAccessFlags2 write_flag(VkPipelineStageFlags2 stage) {
  if (stage == kColour) return VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  return is_of_shaders(stage) ? VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT : VK_ACCESS_2_TRANSFER_WRITE_BIT;
}
VkAccessFlags2 read_flag(VkPipelineStageFlags2 stage, const Access& access) {
  if (access.sampled) return VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  if (stage == kColour) return VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
  if (stage == kIndirect) return VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  if (stage == kInput) return VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT;
  return is_of_shaders(stage) ? VK_ACCESS_2_SHADER_STORAGE_READ_BIT : VK_ACCESS_2_TRANSFER_READ_BIT;
}

// Stages of later commands.
struct Reach {
  VkPipelineStageFlags2 executed = 0;   // that the access happens before
  VkPipelineStageFlags2 available = 0;  // that its availability happens before
  VkPipelineStageFlags2 shown = 0;      // behind an operation that made it visible to everything
  void add(const Reach& other) {
    executed |= other.executed;
    available |= other.available;
    shown |= other.shown;
  }
};

struct State {
  Reach later;           // all later commands
  Reach pass, passes;    // those of the current render pass alone, or the last one, and of those before it
  bool visible = false;  // to the other access
  // Whether it happens before later layout transitions of the queue, and its availability does.
  bool executed_before_transitions = false, available_before_transitions = false;
};

class Follower {
 public:
  // loose: any two dependencies chain through a render pass whose subpass is in the scopes of both, and whose
  // stages both name, also where it may have no operation in these stages.
  Follower(const Program& program, const Access& first, const Access& second, uint32_t byte, bool by_buffer,
           bool loose)
      : program_(program),
        first_(first),
        second_(second),
        byte_(byte),
        by_buffer_(by_buffer),
        loose_(loose),
        first_stage_(stage_of(program, first)),
        second_stage_(stage_of(program, second)),
        first_queue_(queue_of(program, first.site.command)),
        queue_(first_queue_) {}

  bool ordered() {
    if (is_transition(program_, first_.site.command)) begin_behind(link_of(first_.site.command));
    std::map<uint32_t, State> events;
    for (int i = first_.site.command + 1; i < second_.site.command; ++i) {
      const Command& command = program_.commands[i];
      if (command.edge == Command::Edge::enters || begins_without_edge(i)) leave_pass();
      if (command.what == Command::What::barrier) pass(link_of(i), state());
      if (command.what == Command::What::set_event) events[command.event] = state();
      if (command.what == Command::What::wait_event && events.contains(command.event))
        pass(link_of(i), events[command.event]);
      if (command.what == Command::What::submit) pass_submission(command);
    }
    if (is_transition(program_, second_.site.command)) {
      const Link link = link_of(second_.site.command);
      return oracle::writes(first_.kind) ? is_available_before(link, state())
                                         : is_executed_before(link, state());
    }
    if (!oracle::writes(first_.kind)) return (state().later.executed & second_stage_) != 0;
    if ((state().later.available & second_stage_) == 0) return false;
    return !oracle::reads(second_.kind) || state().visible || (state().later.shown & second_stage_) != 0;
  }

 private:
  State& state() { return states_[queue_]; }
  // The access itself is in the first scopes of its own queue's commands only.
  bool on_first_queue() const { return queue_ == first_queue_; }

  const Command& command_of(const Access& access) const { return program_.commands[access.site.command]; }

  // A dependency. That of a subpass with what is outside of its render pass has in one of its scopes the
  // commands of this pass alone.
  struct Link {
    const Barrier& barrier;
    bool transition = false;
    Command::Edge edge = Command::Edge::none;
    bool has_first = true, has_second = true;  // whether the accesses may be in its first and second scope
  };
  Link link_of(int i) const {
    const Command& command = program_.commands[i];
    Link link{command.barrier, is_transition(program_, i), command.edge};
    const auto is_of_its_pass = [&](const Access& access) {
      return attached_pass_of(program_, access.site.command) == attached_pass_of(program_, i);
    };
    if (command.edge == Command::Edge::leaves) link.has_first = is_of_its_pass(first_);
    if (command.edge == Command::Edge::enters) link.has_second = is_of_its_pass(second_);
    return link;
  }
  bool begins_without_edge(int i) const {
    return program_.commands[i].what == Command::What::begin_pass &&
           (i == 0 || program_.commands[i - 1].edge != Command::Edge::enters);
  }
  void leave_pass() {
    state().passes.add(state().pass);
    state().pass = {};
  }

  // Those of the stages that a first scope has. All passes have operations in colour output: what they do
  // with their attachments at their begin and end.
  VkPipelineStageFlags2 in_first_scope(const Link& link, const State& at,
                                       VkPipelineStageFlags2 Reach::*stages) const {
    const VkPipelineStageFlags2 scope = with_earlier(named(link.barrier.src_stages)),
                                of_passes = loose_ ? scope : scope & kColour;
    if (link.edge == Command::Edge::leaves) return (at.later.*stages | at.pass.*stages) & of_passes;
    return (at.later.*stages & scope) | ((at.pass.*stages | at.passes.*stages) & of_passes);
  }
  Reach& second_scope(const Link& link) { return link.has_second ? state().later : state().pass; }

  // A layout transition happens before the second scope of its barrier, for which what it writes is made
  // available and visible, and before all later ones of its queue.
  void begin_behind(const Link& link) {
    const VkPipelineStageFlags2 to = with_later(named(link.barrier.dst_stages));
    second_scope(link).add({to, to, 0});
    state().visible = shows(link);
    state().executed_before_transitions = state().available_before_transitions = true;
  }
  // A transition happens behind its first scope, behind what makes the writes there available, and behind
  // earlier transitions. at: how things stood where the first scope ended.
  bool is_executed_before(const Link& link, const State& at) const {
    const VkPipelineStageFlags2 scope = with_earlier(named(link.barrier.src_stages));
    return (link.transition && at.executed_before_transitions) ||
           (link.has_first && on_first_queue() && (first_stage_ & scope) != 0) ||
           in_first_scope(link, at, &Reach::executed) != 0;
  }
  bool is_available_before(const Link& link, const State& at) const {
    return (link.transition && at.available_before_transitions) || makes_available(link) ||
           in_first_scope(link, at, &Reach::available) != 0;
  }
  bool makes_available(const Link& link) const {
    return link.has_first && on_first_queue() && (named(link.barrier.src_stages) & first_stage_) != 0 &&
           covers(link.barrier.src_access, write_flag(first_stage_)) && in_range(link.barrier, first_);
  }
  bool shows(const Link& link) const {
    return link.has_second && (named(link.barrier.dst_stages) & second_stage_) != 0 &&
           covers(link.barrier.dst_access, read_flag(second_stage_, second_)) &&
           in_range(link.barrier, second_);
  }

  void pass(const Link& link, const State at) {
    const VkPipelineStageFlags2 to = with_later(named(link.barrier.dst_stages));
    const bool executed = is_executed_before(link, at), available = is_available_before(link, at),
               shown = in_first_scope(link, at, &Reach::shown) != 0;
    second_scope(link).add({executed ? to : 0, available ? to : 0, shown ? to : 0});
    if (available && shows(link)) state().visible = true;
    if (!link.transition) return;
    state().executed_before_transitions = executed;
    state().available_before_transitions = available;
  }

  // A semaphore's signal and wait, and a fence with what is submitted after it, cover all memory accesses of
  // their queue until then.
  void pass_submission(const Command& command) {
    const auto any = [&](VkPipelineStageFlags2 Reach::*stages) {
      return (state().later.*stages | state().pass.*stages | state().passes.*stages) != 0;
    };
    const bool executed = on_first_queue() || any(&Reach::executed);
    const bool available = on_first_queue() || any(&Reach::available);
    const auto reach = [&](State& reached, VkPipelineStageFlags2 to) {
      if (executed) reached.later.executed |= to;
      if (!available) return;
      reached.later.available |= to;
      reached.later.shown |= to;
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
  const bool by_buffer_, loose_;
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
    case Command::What::begin_pass:
      return kColour;
    case Command::What::barrier:  // a layout transition is in no stage
      return VK_PIPELINE_STAGE_2_NONE;
    default:
      return kCopy;
  }
}

VkAccessFlags2 flag_of(const Program& program, const Access& access) {
  const VkPipelineStageFlags2 stage = stage_of(program, access);
  return writes(access.kind) ? write_flag(stage) : read_flag(stage, access);
}

Verdict between_commands(const Program& program, const Access& first, const Access& second, uint32_t byte) {
  const auto ordered = [&](bool by_buffer, bool loose) {
    return Follower(program, first, second, byte, by_buffer, loose).ordered();
  };
  if (!ordered(false, true)) return Verdict::race;
  // A buffer barrier names accesses through its buffer; the same memory through another one is a matter of
  // references.
  return ordered(true, false) ? Verdict::none : Verdict::unsure;
}

}  // namespace oracle
