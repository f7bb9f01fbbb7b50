// SPDX-License-Identifier: Apache-2.0
// What the check of whole words (runtime/words.glsl) has in shorter forms of its own decides what the general
// forms do.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "instrument/runtime/cell_fields.h"

namespace shaderqa::test {
namespace {

// Only some of what the general forms consist of is compared.
#pragma GCC diagnostic ignored "-Wunused-function"
using uint = uint32_t;
#define SQA_OUT(T) T&
#define SQA_PHASE_TIMES phase_times
uint phase_times = 0;
#include "instrument/runtime/cell_kinds.glsl"
// It uses the functions of the file above.

#include "instrument/runtime/cell_actions.glsl"
#include "instrument/runtime/cell_case.glsl"
#include "instrument/runtime/whole_words.glsl"
#undef SQA_OUT

struct Dwords {
  uint low = 0, high = 0;
};

class WholeWords : public testing::Test {
 protected:
  // Any cell, also one that no trace of accesses leads to.
  Dwords any_cell() { return {static_cast<uint>(random_()), static_cast<uint>(random_())}; }
  uint any(uint below) { return static_cast<uint>(random_() % below); }
  // What an access with all bytes stores into an empty cell; often of the workgroup or the invocation that
  // `found` names.
  Dwords own(const Dwords& found) {
    uint owner = static_cast<uint>(random_()) & SQA_ONES(SQA_OWNER_BITS);
    const uint other = sqa_cell_owner(found.low, found.high);
    if (any(3) == 0) owner = other;
    if (any(3) == 0) owner = (other & ~SQA_ONES(SQA_LOCAL_BITS)) | (owner & SQA_ONES(SQA_LOCAL_BITS));
    const uint phase = any(2) ? sqa_cell_phase(found.low) : any(SQA_MAX_PHASE + 1);
    return {sqa_cell_low(any(4), any(SQA_TAGS), phase, owner) | SQA_CELL_MASK_ONES,
            sqa_cell_high(owner, sqa_cell_sequence(found.high))};
  }

  std::mt19937_64 random_{20261123};
};

TEST_F(WholeWords, TheCaseIsTheGeneralOne) {
  for (int n = 0; n < 2'000'000; ++n) {
    phase_times = any(2);
    const Dwords found = any_cell(), mine = own(found);
    const bool grouped = any(2) != 0;
    const uint since = any(SQA_MAX_PHASE + 1);
    ASSERT_EQ(sqa_cell_case_whole(found.low, found.high, mine.low, mine.high, grouped, since),
              sqa_cell_case(found.low, found.high, mine.low, mine.high, grouped, since))
        << std::hex << found.low << ' ' << found.high << ' ' << mine.low << ' ' << mine.high;
  }
}

TEST_F(WholeWords, TheConflictIsTheGeneralOne) {
  for (int n = 0; n < 2'000'000; ++n) {
    const Dwords found = any_cell(), mine = own(found);
    // Without bytes only reads are in cells.
    if (sqa_cell_mask(found.low) == 0 && sqa_cell_kind(found.low) != SQA_KIND_READ) continue;
    const bool conflict = sqa_actions_conflict(found.low, mine.low);
    ASSERT_EQ(sqa_actions_conflict_whole(found.low, sqa_cell_kind(mine.low)), conflict)
        << std::hex << found.low;
    // What does not conflict joins, except for atomic loads.
    if (!conflict) {
      ASSERT_EQ(sqa_actions_join(found.low, mine.low), sqa_cell_mask(found.low) != 0)
          << std::hex << found.low;
    }
  }
}

}  // namespace
}  // namespace shaderqa::test
