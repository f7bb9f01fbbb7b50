// SPDX-License-Identifier: Apache-2.0
// With descriptors in descriptor buffers: where the version of a pipeline runs whose checks look nothing up.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/layer/resolved_slots_kit.h"

namespace shaderqa::layer_tests {
namespace {

class ResolvedDirectly : public ResolvedSlots {
 protected:
  explicit ResolvedDirectly(std::map<std::string, std::string> settings = {})
      : ResolvedSlots(with_two_versions(std::move(settings))) {
    memory_.emplace(device(), 8 * kPage,
                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    layout_ = make_layout({{0, kStorage}});
    words_ = make_pipeline(layout_);
  }
  void TearDown() override {
    memory_.reset();
    ResolvedSlots::TearDown();
  }
  static std::map<std::string, std::string> with_two_versions(std::map<std::string, std::string> settings) {
    settings.emplace("SHADERQA_START", "first_use");
    return settings;
  }

  void barrier_for(VkCommandBuffer commands, uint64_t offset, uint64_t size) {
    buffer_barrier(commands, memory_->handle, offset, size);
  }
  VkCommandBuffer one_dispatch() { return act(layout_, words_); }
  // Which of the versions that look up, or do not, ran the actions, by what their records say.
  std::vector<bool> directly() {
    std::vector<bool> all;
    for (const uint32_t* record : records()) all.push_back(flags_of(record) & SQA_RESOLVE_DIRECT);
    return all;
  }
  // Without the layer's own.
  std::vector<Lookup> lookups(VkCommandBuffer commands) {
    std::vector<Lookup> all;
    for (const VkPipeline bound : bound_in(commands))
      if (!resolves_slots(bound)) all.push_back(lookup_of(bound));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  static void say_apart() { reinterpret_cast<uint32_t*>(engine().written_address)[SQA_WRITTEN_APART] = 1; }

  std::optional<BoundBuffer> memory_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline words_ = VK_NULL_HANDLE;
};

TEST_F(ResolvedDirectly, RunsAtFirst) {
  EXPECT_EQ(lookups(one_dispatch()), std::vector{Lookup::none});
  EXPECT_EQ(directly(), std::vector{true});
}

TEST_F(ResolvedDirectly, RunsBehindABarrierForAWholeBuffer) {
  const VkCommandBuffer commands = begin();
  barrier_for(commands, 0, VK_WHOLE_SIZE);
  bind(commands, words_);
  place(commands, layout_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(lookups(commands), std::vector{Lookup::none});
  EXPECT_EQ(directly(), std::vector{true});
}

// Some descriptor may lead to more than that, or to parts of both.
TEST_F(ResolvedDirectly, DoesNotRunBehindABarrierForAPartOfABuffer) {
  const VkCommandBuffer commands = begin();
  bind(commands, words_);
  place(commands, layout_);
  dispatch(commands);
  barrier_for(commands, kPage, kPage);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(lookups(commands), (std::vector{Lookup::none, Lookup::by_page}));
  EXPECT_EQ(directly(), (std::vector{true, false, false}));
}

// By then the device is to look at its record.
TEST_F(ResolvedDirectly, TheRecordIsWrittenWhereTheDriverRefusesTheOtherVersion) {
  const VkCommandBuffer commands = begin();
  bind(commands, words_);
  place(commands, layout_);
  dispatch(commands);
  null_driver::Config config;
  config.accepted_words = {shaders::accesses_comp};
  driver().configure(config);
  barrier_for(commands, kPage, kPage);
  dispatch(commands);
  end(commands);
  const auto resolved = resolved_by(resolves(commands).at(1));
  ASSERT_EQ(resolved.size(), 2u);
  EXPECT_EQ(list_of(resolved[1].first), list_of(resolved[0].first));
  EXPECT_EQ(list_of(resolved[1].first).size(), 1u);
}

// The first action was not checked as it should be.
TEST_F(ResolvedDirectly, DoesNotRunOnceTheDeviceHasFoundCellsApart) {
  get_descriptor(kStorage, memory_->address);
  submit({one_dispatch()});
  say_apart();
  submit({one_dispatch()});
  EXPECT_EQ(lookups(one_dispatch()), (std::vector{Lookup::none, Lookup::by_page}));
  EXPECT_EQ(directly(), (std::vector{true, true, false}));
}

// Only some of the pages of the buffer have cells.
class ResolvedApart : public ResolvedDirectly {
 protected:
  ResolvedApart() : ResolvedDirectly({{"SHADERQA_SYNC_MEMORY_LIMIT", "9437184"}}) {}
};

TEST_F(ResolvedApart, IsNotDirectWhereSomeBuffersCellsAreApart) {
  EXPECT_EQ(directly().size(), 0u);
  EXPECT_EQ(lookups(one_dispatch()).size(), 1u);
  EXPECT_EQ(directly(), std::vector{true}) << "none is";
  const BoundBuffer large(device(), 256 * kPage);
  EXPECT_EQ(lookups(one_dispatch()), (std::vector{Lookup::none, Lookup::by_page}));
  EXPECT_EQ(directly(), (std::vector{true, false}));
}

}  // namespace
}  // namespace shaderqa::layer_tests
