// SPDX-License-Identifier: Apache-2.0
// The version of traced shaders that invocations run which are not traced: what it lacks, which invocations
// decide together, and which shaders have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "environment.h"
#include "shader_compiler.h"
#include "support.h"

namespace shaderqa::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

InstrumentOptions trace_options() {
  InstrumentOptions options = default_options();
  options.trace = true;
  options.printf = false;
  options.subgroup_ballot = true;
  return options;
}

class UntracedVersion : public ::testing::Test {
 protected:
  void rewrite(const std::string& stage, const std::string& body,
               const InstrumentOptions& options = trace_options(),
               const std::vector<std::string>& flags = {}) {
    const std::string path = testing::compile_glsl(directory_.path(), "shader", stage, body, flags);
    const InstrumentResult result = instrument(testing::read_words(path), options);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    ASSERT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_3), "") << disassemble(result.words);
    text_ = disassemble(result.words);
    start_ = function("main");
    traced_ = function("main_traced");
    untraced_ = function("main_untraced");
  }
  std::string function(const std::string& name) const {
    const size_t begin = text_.find("%" + name + " = OpFunction ");
    if (begin == std::string::npos) return {};
    return text_.substr(begin, text_.find("OpFunctionEnd", begin) - begin);
  }
  bool has_two() const { return !traced_.empty() && !untraced_.empty(); }

  const testing::TemporaryDirectory directory_;
  std::string text_, start_, traced_, untraced_;
};

const std::string kHead =
    "#extension GL_EXT_control_flow_attributes : require\nlayout(local_size_x = 8, local_size_y = 2) in;\n"
    "layout(set = 0, binding = 0) buffer Io { uint io[]; };\n";
const std::string kLoop = kHead +
                          "void main() { uint sum = 0; [[unroll]] for (uint i = 0; i < 4; ++i) sum += io[i]; "
                          "io[gl_GlobalInvocationID.x] = sum; }";

TEST_F(UntracedVersion, HasNoneOfTheRecords) {
  rewrite("comp", kLoop);
  ASSERT_TRUE(has_two());
  EXPECT_GT(count(traced_, "sqa_trace_record_"), 4u);
  EXPECT_THAT(untraced_, Not(HasSubstr("sqa_")));
  for (const char* const each : {"OpLoad ", "OpStore ", "OpIAdd ", "OpAccessChain ", "OpBranch ", "OpPhi "})
    EXPECT_EQ(count(untraced_, each), count(traced_, each)) << each;
  // The application's words, with other ids: nothing that flattens values is left.
  const std::string original =
      disassemble(testing::read_words(testing::compile_glsl(directory_.path(), "plain", "comp", kLoop)));
  const size_t body = original.find("OpFunction ");
  EXPECT_EQ(count(untraced_, "\n"),
            count(original.substr(body, original.find("OpFunctionEnd") - body), "\n"));
}

TEST_F(UntracedVersion, IsChosenAtTheStart) {
  rewrite("comp", kLoop);
  EXPECT_THAT(start_, HasSubstr("%sqa_trace_begin"));
  EXPECT_LT(start_.find("%sqa_trace_begin"), start_.find("OpLogicalNot"));
  EXPECT_LT(start_.find("%main_untraced"), start_.find("%main_traced"));
  EXPECT_EQ(count(text_, "OpEntryPoint GLCompute %main "), 1u);
  EXPECT_EQ(count(traced_ + untraced_, "sqa_trace_begin"), 0u);
}

TEST_F(UntracedVersion, KeepsHintsToUnroll) {
  rewrite("comp", kLoop);
  EXPECT_THAT(untraced_, HasSubstr(" Unroll\n"));
  EXPECT_THAT(traced_, HasSubstr(" DontUnroll\n"));
}

TEST_F(UntracedVersion, InvocationsDecideForThemselves) {
  rewrite("comp", kLoop);
  EXPECT_EQ(count(start_, "OpFunctionCall %bool"), 1u);
  EXPECT_THAT(start_, Not(HasSubstr("OpGroupNonUniform")));
}

TEST_F(UntracedVersion, WorkgroupsWithBarriersDecideTogether) {
  rewrite("comp", kHead + "void main() { io[0] = 1; barrier(); io[1] = 2; }");
  ASSERT_TRUE(has_two());
  EXPECT_THAT(start_, HasSubstr("%sqa_trace_group"));
  EXPECT_THAT(start_, HasSubstr("%uint_8 %uint_2 %uint_1")) << "the size of the workgroup";
  rewrite("comp", kHead + "void f() { barrier(); }\nvoid main() { io[0] = 1; f(); }");
  EXPECT_THAT(start_, HasSubstr("%sqa_trace_group"));
}

TEST_F(UntracedVersion, SizesThatTheProgramSpecialisesAreTaken) {
  rewrite("comp",
          "layout(local_size_x_id = 3, local_size_y_id = 4) in;\n"
          "layout(set = 0, binding = 0) buffer Io { uint io[]; };\n"
          "void main() { io[0] = gl_WorkGroupSize.x; barrier(); io[1] = 2; }");
  ASSERT_TRUE(has_two());
  const size_t construct =
      start_.rfind("OpCompositeConstruct %v3uint %", start_.rfind("OpCompositeConstruct") - 1);
  EXPECT_THAT(start_.substr(construct),
              Not(HasSubstr("OpCompositeConstruct %v3uint %uint_1 %uint_1 %uint_1")));
  EXPECT_EQ(count(text_, "OpSpecConstantComposite"), 1u);
}

const std::string kSubgroup = kHead + "void main() { io[gl_LocalInvocationIndex] = subgroupAdd(io[1]); }";

TEST_F(UntracedVersion, SubgroupsWithOperationsDecideTogether) {
  rewrite("comp", "#extension GL_KHR_shader_subgroup_arithmetic : require\n" + kSubgroup);
  ASSERT_TRUE(has_two());
  EXPECT_THAT(start_, HasSubstr("OpGroupNonUniformBallot %v4uint %uint_3 "));
  EXPECT_THAT(text_, HasSubstr("OpCapability GroupNonUniformBallot"));
  InstrumentOptions options = trace_options();
  options.subgroup_ballot = false;
  rewrite("comp", "#extension GL_KHR_shader_subgroup_arithmetic : require\n" + kSubgroup, options);
  EXPECT_FALSE(has_two());
  EXPECT_THAT(start_, HasSubstr("sqa_trace_record_"));
}

TEST_F(UntracedVersion, QuadsWithDerivativesDecideTogether) {
  const std::string head = "layout(location = 0) in vec2 at;\nlayout(location = 0) out vec4 colour;\n";
  rewrite("frag", head + "void main() { colour = vec4(dFdx(at), fwidth(at)); }");
  ASSERT_TRUE(has_two());
  EXPECT_THAT(start_, HasSubstr("OpGroupNonUniformBallot"));
  rewrite(
      "frag",
      head + "layout(set = 0, binding = 0) uniform sampler2D t;\nvoid main() { colour = texture(t, at); }");
  EXPECT_THAT(start_, HasSubstr("OpGroupNonUniformBallot"));
  rewrite("frag", head +
                      "layout(set = 0, binding = 0) uniform sampler2D t;\n"
                      "void main() { colour = textureLod(t, at, 0.0); }");
  ASSERT_TRUE(has_two());
  EXPECT_THAT(start_, Not(HasSubstr("OpGroupNonUniformBallot")));
}

// Task shaders end with an instruction that only the entry point's own function may have.
TEST_F(UntracedVersion, TaskShadersHaveNone) {
  rewrite("task",
          "#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 4) in;\n"
          "void main() { EmitMeshTasksEXT(1, 1, 1); }",
          trace_options(), {"--target-env", "spirv1.4"});
  EXPECT_FALSE(has_two());
  EXPECT_THAT(start_, HasSubstr("sqa_trace_record_"));
}

TEST_F(UntracedVersion, HasTheChecksToo) {
  InstrumentOptions options = trace_options();
  options.nan = NanCheck::full;
  rewrite("comp",
          "layout(local_size_x = 8) in;\nlayout(set = 0, binding = 0) buffer Io { float io[]; };\n"
          "void main() { io[0] = io[1] / io[2]; }",
          options);
  ASSERT_TRUE(has_two());
  EXPECT_EQ(count(untraced_, "sqa_check"), count(traced_, "sqa_check"));
  EXPECT_GT(count(untraced_, "sqa_check"), 0u);
}

// What a debugger changes is stored by instructions without a result.
TEST_F(UntracedVersion, NothingStopsInIt) {
  InstrumentOptions options = trace_options();
  options.debug = DebugStops::unordered;
  rewrite("comp", kLoop, options);
  ASSERT_TRUE(has_two());
  EXPECT_GT(count(traced_, "OpStore "), count(untraced_, "OpStore "));
  EXPECT_THAT(untraced_, Not(HasSubstr("sqa_")));
}

}  // namespace
}  // namespace shaderqa::test
