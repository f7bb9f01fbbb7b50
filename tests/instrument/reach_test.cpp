// SPDX-License-Identifier: Apache-2.0
// Whether a descriptor's memory is reached only as an access to own elements allows: the shader's comparison
// of packed numbers, by itself.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_reach.h"

namespace shaderqa::test {
namespace {

using uint = uint32_t;

#include "instrument/runtime/reach.glsl"

// What abi_exact.h says, spelled out.
struct Access {
  uint32_t slots = 1;
  std::array<uint32_t, 3> log2{};
  uint32_t stored = 0;
  bool stored_later = false, only_read = false;
  uint32_t packed() const {
    uint32_t bits = (~slots & SQA_REACH_SLOTS) | stored << SQA_REACH_STORED;
    for (size_t axis = 0; axis < 3; ++axis) bits |= reach::at_most(reach::axes[axis], log2[axis]);
    return bits | (stored_later ? SQA_REACH_STORED_LATER : 0) | (only_read ? SQA_REACH_ONLY_READ : 0);
  }
};
struct Entry {
  uint32_t slots = 1;
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint32_t packed() const {
    uint32_t bits = slots;
    for (size_t axis = 0; axis < 3; ++axis) bits |= reach::of_workgroups(reach::axes[axis], 0, groups[axis]);
    return bits;
  }
};

// So many workgroups, at most, the next step below tells apart along any axis.
uint32_t step_below(uint32_t log2) {
  if (log2 >= 16) return 1u << 16;
  return log2 >= 8 ? 1u << 6 : log2 >= 4 ? 1u << 3 : 1;
}

uint32_t expected(const Access& access, const Entry& entry) {
  if ((entry.slots & ~access.slots) != 0) return SQA_ALONE_NOT;
  if (!access.stored_later) return SQA_ALONE_REPLACES;
  if ((entry.slots >> access.stored & 1) != 0) return SQA_ALONE_LEAVES;
  return access.only_read && std::popcount(entry.slots) == 1 ? SQA_ALONE_REPLACES : SQA_ALONE_NOT;
}

TEST(Reach, IsWhatIsAllowed) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  std::array<uint32_t, 3> seen{};
  for (int n = 0; n < 100'000; ++n) {
    const Access access{
        below(256), {below(21), below(17), below(17)}, below(8), below(2) != 0, below(2) != 0};
    Entry entry{1u << below(8) | below(256)};
    if (n % 5 == 0) entry.slots = 1u << below(8);
    if (n % 2) entry.slots &= access.slots;
    if (entry.slots == 0) continue;
    bool most = true, few = true;  // as many as are allowed; so few that the step below allows them
    for (size_t axis = 0; axis < 3; ++axis) {
      const uint32_t around = access.log2[axis] + below(2);
      entry.groups[axis] = n % 3 ? 1 + below(1u << around) : 1;
      most = most && entry.groups[axis] <= 1u << access.log2[axis];
      few = few && entry.groups[axis] <= step_below(access.log2[axis]);
    }
    const uint32_t found = sqa_alone(access.packed(), entry.packed());
    if (most && few) {
      ASSERT_EQ(found, expected(access, entry)) << std::hex << access.packed() << " " << entry.packed();
    } else if (!most) {
      ASSERT_EQ(found, uint(SQA_ALONE_NOT)) << std::hex << access.packed() << " " << entry.packed();
    }
    ++seen[found];
  }
  for (const uint32_t each : seen) EXPECT_GE(each, 1000u);
}

TEST(Reach, IsNotKnownOfManyWorkgroups) {
  const uint32_t most = Access{SQA_REACH_SLOTS, {20, 16, 16}}.packed();
  EXPECT_EQ(sqa_alone(most, 1 | SQA_REACH_UNKNOWN), uint(SQA_ALONE_NOT));
  const Entry all{1, {1u << 20, 1u << 16, 1u << 16}};
  EXPECT_EQ(sqa_alone(most, all.packed()), uint(SQA_ALONE_REPLACES));
  for (size_t axis = 0; axis < 3; ++axis) {
    Entry more = all;
    ++more.groups[axis];
    EXPECT_EQ(sqa_alone(most, more.packed()), uint(SQA_ALONE_NOT)) << axis;
  }
}

TEST(Reach, OfATexelIsAnyLayerOfWorkgroups) {
  EXPECT_EQ(sqa_alone(SQA_REACH_TEXEL, Entry{1, {1u << 20, 1u << 16, 1}}.packed()), uint(SQA_ALONE_REPLACES));
  EXPECT_EQ(sqa_alone(SQA_REACH_TEXEL, Entry{1, {1, 1, 2}}.packed()), uint(SQA_ALONE_NOT));
  EXPECT_EQ(sqa_alone(SQA_REACH_TEXEL, SQA_REACH_UNKNOWN), uint(SQA_ALONE_NOT));
}

// A number beyond what is followed counts even for one workgroup.
TEST(Reach, CountsFromTheFirstNumber) {
  const reach::Axis& y = reach::axes[1];
  EXPECT_EQ(reach::of_workgroups(y, 5, 1), 0u);
  EXPECT_EQ(reach::of_workgroups(y, 5, 2), reach::of_workgroups(y, 0, 7));
  EXPECT_EQ(reach::of_workgroups(y, 0xffff, 1), 0u);
  EXPECT_NE(reach::of_workgroups(y, 0x10000, 1) & reach::at_most(y, 16), 0u);
  EXPECT_EQ(reach::of_workgroups(y, 0, 0), 0u);
}

}  // namespace
}  // namespace shaderqa::test
