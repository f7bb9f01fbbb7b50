// SPDX-License-Identifier: Apache-2.0
// The list of buffers in a rescue file: what is found by address, and that it stays within its bounds.
#include "host/rescue/rescue_buffers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace shaderqa {
namespace {

std::string name_at(const std::vector<RescueBufferSlot>& slots, uint64_t address) {
  const auto found = find_rescued_buffer(slots, address);
  return found ? found->name : "nothing";
}

TEST(RescueBuffers, FindsTheBufferThatHoldsTheAddress) {
  std::vector<RescueBufferSlot> slots(4);
  RescueBuffers list(slots);
  list.put(1, 0x1000, 0x100, "one");
  list.put(2, 0x1100, 0x100, "two");
  EXPECT_EQ(name_at(slots, 0x0fff), "nothing");
  EXPECT_EQ(name_at(slots, 0x1000), "one");
  EXPECT_EQ(name_at(slots, 0x10ff), "one");
  EXPECT_EQ(name_at(slots, 0x1100), "two");
  EXPECT_EQ(name_at(slots, 0x1200), "nothing");
  const auto found = find_rescued_buffer(slots, 0x1104);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->handle, 2u);
  EXPECT_EQ(found->offset, 4u);
  EXPECT_EQ(found->size, 0x100u);
  EXPECT_FALSE(found->destroyed);
}

TEST(RescueBuffers, AliasesGiveTheSmallest) {
  std::vector<RescueBufferSlot> slots(4);
  RescueBuffers list(slots);
  list.put(1, 0x1000, 0x1000, "heap");
  list.put(2, 0x1100, 0x100, "small");
  list.put(3, 0x1000, 0x800, "half");
  EXPECT_EQ(name_at(slots, 0x1180), "small");
  EXPECT_EQ(name_at(slots, 0x1280), "half");
  EXPECT_EQ(name_at(slots, 0x1980), "heap");
}

TEST(RescueBuffers, AreRenamedInPlace) {
  std::vector<RescueBufferSlot> slots(2);
  RescueBuffers list(slots);
  list.put(1, 0x1000, 0x100, "");
  EXPECT_EQ(name_at(slots, 0x1000), "");
  list.put(1, 0x1000, 0x100, "late name");
  EXPECT_EQ(name_at(slots, 0x1000), "late name");
  EXPECT_EQ(slots[1].change, 0u);
  list.put(1, 0x1000, 0x100, std::string(500, 'x'));
  EXPECT_EQ(name_at(slots, 0x1000), std::string(95, 'x'));
}

TEST(RescueBuffers, DestroyedOnesAreFoundBehindLivingOnes) {
  std::vector<RescueBufferSlot> slots(4);
  RescueBuffers list(slots);
  list.put(1, 0x1000, 0x100, "first");
  list.destroyed(1);
  list.put(2, 0x1000, 0x100, "second");
  list.destroyed(2);
  EXPECT_EQ(name_at(slots, 0x1000), "second");
  EXPECT_TRUE(find_rescued_buffer(slots, 0x1000)->destroyed);
  list.put(3, 0x1000, 0x200, "third");
  EXPECT_EQ(name_at(slots, 0x1000), "third");
  list.destroyed(99);
}

TEST(RescueBuffers, TakeThePlacesOfThoseDestroyedFirst) {
  std::vector<RescueBufferSlot> slots(3);
  RescueBuffers list(slots);
  for (uint64_t i = 1; i <= 3; ++i) list.put(i, i << 12, 0x100, std::to_string(i));
  list.put(4, 4 << 12, 0x100, "4");
  EXPECT_EQ(name_at(slots, 4 << 12), "nothing") << "no place among living ones";
  list.destroyed(2);
  list.destroyed(1);
  list.put(5, 5 << 12, 0x100, "5");
  EXPECT_EQ(name_at(slots, 2 << 12), "nothing");
  EXPECT_EQ(name_at(slots, 1 << 12), "1");
  EXPECT_EQ(name_at(slots, 5 << 12), "5");
  // For ever in the same places.
  for (uint64_t i = 6; i < 10000; ++i) {
    list.put(i, i << 12, 0x100, std::to_string(i));
    list.destroyed(i);
  }
  EXPECT_EQ(name_at(slots, 9999u << 12), "9999");
  EXPECT_EQ(name_at(slots, 3 << 12), "3");
}

// As another process finds them, whatever was written there.
TEST(RescueBuffers, ASlotHoldsABufferOnceItHasAChangeAndAnAddress) {
  const auto slot = [](uint64_t change, uint64_t address, uint64_t size) {
    RescueBufferSlot made{};
    made.change = change;
    made.address = address;
    made.size = size;
    made.name[0] = 'x';
    return std::vector{made};
  };
  EXPECT_EQ(name_at(slot(1, 0x1000, 16), 0x1000), "x");
  EXPECT_EQ(name_at(slot(2, 0x1000, 16), 0x1000), "x") << "destroyed";
  EXPECT_EQ(name_at(slot(0, 0x1000, 16), 0x1000), "nothing") << "half written";
  EXPECT_EQ(name_at(slot(1, 1, 16), 1), "x");
  EXPECT_EQ(name_at(slot(1, 0, 16), 1), "nothing");
  EXPECT_EQ(name_at(slot(1, 0x1000, 1), 0x1000), "x");
  EXPECT_EQ(name_at(slot(1, 0x1000, 0), 0x1000), "nothing");
  EXPECT_FALSE(find_rescued_buffer(slot(1, 0x1000, 16), 0x1000)->destroyed);
  EXPECT_TRUE(find_rescued_buffer(slot(2, 0x1000, 16), 0x1000)->destroyed);
}

TEST(RescueBuffers, TheFirstOfTwoOfTheSameSizeIsFound) {
  std::vector<RescueBufferSlot> slots(4);
  RescueBuffers list(slots);
  list.put(1, 0x1000, 0x100, "first");
  list.put(2, 0x1000, 0x100, "second");
  EXPECT_EQ(name_at(slots, 0x1080), "first");
  list.destroyed(1);
  EXPECT_EQ(name_at(slots, 0x1080), "second");
}

TEST(RescueBuffers, GarbageIsTolerated) {
  std::vector<RescueBufferSlot> slots(16);
  std::memset(slots.data(), 0xa5, slots.size() * sizeof slots[0]);
  EXPECT_EQ(name_at(slots, 0xa5a5a5a5a5a5a5a5), std::string(96, static_cast<char>(0xa5)));
  EXPECT_EQ(name_at(slots, 0), "nothing");
  std::memset(slots.data(), 0xff, slots.size() * sizeof slots[0]);
  EXPECT_EQ(name_at(slots, 0x1000), "nothing");
}

}  // namespace
}  // namespace shaderqa
