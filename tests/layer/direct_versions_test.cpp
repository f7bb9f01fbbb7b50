// SPDX-License-Identifier: Apache-2.0
// The version of a compute pipeline whose checks look nothing up (VersionKind::direct), and where another one
// is bound in its place.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "tests/layer/command_kit.h"
#include "tests/layer/lookup_of.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr uint64_t kPage = uint64_t{1} << SQA_PAGE_LOG2;

// A pipeline that reads and writes words of a buffer, and one that writes bytes of it.
class DirectVersions : public CommandTest {
 protected:
  DirectVersions() : CommandTest({}, {}, "exact", {{"SHADERQA_START", "first_use"}}) {
    constexpr VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    memory_.emplace(device(), 8 * kPage, usage);
    set_.emplace(device(), std::vector<BindingOptions>{{0, kStorage, 1, 0, {}}});
    set_->write(0, 0, kStorage, {{memory_->handle, 2 * kPage, 2 * kPage}});
    words_ = create_compute_with(device(), shaders::accesses_comp, layout_);
    // What shaders write is known for each layout.
    bytes_layout_ = create_pipeline_layout(device(), {set_layout_});
  }
  void TearDown() override {
    for (const VkPipeline pipeline : {words_, bytes_})
      vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, bytes_layout_, nullptr);
    set_.reset();
    memory_.reset();
    CommandTest::TearDown();
  }

  void bind_to(VkCommandBuffer commands, VkPipeline pipeline) {
    const VkPipelineLayout layout = pipeline == bytes_ ? bytes_layout_ : layout_;
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set_->handle, 0,
                                 nullptr);
  }
  void create_bytes() { bytes_ = create_compute_with(device(), shaders::accesses_bytes_comp, bytes_layout_); }
  VkCommandBuffer one_dispatch(VkPipeline pipeline) {
    const VkCommandBuffer commands = begin();
    bind_to(commands, pipeline);
    dispatch(commands);
    end(commands);
    return commands;
  }
  // From shaders' writes to shaders' reads, of a part of the buffer.
  void barrier_for(VkCommandBuffer commands, uint64_t offset, uint64_t size) {
    buffer_barrier(commands, memory_->handle, offset, size);
  }
  // Two dispatches with a barrier in between; what was bound for them.
  std::vector<Lookup> lookups_around(uint64_t offset, uint64_t size) {
    const VkCommandBuffer commands = begin();
    bind_to(commands, words_);
    dispatch(commands);
    barrier_for(commands, offset, size);
    dispatch(commands);
    end(commands);
    std::vector<Lookup> lookups;
    for (const VkPipeline bound : bound_in(commands)) lookups.push_back(lookup_of(bound));
    return lookups;
  }
  static uint32_t region(size_t record) { return records().at(record)[SQA_ACTION_DIRECT + 6]; }

  std::optional<BoundBuffer> memory_;
  std::optional<OneSet> set_;
  VkPipeline words_ = VK_NULL_HANDLE, bytes_ = VK_NULL_HANDLE;
  VkPipelineLayout bytes_layout_ = VK_NULL_HANDLE;
};

TEST_F(DirectVersions, RunWhereTheRecordSaysAll) {
  EXPECT_EQ(lookups_around(0, VK_WHOLE_SIZE), std::vector{Lookup::none});
  EXPECT_EQ(region(0), 0u);
  EXPECT_EQ(region(1), SQA_REGION_DWORDS) << "the barrier is for more than what the descriptor leads to";
}

TEST_F(DirectVersions, RunBehindABarrierForOtherMemory) {
  EXPECT_EQ(lookups_around(4 * kPage, kPage), std::vector{Lookup::none});
  EXPECT_EQ(region(1), 0u);
}

TEST_F(DirectVersions, RunBehindABarrierForJustTheirMemory) {
  EXPECT_EQ(lookups_around(2 * kPage, 2 * kPage), std::vector{Lookup::none});
  EXPECT_EQ(region(1), SQA_REGION_DWORDS);
}

TEST_F(DirectVersions, DoNotRunBehindABarrierForAPartOfTheirMemory) {
  EXPECT_EQ(lookups_around(2 * kPage, kPage), (std::vector{Lookup::none, Lookup::by_page}));
  EXPECT_EQ(lookups_around(3 * kPage, 2 * kPage), (std::vector{Lookup::none, Lookup::by_page}));
  EXPECT_EQ(records().size(), 4u) << "all are checked";
}

// The bytes of any memory may have cells when the action runs.
TEST_F(DirectVersions, DoNotRunOnceAShaderMayStoreBytes) {
  EXPECT_EQ(bound_in(one_dispatch(words_)).size(), 1u);
  create_bytes();
  const std::vector<VkPipeline> bound = bound_in(one_dispatch(words_));
  ASSERT_EQ(bound.size(), 2u);
  EXPECT_EQ(lookup_of(bound[0]), Lookup::none);
  EXPECT_EQ(lookup_of(bound[1]), Lookup::by_page);
  const VkPipeline later = create_compute_with(device(), shaders::accesses_comp, layout_);
  const std::vector<VkPipeline> at_once = bound_in(one_dispatch(later));
  ASSERT_EQ(at_once.size(), 1u);
  EXPECT_EQ(lookup_of(at_once[0]), Lookup::by_page);
  vk().vkDestroyPipeline(device().handle, later, nullptr);
}

TEST_F(DirectVersions, SayWhatTheyLeaveUncheckedIfBytesGetCellsLater) {
  const VkCommandBuffer commands = one_dispatch(words_);
  submit({commands});
  EXPECT_EQ(notes_about("recorded before shaders stored parts of words").size(), 0u);
  create_bytes();
  const VkCommandBuffer looks_up = one_dispatch(words_);
  one_dispatch(bytes_);
  submit({looks_up});
  EXPECT_EQ(notes_about("recorded before shaders stored parts of words").size(), 0u);
  for (int i = 0; i < 2; ++i) submit({commands});
  EXPECT_EQ(notes_about("recorded before shaders stored parts of words").size(), 1u);
}

// Barriers for parts of what is bound are how this program works.
TEST_F(DirectVersions, AreNotMadeInVainForEver) {
  std::vector<VkPipeline> pipelines;
  for (int i = 0; i < 6; ++i) {
    pipelines.push_back(create_compute_with(device(), shaders::accesses_comp, layout_));
    const VkCommandBuffer commands = begin();
    barrier_for(commands, 2 * kPage, kPage);
    bind_to(commands, pipelines.back());
    dispatch(commands);
    end(commands);
    const std::vector<VkPipeline> bound = bound_in(commands);
    ASSERT_EQ(bound.size(), i < 4 ? 2u : 1u) << i;
    EXPECT_EQ(lookup_of(bound.back()), Lookup::by_page);
  }
  for (const VkPipeline pipeline : pipelines) vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
}

TEST_F(DirectVersions, AVersionThatTheDriverRefusesMeansTheOwn) {
  const VkCommandBuffer commands = begin();
  bind_to(commands, words_);
  dispatch(commands);
  null_driver::Config config;
  config.accepted_words = {shaders::accesses_comp};
  driver().configure(config);
  barrier_for(commands, 2 * kPage, kPage);
  dispatch(commands);
  end(commands);
  const std::vector<VkPipeline> bound = bound_in(commands);
  ASSERT_EQ(bound.size(), 2u);
  EXPECT_EQ(bound[1], words_);
  EXPECT_GE(notes_about("the driver refuses its instrumented form").size(), 1u)
      << "maybe also of the other one";
  submit({commands});
}

}  // namespace
}  // namespace shaderqa::layer_tests
