// SPDX-License-Identifier: Apache-2.0
// Accesses through descriptors in descriptor heaps are checked like those through sets. Drivers without
// VK_EXT_descriptor_heap skip these tests.
#include <algorithm>
#include <ostream>
#include <string>

#include "e2e_test.h"
#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

// As tests/e2e/descriptor_heaps_runner.cpp has it.
const char* const kShader = R"(#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint step; uint which; };
layout(set = 40, binding = 0) buffer Io { uint io[]; };
layout(set = 40, binding = 1) buffer Data { uint words[]; } data ARRAY;
layout(set = 40, binding = 2) uniform Block { uvec4 quads[16]; } block;
layout(set = 40, binding = 3) uniform usamplerBuffer texels;
layout(set = 40, binding = 4, r32ui) uniform uimageBuffer stored;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (step == 0) {
    WRITE;
  } else {
    io[i] = (READ) * 2u;
  }
}
)";
constexpr int kReadLine = 14;

const char* const kFragment = R"(layout(push_constant) uniform Push { uint step; uint which; };
layout(set = 40, binding = 1) buffer Data { uint words[]; } data[4];
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

struct InHeap {
  const char* mode;
  const char* write = "data[0].words[i] = i * 3u + 1u";
  const char* read = "data[0].words[63u - i]";
  const char* array = "[4]";
};

void PrintTo(const InHeap& test, std::ostream* out) { *out << test.mode; }

class DescriptorHeaps : public EndToEnd {
 protected:
  // What validation layers and drivers of this age say is not the layer's concern.
  DescriptorHeaps() { environment.erase("VK_INSTANCE_LAYERS"); }

  Outcome twin(const InHeap& test, const std::string& which, const Texts& options) {
    const std::string file =
        compile_glsl(directory.path(), "shader", "comp",
                     std::string("#define WRITE ") + test.write + "\n#define READ " + test.read +
                         "\n#define ARRAY " + test.array + "\n#line 1\n" + kShader,
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
    Texts program{SHADERQA_BIN_DIR "/e2e_descriptor_heaps_runner"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    program = with_test_loader(program);
    command.insert(command.end(), program.begin(), program.end());
    Outcome outcome = finish(run(command, environment, directory.path()));
    lacks_ = lacks_an_extension(outcome.process);
    EXPECT_TRUE(lacks_ || outcome.process.exit_code == 0) << outcome.process.err;
    return outcome;
  }

  bool lacks_ = false;  // the driver, the extension
};

class TwinsInHeaps : public DescriptorHeaps, public ::testing::WithParamInterface<InHeap> {};

TEST_P(TwinsInHeaps, TheRacyOneIsFoundAndTheOtherIsSilent) {
  const Outcome plain = twin(GetParam(), "correct", {});
  if (lacks_) GTEST_SKIP() << "the driver has no VK_EXT_descriptor_heap";
  const Outcome correct = twin(GetParam(), "correct", {"--sync"});
  EXPECT_EQ(correct.process.out, plain.process.out);
  EXPECT_THAT(correct.of_kind("hazard"), IsEmpty()) << all_of(correct.findings);
  EXPECT_THAT(correct.notes(), IsEmpty());

  const Outcome racy = twin(GetParam(), "racy", {"--sync"});
  const auto hazards = racy.of_kind("hazard");
  ASSERT_EQ(hazards.size(), 1u) << all_of(racy.findings) << racy.process.err;
  EXPECT_EQ(buffer_of(hazards[0]), "data");
  EXPECT_EQ(hazards[0]["source"].value("line", 0), kReadLine);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TwinsInHeaps,
    ::testing::Values(
        InHeap{"offset"}, InHeap{"index"}, InHeap{"moved"}, InHeap{"fill"}, InHeap{"object"},
        InHeap{"address", "data.words[i] = i * 3u + 1u", "data.words[63u - i]", ""},
        InHeap{"offset array", "data[which].words[i] = i * 3u + 1u", "data[which ^ 1u].words[63u - i]"},
        InHeap{"index unbounded", "data[which].words[i] = i * 3u + 1u", "data[which ^ 1u].words[63u - i]",
               "[]"},
        InHeap{"offset uniform", "data[0].words[i] = i * 3u + 1u",
               "block.quads[(63u - i) >> 2][(63u - i) & 3u]"},
        InHeap{"index texels", "imageStore(stored, int(i), uvec4(i))", "texelFetch(texels, int(63u - i)).x"},
        InHeap{"index atomics", "atomicAdd(data[0].words[i], 3u)", "data[3].words[63u - i]"}),
    [](const auto& instance) {
      std::string name = instance.param.mode;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST_F(DescriptorHeaps, OfDrawsAreFollowedInTheRenderPass) {
  const std::string fragment =
      compile_glsl(directory.path(), "fragment", "frag", std::string("#line 1\n") + kFragment, {"-g"});
  const std::string vertex = compile_glsl(directory.path(), "vertex", "vert", kTriangle, {});
  const Outcome plain = run_twin({"draws", "correct", fragment, vertex}, {});
  if (lacks_) GTEST_SKIP() << "the driver has no VK_EXT_descriptor_heap";
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

// What the driver did not write cannot be looked up, which is said.
TEST_F(DescriptorHeaps, UnknownBytesAreSaid) {
  const InHeap test{"unknown"};
  const Outcome plain = twin(test, "racy", {});
  if (lacks_) GTEST_SKIP() << "the driver has no VK_EXT_descriptor_heap";
  const Outcome layered = twin(test, "racy", {"--sync"});
  EXPECT_EQ(layered.process.out, plain.process.out);
  EXPECT_THAT(layered.of_kind("hazard"), IsEmpty());
  EXPECT_THAT(layered.notes(), ElementsAre(HasSubstr("nothing is known of their bytes")));
}

TEST_F(DescriptorHeaps, TheFilterSaysThatItDoesNotFollowThem) {
  twin({"offset"}, "racy", {});
  if (lacks_) GTEST_SKIP() << "the driver has no VK_EXT_descriptor_heap";
  const Outcome layered = twin({"offset"}, "racy", {"--sync=bloom"});
  EXPECT_THAT(layered.of_kind("hazard"), IsEmpty());
  EXPECT_THAT(layered.notes(), ElementsAre(HasSubstr("the engine does not follow such descriptors")));
}

}  // namespace
}  // namespace shaderqa::testing
