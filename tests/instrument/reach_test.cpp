// SPDX-License-Identifier: Apache-2.0
// Whether a descriptor's memory is reached only as an access to own elements allows: the shader's comparison
// of packed numbers, by itself.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>

#include "instrument/runtime/abi_exact.h"

namespace shaderqa::test {
namespace {

using uint = uint32_t;

#include "instrument/runtime/reach.glsl"

// What abi_exact.h says, spelled out.
struct Reach {
  uint32_t slots = 1;
  std::array<uint32_t, 3> log2{};
  uint32_t stored = 0;
  bool stored_later = false, only_read = false;
  uint32_t packed() const {
    return slots | log2[0] << SQA_REACH_X | log2[1] << SQA_REACH_Y | log2[2] << SQA_REACH_Z |
           stored << SQA_REACH_STORED | (stored_later ? SQA_REACH_STORED_LATER : 0) |
           (only_read ? SQA_REACH_ONLY_READ : 0);
  }
};

uint32_t expected(const Reach& allowed, const Reach& there) {
  for (int axis = 0; axis < 3; ++axis)
    if (there.log2[axis] > allowed.log2[axis]) return SQA_ALONE_NOT;
  if ((there.slots & ~allowed.slots) != 0) return SQA_ALONE_NOT;
  if (!allowed.stored_later) return SQA_ALONE_REPLACES;
  if ((there.slots >> allowed.stored & 1) != 0) return SQA_ALONE_LEAVES;
  return allowed.only_read && std::popcount(there.slots) == 1 ? SQA_ALONE_REPLACES : SQA_ALONE_NOT;
}

TEST(Reach, IsWhatIsAllowed) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  std::array<uint32_t, 3> seen{};
  for (int n = 0; n < 100'000; ++n) {
    const Reach allowed{
        below(256), {below(21), below(17), below(17)}, below(8), below(2) != 0, below(2) != 0};
    Reach there{1u << below(8) | below(256), {below(32), below(32), below(32)}};
    if (n % 5 == 0) there.slots = 1u << below(8);
    if (n % 2) there.slots &= allowed.slots;
    if (there.slots == 0) continue;
    if (n % 3)
      there.log2 = {below(allowed.log2[0] + 2), below(allowed.log2[1] + 2), below(allowed.log2[2] + 2)};
    const uint32_t alone = expected(allowed, there);
    ++seen[alone];
    ASSERT_EQ(sqa_alone(allowed.packed(), there.packed()), alone)
        << std::hex << allowed.packed() << " " << there.packed();
  }
  for (const uint32_t each : seen) EXPECT_GE(each, 1000u);
}

TEST(Reach, IsNotKnownOfManyWorkgroups) {
  EXPECT_EQ(sqa_alone(SQA_REACH_SLOTS | SQA_REACH_MOST, 1 | SQA_REACH_UNKNOWN), uint(SQA_ALONE_NOT));
  EXPECT_EQ(sqa_alone(SQA_REACH_SLOTS | SQA_REACH_MOST, 1 | SQA_REACH_MOST), uint(SQA_ALONE_REPLACES));
}

}  // namespace
}  // namespace shaderqa::test
