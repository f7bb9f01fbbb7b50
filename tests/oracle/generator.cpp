// SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <algorithm>

#include "chance.h"
#include "random_barriers.h"
#include "random_shaders.h"
#include "truth.h"

namespace oracle {
namespace {

class Generator {
 public:
  Generator(uint64_t seed, bool careful, const Machine& machine)
      : chance_(seed),
        careful_(careful),
        descriptor_buffers_(machine.descriptor_buffers),
        images_(machine.images),
        draws_(machine.draws),
        mixed_barriers_(machine.mixed_barriers),
        loops_(machine.loops),
        grids_(machine.grids),
        passes_(machine.passes),
        queues_(machine.queues),
        specialised_(Chance(seed).one_in(4)) {
    setting_.subgroup_size = machine.subgroup_size;
    setting_.grids = machine.grids;
  }

  Program candidate() {
    program_ = {};
    program_.vulkan_model = one_in(8);
    program_.images = images_;
    program_.descriptor_buffers = descriptor_buffers_;
    program_.specialised = specialised_;
    if (draws_) program_.pass_objects = one_in(2);
    make_memory();
    make_views();
    if (mixed_barriers_) {
      Command command;
      command.local_size = pick({2u, 4u, 8u, 16u, 64u});
      command.groups = pick({1u, 1u, 2u});
      ShaderMaker maker(chance_, setting_, program_, command);
      maker.make_among_barriers();
      add_loops(maker);
      program_.commands.push_back(std::move(command));
      return std::move(program_);
    }
    const uint32_t actions = pick({1, 1, 1, 2, 2, 2, 2, 3, 3, 4});
    for (uint32_t i = 0; i < actions; ++i) {
      if (i > 0) synchronise();
      make_action();
      while (program_.commands.back().is_draw() && one_in(3)) {
        if (program_.pass_objects && one_in(2)) {
          add_command(Command::What::barrier, barrier_in_pass(chance_));
          program_.commands.back().continues = true;
        }
        make_draw();
        program_.commands.back().continues = true;
      }
    }
    return std::move(program_);
  }

 private:
  uint32_t below(uint32_t limit) { return chance_.below(limit); }
  bool one_in(uint32_t n) { return chance_.one_in(n); }
  template <typename T>
  T pick(std::initializer_list<T> list) {
    return chance_.pick(list);
  }

  void make_memory() {
    program_.memories = 2;
    program_.buffers = {{0, 0, kMemoryBytes}, {1, 0, kMemoryBytes}};
    if (one_in(3) && !images_) {
      const uint32_t offset = pick({0u, 256u, 1024u});
      program_.buffers.push_back({below(2), offset, kMemoryBytes - offset});
    }
    if (passes_) {
      program_.memories = 3;
      program_.buffers.push_back({2, 0, kMemoryBytes});
    }
    data_buffers_ = static_cast<uint32_t>(program_.buffers.size());
  }

  void make_views() {
    const uint32_t count = 2 + below(3);
    for (uint32_t i = 0; i < count; ++i) {
      View view;
      view.buffer = i < 2 ? i : below(data_buffers_);
      view.offset = one_in(3) ? pick({256u, 512u, 1024u}) : 0;
      view.reach = pick({View::Reach::binding, View::Reach::binding, View::Reach::binding, View::Reach::array,
                         View::Reach::address});
      view.coherent = !program_.vulkan_model || !one_in(4);
      if (images_) {
        view.offset = 0;
        view.reach = View::Reach::binding;
      }
      program_.views.push_back(view);
    }
    if (passes_) add_sampled_views();
    setting_.careful = careful_;
    setting_.buffer_views = static_cast<uint32_t>(program_.views.size());
    for (uint32_t shared = pick({0u, 1u, 1u, 2u}); shared > 0; --shared) {
      View view;
      view.reach = View::Reach::shared;
      view.type = pick({Type::u32, Type::u32, Type::u8, Type::u16, Type::u64, Type::vec2, Type::vec4});
      program_.views.push_back(view);
    }
    setting_.data_views = static_cast<uint32_t>(program_.views.size());
  }

  void add_sampled_views() {
    for (uint32_t more = 1 + below(4); more > 0; --more) {
      View view;
      view.buffer = below(data_buffers_);
      view.reach = View::Reach::sampled;
      view.read_only = one_in(2);
      program_.views.push_back(view);
    }
  }

  void make_action() {
    if (passes_ && one_in(3) && setting_.read_only < 0) return make_pass();
    if (draws_ && one_in(passes_ ? 5 : 2)) return make_draw();
    // Only shaders may use an image that is read only.
    if (images_ && one_in(5) && setting_.read_only < 0) return make_excursion();
    Command command;
    const uint32_t dice = setting_.read_only >= 0 ? 50 : below(100);
    if (dice < 10) {
      command.what = Command::What::fill;
      make_range(command);
    } else if (dice < 22) {
      command.what = Command::What::copy;
      make_range(command);
      const uint32_t memory = program_.buffers[command.buffer].memory;
      command.from_buffer = memory == 0 ? 1 : 0;
      command.from_offset = pick({0u, 256u, 1024u});
    } else {
      make_dispatch(command, dice > 92 && !images_);
    }
    program_.commands.push_back(std::move(command));
  }

  void make_range(Command& command) {
    command.buffer = below(data_buffers_);
    command.offset = pick({0u, 0u, 4u, 256u, 1024u});
    command.bytes = pick({4u, 16u, 64u, 128u, 512u, 1024u});
    if (!images_) return;
    // Copies have whole rows, clears the whole image.
    const uint32_t row = 4 * kRowTexels;
    command.offset = command.what == Command::What::fill ? 0 : command.offset / row * row;
    command.bytes = command.what == Command::What::fill ? kMemoryBytes : std::max(command.bytes, row);
  }

  void make_dispatch(Command& command, bool indirect) {
    command.local_size = pick({1u, 4u, 8u, 8u, 16u, 16u, 32u, 64u});
    command.groups = std::min(pick({1u, 2u, 2u, 4u, 4u, 8u}), kMaxInvocations / command.local_size);
    if (indirect) {
      const uint32_t view = own_view(program_, program_.arguments_memory);
      if (indirect_groups_ == 0) indirect_groups_ = command.groups;
      program_.argument_groups = command.groups =
          std::min(indirect_groups_, kMaxInvocations / command.local_size);
      // All indirect dispatches of a program have the same arguments.
      if (command.groups == indirect_groups_) {
        command.what = Command::What::dispatch_indirect;
        command.buffer = program_.views[view].buffer;
        command.offset = pick({0u, kArgumentsBytes});
      }
      program_.argument_groups = indirect_groups_;
    }
    if (grids_ && !indirect) make_rows(command);
    ShaderMaker maker(chance_, setting_, program_, command);
    if (program_.arguments_memory >= 0 && command.what == Command::What::dispatch && one_in(2))
      maker.add_stores_of_arguments();
    maker.make();
    add_loops(maker);
  }

  // Sizes are powers of two.
  void make_rows(Command& command) {
    while (command.group_rows < command.groups && one_in(2)) command.group_rows *= 2;
    while (command.local_rows < command.local_size && one_in(2)) command.local_rows *= 2;
  }

  void add_loops(ShaderMaker& maker) {
    if (!loops_) return;
    maker.skip_barriers();
    while (!one_in(3)) maker.repeat_a_part();
    while (one_in(2)) maker.leave_somewhere();
  }

  void make_draw() {
    Command command;
    command.what = Command::What::draw;
    command.stage = one_in(2) ? Command::Stage::vertex : Command::Stage::fragment;
    command.groups = pick({1u, 4u, 8u, 16u, 16u, 32u, 64u});
    if (!images_ && one_in(3)) {
      command.input_stride = pick({4u, 4u, 8u, 16u});
      command.input_buffer = below(data_buffers_);
      command.input_offset = pick({0u, 0u, 256u, 1024u});
    }
    if (!images_ && one_in(6)) {
      const uint32_t view = own_view(program_, program_.arguments_memory);
      // As with dispatches.
      if (indirect_vertices_ == 0) indirect_vertices_ = command.vertices();
      if (command.vertices() == indirect_vertices_) {
        command.what = Command::What::draw_indirect;
        command.buffer = program_.views[view].buffer;
        command.offset = kArgumentsBytes / 2 + pick({0u, kArgumentsBytes});
      }
      program_.argument_vertices = indirect_vertices_;
    }
    ShaderMaker maker(chance_, setting_, program_, command);
    maker.make();
    add_loops(maker);
    program_.commands.push_back(std::move(command));
  }

  // On one image, which shaders leave alone meanwhile. A VkRenderPass object does transitions itself.
  void make_pass() {
    const uint32_t image = below(data_buffers_);
    const Layout inside = one_in(3) ? Layout::general : Layout::colour_attachment;
    Command begin;
    begin.what = Command::What::begin_pass;
    begin.buffer = image;
    begin.bytes = 4 * kRowTexels * pick({8u, 16u, kMemoryBytes / 4 / kRowTexels});
    begin.load = pick({Command::Load::keep, Command::Load::clear, Command::Load::discard});
    begin.stores = !one_in(4);
    const bool discards = begin.load != Command::Load::keep && one_in(3);
    if (inside != Layout::general || discards || (program_.pass_objects && one_in(2)))
      cross_edge(image, Command::Edge::enters, inside, discards);
    program_.commands.push_back(std::move(begin));
    setting_.attachment = static_cast<int>(image);
    for (uint32_t draws = below(3); draws > 0; --draws) {
      if (program_.pass_objects && one_in(4)) {
        add_command(Command::What::barrier, barrier_in_pass(chance_));
        program_.commands.back().continues = true;
      }
      make_draw();
      program_.commands.back().continues = true;
    }
    setting_.attachment = -1;
    add_command(Command::What::end_pass, {});
    program_.commands.back().continues = true;
    const bool is_sampled = one_in(3);
    if (is_sampled) {
      cross_edge(image, Command::Edge::leaves, Layout::read_only, false);
      return sample(image);
    }
    if (inside != Layout::general || (program_.pass_objects && one_in(2)))
      cross_edge(image, Command::Edge::leaves, Layout::general, false);
  }

  void cross_edge(uint32_t image, Command::Edge edge, Layout layout, bool discards) {
    Barrier barrier = program_.pass_objects ? edge_of_pass(chance_, setting_of_barriers(), edge, careful_)
                                            : barrier_of_image(image, layout);
    barrier.layout = layout;
    barrier.discards = discards;
    barrier.buffer = image;
    add_command(Command::What::barrier, barrier);
    if (program_.pass_objects) program_.commands.back().edge = edge;
  }

  // What an image that is read only is for, and its way back.
  void sample(uint32_t image) {
    setting_.read_only = static_cast<int>(image);
    for (uint32_t actions = below(3); actions > 0; --actions) make_action();
    setting_.read_only = -1;
    add_command(Command::What::barrier, barrier_of_image(image, Layout::general));
  }

  void add_command(Command::What what, const Barrier& barrier, uint32_t event = 0) {
    Command command;
    command.what = what;
    command.barrier = barrier;
    command.event = event;
    program_.commands.push_back(command);
  }

  Barrier barrier_of_image(uint32_t image, Layout layout) {
    Barrier barrier = careful_ || one_in(2) ? right_barrier(chance_, setting_of_barriers())
                                            : any_barrier(chance_, program_, setting_of_barriers());
    barrier.ranged = true;
    barrier.buffer = image;
    barrier.offset = 0;
    barrier.bytes = kMemoryBytes;
    barrier.layout = layout;
    return barrier;
  }

  // A transition that discards; or an image changes its layout, for a command or for nothing, and back.
  void make_excursion() {
    const uint32_t image = below(data_buffers_);
    Barrier back = barrier_of_image(image, Layout::general);
    if (one_in(3)) {
      back.discards = true;
      return add_command(Command::What::barrier, back);
    }
    if (passes_ && one_in(2)) {
      add_command(Command::What::barrier, barrier_of_image(image, Layout::read_only));
      return sample(image);
    }
    const Layout layout = one_in(2) ? Layout::transfer_source : Layout::transfer_destination;
    add_command(Command::What::barrier, barrier_of_image(image, layout));
    if (!one_in(4)) {
      Command command;
      command.what =
          layout == Layout::transfer_destination && one_in(2) ? Command::What::fill : Command::What::copy;
      make_range(command);
      const uint32_t other = image == 0 ? 1 : 0;
      command.buffer = layout == Layout::transfer_source ? other : image;
      command.from_buffer = layout == Layout::transfer_source ? image : other;
      program_.commands.push_back(std::move(command));
    }
    add_command(Command::What::barrier, back);
  }

  BarrierSetting setting_of_barriers() const { return {data_buffers_, draws_, passes_}; }

  void synchronise() {
    if (!careful_ && one_in(4)) return;
    const uint32_t dice = queues_ > 1 && one_in(2) ? 3 : below(20);
    if (dice < 3) {
      const Barrier barrier = careful_ ? right_barrier(chance_, setting_of_barriers())
                                       : any_barrier(chance_, program_, setting_of_barriers());
      const uint32_t event = events_++;
      add_command(Command::What::set_event, barrier, event);
      if (!careful_ && one_in(3)) make_action();  // between the two
      add_command(Command::What::wait_event, barrier, event);
    } else if (dice < 7) {
      Barrier wait;
      wait.dst_stages =
          careful_ ? VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT : any_stages(chance_, setting_of_barriers());
      add_command(Command::What::submit, wait);
      program_.commands.back().queue = below(queues_);
      program_.commands.back().submit = careful_ ? pick({Command::Submit::semaphore, Command::Submit::fence})
                                                 : pick({Command::Submit::nothing, Command::Submit::semaphore,
                                                         Command::Submit::semaphore, Command::Submit::fence});
    } else if (dice < 10 && !careful_) {
      add_command(Command::What::barrier, any_barrier(chance_, program_, setting_of_barriers()));
      add_command(Command::What::barrier, any_barrier(chance_, program_, setting_of_barriers()));
    } else {
      add_command(Command::What::barrier, careful_ && !one_in(4)
                                              ? right_barrier(chance_, setting_of_barriers())
                                              : any_barrier(chance_, program_, setting_of_barriers()));
    }
  }

  Chance chance_;
  const bool careful_, descriptor_buffers_, images_, draws_, mixed_barriers_, loops_, grids_, passes_;
  const uint32_t queues_;
  const bool specialised_;
  Program program_;
  ShaderSetting setting_;
  uint32_t data_buffers_ = 0, events_ = 0, indirect_groups_ = 0, indirect_vertices_ = 0;
};

// Whether barriers within its shaders decide whether the program races.
bool has_barriers_that_matter(Program program, uint32_t subgroup_size) {
  constexpr Condition kNever{Condition::Form::local_below, 0};
  for (Command& command : program.commands)
    for (Statement& one : command.shader)
      if (one.what == Statement::What::control_barrier || one.what == Statement::What::memory_barrier)
        one.when = kNever;
  return truth_of(program, subgroup_size).verdict == Verdict::race;
}

}  // namespace

Program generate(uint64_t seed, const Machine& machine) {
  const Verdict wanted = seed % 2 == 0 ? Verdict::none : Verdict::race;
  for (uint64_t attempt = 0;; ++attempt) {
    const bool careful = wanted == Verdict::none && attempt % 3 != 0;
    Program program = Generator(seed * 1000003 + attempt, careful, machine).candidate();
    if (truth_of(program, machine.subgroup_size).verdict != wanted) continue;
    if (wanted == Verdict::none && machine.mixed_barriers &&
        !has_barriers_that_matter(program, machine.subgroup_size))
      continue;
    return program;
  }
}

}  // namespace oracle
