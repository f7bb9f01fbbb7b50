// SPDX-License-Identifier: Apache-2.0
// Which descriptors shaders write.
#include "layer/resources/written_slots.h"

#include <gtest/gtest.h>

#include "instrument/runtime/abi_report.h"

namespace shaderqa::layer {
namespace {

CheckSite site(uint32_t access, uint32_t set, uint32_t binding, uint32_t check = SQA_CHECK_HAZARD) {
  CheckSite one;
  one.check = check;
  one.access = access;
  one.set = set;
  one.binding = binding;
  return one;
}

ShaderRecord shader(std::vector<CheckSite> sites) {
  ShaderRecord record;
  record.check_sites = std::move(sites);
  return record;
}

constexpr uint32_t kLoad = SQA_ACCESS_LOAD, kStore = SQA_ACCESS_STORE, kAtomic = SQA_ACCESS_ATOMIC;

TEST(WrittenSlots, AreThoseOfStoresAndAtomics) {
  const std::vector<DescriptorSlots> all = {{0, 0, 0, 1}, {0, 1, 1, 4}, {1, 0, 0, 1}, {1, 1, 1, 1}};
  WrittenSlots written;
  written.add(shader({site(kLoad, 0, 0), site(kStore, 1, 1, SQA_CHECK_NAN), site(kStore, 1, 7)}), all);
  EXPECT_TRUE(written.slots().empty());
  written.add(shader({site(kStore, 0, 1), site(kStore, 0, 1), site(kAtomic, 1, 0)}), all);
  ASSERT_EQ(written.slots().size(), 2u);
  EXPECT_EQ(static_cast<DescriptorSlots>(written.slots()[0]), all[1]);
  EXPECT_EQ(static_cast<DescriptorSlots>(written.slots()[1]), all[2]);
  written.add(shader({site(kAtomic, 0, 1)}), all);
  EXPECT_EQ(written.slots().size(), 2u) << "each once";
}

TEST(WrittenSlots, SayWhichAreStoredInPartsOfWords) {
  const std::vector<DescriptorSlots> all = {{0, 0, 0, 1}, {0, 1, 1, 1}};
  WrittenSlots written;
  EXPECT_EQ(written.version(), 0u);
  written.add(shader({site(kStore, 0, 0), site(kStore, 0, 1)}), all);
  const size_t before = written.version();
  CheckSite part = site(kLoad, 0, 1);
  part.parts = true;
  written.add(shader({part}), all);
  EXPECT_EQ(written.version(), before) << "a load writes nothing";
  part.access = kStore;
  written.add(shader({part, site(kStore, 0, 1)}), all);
  EXPECT_GT(written.version(), before);
  ASSERT_EQ(written.slots().size(), 2u);
  EXPECT_FALSE(written.slots()[0].parts);
  EXPECT_TRUE(written.slots()[1].parts);
}

TEST(WrittenSlots, AddressesAreOfNoSlot) {
  constexpr uint32_t none = UINT32_MAX;
  EXPECT_TRUE(writes_by_address(shader({site(kLoad, 0, 0), site(kStore, none, none)})));
  EXPECT_TRUE(writes_by_address(shader({site(kAtomic, none, none)})));
  EXPECT_FALSE(writes_by_address(shader({site(kLoad, none, none)})));
  EXPECT_FALSE(writes_by_address(shader({site(kStore, none, none, SQA_CHECK_NAN)})));
  EXPECT_FALSE(writes_by_address(shader({site(kStore, none, 0)})));
  EXPECT_FALSE(writes_by_address(shader({site(kStore, 0, none)})));
  EXPECT_FALSE(writes_by_address(shader({})));
}

}  // namespace
}  // namespace shaderqa::layer
