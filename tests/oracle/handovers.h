// SPDX-License-Identifier: Apache-2.0
// What the exact engine may take for released and acquired where the memory model does not
// (docs/internals/exact.md, Releases and acquires): by a program and the answers of its run alone.
#ifndef SHADERQA_TESTS_ORACLE_HANDOVERS_H
#define SHADERQA_TESTS_ORACLE_HANDOVERS_H

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "truth.h"

namespace oracle {

class Handovers {
 public:
  // strict: what is read is acquired only by a fence behind it, or by the atomic itself.
  Handovers(const Program& program, const Truth& truth, bool strict);

  // Whether x, an access of the same command, may count as ordered before y by a release and an acquire.
  // alone: nobody else of its workgroup accesses the word, and its invocation does so once.
  bool may_order(const Access& x, const Access& y, bool alone) const;
  // Whether whoever made y may have acquired anything before it.
  bool has_acquired(const Access& y) const;
  // As may_order, by an atomic on workgroup memory; x and y are of one workgroup.
  bool may_order_locally(const Access& x, const Access& y, bool alone) const;
  // As may_order, in workgroup memory.
  bool may_order_in_workgroup(const Access& x, const Access& y) const;

 private:
  using Word = std::pair<uint32_t, uint32_t>;
  struct Atomic {
    int statement = 0;
    Word word;
    bool reads = false;
    bool of_buffer = true;
  };
  struct Acquired {
    bool anywhere = false;  // it is not known from where
    std::set<Word> words = {};
  };
  // Atomics of an invocation, in order.
  const std::vector<Atomic>& atomics_of(int command, uint32_t agent) const;
  const Command& command(int number) const { return program_.commands[static_cast<size_t>(number)]; }
  const Statement& statement(int of, int number) const {
    return command(of).shader[static_cast<size_t>(number)];
  }
  bool may_execute(int of, int number, uint32_t agent) const;
  bool has_subgroup_barrier(int of) const;
  bool is_loose(int of) const;
  // Whether a statement in [from, to) acquires, or releases.
  bool acquires_within(int of, uint32_t agent, int from, int to, bool buffers) const;
  bool releases_within(int of, uint32_t agent, int from, int to, bool buffers, bool far) const;
  bool is_acquired(int of, uint32_t agent, const Atomic& atomic, int before, bool buffers) const;
  Acquired acquired_by(const Access& y) const;
  bool passes_on(int of, const Word& word) const;
  bool is_released(const Access& x, bool far, bool alone) const;
  bool releases_at(int of, uint32_t group, const std::set<Word>* words, bool far) const;

  const Program& program_;
  const bool strict_;
  std::map<std::pair<int, uint32_t>, std::vector<Atomic>> atomics_;  // by command and invocation
};

}  // namespace oracle
#endif
