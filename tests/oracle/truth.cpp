// SPDX-License-Identifier: Apache-2.0
#include "truth.h"

#include <algorithm>

namespace oracle {
namespace {

uint32_t distance(const Access& x, const Access& y) {
  if (x.site.command != y.site.command || x.group != y.group) return 2;
  return x.subgroup == y.subgroup ? 0 : 1;
}
bool reaches(Scope scope, uint32_t distance) { return static_cast<uint32_t>(scope) >= distance + 1; }

// Mutually ordered but for the reference.
bool atomic_together(const Access& x, const Access& y) {
  const uint32_t d = distance(x, y);
  return is_atomic(x.kind) && is_atomic(y.kind) && x.begin == y.begin && x.size == y.size &&
         reaches(x.scope, d) && reaches(y.scope, d);
}

// Location-ordered by what shaders do, but for the reference.
bool ordered(const Access& x, const Access& y, const Clock& before_y) {
  if (!x.non_private || !y.non_private) return false;
  if (before_y[x.agent] <= static_cast<uint32_t>(x.site.statement)) return false;
  const uint32_t d = distance(x, y);
  if (writes(x.kind) && !reaches(x.scope, d)) return false;  // not made available
  return !writes(x.kind) || !reads(y.kind) || reaches(y.scope, d);
}

Verdict within_command(const Access& x, const Access& y) {
  const bool same_reference = x.reference == y.reference;
  if (x.agent == y.agent) return same_reference ? Verdict::none : Verdict::unsure;
  if (atomic_together(x, y) || ordered(x, y, *y.surely) || ordered(y, x, *x.surely))
    return same_reference ? Verdict::none : Verdict::unsure;
  if (ordered(x, y, *y.perhaps) || ordered(y, x, *x.perhaps)) return Verdict::unsure;
  return Verdict::race;
}

// x's command is the earlier one.
Verdict across_commands(const Program& program, const Access& x, const Access& y, uint32_t byte) {
  if (atomic_together(x, y) && x.reference == y.reference) return Verdict::none;
  const Verdict verdict = between_commands(program, x, y, byte);
  return verdict == Verdict::race && atomic_together(x, y) ? Verdict::unsure : verdict;
}

class Judge {
 public:
  Judge(const Program& program, uint32_t subgroup_size, const Answers& answers, Acquires acquires)
      : program_(program) {
    truth_.accesses = accesses_of(program, subgroup_size, answers, acquires);
    truth_.subgroup_size = subgroup_size;
    truth_.answers = answers;
  }

  Truth judge() {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<const Access*>> bytes;
    for (const Access& access : truth_.accesses)
      for (uint32_t byte = access.begin; byte < access.begin + access.size; ++byte)
        bytes[{access.memory, byte}].push_back(&access);
    const std::vector<const Access*>* previous = nullptr;
    for (const auto& [place, list] : bytes) {
      // Ranges of barriers are of whole words: other bytes of a word differ only by who accesses them.
      if (previous == nullptr || place.second % 4 == 0 || list != *previous)
        judge(place.first, place.second, list);
      previous = &list;
    }
    truth_.verdict = !truth_.races.empty()    ? Verdict::race
                     : !truth_.unsure.empty() ? Verdict::unsure
                                              : Verdict::none;
    return std::move(truth_);
  }

 private:
  void judge(uint32_t memory, uint32_t byte, const std::vector<const Access*>& list) {
    std::vector<const Access*> one_a_site;  // others of the site are to others' commands what it is
    for (const Access* access : list) {
      const auto same = std::ranges::find_if(one_a_site, [&](const Access* other) {
        return other->site == access->site && other->kind == access->kind;
      });
      if (same == one_a_site.end()) one_a_site.push_back(access);
    }
    for (size_t i = 0; i < one_a_site.size(); ++i)
      for (size_t j = i + 1; j < one_a_site.size(); ++j) {
        const Access &x = *one_a_site[i], &y = *one_a_site[j];
        if (x.site.command != y.site.command) enter(x, y, memory, byte);
      }
    for (size_t i = 0; i < list.size(); ++i)
      for (size_t j = i + 1; j < list.size() && list[j]->site.command == list[i]->site.command; ++j) {
        enter(*list[i], *list[j], memory, byte);
      }
  }

  void enter(const Access& x, const Access& y, uint32_t memory, uint32_t byte) {
    const Verdict verdict = between(program_, x, y, byte);
    if (verdict == Verdict::none) return;
    RacePair pair{x.site, y.site, x.kind, y.kind};
    if (pair.second < pair.first) {
      std::swap(pair.first, pair.second);
      std::swap(pair.first_kind, pair.second_kind);
    }
    auto& into = verdict == Verdict::race ? truth_.races : truth_.unsure;
    into[pair].emplace(memory, byte / 4);
  }

  const Program& program_;
  Truth truth_;
};

}  // namespace

Verdict between(const Program& program, const Access& x, const Access& y, uint32_t byte) {
  if (!writes(x.kind) && !writes(y.kind)) return Verdict::none;
  if (x.site.command != y.site.command) return across_commands(program, x, y, byte);
  if (x.site.statement >= 0 && y.site.statement >= 0) return within_command(x, y);
  // What a draw reads of its input and its shader stores has no order; programs with both are not judged.
  return program.commands[static_cast<size_t>(x.site.command)].is_draw() ? Verdict::unsure : Verdict::none;
}

Truth truth_of(const Program& program, uint32_t subgroup_size, const Answers& answers, Acquires acquires) {
  return Judge(program, subgroup_size, answers, acquires).judge();
}

}  // namespace oracle
