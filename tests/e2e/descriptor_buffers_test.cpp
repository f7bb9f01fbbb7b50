// SPDX-License-Identifier: Apache-2.0
// Accesses through descriptors in descriptor buffers are checked like those through sets.
#include <algorithm>
#include <ostream>
#include <string>

#include "e2e_test.h"
#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

// As tests/e2e/descriptor_buffers_runner.cpp has it.
const char* const kShader = R"(#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint step; uint which; };
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(set = 0, binding = 1) buffer Data { uint words[]; } data[4];
layout(set = 0, binding = 1) uniform usamplerBuffer views[4];
layout(set = 0, binding = 2) uniform Block { uvec4 quads[16]; } block;
layout(set = 0, binding = 3) uniform usamplerBuffer texels;
layout(set = 0, binding = 4, r32ui) uniform uimageBuffer stored;
layout(set = 0, binding = 5, r32ui) uniform uimage2D picture;
layout(set = 0, binding = 6) uniform utexture2D seen;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (step == 0) {
    WRITE;
  } else {
    io[i] = (READ) * 2u;
  }
}
)";

// The same in the fragments of two draws.
const char* const kFragment = R"(layout(push_constant) uniform Push { uint step; uint which; };
layout(set = 0, binding = 1) buffer Data { uint words[]; } data[4];
layout(location = 0) out vec4 colour;
void main() {
  uint i = uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x);
  colour = vec4(0.0);
  if (step == 0) {
    data[0].words[i] = i * 3u + 1u;
  } else {
    colour.r = float(data[0].words[63u - i]) / 255.0;
  }
}
)";
const char* const kTriangle = R"(void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)";

struct Buffered {
  const char* mode;
  const char* write = "data[0].words[i] = i * 3u + 1u";
  const char* read = "data[0].words[63u - i]";
};

void PrintTo(const Buffered& test, std::ostream* out) { *out << test.mode; }

class DescriptorBuffers : public EndToEnd {
 protected:
  DescriptorBuffers() { environment["GALLIVM_PERF"] = "nopt"; }

  Outcome twin(const Buffered& test, const std::string& which, const Texts& options) {
    const std::string file = compile_glsl(
        directory.path(), "shader", "comp",
        std::string("#define WRITE ") + test.write + "\n#define READ " + test.read + "\n#line 1\n" + kShader,
        {"-g"});
    std::string mode = test.mode;
    mode = mode.substr(0, mode.find(' '));
    return run_twin({mode, which, file}, options);
  }

  Outcome run_twin(const Texts& arguments, const Texts& options) {
    Texts command;
    if (!options.empty()) command = {SHADERQA_BIN_DIR "/shaderqa", "run", "--report", report};
    command.insert(command.end(), options.begin(), options.end());
    if (!options.empty()) command.push_back("--");
    Texts program{SHADERQA_BIN_DIR "/e2e_descriptor_buffers_runner"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    program = with_test_loader(program);
    command.insert(command.end(), program.begin(), program.end());
    Outcome outcome = finish(run(command, environment, directory.path()));
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    return outcome;
  }
};

class BufferedTwins : public DescriptorBuffers, public ::testing::WithParamInterface<Buffered> {};

TEST_P(BufferedTwins, TheRacyOneIsFoundAndTheOtherIsSilent) {
  const Outcome plain = twin(GetParam(), "correct", {});
  const Outcome correct = twin(GetParam(), "correct", {"--sync"});
  EXPECT_EQ(correct.process.out, plain.process.out);
  EXPECT_THAT(correct.of_kind("hazard"), IsEmpty()) << all_of(correct.findings);
  EXPECT_THAT(correct.notes(), IsEmpty());

  const Outcome racy = twin(GetParam(), "racy", {"--sync"});
  const auto hazards = racy.of_kind("hazard");
  ASSERT_EQ(hazards.size(), 1u) << all_of(racy.findings) << racy.process.err;
  EXPECT_EQ(buffer_of(hazards[0]), "data");
  EXPECT_EQ(hazards[0]["source"].value("line", 0), 18);
}

class BufferedImages : public DescriptorBuffers, public ::testing::WithParamInterface<Buffered> {};

TEST_P(BufferedImages, AreCheckedWithSyncImages) {
  const Outcome plain = twin(GetParam(), "correct", {});
  const Outcome correct = twin(GetParam(), "correct", {"--sync", "--sync-images"});
  EXPECT_EQ(correct.process.out, plain.process.out);
  EXPECT_THAT(correct.of_kind("hazard"), IsEmpty()) << all_of(correct.findings);
  EXPECT_THAT(correct.notes(), IsEmpty());
  const Outcome racy = twin(GetParam(), "racy", {"--sync", "--sync-images"});
  const auto hazards = racy.of_kind("hazard");
  ASSERT_EQ(hazards.size(), 1u) << all_of(racy.findings) << racy.process.err;
  EXPECT_TRUE(hazards[0].contains("image"));
  EXPECT_EQ(hazards[0]["source"].value("line", 0), 18);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BufferedImages,
    ::testing::Values(Buffered{"image loaded", "imageStore(picture, ivec2(i & 7u, i >> 3), uvec4(i))",
                               "imageLoad(picture, ivec2(i >> 3, i & 7u)).x"},
                      Buffered{"image fetched", "imageStore(picture, ivec2(i & 7u, i >> 3), uvec4(i))",
                               "texelFetch(seen, ivec2(i >> 3, i & 7u), 0).x"}),
    [](const auto& instance) {
      std::string name = instance.param.mode;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

INSTANTIATE_TEST_SUITE_P(
    Modes, BufferedTwins,
    ::testing::Values(
        Buffered{"plain"},
        // Found although nothing has written the buffer when it is read.
        Buffered{"plain read first", "if (data[0].words[63u - i] == 9u) io[0] = 1u", "data[0].words[i] = i"},
        Buffered{"offsets"}, Buffered{"overwritten"}, Buffered{"reused"}, Buffered{"memcpy"},
        Buffered{"copied"}, Buffered{"secondary"},
        Buffered{"mutable", "data[0].words[i] = i * 3u + 1u", "texelFetch(views[1], int(63u - i)).x"},
        Buffered{"plain array", "data[which].words[i] = i * 3u + 1u", "data[which ^ 1u].words[63u - i]"},
        Buffered{"plain bindless", "data[nonuniformEXT(i & 3u)].words[i] = i * 3u + 1u",
                 "data[nonuniformEXT(i * 7u & 3u)].words[63u - i]"},
        Buffered{"plain uniform", "data[0].words[i] = i * 3u + 1u",
                 "block.quads[(63u - i) >> 2][(63u - i) & 3u]"},
        Buffered{"plain texels", "imageStore(stored, int(i), uvec4(i))",
                 "texelFetch(texels, int(63u - i)).x"},
        Buffered{"plain stored texels", "imageStore(stored, int(i), uvec4(i))",
                 "imageLoad(stored, int(63u - i)).x"},
        Buffered{"plain atomics", "atomicAdd(data[0].words[i], 3u)", "data[3].words[63u - i]"}),
    [](const auto& instance) {
      std::string name = instance.param.mode;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST_F(DescriptorBuffers, OfDrawsAreFollowedInTheRenderPass) {
  const std::string fragment =
      compile_glsl(directory.path(), "fragment", "frag", std::string("#line 1\n") + kFragment, {"-g"});
  const std::string vertex = compile_glsl(directory.path(), "vertex", "vert", kTriangle, {});
  const Outcome plain = run_twin({"draws", "correct", fragment, vertex}, {});
  const Outcome correct = run_twin({"draws", "correct", fragment, vertex}, {"--sync"});
  EXPECT_EQ(correct.process.out, plain.process.out);
  EXPECT_THAT(correct.of_kind("hazard"), IsEmpty()) << all_of(correct.findings);
  EXPECT_THAT(correct.notes(), IsEmpty());
  const Outcome racy = run_twin({"draws", "racy", fragment, vertex}, {"--sync"});
  const auto hazards = racy.of_kind("hazard");
  ASSERT_EQ(hazards.size(), 1u) << all_of(racy.findings) << racy.process.err;
  EXPECT_EQ(buffer_of(hazards[0]), "data");
  EXPECT_EQ(hazards[0]["source"].value("line", 0), 10);
}

// What the driver did not give cannot be looked up, which is said.
TEST_F(DescriptorBuffers, UnknownBytesAreSaid) {
  const Buffered test{"unknown"};
  const Outcome plain = twin(test, "racy", {});
  const Outcome layered = twin(test, "racy", {"--sync"});
  EXPECT_EQ(layered.process.out, plain.process.out);
  EXPECT_THAT(layered.of_kind("hazard"), IsEmpty());
  EXPECT_THAT(layered.notes(), ElementsAre(HasSubstr("nothing is known of their bytes")));
}

// The other engine says that it does not look.
TEST_F(DescriptorBuffers, TheFilterSaysThatItDoesNotFollowThem) {
  const Outcome layered = twin({"plain"}, "racy", {"--sync=bloom"});
  EXPECT_THAT(layered.of_kind("hazard"), IsEmpty());
  EXPECT_THAT(layered.notes(), ElementsAre(HasSubstr("the engine does not follow such descriptors")));
}

}  // namespace
}  // namespace shaderqa::testing
