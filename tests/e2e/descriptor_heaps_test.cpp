// SPDX-License-Identifier: Apache-2.0
// Accesses through descriptors in descriptor heaps are checked like those through sets. Drivers without
// VK_EXT_descriptor_heap skip these tests.
#include "descriptor_twins.h"

namespace shaderqa::testing {
namespace {

// As tests/e2e/descriptor_heaps_runner.cpp has it.
const char* const kShader = R"(#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint step; uint which; };
layout(set = 40, binding = 0) buffer Io { uint io[]; };
layout(set = 40, binding = 1) buffer Data { uint words[]; } data ARRAY;
layout(set = 40, binding = 2) uniform Block { uvec4 quads[16]; } block;
layout(set = 40, binding = 3) uniform usamplerBuffer texels;
layout(set = 40, binding = 4, r32ui) uniform uimageBuffer stored;
layout(set = 40, binding = 5, r32ui) uniform uimage2D picture;
layout(set = 40, binding = 6) uniform utexture2D seen;
layout(set = 40, binding = 7) uniform usampler2D sampled;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (step == 0) {
    WRITE;
  } else {
    io[i] = (READ) * 2u;
  }
}
)";
constexpr int kReadLine = 18;

class DescriptorHeaps : public DescriptorTwins {
 protected:
  // What validation layers and drivers of this age say is not the layer's concern.
  DescriptorHeaps() : DescriptorTwins("e2e_descriptor_heaps_runner", kShader, 40, Extension::optional) {
    environment.erase("VK_INSTANCE_LAYERS");
  }
};

constexpr const char* kLacks = "the driver has no VK_EXT_descriptor_heap";

class TwinsInHeaps : public DescriptorHeaps, public ::testing::WithParamInterface<DescriptorTwin> {};

TEST_P(TwinsInHeaps, TheRacyOneIsFoundAndTheOtherIsSilent) {
  const auto hazard = race_of(GetParam(), {"--sync"});
  if (lacks_) GTEST_SKIP() << kLacks;
  EXPECT_EQ(buffer_of(hazard), "data");
  EXPECT_EQ(line_of(hazard), kReadLine);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TwinsInHeaps,
    ::testing::Values(DescriptorTwin{"offset"}, DescriptorTwin{"index"}, DescriptorTwin{"moved"},
                      DescriptorTwin{"fill"}, DescriptorTwin{"object"}, DescriptorTwin{"memory"},
                      DescriptorTwin{"each"},
                      DescriptorTwin{"each element", "data[which].words[i] = i * 3u + 1u",
                                     "data[which ^ 1u].words[63u - i]"},
                      DescriptorTwin{"memory uniform", "data[0].words[i] = i * 3u + 1u",
                                     "block.quads[(63u - i) >> 2][(63u - i) & 3u]"},
                      DescriptorTwin{"within the heap", "data[0].words[i] = i * 3u + 1u",
                                     "block.quads[(63u - i) >> 2][(63u - i) & 3u]"},
                      DescriptorTwin{"pointer", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""},
                      // Found although nothing has written the buffer when it is read.
                      DescriptorTwin{"pointer read first", "if (data.words[63u - i] == 9u) io[0] = 1u",
                                     "data.words[i] = i", ""},
                      DescriptorTwin{"address", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""},
                      DescriptorTwin{"offset array", "data[which].words[i] = i * 3u + 1u",
                                     "data[which ^ 1u].words[63u - i]"},
                      DescriptorTwin{"index unbounded", "data[which].words[i] = i * 3u + 1u",
                                     "data[which ^ 1u].words[63u - i]", "[]"},
                      DescriptorTwin{"offset uniform", "data[0].words[i] = i * 3u + 1u",
                                     "block.quads[(63u - i) >> 2][(63u - i) & 3u]"},
                      DescriptorTwin{"index texels", "imageStore(stored, int(i), uvec4(i))",
                                     "texelFetch(texels, int(63u - i)).x"},
                      DescriptorTwin{"index atomics", "atomicAdd(data[0].words[i], 3u)",
                                     "data[3].words[63u - i]"}),
    name_of);

class ImagesInHeaps : public DescriptorHeaps, public ::testing::WithParamInterface<DescriptorTwin> {};

TEST_P(ImagesInHeaps, AreCheckedWithSyncImages) {
  const auto hazard = race_of(GetParam(), {"--sync", "--sync-images"});
  if (lacks_) GTEST_SKIP() << kLacks;
  EXPECT_TRUE(hazard.contains("image"));
  EXPECT_EQ(line_of(hazard), kReadLine);
}

constexpr const char* kStore = "imageStore(picture, ivec2(i & 7u, i >> 3), uvec4(i))";
INSTANTIATE_TEST_SUITE_P(
    Kinds, ImagesInHeaps,
    ::testing::Values(DescriptorTwin{"image loaded", kStore, "imageLoad(picture, ivec2(i >> 3, i & 7u)).x"},
                      DescriptorTwin{"image fetched", kStore, "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x"},
                      DescriptorTwin{"image sampled", kStore,
                                     "textureLod(sampled, (vec2(i >> 3, i & 7u) + 0.5) / 8.0, 0.0).x"},
                      DescriptorTwin{"embedded sampler", kStore,
                                     "textureLod(sampled, (vec2(i >> 3, i & 7u) + 0.5) / 8.0, 0.0).x"},
                      DescriptorTwin{"picture by memory", kStore,
                                     "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x"},
                      DescriptorTwin{"again", kStore, "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x"}),
    name_of);

TEST_F(DescriptorHeaps, NameTheLayoutsOfTheirImages) {
  const char* const read = "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x";
  const auto finding = wrong_layout({"layout", kStore, read}, {"layouts", kStore, read});
  if (lacks_) GTEST_SKIP() << kLacks;
  expect_named_and_is(finding, kReadLine);
}

// Reads of an image whose views are not followed, beside writes of one whose views are.
TEST_F(DescriptorHeaps, OfImagesThatAreNotFollowedLeadToNoOther) {
  const DescriptorTwin test{"stencil", kStore, "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x * 0u"};
  const Outcome outcome = twin(test, "racy", {"--sync", "--sync-images"});
  if (lacks_) GTEST_SKIP() << kLacks;
  EXPECT_THAT(outcome.of_kind("hazard"), IsEmpty()) << all_of(outcome.findings);
}

TEST_F(DescriptorHeaps, OfDrawsAreFollowedInTheRenderPass) {
  const auto hazard = race_of_draws();
  if (lacks_) GTEST_SKIP() << kLacks;
  EXPECT_EQ(buffer_of(hazard), "data");
  EXPECT_EQ(line_of(hazard), kFragmentsRead);
}

TEST_F(DescriptorHeaps, OfInputsAreFollowed) {
  const auto hazard = race_of_inputs();
  if (lacks_) GTEST_SKIP() << kLacks;
  EXPECT_TRUE(hazard.contains("image"));
  EXPECT_EQ(line_of(hazard), kInputRead);
}

TEST_F(DescriptorHeaps, OfTracesAreFollowed) {
  const auto hazard = race_of_rays();
  if (lacks_) GTEST_SKIP() << kLacks;
  EXPECT_EQ(buffer_of(hazard), "data");
  EXPECT_EQ(line_of(hazard), kCallableReads);
}

// What the driver did not write cannot be looked up, which is said.
TEST_F(DescriptorHeaps, UnknownBytesAreSaid) {
  expect_note_alone({"unknown"}, {"--sync"}, "nothing is known of their bytes");
  if (lacks_) GTEST_SKIP() << kLacks;
}

TEST_F(DescriptorHeaps, TheFilterSaysThatItDoesNotFollowThem) {
  expect_note_alone({"offset"}, {"--sync=bloom"}, "the engine does not follow such descriptors");
  if (lacks_) GTEST_SKIP() << kLacks;
}

}  // namespace
}  // namespace shaderqa::testing
