// SPDX-License-Identifier: Apache-2.0
// Random shaders of an abstract program.
#ifndef SHADERQA_TESTS_ORACLE_RANDOM_SHADERS_H
#define SHADERQA_TESTS_ORACLE_RANDOM_SHADERS_H

#include <cstdint>
#include <initializer_list>

#include "chance.h"
#include "program.h"

namespace oracle {

// What the shaders of a program share.
struct ShaderSetting {
  bool careful = false;                       // nothing is left out on purpose
  uint32_t buffer_views = 0, data_views = 0;  // the first ones; those of workgroup memory come last
  bool words_by_group = false;                // the first words of the protocols' memory are taken
  uint32_t subgroup_size = 8;
  bool grids = false;  // columns and rows matter
  // Images: the one that must be left alone, as it is an attachment, and the one that is
  // Layout::read_only.
  int attachment = -1, read_only = -1;
};

// Adds memory with a buffer and a view of its own, once. The number of the view.
uint32_t own_view(Program& program, int& memory);

class ShaderMaker {
 public:
  ShaderMaker(Chance& chance, ShaderSetting& setting, Program& program, Command& command)
      : chance_(chance), setting_(setting), program_(program), command_(command) {}

  void add_stores_of_arguments();
  void make();
  // Few elements of one memory, accessed among barriers of all kinds.
  void make_among_barriers();
  // Statements behind all loops that there are become a loop.
  void repeat_a_part();
  // Some invocations leave a turn of a loop, a loop or the shader early.
  void leave_somewhere();
  // Some control barriers become those of one workgroup.
  void skip_barriers();

 private:
  uint32_t below(uint32_t limit) { return chance_.below(limit); }
  bool one_in(uint32_t n) { return chance_.one_in(n); }
  template <typename T>
  T pick(std::initializer_list<T> list) {
    return chance_.pick(list);
  }
  bool careful() const { return setting_.careful; }
  bool careless() { return !careful() && one_in(3); }

  void make_of_draw();
  void add(Statement statement);
  // Whether shaders may access the view so while images are as the setting says.
  bool may_access(const Statement& statement) const;
  static Statement access(Statement::What what, uint32_t view, Type type, Index index);
  uint32_t data_view();
  uint32_t buffer_view() { return below(setting_.buffer_views); }
  Type any_type();
  Index own_index();
  Index group_index();
  Index any_index();
  Condition any_condition();

  void barrier_of_group(bool spoilt, uint32_t view);
  void make_own();
  Statement any_barrier();
  void make_phases();
  void make_mixed_barriers();
  void make_broadcast();
  void make_atomics();
  void make_release();
  void make_anything();
  void make_rows();
  Index row_index(Index::Form form, uint32_t width);
  void spoil();
  void vary_by_turn(Statement& statement, const Loop& loop);
  // Takes a change back that the rules for control barriers forbid, or that lavapipe does not bear.
  template <typename Change>
  void try_change(const Change& change);
  Condition condition_to_leave(const Loop* loop);

  // Protocols (random_protocols.cpp): how a part of one releases or acquires.
  struct Protocol {
    bool by_fence = false;
    bool spoilt_release = false, spoilt_acquire = false;
    Scope scope = Scope::device;
  };
  Protocol any_protocol();
  // The question, and what acquires behind it.
  void ask(const Protocol& protocol, Statement question);
  // What ends a protocol, and what releases before it.
  void answer(const Protocol& protocol, Statement last);
  Index protocol_word();
  void make_message();
  void make_turns();
  void make_lock();

  Chance& chance_;
  ShaderSetting& setting_;
  Program& program_;
  Command& command_;
};

}  // namespace oracle
#endif
