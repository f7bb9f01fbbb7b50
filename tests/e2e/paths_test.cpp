// SPDX-License-Identifier: Apache-2.0
// Every path by which shaders get into pipelines: they print, check their assumptions and find the race
// between the two runs of the program's action, and the program computes what it computes without the layer.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <ostream>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

const char* const kIntrinsics = R"(#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5630) void assume_true(bool b);
layout(set = 0, binding = BINDING) buffer Io { uint io[]; };
#line 1
)";

// Twice 8 invocations; what the second run stores the first has stored, and it is the same, so that programs
// with this race have one result.
const char* const kCompute = R"(layout(local_size_x = 8) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  assume_true(i != 5u);
  if (i == 3u) debugPrintfEXT("compute %u", io[100]);
  io[i] = io[100] * 3u + i + 1u;
}
)";
const char* const kPushed = R"(layout(local_size_x = 8) in;
layout(push_constant) uniform Constants { uint factor, summand; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  assume_true(i != 5u);
  if (i == 3u) debugPrintfEXT("compute %u", factor);
  io[i] = (io[100] + i + 1u) * factor + summand;
}
)";
const char* const kAllDimensions = R"(layout(local_size_x = 8) in;
void main() {
  uint i = gl_GlobalInvocationID.x + 8u * (gl_WorkGroupID.y + gl_WorkGroupID.z);
  assume_true(i != 5u);
  if (i == 3u) debugPrintfEXT("compute %u", io[100]);
  io[min(i, 99u)] = io[100] * 3u + i + 1u;
}
)";
// A race within each run: two invocations store the same.
const char* const kPairs = R"(layout(local_size_x = 8) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  assume_true(i != 5u);
  if (i == 3u) debugPrintfEXT("compute %u", io[100]);
  io[i / 2u] = io[100] * 3u + i / 2u + 1u;
}
)";
const char* const kQuiet = R"(layout(local_size_x = 8) in;
void main() { }
)";
const char* const kTwoEntryPoints = R"(layout(local_size_x = 8) in;
void second() {
  uint i = gl_GlobalInvocationID.x;
  assume_true(i != 4u);
  if (i == 3u) debugPrintfEXT("second %u", io[100]);
  io[i] = io[100] * 3u + i + 1u;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  assume_true(i != 5u);
  if (i == 3u) debugPrintfEXT("compute %u", io[100]);
  io[i] = io[100] * 5u + i + 1u;
}
)";
const char* const kSpecialised = R"(layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint length = 2u;
layout(constant_id = 3) const bool doubled = false;
layout(constant_id = 4) const int offset = 7;
layout(constant_id = 5) const float factor = 1.0;
layout(constant_id = 6) const int64_t large = 1L;
shared uint parts[length];
void main() {
  uint some[length];
  uint i = gl_LocalInvocationIndex;
  assume_true(gl_WorkGroupSize.y == 1u);
  parts[i] = i;
  some[i] = io[100];
  barrier();
  if (i == 3u) debugPrintfEXT("%ux%u of %u, %d, %d, %g, %ld", gl_WorkGroupSize.x, gl_WorkGroupSize.y, length,
                              int(doubled), offset, factor, large);
  io[i] = some[i] * 3u + parts[length - 1u - i] + uint(factor) + (doubled ? 2u : 1u) + uint(large >> 40);
}
)";
const char* const kVertex = R"(void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
  debugPrintfEXT("vertex %d", gl_VertexIndex);
}
)";
const char* const kOfOtherSet = R"(layout(local_size_x = 8) in;
layout(set = 2, binding = 0) buffer Other { uint other[]; };
void main() {
  if (gl_GlobalInvocationID.x == 3u) debugPrintfEXT("other %u", other[100]);
  other[200 + gl_GlobalInvocationID.x] = other[100] * 3u + 1u;
}
)";
const char* const kVertexOfOtherSet = R"(layout(set = 1, binding = 0) buffer Other { uint other[]; };
void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
  debugPrintfEXT("vertex %d", gl_VertexIndex);
  other[200 + gl_VertexIndex] = other[100] * 3u + 1u;
}
)";
const char* const kVertexThatWrites = R"(void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
  debugPrintfEXT("vertex %d", gl_VertexIndex);
  io[200 + gl_VertexIndex] = io[100] * 3u + 1u;
}
)";
const char* const kFragmentOfOtherSet = R"(layout(set = 1, binding = 0) buffer Other { uint other[]; };
void main() {
  uint i = uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x);
  assume_true(i != 5u);
  if (i == 9u) debugPrintfEXT("fragment %u", other[100]);
  other[i] = other[100] * 3u + i + 1u;
}
)";
const char* const kFragment = R"(void main() {
  uint i = uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x);
  assume_true(i != 5u);
  if (i == 9u) debugPrintfEXT("fragment %u", io[100]);
  io[i] = io[100] * 3u + i + 1u;
}
)";
const char* const kGenerate = R"(#extension GL_EXT_ray_tracing : require
layout(location = 0) callableDataEXT uint value;
void main() {
  uint i = gl_LaunchIDEXT.x;
  assume_true(i != 5u);
  if (i == 3u) debugPrintfEXT("generate %u", io[100]);
  value = i;
  executeCallableEXT(0, 0);
  io[i] = io[100] * 3u + value + 1u;
}
)";
const char* const kCallable = R"(#extension GL_EXT_ray_tracing : require
layout(location = 0) callableDataInEXT uint value;
void main() {
  if (value == 4u) debugPrintfEXT("callable %u", io[100]);
  value *= 2u;
}
)";

struct Source {
  const char* name;
  const char* stage;
  const char* text;
  const char* binding = "0";
};

struct PathCase {
  const char* path;
  std::vector<Source> sources;
  Texts printed;  // sorted
  uint32_t assumptions = 1;
  bool races = true;
  Texts notes = {};  // of each a part, in any order
};

void PrintTo(const PathCase& test, std::ostream* out) { *out << test.path; }

const std::vector<Source> kComputeOnly = {{"io", "comp", kCompute}};
const std::vector<Source> kDrawn = {{"io", "vert", kVertex}, {"io", "frag", kFragment}};
const std::vector<Source> kTraced = {{"io", "rgen", kGenerate}, {"io", "rcall", kCallable}};
const std::vector<Source> kGenerated = {{"io", "comp", kCompute}, {"quiet", "comp", kQuiet}};
const Texts kComputePrints = {"compute 0", "compute 0"};
const Texts kDrawPrints = {"fragment 0", "fragment 0", "vertex 0", "vertex 0",
                           "vertex 1",   "vertex 1",   "vertex 2", "vertex 2"};
const Texts kTraceNotes = {"shader binding tables", "what traces read of acceleration structures"};
const Texts kTracePrints = {"callable 0", "callable 0", "generate 0", "generate 0"};

std::vector<PathCase> path_cases() {
  return {
      {"module", kComputeOnly, kComputePrints},
      {"pushed_constants", {{"io", "comp", kPushed}}, {"compute 3", "compute 3"}},
      {"indirect", {{"io", "comp", kAllDimensions}}, kComputePrints},
      {"inline_code", kComputeOnly, kComputePrints},
      {"pipeline_cache", kComputeOnly, kComputePrints},
      {"compile_required", kComputeOnly, kComputePrints},
      {"early_return", kComputeOnly, kComputePrints},
      {"derivatives", kComputeOnly, kComputePrints},
      {"custom_allocator", kComputeOnly, kComputePrints},
      {"entry_points", {{"io", "comp", kTwoEntryPoints}}, {"compute 0", "second 0"}, 2},
      {"specialisation",
       {{"io", "comp", kSpecialised}},
       {"4x2 of 8, 1, -3, 2.5, 1099511627776", "8x1 of 8, 1, -3, 2.5, 1099511627776"}},
      {"different_layouts", {{"io", "comp", kCompute, "1"}}, kComputePrints},
      {"graphics", kDrawn, kDrawPrints},
      {"fast_linked", kDrawn, kDrawPrints},
      {"link_time_optimised", kDrawn, kDrawPrints},
      {"independent_sets", {{"io", "vert", kVertexOfOtherSet}, {"io", "frag", kFragment}}, kDrawPrints},
      {"independent_sets_vertex_first",
       {{"io", "vert", kVertexThatWrites}, {"io", "frag", kFragmentOfOtherSet}},
       kDrawPrints},
      {"independent_sets_and_none",
       {{"io", "vert", kVertexOfOtherSet}, {"io", "frag", kFragment}},
       kDrawPrints},
      {"more_sets_than_the_layout",
       {{"io", "comp", kCompute}, {"other", "comp", kOfOtherSet}},
       {"compute 0", "compute 0", "other 0", "other 0"}},
      {"compute_object", kComputeOnly, kComputePrints},
      {"unlinked_objects", kDrawn, kDrawPrints},
      {"linked_objects", kDrawn, kDrawPrints},
      {"binary_objects", kComputeOnly, {}, 0, false, {"from binaries"}},
      {"binary_and_code", kDrawn, {"fragment 0", "fragment 0"}, 1, false, {"from binaries"}},
      {"rays", kTraced, kTracePrints, 1, true, kTraceNotes},
      {"rays_deferred", kTraced, kTracePrints, 1, true, kTraceNotes},
      {"rays_linked", kTraced, kTracePrints, 1, true, kTraceNotes},
      {"rays_linked_deferred", kTraced, kTracePrints, 1, true, kTraceNotes},
      // Two dispatches of one command are one action for the exact engine, so the race is within each.
      {"generated", {{"io", "comp", kPairs}}, kComputePrints, 1, true, {"generated commands read"}},
      {"generated_dynamic_layout",
       {{"io", "comp", kPairs}},
       kComputePrints,
       1,
       true,
       {"generated commands read"}},
      {"generated_pipelines",
       kGenerated,
       {"compute 0"},
       1,
       false,
       {"indirect execution sets", "generated commands read"}},
      {"generated_shaders",
       kGenerated,
       {"compute 0"},
       1,
       false,
       {"indirect execution sets", "generated commands read"}},
      // Without a set for the action record (docs/internals/checks.md).
      {"module_all_sets", kComputeOnly, kComputePrints},
      {"entry_points_all_sets", {{"io", "comp", kTwoEntryPoints}}, {"compute 0", "second 0"}, 2},
      {"graphics_all_sets", kDrawn, kDrawPrints},
      {"fast_linked_all_sets", kDrawn, kDrawPrints},
      {"link_time_optimised_all_sets", kDrawn, kDrawPrints},
      {"rays_all_sets", kTraced, kTracePrints, 1, true, kTraceNotes},
      {"rays_linked_all_sets",
       kTraced,
       kTracePrints,
       1,
       false,
       {"for ray tracing and linked with others", "shader binding tables",
        "what traces read of acceleration structures"}},
  };
}

class Paths : public EndToEnd, public ::testing::WithParamInterface<PathCase> {
 protected:
  Texts program() {
    Texts program{SHADERQA_BIN_DIR "/e2e_path_runner", GetParam().path};
    for (const Source& source : GetParam().sources) {
      Texts flags{"-g"};
      if (std::string(source.stage).front() == 'r') flags.insert(flags.end(), {"--target-env", "vulkan1.2"});
      if (source.text == kTwoEntryPoints) flags.push_back("--keep-uncalled");
      std::string text = std::string(kIntrinsics) + source.text;
      text.replace(text.find("BINDING"), 7, source.binding);
      const std::string file = shader(source.stage, text, source.name, flags);
      if (source.text == kTwoEntryPoints) make_entry_point(file, "second");
      program.push_back(file);
    }
    return with_test_loader(program);
  }

  // GLSL has one entry point a module: this makes another function one.
  static void make_entry_point(const std::string& file, const std::string& function) {
    constexpr uint32_t kOpName = 5, kOpEntryPoint = 15, kOpExecutionMode = 16;
    const std::vector<uint32_t> words = read_words(file);
    std::vector<uint32_t> result(words.begin(), words.begin() + 5);
    uint32_t id = 0;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      const char* name = reinterpret_cast<const char*>(&words[at + 2]);
      if ((words[at] & 0xffffu) == kOpName && std::string(name) == function + "(") id = words[at + 1];
    }
    ASSERT_NE(id, 0u);
    const std::string padded = function + std::string(4 - function.size() % 4, '\0');
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = begin + static_cast<std::ptrdiff_t>(words[at] >> 16);
      result.insert(result.end(), begin, end);
      const uint32_t op = words[at] & 0xffffu;
      if (op == kOpEntryPoint) {
        const size_t interface = at + 3 + std::string("main").size() / 4 + 1;
        std::vector<uint32_t> copy{0, words[at + 1], id};
        for (size_t i = 0; i < padded.size(); i += 4) {
          uint32_t word = 0;
          std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(i), 4, reinterpret_cast<char*>(&word));
          copy.push_back(word);
        }
        copy.insert(copy.end(), words.begin() + static_cast<std::ptrdiff_t>(interface), end);
        copy[0] = static_cast<uint32_t>(copy.size()) << 16 | kOpEntryPoint;
        result.insert(result.end(), copy.begin(), copy.end());
      } else if (op == kOpExecutionMode) {
        std::vector<uint32_t> copy(begin, end);
        copy[1] = id;
        result.insert(result.end(), copy.begin(), copy.end());
      }
    }
    write_file(file, std::string(reinterpret_cast<const char*>(result.data()), result.size() * 4));
  }
};

TEST_P(Paths, PrintsChecksAndFindsTheRace) {
  const PathCase& test = GetParam();
  const Texts program = this->program();
  Texts command{
      SHADERQA_BIN_DIR "/shaderqa", "run", "--printf", "--assume", "--sync", "--report", report, "--"};
  command.insert(command.end(), program.begin(), program.end());
  const Outcome layered = finish(run(command, environment, directory.path()));
  EXPECT_EQ(layered.process.exit_code, 0) << layered.process.err;
  EXPECT_EQ(sorted(layered.printed()), test.printed) << layered.process.err;
  std::map<std::string, uint32_t> kinds;
  Texts notes;
  for (const auto& finding : layered.findings) {
    ++kinds[finding.at("kind")];
    // Counts come at the end of every run.
    if (finding.at("kind") == "note" && !finding.contains("count")) notes.push_back(finding.at("text"));
  }
  EXPECT_EQ(kinds["assume"], test.assumptions) << layered.process.err;
  EXPECT_EQ(kinds["hazard"] > 0, test.races) << layered.process.err;
  EXPECT_EQ(notes.size(), test.notes.size()) << layered.process.err;
  for (const std::string& part : test.notes) EXPECT_THAT(notes, ::testing::Contains(HasSubstr(part)));

  const Outcome plain = finish(run(program, environment, directory.path()));
  EXPECT_EQ(plain.process.exit_code, 0) << plain.process.err;
  EXPECT_NE(plain.value("result"), "");
  EXPECT_EQ(plain.process.out, layered.process.out);
}

INSTANTIATE_TEST_SUITE_P(Every, Paths, ::testing::ValuesIn(path_cases()),
                         [](const auto& parameter) { return std::string(parameter.param.path); });

}  // namespace
}  // namespace shaderqa::testing
