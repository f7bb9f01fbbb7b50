// SPDX-License-Identifier: Apache-2.0
// With start=first_use, libraries of graphics pipelines and what is linked from them are the application's
// own. Their checked versions are made, and linked, when such a pipeline is bound.
#include <chrono>
#include <thread>

#include "tests/layer/command_kit.h"
#include "tests/layer/compiler_kit.h"
#include "tests/layer/heap_kit.h"
#include "tests/layer/library_kit.h"

namespace shaderqa::layer_tests {
namespace {

class LinkedLater : public CommandTest {
 protected:
  explicit LinkedLater(const std::map<std::string, std::string>& more = {})
      : CommandTest({library_features(), nullptr, library_extensions()}, {}, "exact", with(more)) {}
  static std::map<std::string, std::string> with(std::map<std::string, std::string> settings) {
    settings.emplace("SHADERQA_START", "first_use");
    return settings;
  }
  void TearDown() override {
    for (const VkPipeline pipeline : made_) destroy(pipeline);
    CommandTest::TearDown();
  }
  void destroy(VkPipeline pipeline) { vk().vkDestroyPipeline(device().handle, pipeline, nullptr); }
  VkPipeline part(const PartInfo& info) { return made_.emplace_back(create_part(device(), info)); }
  VkPipeline fragment_part(VkPipelineLayout layout) {
    return part({.parts = layer::kFragmentShader, .words = &shaders::accesses_frag, .layout = layout});
  }
  // The four parts, of which the fragment shader alone has something to check.
  std::vector<VkPipeline> four_parts() {
    return {part({.parts = layer::kVertexInput}),
            part({.parts = layer::kPreRasterization, .words = &shaders::silent_vert, .layout = layout_}),
            fragment_part(layout_), part({.parts = layer::kFragmentOutput})};
  }
  VkPipeline link(const std::vector<VkPipeline>& libraries, const void* chain = nullptr) {
    return part({.libraries = libraries, .layout = layout_, .library = false, .chain = chain});
  }
  void destroy_all_but(VkPipeline kept) {
    for (const VkPipeline pipeline : made_)
      if (pipeline != kept) destroy(pipeline);
    made_ = {kept};
  }
  // What the driver is told to bind in place of it.
  VkPipeline used(VkPipeline pipeline) { return use(device(), pipeline, VK_PIPELINE_BIND_POINT_GRAPHICS); }
  static std::vector<uint64_t> libraries_of(VkPipeline pipeline) { return record_of(pipeline).libraries; }
  static Words words_of(uint64_t pipeline) {
    const auto record = record_of(reinterpret_cast<VkPipeline>(pipeline));
    return record.stages.empty() ? Words() : record.stages[0].words;
  }
  static uint64_t value(VkPipeline pipeline) { return reinterpret_cast<uint64_t>(pipeline); }

  std::vector<VkPipeline> made_;
};

TEST_F(LinkedLater, TheApplicationsAreItsOwnAndTheCheckedOneIsLinkedBeside) {
  const std::vector<VkPipeline> parts = four_parts();
  const VkPipeline linked = link(parts);
  EXPECT_EQ(words_of(value(parts[2])), shaders::accesses_frag);
  EXPECT_EQ(libraries_of(linked).size(), 4u);
  const VkPipeline bound = used(linked);
  ASSERT_NE(bound, linked);
  const std::vector<uint64_t> libraries = libraries_of(bound);
  ASSERT_EQ(libraries.size(), 4u);
  for (const size_t i : {0u, 1u, 3u}) EXPECT_EQ(libraries[i], value(parts[i])) << "it has nothing to check";
  ASSERT_NE(libraries[2], value(parts[2]));
  EXPECT_NE(words_of(libraries[2]), shaders::accesses_frag);
  EXPECT_EQ(record_of(bound).layout, record_of(linked).layout);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(LinkedLater, ItsDrawsHaveRecords) {
  const VkPipeline linked = link(four_parts());
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, linked);
  draw(commands);
  end(commands);
  EXPECT_EQ(records().size(), 1u);
}

TEST_F(LinkedLater, AnotherLinkHasTheSameCheckedLibrary) {
  const std::vector<VkPipeline> parts = four_parts();
  const VkPipeline one = used(link(parts)), other = used(link(parts));
  EXPECT_NE(one, other);
  EXPECT_EQ(libraries_of(one), libraries_of(other));
}

TEST_F(LinkedLater, LibrariesAndLayoutsMayBeGoneBefore) {
  compile_slowly(50, {shaders::accesses_frag, shaders::silent_vert});
  const VkPipelineLayout layout = create_pipeline_layout(device(), {set_layout_});
  const VkPipeline linked =
      link({part({.parts = layer::kVertexInput}),
            part({.parts = layer::kPreRasterization, .words = &shaders::silent_vert, .layout = layout}),
            fragment_part(layout), part({.parts = layer::kFragmentOutput})});
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  const int64_t pipelines = driver().log().live["VkPipeline"];
  destroy_all_but(linked);
  EXPECT_GE(driver().log().live["VkPipeline"], pipelines) << "the checked version may have to be linked";
  const VkPipeline bound = used(linked);
  EXPECT_NE(bound, linked);
  EXPECT_EQ(libraries_of(bound).size(), 4u) << "the driver complains of those that are gone";
}

TEST_F(LinkedLater, AllIsDestroyedWithTheLink) {
  use(device(), pipeline_);  // nothing is being made from here on
  const int64_t before = driver().log().live["VkPipeline"];
  const VkPipeline linked = link(four_parts());
  used(linked);
  destroy_all_but(linked);
  destroy(linked);
  made_.clear();
  // A worker may hold what it has just made a moment longer.
  for (int i = 0; i < 500 && driver().log().live["VkPipeline"] != before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(driver().log().live["VkPipeline"], before);
}

TEST_F(LinkedLater, APipelineOfALibraryThatIsLinkedItself) {
  const std::vector<VkPipeline> parts = four_parts();
  const VkPipeline half = part({.libraries = {parts[0], parts[1], parts[2]}, .layout = layout_});
  const VkPipeline bound = used(link({half, parts[3]}));
  const std::vector<uint64_t> libraries = libraries_of(bound);
  ASSERT_EQ(libraries.size(), 2u);
  ASSERT_NE(libraries[0], value(half));
  const auto inner = libraries_of(reinterpret_cast<VkPipeline>(libraries[0]));
  ASSERT_EQ(inner.size(), 3u);
  EXPECT_NE(words_of(inner[2]), shaders::accesses_frag);
}

TEST_F(LinkedLater, APartOfItsOwnBesideLibraries) {
  const std::vector<VkPipeline> parts = four_parts();
  const VkPipeline linked = part({.parts = layer::kFragmentShader,
                                  .words = &shaders::accesses_frag,
                                  .libraries = {parts[0], parts[1], parts[3]},
                                  .layout = layout_,
                                  .library = false});
  const VkPipeline bound = used(linked);
  ASSERT_NE(bound, linked);
  EXPECT_EQ(libraries_of(bound).size(), 3u);
  EXPECT_NE(words_of(value(bound)), shaders::accesses_frag);
}

TEST_F(LinkedLater, NothingToCheckMeansTheOwn) {
  const std::vector<VkPipeline> parts = {
      part({.parts = layer::kVertexInput}),
      part({.parts = layer::kPreRasterization, .words = &shaders::silent_vert, .layout = layout_}),
      part({.parts = layer::kFragmentOutput})};
  const VkPipeline linked = link(parts);
  EXPECT_EQ(used(linked), linked);
}

TEST_F(LinkedLater, ALibraryThatTheDriverRefusesIsTheOwn) {
  use(device(), pipeline_);
  accept({shaders::accesses_frag, shaders::silent_vert});
  const VkPipeline linked = link(four_parts());
  EXPECT_EQ(used(linked), linked);
  EXPECT_EQ(notes_about("the driver refuses its instrumented form").size(), 1u);
}

// Nothing must be destroyed later than its allocator allows.
TEST_F(LinkedLater, LibrariesWithAnAllocatorGoAtOnce) {
  const VkAllocationCallbacks allocator{};
  std::vector<VkPipeline> parts = {
      create_part(device(), {.parts = layer::kVertexInput, .allocator = &allocator}),
      create_part(device(), {.parts = layer::kPreRasterization,
                             .words = &shaders::silent_vert,
                             .layout = layout_,
                             .allocator = &allocator}),
      fragment_part(layout_),
      create_part(device(), {.parts = layer::kFragmentOutput, .allocator = &allocator})};
  const VkPipeline linked = link(parts);
  for (const size_t i : {0u, 1u, 3u}) vk().vkDestroyPipeline(device().handle, parts[i], &allocator);
  const VkPipeline bound = used(linked);
  EXPECT_NE(bound, linked);
  const std::vector<uint64_t> libraries = libraries_of(bound);
  ASSERT_EQ(libraries.size(), 4u);
  EXPECT_EQ(words_of(libraries[1]), shaders::silent_vert);
}

// What cannot be copied cannot be made later.
TEST_F(LinkedLater, AnUnknownStructureAtALibraryMeansChecksAtOnce) {
  VkBaseInStructure unknown{};
  unknown.sType = static_cast<VkStructureType>(2000000000);
  std::vector<VkPipeline> parts = four_parts();
  parts[2] = part({.parts = layer::kFragmentShader,
                   .words = &shaders::accesses_frag,
                   .layout = layout_,
                   .chain = &unknown});
  EXPECT_NE(words_of(value(parts[2])), shaders::accesses_frag);
  const VkPipeline linked = link(parts);
  EXPECT_EQ(used(linked), linked) << "it has its checks";
  EXPECT_EQ(notes(), std::vector<std::string>());
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, linked);
  draw(commands);
  end(commands);
  EXPECT_EQ(records().size(), 1u);
}

TEST_F(LinkedLater, AnUnknownStructureAtTheLinkIsSaid) {
  VkBaseInStructure unknown{};
  unknown.sType = static_cast<VkStructureType>(2000000000);
  const VkPipeline linked = link(four_parts(), &unknown);
  EXPECT_EQ(used(linked), linked);
  EXPECT_EQ(notes_about("linked from libraries are not checked").size(), 1u);
}

class LinkedAtOnce : public LinkedLater {
 protected:
  LinkedAtOnce() : LinkedLater({{"SHADERQA_START", "creation"}}) {}
};

TEST_F(LinkedAtOnce, TheLibraryHasTheChecks) {
  const std::vector<VkPipeline> parts = four_parts();
  EXPECT_NE(words_of(value(parts[2])), shaders::accesses_frag);
  const VkPipeline linked = link(parts);
  EXPECT_EQ(used(linked), linked);
  EXPECT_EQ(libraries_of(linked).at(2), value(parts[2]));
}

// With descriptor heaps: all libraries look for the record's address at the end of push data.
class LinkedHeaps : public HeapTest {
 protected:
  explicit LinkedHeaps(const char* start = "first_use")
      : HeapTest({{"SHADERQA_START", start}}, library_extensions()) {}
  VkPipeline part(PartInfo info, const Mapping& mapped) {
    info.mapping = &mapped;
    return part(info);
  }
  VkPipeline part(PartInfo info) {
    info.more_flags |= VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
    return pipelines_.emplace_back(create_part(device(), info));
  }
  VkPipeline link(const Words& vertex, const Mapping& fragment_mapping) {
    const std::vector<VkPipeline> parts = {
        part({.parts = layer::kVertexInput}),
        part({.parts = layer::kPreRasterization, .words = &vertex}, at_offset(0)),
        part({.parts = layer::kFragmentShader, .words = &shaders::accesses_frag}, fragment_mapping),
        part({.parts = layer::kFragmentOutput})};
    return part({.libraries = parts, .library = false});
  }
  VkPipeline draw_with(VkPipeline pipeline, VkCommandBuffer& commands) {
    commands = begin();
    bind_heap(commands);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(commands);
    end(commands);
    return bound_in(commands).at(0);
  }
};

TEST_F(LinkedHeaps, AreCheckedAtFirstUse) {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  const VkPipeline linked = link(shaders::silent_vert, at_offset(256));
  EXPECT_NE(draw_with(linked, commands), linked);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "pipeline", "filled", "record", "draw"}));
  EXPECT_EQ(table_of(0, 0), kHeap);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

// Its push data ends where the others find the address.
TEST_F(LinkedHeaps, ALibraryThatReadsTheRecordsPlaceLeavesAllUnchecked) {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  const VkPipeline linked = link(shaders::silent_vert, at_index(kPlace, 64));
  EXPECT_EQ(draw_with(linked, commands), linked);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "pipeline", "draw"}));
  EXPECT_EQ(notes_about("leaves no room").size(), 1u);
}

class LinkedHeapsAtOnce : public LinkedHeaps {
 protected:
  LinkedHeapsAtOnce() : LinkedHeaps("creation") {}
};

TEST_F(LinkedHeapsAtOnce, AreLeftAloneWhichIsSaid) {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  const VkPipeline linked = link(shaders::silent_vert, at_offset(256));
  EXPECT_EQ(draw_with(linked, commands), linked);
  EXPECT_EQ(notes_about("they are linked from libraries").size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
