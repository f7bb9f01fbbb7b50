// SPDX-License-Identifier: Apache-2.0
// Keeps account of every barrier that a queue executes, and of the conflicting accesses on its two sides
// (docs/internals/redundant.md). Barriers next to commands whose accesses are not known word by word are not
// judged.
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

// Kinds of memory that a command accesses, as bits.
enum MemoryUse : uint32_t {
  kUsesFollowed = 1,    // buffers, and every accessed word is noted
  kUsesUnfollowed = 2,  // buffers, and it is not known which words
  kUsesImages = 4,
};

// One barrier of the application's code. The same command at the same place of similar command buffers is the
// same site.
struct BarrierSite {
  std::string text;        // which command, between what, its masks
  std::string not_judged;  // why it is not judged; empty: it is, so far
  uint64_t passed = 0;     // how often it was executed
  bool needed = false;     // the order between two conflicting accesses needs it
  bool crossed = false;    // it lies between conflicting accesses that another barrier orders, too ...
  std::string covered_by;  // ... and this is the other barrier's text
};

// For one queue. Calls come in the order of execution, which is that of submission.
class BarrierLedger {
 public:
  // not_judged: as in BarrierSite. The same text is the same site.
  size_t site(const std::string& text, const std::string& not_judged);

  // The host knows that everything submitted so far is complete, so that nothing of it needs an order with
  // what follows. Before this, all footprints of that work must have been added.
  void everything_done();
  // next: the number of the first action after the barrier.
  void pass(size_t site, std::shared_ptr<const PassedBarrier> barrier, uint64_t next);
  void use(uint64_t stages, uint32_t uses);
  // In the order of the actions' numbers. class_of: SQA_CLASS_* of an action; done_before: `done` of
  // AccessHistory::add().
  void add(const std::vector<Footprint>& footprints, const std::function<uint32_t(uint64_t)>& class_of,
           const std::function<uint64_t(uint64_t)>& done_before);
  // Some accesses are not known. Barriers executed since the last everything_done() and until the next one
  // are not judged.
  void lose(const std::string& why);
  // No barrier at all is judged.
  void lose_all(const std::string& why);

  const std::vector<BarrierSite>& sites() const { return sites_; }

 private:
  struct Passed {
    uint64_t next = 0;
    size_t site = 0;
    std::shared_ptr<const PassedBarrier> barrier;
  };
  // For each kind of MemoryUse, the stages that are ordered after such uses.
  struct Reached {
    uint64_t followed = 0, unfollowed = 0, images = 0;
  };

  void meet(const AccessHistory::Meeting& meeting, const std::function<uint32_t(uint64_t)>& class_of);
  void judge_not(size_t site, const char* why);

  std::vector<BarrierSite> sites_;
  std::map<std::string, size_t> by_text_;
  std::vector<Passed> passed_;  // since everything was done
  Reached before_;
  std::map<size_t, Reached> behind_;  // by site: the stages that it orders after uses before it
  AccessHistory history_;
  using Pair = std::pair<std::pair<uint64_t, uint64_t>, uint32_t>;
  std::map<Pair, bool> known_;  // pairs that were judged: whether the result depends on the addresses
  std::string lost_, lost_for_good_;
};

}  // namespace shaderqa
#endif
