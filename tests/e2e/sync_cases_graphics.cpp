// SPDX-License-Identifier: Apache-2.0
// Races that draws take part in: between draws, passes, subpasses, stages, and with compute.
#include "sync_steps.h"

namespace sync_cases {
namespace {

const std::string kBuffers = R"(
layout(set = 0, binding = 0, std430) buffer Data { uint data[]; };
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
)";
// What one invocation wrote within an interlock the next one sees only through coherent memory.
const std::string kCoherentBuffers = R"(
layout(set = 0, binding = 0, std430) coherent buffer Data { uint data[]; };
layout(set = 0, binding = 1, std430) coherent buffer Result { uint result[]; };
)";
const std::string kOwnPixel = R"(layout(location = 0) out vec4 colour;
uint i = uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x);
)";
const std::string kPixel = kBuffers + kOwnPixel;
const std::string kPixelWrites = kPixel + "void main() { data[i] = i; colour = vec4(1.0); }  //!\n";
const std::string kPixelReads = kPixel + "void main() { result[i] = data[i]; colour = vec4(0.5); }  //!\n";
// Stores nothing, so its reads are logged.
const std::string kPixelOnlyReads = kPixel + "void main() { colour = vec4(float(data[i])); }  //!\n";
const std::string kPlainPixel =
    "layout(location = 0) out vec4 colour;\nvoid main() { colour = vec4(1.0); }\n";

const BarrierSpec kFragmentToFragment = {kFragment, kWrites, kFragment, kReads};

Case drawn(const char* name, std::vector<Shader> shaders, std::vector<Step> steps, const char* stage,
           Expected expected = {}) {
  expected.stage = stage;
  if (expected.size == 0) expected.size = 4;
  return {.group = "graphics",
          .name = name,
          .shaders = std::move(shaders),
          .buffers = {{.name = "data", .bytes = 1024}, {.name = "result", .bytes = 1024}},
          .steps = std::move(steps),
          .expected = expected};
}

VkSubpassDependency subpass_dependency(uint32_t from, uint32_t to) {
  return {from, to, kFragment, kFragment, kWrites, kReads, flags_if(from == to, VK_DEPENDENCY_BY_REGION_BIT)};
}

// What a render pass needs for its attachment alone.
VkSubpassDependency colour_dependency(uint32_t from, uint32_t to) {
  return {from,
          to,
          VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
          VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
          VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
          VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT,
          VK_DEPENDENCY_BY_REGION_BIT};
}

// A stage before rasterisation that reads `data` of the dispatch before it.
Case reader_stage(const char* name, std::vector<Shader> stages, const char* stage, Step use) {
  stages.insert(stages.begin(), {"comp", kWriteData});
  return drawn(name, std::move(stages),
               {dispatch(0), only_correct(barrier({kCompute, kWrites, kGraphics, kReads})), begin_rendering(),
                std::move(use), end_rendering()},
               stage);
}

const Shader kTriangleStage = {"vert", kTriangle}, kWritesPixel = {"frag", kPixelWrites},
             kReadsPixel = {"frag", kPixelReads}, kPlain = {"frag", kPlainPixel};
const Shader kVertexReads = {"vert", kBuffers + R"(void main() {
  float size = data[gl_VertexIndex] == 0u ? 2.0 : 3.0;  //!
  gl_Position = vec4(gl_VertexIndex == 1 ? size : -1.0, gl_VertexIndex == 2 ? size : -1.0, 0.0, 1.0);
}
)"};
const Shader kGeometryReads = {"geom", kBuffers + R"(layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
  for (int n = 0; n < 3; ++n) {
    gl_Position = gl_in[n].gl_Position + vec4(float(data[n]) * 0.0);  //!
    EmitVertex();
  }
}
)"};
const Shader kControl = {"tesc", R"(layout(vertices = 3) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelInner[0] = gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
}
)"};
const Shader kControlReads = {"tesc", kBuffers + R"(layout(vertices = 3) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelInner[0] = gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
  barrier();
  gl_out[gl_InvocationID].gl_Position.z += float(data[gl_PrimitiveID]) * 0.0;  //!
}
)"};
const Shader kEvaluation = {"tese", R"(layout(triangles) in;
void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                gl_TessCoord.z * gl_in[2].gl_Position;
}
)"};
const Shader kEvaluationReads = {"tese", kBuffers + R"(layout(triangles) in;
void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                gl_TessCoord.z * gl_in[2].gl_Position;
  gl_Position.z += float(data[gl_PrimitiveID]) * 0.0;  //!
}
)"};
const Shader kMeshReads = {"mesh", "#extension GL_EXT_mesh_shader : require\n" + kBuffers + R"(
layout(local_size_x = 1) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
void main() {
  SetMeshOutputsEXT(3, 1);
  for (int n = 0; n < 3; ++n)
    gl_MeshVerticesEXT[n].gl_Position = vec4(n == 1 ? 3.0 : -1.0, n == 2 ? 3.0 : -1.0, float(data[n]) * 0.0, 1.0);  //!
  gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);
}
)"};

// The shader loads 6,400 bytes at once, of which the last ones race.
Case long_read() {
  constexpr uint32_t bytes = 6400, filled = 8;
  Case one = drawn(
      "filled_end_of_what_is_read_at_once", {kTriangleStage, {"frag", R"(struct Long { uint words[1600]; };
layout(set = 0, binding = 0, std430) readonly buffer Data { Long whole; };
layout(location = 0) out vec4 colour;
void main() {
  Long copied = whole;  //!
  colour = vec4(float(copied.words[1599]));
}
)"}},
      {fill_part(0, bytes - filled, filled, 7),
       only_correct(
           barrier({VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kFragment, kReads})),
       begin_rendering(), draw({0, 1}), end_rendering()},
      "fragment", {.size = bytes, .multiple = 4, .earlier_command = "vkCmdFillBuffer"});
  one.buffers[0].bytes = bytes;
  one.exact_only = true;
  return one;
}

// Each stage before rasterisation, and fragments, read what a dispatch wrote.
std::vector<Case> stages_that_read() {
  std::vector<Case> cases = {
      reader_stage("dispatch_then_vertex", {kVertexReads, kPlain}, "vertex", draw({1, 2})),
      reader_stage("dispatch_then_fragment", {kTriangleStage, kReadsPixel}, "fragment", draw({1, 2})),
      reader_stage("dispatch_then_geometry", {kTriangleStage, kGeometryReads, kPlain}, "geometry",
                   draw({1, 2, 3})),
      reader_stage("dispatch_then_tessellation", {kTriangleStage, kControl, kEvaluationReads, kPlain},
                   "tessellation evaluation", draw({1, 2, 3, 4})),
      reader_stage("dispatch_then_control", {kTriangleStage, kControlReads, kEvaluation, kPlain},
                   "tessellation control", draw({1, 2, 3, 4})),
  };
  Case mesh = reader_stage("dispatch_then_mesh", {kMeshReads, kPlain}, "mesh", draw_mesh({1, 2}, 1));
  mesh.extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
  cases.push_back(mesh);
  cases.push_back(long_read());
  return cases;
}

// Two draws of one render pass, or with a barrier between two passes. Draws of one pass run at the same time,
// and tilers run vertex shaders first, so either side may be reported.
Case beside_each_other(const char* name, std::vector<Shader> shaders, Step one, const BarrierSpec& between,
                       Step other) {
  return drawn(
      name, std::move(shaders),
      {begin_rendering(), std::move(one), only_correct(end_rendering()), only_correct(barrier(between)),
       only_correct(begin_rendering()), std::move(other), end_rendering()},
      "", {.hazard_class = "", .access = ""});
}

std::vector<Case> draws_beside_each_other() {
  const std::string vertex =
      "  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, "
      "1.0);\n}\n";
  const Shader writes = {"vert", kBuffers + "void main() {\n  data[gl_VertexIndex] = 7u;  //!\n" + vertex};
  return {
      beside_each_other("draw_read_then_stored", {kTriangleStage, {"frag", kPixelOnlyReads}, kWritesPixel},
                        draw({0, 1}), {kFragment, kReads, kFragment, kWrites}, draw({0, 2})),
      beside_each_other("fragments_beside_vertices", {kTriangleStage, kWritesPixel, writes, kPlain},
                        draw({0, 1}), {kFragment, kWrites, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, kWrites},
                        draw({2, 3})),
      beside_each_other("fragments_beside_vertices_that_read",
                        {kTriangleStage, kWritesPixel, kVertexReads, kPlain}, draw({0, 1}),
                        {kFragment, kWrites, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, kReads}, draw({2, 3})),
  };
}

// Draws, ordered by barriers, render passes and their dependencies.
std::vector<Case> draws_in_order() {
  return {
      drawn("fragment_then_dispatch", {kTriangleStage, kWritesPixel, {"comp", kReadData}},
            {begin_rendering(), draw({0, 1}), end_rendering(),
             only_correct(barrier({kFragment, kWrites, kCompute, kReads})), dispatch(2)},
            // The two overlap, so either may come first.
            "", {.hazard_class = "", .access = ""}),
      drawn("two_renderings", {kTriangleStage, kWritesPixel, kReadsPixel},
            {begin_rendering(), draw({0, 1}), end_rendering(), only_correct(barrier(kFragmentToFragment)),
             begin_rendering(), draw({0, 2}), end_rendering()},
            "fragment"),
      drawn("two_draws", {kTriangleStage, kWritesPixel, kReadsPixel},
            {begin_rendering(), draw({0, 1}), only_correct(end_rendering()),
             only_correct(barrier(kFragmentToFragment)), only_correct(begin_rendering()), draw({0, 2}),
             end_rendering()},
            "fragment"),
      drawn("barrier_inside_the_pass", {kTriangleStage, kWritesPixel, kReadsPixel},
            {begin_pass({subpass_dependency(0, 0)}), draw({0, 1}),
             only_correct(barrier_in_pass(kWrites, kReads)), draw({0, 2}), end_pass()},
            "fragment"),
      // The read is checked behind the pass, where it must not hide the store.
      drawn("store_behind_a_read_of_its_pass",
            {kTriangleStage, {"frag", kPixelOnlyReads}, kWritesPixel, {"comp", kReadData}},
            {begin_pass({{0, 0, kFragment, kFragment, kReads, kWrites, VK_DEPENDENCY_BY_REGION_BIT}}),
             draw({0, 1}), barrier_in_pass(kReads, kWrites), draw({0, 2}), end_pass(),
             only_correct(barrier({kFragment, kWrites, kCompute, kReads})), dispatch(3)},
            "", {.hazard_class = "", .access = ""}),
      // All other vertices read the same word, which is logged once and leaves room for this read.
      drawn("one_racing_read_among_many",
            {{"comp", kBuffers + "void main() { if (gl_GlobalInvocationID.x == 1u) data[1] = 5u; }  //!\n"},
             {"vert", kBuffers + R"(void main() {
  uint word = gl_VertexIndex == 200000 ? 1u : 0u;
  gl_Position = vec4(data[word] == 7u ? 2.0 : 3.0);  //!
}
)"},
             kPlain},
            {dispatch(0), only_correct(barrier({kCompute, kWrites, kGraphics, kReads})), begin_rendering(),
             draw({1, 2}, 300000), end_rendering()},
            "vertex"),
      drawn("subpass_dependency", {kTriangleStage, kWritesPixel, kReadsPixel},
            {only_correct(begin_pass({subpass_dependency(0, 1), colour_dependency(0, 1)}, 2)),
             only_racy(begin_pass({colour_dependency(0, 1)}, 2)), draw({0, 1}), next_subpass(), draw({0, 2}),
             end_pass()},
            "fragment"),
      drawn("external_dependency", {kTriangleStage, kWritesPixel, kReadsPixel},
            {begin_pass(), draw({0, 1}), end_pass(),
             only_correct(begin_pass(
                 {subpass_dependency(VK_SUBPASS_EXTERNAL, 0), colour_dependency(VK_SUBPASS_EXTERNAL, 0)})),
             only_racy(begin_pass({colour_dependency(VK_SUBPASS_EXTERNAL, 0)})), draw({0, 2}), end_pass()},
            "fragment"),
      drawn("secondary_command_buffers", {kTriangleStage, kWritesPixel, kReadsPixel},
            {begin_pass({}, 1, true), secondary({draw({0, 1})}, true), end_pass(),
             only_correct(barrier(kFragmentToFragment)),
             begin_pass({colour_dependency(VK_SUBPASS_EXTERNAL, 0)}, 1, true),
             secondary({draw({0, 2})}, true), end_pass()},
            "fragment"),
  };
}

// Drivers may execute a vertex that several triangles name more than once: so does lavapipe if other vertices
// come in between. It stores what it stored before.
Case vertices_of_several_triangles() {
  Case test = drawn("vertices_of_several_triangles",
                    {{"vert", kBuffers + R"(void main() {
#ifdef RACY
  uint slot = 0u;
#else
  uint slot = uint(gl_VertexIndex);
#endif
  data[slot] = uint(gl_VertexIndex);  //!
  gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
)"},
                     kPlain},
                    {begin_rendering(), draw_indexed({0, 1}, 2, 0, 3000), end_rendering()}, "vertex",
                    {.hazard_class = "write after write", .access = "store", .multiple = 4, .below = 4096});
  test.buffers = {{.name = "data", .bytes = 4096},
                  {.name = "result", .bytes = 1024},
                  {.name = "indices", .bytes = 12000}};
  for (uint32_t i = 0; i < 3000; ++i) test.buffers[2].words.push_back(i % 2 * 512 + i / 2 % 3);
  return test;
}

// Both bindings lead to the same memory, and the shader stores through one of them alone.
Case through_two_bindings(const char* name, std::vector<Shader> shaders, Step use, const char* stage) {
  Case test = drawn(name, std::move(shaders), {begin_rendering(), std::move(use), end_rendering()}, stage,
                    {.hazard_class = "", .access = ""});
  test.buffers[1].alias_of = "data";
  test.expected.buffer = "result";
  return test;
}

std::vector<Case> draws_through_two_bindings() {
  std::vector<Case> cases{
      through_two_bindings("pixels_through_two_bindings", {kTriangleStage, {"frag", kPixel + R"(void main() {
  result[i] = i;  //!
#ifdef RACY
  uint from = i ^ 1u;
#else
  uint from = i;
#endif
  colour = vec4(float(data[from]));  //!
}
)"}},
                           draw({0, 1}), "fragment"),
      through_two_bindings("mesh_through_two_bindings",
                           {{"mesh", "#extension GL_EXT_mesh_shader : require\n" + kBuffers + R"(
layout(local_size_x = 32) in;
layout(triangles, max_vertices = 32, max_primitives = 1) out;
void main() {
  uint own = gl_LocalInvocationIndex;
  result[own] = own;  //!
#ifndef RACY
  memoryBarrierBuffer();
  barrier();
#endif
  SetMeshOutputsEXT(32, 0);
  gl_MeshVerticesEXT[own].gl_Position = vec4(float(data[own ^ 1u]));  //!
}
)"},
                            kPlain},
                           draw_mesh({0, 1}, 1), "mesh")};
  cases.back().extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
  cases.back().exact_only = true;  // the filter does not find it on lavapipe
  return cases;
}

// Invocations of one draw.
std::vector<Case> races_inside_a_draw() {
  std::vector<Case> cases = {
      drawn("all_fragments_write_one_word", {kTriangleStage, {"frag", kPixel + R"(void main() {
#ifdef RACY
  data[5] = i;  //!
#else
  atomicMax(data[5], i);
#endif
  colour = vec4(1.0);
}
)"}},
            {begin_rendering(), draw({0, 1}), end_rendering()}, "fragment",
            {.hazard_class = "write after write", .access = "store", .multiple = 4, .below = 24}),
      drawn("vertex_writes_what_fragments_read",
            {{"vert", kBuffers + R"(void main() {
#ifdef RACY
  data[gl_VertexIndex] = gl_VertexIndex;  //!
#endif
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)"},
             {"frag", kPixel + R"(void main() {
  result[i] = data[i % 3u];  //!
  colour = vec4(1.0);
}
)"}},
            {begin_rendering(), draw({0, 1}), end_rendering()}, "", {.hazard_class = "", .access = ""}),
      drawn("instances_write_one_array",
            {{"vert", kBuffers + R"(void main() {
#ifdef RACY
  uint slot = uint(gl_VertexIndex);
#else
  uint slot = uint(gl_InstanceIndex * 3 + gl_VertexIndex);
#endif
  data[slot * 4u] = slot;  //!
  gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
)"},
             kPlain},
            {begin_rendering(), draw({0, 1}, 3, 8), end_rendering()}, "vertex",
            {.hazard_class = "write after write", .access = "store", .multiple = 16, .below = 48}),
      drawn("control_points_exchange_through_a_barrier",
            {kTriangleStage,
             {"tesc", kCoherentBuffers + R"(layout(vertices = 3) out;
void main() {
  uint own = uint(gl_InvocationID);
  data[own] = own + 1u;  //!
#ifndef RACY
  memoryBarrierBuffer();
  barrier();
#endif
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelInner[0] = gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
  result[own] = data[(own + 1u) % 3u];  //!
}
)"},
             kEvaluation,
             kPlain},
            {begin_rendering(), draw({0, 1, 2, 3}), end_rendering()}, "tessellation control",
            {.hazard_class = "", .access = ""}),
  };
  // The filter does not find it on lavapipe.
  cases.back().exact_only = true;
  cases.push_back(vertices_of_several_triangles());
  // The vertices of a patch differ in their position alone.
  cases.push_back(drawn("vertices_of_a_patch",
                        {kTriangleStage,
                         kControl,
                         {"tese", kBuffers + R"(layout(triangles) in;
void main() {
#ifndef RACY
  if (gl_TessCoord.x == 1.0)
#endif
    data[gl_PrimitiveID] = 1u;  //!
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                gl_TessCoord.z * gl_in[2].gl_Position;
}
)"},
                         kPlain},
                        {begin_rendering(), draw({0, 1, 2, 3}), end_rendering()}, "tessellation evaluation",
                        {.hazard_class = "write after write", .access = "store", .multiple = 4, .below = 4}));
  return cases;
}

}  // namespace

std::vector<Case> graphics_cases() {
  std::vector<Case> cases;
  for (const auto& some : {stages_that_read(), draws_in_order(), draws_beside_each_other(),
                           draws_through_two_bindings(), races_inside_a_draw()})
    cases.insert(cases.end(), some.begin(), some.end());
  return cases;
}

std::vector<Case> graphics_patterns() {
  // One invocation of the last workgroup learns of the others', and hands that on by a barrier.
  Case last = drawn("mesh_workgroup_that_is_the_last",
                    {{"mesh", "#extension GL_EXT_mesh_shader : require\n" + kCoherentBuffers + R"(
layout(local_size_x = 32) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
shared uint order;
void main() {
  data[32u + gl_GlobalInvocationID.x] = 1u;
  groupMemoryBarrier();
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    memoryBarrierBuffer();
    order = atomicAdd(data[0], 1u);
    memoryBarrierBuffer();
  }
  groupMemoryBarrier();
  barrier();
  if (order == 3u && gl_LocalInvocationIndex == 1u) {
    uint sum = 0u;
    for (uint n = 0u; n < 128u; ++n) sum += data[32u + n];
    result[0] = sum;
  }
  SetMeshOutputsEXT(0u, 0u);
}
)"},
                     kPlain},
                    {begin_rendering(), draw_mesh({0, 1}, 4), end_rendering()}, "mesh");
  last.extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
  // Every fragment of four layers on each other adds to its pixel's words, one after the other.
  Case interlock = drawn("fragment_shader_interlock",
                         {{"vert", kTriangle},
                          {"frag",
                           "#extension GL_ARB_fragment_shader_interlock : require\n"
                           "layout(pixel_interlock_ordered) in;\n" +
                               kCoherentBuffers + kOwnPixel + R"(void main() {
  beginInvocationInterlockARB();
  data[i] = data[i] * 3u + uint(gl_PrimitiveID) + 1u;
  result[i] = data[i];
  endInvocationInterlockARB();
  colour = vec4(1.0);
}
)"}},
                         {begin_rendering(), draw({0, 1}, 3, 4), draw({0, 1}), end_rendering()}, "fragment");
  interlock.extensions = {VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME};
  interlock.rare = true;
  return {interlock, last};
}

}  // namespace sync_cases
