// SPDX-License-Identifier: Apache-2.0
// Which accesses of an abstract program race, by the appendix "Memory Model" and the chapter
// "Synchronization and Cache Control" of the Vulkan specification.
#ifndef SHADERQA_TESTS_ORACLE_TRUTH_H
#define SHADERQA_TESTS_ORACLE_TRUTH_H

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "program.h"

namespace oracle {

struct Site {
  int command = 0;
  int statement = -1;  // -1: the command's own access
  bool operator==(const Site&) const = default;
  bool operator<(const Site& other) const {
    return std::tie(command, statement) < std::tie(other.command, other.statement);
  }
};

enum class Kind : uint8_t { read, write, atomic_read, atomic_write, atomic_update };
constexpr bool is_atomic(Kind kind) { return kind >= Kind::atomic_read; }
constexpr bool reads(Kind kind) {
  return kind == Kind::read || kind == Kind::atomic_read || kind == Kind::atomic_update;
}
constexpr bool writes(Kind kind) {
  return kind == Kind::write || kind == Kind::atomic_write || kind == Kind::atomic_update;
}

using Clock = std::vector<uint16_t>;  // by invocation: statements that happened before

struct Access {
  Site site;
  bool from_copy = false;  // the source of a copy, or arguments
  bool sampled = false;
  uint32_t agent = 0;  // invocation; 0 for commands
  uint32_t group = 0, subgroup = 0;
  uint32_t memory = 0, begin = 0, size = 0;
  Kind kind = Kind::read;
  Scope scope = Scope::device;  // of atomics, and of availability and visibility
  bool non_private = true;
  uint32_t reference = 0;
  uint32_t buffer = 0;
  // What happened before by what certainly happened; and by all releases that may have been acquired.
  std::shared_ptr<const Clock> surely = {}, perhaps = {};
};

// unsure: which of both depends on values read while it ran, or on whether two references to the same memory
// count as one. Nothing is claimed then.
enum class Verdict : uint8_t { none, unsure, race };

struct RacePair {
  Site first, second;  // by command; within one command in either order
  Kind first_kind = Kind::read, second_kind = Kind::read;
  bool operator<(const RacePair& other) const {
    return std::tie(first, second, first_kind, second_kind) <
           std::tie(other.first, other.second, other.first_kind, other.second_kind);
  }
};
using Words = std::set<std::pair<uint32_t, uint32_t>>;  // memory, number of the word

// taken_for_granted: whoever learns of a release has acquired it, as the engine takes it.
enum class Acquires : uint8_t { as_executed, taken_for_granted };

struct Truth {
  Verdict verdict = Verdict::none;
  std::map<RacePair, Words> races = {};
  std::map<RacePair, Words> unsure = {};
  std::vector<Access> accesses = {};
  uint32_t subgroup_size = 0;
  Answers answers = {};
};

// answers: of the run that is judged.
Truth truth_of(const Program& program, uint32_t subgroup_size, const Answers& answers = {},
               Acquires acquires = Acquires::as_executed);

// For two accesses to a byte, x being of the earlier command.
Verdict between(const Program& program, const Access& x, const Access& y, uint32_t byte);

// All accesses in order of commands, with clocks (accesses.cpp).
std::vector<Access> accesses_of(const Program& program, uint32_t subgroup_size, const Answers& answers,
                                Acquires acquires);
// How an access of a command and one of a later one are ordered by commands alone (command_order.cpp).
Verdict between_commands(const Program& program, const Access& first, const Access& second, uint32_t byte);
// Lists the stage and the access flag that the access happens in.
VkPipelineStageFlags2 stage_of(const Program& program, const Access& access);
VkAccessFlags2 flag_of(const Program& program, const Access& access);

}  // namespace oracle
#endif
