// SPDX-License-Identifier: Apache-2.0
// Keeps account of every barrier that a queue passes, and of what crossed it (docs/redundant.md). What
// accesses memory that nobody follows word by word makes barriers around it ones that are not judged.
#ifndef SHADERQA_HOST_ORDER_BARRIER_LEDGER_H
#define SHADERQA_HOST_ORDER_BARRIER_LEDGER_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/order/access_history.h"
#include "host/order/needed_barriers.h"

namespace shaderqa {

// What a command accesses at its stages, as bits.
enum MemoryUse : uint32_t {
  kUsesFollowed = 1,    // buffers, and all that is noted
  kUsesUnfollowed = 2,  // any buffer
  kUsesImages = 4,
};

// One barrier of the application's code: the same command at the same place of command buffers that are
// alike.
struct BarrierSite {
  std::string text;        // which command, between what, its masks
  std::string not_judged;  // why; empty: it is judged, so far
  uint64_t passed = 0;     // times
  bool needed = false;     // an order of conflicting accesses needs it
  bool crossed = false;    // there were such, that others order
  std::string covered_by;  // of those that are crossed: the text of one that orders the same
};

// Of one queue. In the order of execution, as it is submitted.
class BarrierLedger {
 public:
  // not_judged: as in BarrierSite. The same text is the same site.
  size_t site(const std::string& text, const std::string& not_judged);

  // Everything that was passed and used so far is done, and the host knows: nothing of it needs an order with
  // what follows. What is known of its accesses has been added.
  void everything_done();
  // next: number of the first action behind it.
  void pass(size_t site, std::shared_ptr<const PassedBarrier> barrier, uint64_t next);
  void use(uint64_t stages, uint32_t uses);
  // In the order of their numbers. classes: of actions, SQA_CLASS_*. done: see AccessHistory.
  void add(const std::vector<Footprint>& footprints, const std::function<uint32_t(uint64_t)>& class_of,
           const std::function<uint64_t(uint64_t)>& done_before);
  // Of no barrier that was passed since everything was done is it known what crossed it, nor of those that
  // come until everything is done again.
  void lose(const std::string& why);
  // Nor of any other.
  void lose_all(const std::string& why);

  const std::vector<BarrierSite>& sites() const { return sites_; }

 private:
  struct Passed {
    uint64_t next = 0;
    size_t site = 0;
    std::shared_ptr<const PassedBarrier> barrier;
  };
  // Stages that are ordered behind such uses.
  struct Reached {
    uint64_t followed = 0, unfollowed = 0, images = 0;
  };

  void meet(const AccessHistory::Meeting& meeting, const std::function<uint32_t(uint64_t)>& class_of);
  void judge_not(size_t site, const char* why);

  std::vector<BarrierSite> sites_;
  std::map<std::string, size_t> by_text_;
  std::vector<Passed> passed_;  // since everything was done
  Reached before_;
  std::map<size_t, Reached> behind_;  // by site: stages that come behind it, and behind what came before it
  AccessHistory history_;
  using Pair = std::pair<std::pair<uint64_t, uint64_t>, uint32_t>;
  std::map<Pair, bool> known_;  // pairs that were looked at: whether ranges matter to them
  std::string lost_, lost_for_good_;
};

}  // namespace shaderqa
#endif
