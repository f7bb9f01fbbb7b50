// SPDX-License-Identifier: Apache-2.0
// Accesses through descriptors in descriptor buffers are checked like those through sets.
#include "descriptor_twins.h"

namespace shaderqa::testing {
namespace {

// As tests/e2e/descriptor_buffers_runner.cpp has it.
const char* const kShader = R"(#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint step; uint which; };
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(set = 0, binding = 1) buffer Data { uint words[]; } data ARRAY;
layout(set = 0, binding = 1) uniform usamplerBuffer views[4];
layout(set = 0, binding = 2) uniform Block { uvec4 quads[16]; } block;
layout(set = 0, binding = 3) uniform usamplerBuffer texels;
layout(set = 0, binding = 4, r32ui) uniform uimageBuffer stored;
layout(set = 0, binding = 5, r32ui) uniform uimage2D picture;
layout(set = 0, binding = 6) uniform utexture2D seen;
layout(set = 0, binding = 7) buffer Other { uint others[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (step == 0) {
    WRITE;
  } else {
    io[i] = (READ) * 2u;
  }
}
)";

constexpr int kReadLine = 19;

class DescriptorBuffers : public DescriptorTwins {
 protected:
  DescriptorBuffers() : DescriptorTwins("e2e_descriptor_buffers_runner", kShader, 0, Extension::required) {}
};

class BufferedTwins : public DescriptorBuffers, public ::testing::WithParamInterface<DescriptorTwin> {};

TEST_P(BufferedTwins, TheRacyOneIsFoundAndTheOtherIsSilent) {
  const auto hazard = race_of(GetParam(), {"--sync"});
  EXPECT_EQ(buffer_of(hazard), "data");
  EXPECT_EQ(line_of(hazard), kReadLine);
}

class BufferedImages : public DescriptorBuffers, public ::testing::WithParamInterface<DescriptorTwin> {};

TEST_P(BufferedImages, AreCheckedWithSyncImages) {
  const auto hazard = race_of(GetParam(), {"--sync", "--sync-images"});
  EXPECT_TRUE(hazard.contains("image"));
  EXPECT_EQ(line_of(hazard), kReadLine);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BufferedImages,
    ::testing::Values(DescriptorTwin{"image loaded", "imageStore(picture, ivec2(i & 7u, i >> 3), uvec4(i))",
                                     "imageLoad(picture, ivec2(i >> 3, i & 7u)).x"},
                      DescriptorTwin{"image fetched", "imageStore(picture, ivec2(i & 7u, i >> 3), uvec4(i))",
                                     "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Modes, BufferedTwins,
    ::testing::Values(
        DescriptorTwin{"plain"},
        // Found although nothing has written the buffer when it is read.
        DescriptorTwin{"plain read first", "if (data[0].words[63u - i] == 9u) io[0] = 1u",
                       "data[0].words[i] = i"},
        DescriptorTwin{"offsets"}, DescriptorTwin{"overwritten"}, DescriptorTwin{"reused"},
        DescriptorTwin{"memcpy"}, DescriptorTwin{"copied"}, DescriptorTwin{"secondary"},
        DescriptorTwin{"mutable", "data[0].words[i] = i * 3u + 1u", "texelFetch(views[1], int(63u - i)).x"},
        DescriptorTwin{"plain array", "data[which].words[i] = i * 3u + 1u",
                       "data[which ^ 1u].words[63u - i]"},
        DescriptorTwin{"plain bindless", "data[nonuniformEXT(i & 3u)].words[i] = i * 3u + 1u",
                       "data[nonuniformEXT(i * 7u & 3u)].words[63u - i]"},
        DescriptorTwin{"plain uniform", "data[0].words[i] = i * 3u + 1u",
                       "block.quads[(63u - i) >> 2][(63u - i) & 3u]"},
        DescriptorTwin{"plain texels", "imageStore(stored, int(i), uvec4(i))",
                       "texelFetch(texels, int(63u - i)).x"},
        DescriptorTwin{"plain stored texels", "imageStore(stored, int(i), uvec4(i))",
                       "imageLoad(stored, int(63u - i)).x"},
        DescriptorTwin{"plain atomics", "atomicAdd(data[0].words[i], 3u)", "data[3].words[63u - i]"}),
    name_of);

TEST_F(DescriptorBuffers, NameTheLayoutsOfTheirImages) {
  const char *const store = "imageStore(picture, ivec2(i & 7u, i >> 3), uvec4(i))",
                    *const read = "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x";
  expect_named_and_is(wrong_layout({"layout", store, read}, {"layouts", store, read}), kReadLine);
}

// Descriptors that are resolved in front of each dispatch.
class ResolvedTwins : public DescriptorBuffers, public ::testing::WithParamInterface<DescriptorTwin> {};

TEST_P(ResolvedTwins, TheRacyOneIsFoundAndTheOtherIsSilent) {
  const auto hazard = race_of(GetParam(), {"--sync"});
  EXPECT_EQ(buffer_of(hazard), "data");
  EXPECT_EQ(line_of(hazard), kReadLine);
}

TEST_F(DescriptorBuffers, AreResolvedWhereBarriersAreJudged) {
  const DescriptorTwin test{"single", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""};
  EXPECT_THAT(twin(test, "correct", {"--sync", "--sync-redundant"}).of_kind("hazard"), IsEmpty());
  EXPECT_EQ(twin(test, "racy", {"--sync", "--sync-redundant"}).of_kind("hazard").size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, ResolvedTwins,
    ::testing::Values(DescriptorTwin{"single", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""},
                      // Nothing has written the buffer when it is read: the write that comes is seen ahead.
                      DescriptorTwin{"single read first", "if (data.words[63u - i] == 9u) io[0] = 1u",
                                     "data.words[i] = i", ""},
                      DescriptorTwin{"single uniform", "data.words[i] = i * 3u + 1u",
                                     "block.quads[(63u - i) >> 2][(63u - i) & 3u]", ""},
                      DescriptorTwin{"single texels", "imageStore(stored, int(i), uvec4(i))",
                                     "texelFetch(texels, int(63u - i)).x", ""},
                      DescriptorTwin{"single atomics", "atomicAdd(data.words[i], 3u)", "data.words[63u - i]",
                                     ""},
                      DescriptorTwin{"changed", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""},
                      DescriptorTwin{"moved", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""},
                      DescriptorTwin{"replaced", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""},
                      DescriptorTwin{"ranged", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""}),
    name_of);

// A dispatch reads through the same descriptor what it writes, and nothing else has written that before.
TEST_F(DescriptorBuffers, RacesOfADispatchWithItselfAreFound) {
  const auto hazards_with = [&](const std::string& between) {
    const std::string write =
        "data.words[i] = i; " + between + "if (data.words[63u - i] == 9999u) io[0] = 1u";
    const DescriptorTwin test{"single", write.c_str(), "0u", ""};
    return twin(test, "correct", {"--sync"}).of_kind("hazard");
  };
  EXPECT_THAT(hazards_with("memoryBarrierBuffer(); barrier(); "), IsEmpty());
  const auto hazards = hazards_with("");
  ASSERT_FALSE(hazards.empty());
  for (const auto& hazard : hazards) EXPECT_EQ(buffer_of(hazard), "data");
}

// Each invocation stores to an element of its own, unless another descriptor leads there, too.
TEST_F(DescriptorBuffers, ThatLeadToTheSameMemoryAreFoundToDoSo) {
  const DescriptorTwin test{"overlapping", "data.words[i] = others[63u - i] + 1u", "0u", ""};
  const Outcome correct = twin(test, "correct", {"--sync"});
  EXPECT_THAT(correct.of_kind("hazard"), IsEmpty()) << all_of(correct.findings);
  EXPECT_THAT(correct.notes(), IsEmpty());
  const auto hazards = twin(test, "racy", {"--sync"}).of_kind("hazard");
  ASSERT_FALSE(hazards.empty());
  for (const auto& hazard : hazards) EXPECT_EQ(buffer_of(hazard), "data");
}

// A buffer counts as written from its first write on. A read that ran before that is not compared with it
// (docs/internals/exact.md, What it does not see).
TEST_F(DescriptorBuffers, AReadInAnEarlierCommandBufferIsMissedOnce) {
  const DescriptorTwin test{"earlier", "if (data.words[63u - i] == 9999u) io[0] = 1u", "data.words[i] = i",
                            ""};
  EXPECT_THAT(twin_of_two(test, "correct", {"--sync"}).of_kind("hazard"), IsEmpty()) << "which runs once";
  const auto hazards = twin_of_two(test, "racy", {"--sync"}).of_kind("hazard");
  ASSERT_EQ(hazards.size(), 1u) << "which runs twice";
  EXPECT_EQ(buffer_of(hazards[0]), "data");
}

TEST_F(DescriptorBuffers, OfDrawsAreFollowedInTheRenderPass) {
  const auto hazard = race_of_draws();
  EXPECT_EQ(buffer_of(hazard), "data");
  EXPECT_EQ(line_of(hazard), kFragmentsRead);
}

TEST_F(DescriptorBuffers, OfInputsAreFollowed) {
  const auto hazard = race_of_inputs();
  EXPECT_TRUE(hazard.contains("image"));
  EXPECT_EQ(line_of(hazard), kInputRead);
}

// What the driver did not give cannot be looked up, which is said.
TEST_F(DescriptorBuffers, UnknownBytesAreSaid) {
  expect_note_alone({"unknown"}, {"--sync"}, "nothing is known of their bytes");
}

TEST_F(DescriptorBuffers, UnknownBytesOfResolvedOnesAreSaid) {
  expect_note_alone({"shifted", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""}, {"--sync"},
                    "nothing is known of their bytes");
}

// The other engine says that it does not look.
TEST_F(DescriptorBuffers, TheFilterSaysThatItDoesNotFollowThem) {
  expect_note_alone({"plain"}, {"--sync=bloom"}, "the engine does not follow such descriptors");
}

}  // namespace
}  // namespace shaderqa::testing
