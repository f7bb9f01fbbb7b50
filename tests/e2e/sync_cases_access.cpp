// SPDX-License-Identifier: Apache-2.0
// One dispatch writes `data` plainly, the next accesses it in each of the forms that shaders have; the racy
// twin has no barrier between them.
#include "sync_steps.h"

namespace sync_cases {
namespace {

const std::vector<BufferSpec> kDataAndResult = {{.name = "data", .bytes = 1024},
                                                {.name = "result", .bytes = 1024}};

// body: reads or writes `data`, declared by `declaration`, as invocation i.
Case form(const char* name, const std::string& declaration, const std::string& body, Expected expected,
          uint32_t groups = 1) {
  const std::string extensions = R"(#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
)";
  const std::string shader = extensions + "layout(local_size_x = 64) in;\n" + declaration +
                             "\nlayout(set = 0, binding = 1, std430) buffer Result { uint result[]; };\n"
                             "uint i = gl_GlobalInvocationID.x;\nvoid main() {\n" +
                             body + "  //!\n}\n";
  return {.group = "access",
          .name = name,
          .shaders = {{"comp", kWriteData}, {"comp", shader}},
          .buffers = kDataAndResult,
          .steps = {dispatch(0), only_correct(barrier()), dispatch(1, groups)},
          .expected = expected};
}

std::string block(const std::string& members) {
  return "layout(set = 0, binding = 0, std430) buffer Data { " + members + " };";
}

Expected load(uint32_t size, int64_t multiple) { return {.size = size, .multiple = multiple, .below = 1024}; }

// A dispatch that reads everything, for what forbids writes.
const std::string kReadFirst = std::string(kDeclare) + "void main() { result[i] = data[i]; }\n";

Case write_form(const char* name, const std::string& first, const char* hazard_class,
                const std::string& second, const char* access = "store") {
  Case test =
      form(name, block("uint data[];"), second,
           {.hazard_class = hazard_class, .access = access, .size = 4, .multiple = 4, .below = 1024}, 4);
  test.shaders[0].source = first;
  return test;
}

Case by_address(const char* name, const std::string& type, const std::string& body, Expected expected) {
  expected.buffer = "address data";
  const std::string head = R"(layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Uints { uint v[]; };
)" + type + R"(
layout(push_constant) uniform Push { uvec2 address[8]; };
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
uint i = gl_GlobalInvocationID.x;
)";
  return {.group = "access",
          .name = name,
          .shaders = {{"comp", head + "void main() { Uints(address[0]).v[i] = i * 3u + 1u; }\n"},
                      {"comp", head + "void main() {\n" + body + "  //!\n}\n"}},
          .buffers = {{.name = "address data", .bytes = 1024}, {.name = "result", .bytes = 1024}},
          .steps = {dispatch(0), only_correct(barrier()), dispatch(1, 1)},
          .expected = expected};
}

Case texel(const char* name, VkDescriptorType type, const std::string& declaration, const std::string& body,
           Expected expected) {
  Case test = form(name, declaration, body, expected);
  test.bindings = {{.binding = 0, .buffers = {0}},
                   {.binding = 1, .buffers = {1}},
                   {.binding = 2, .type = type, .buffers = {0}, .format = VK_FORMAT_R32_UINT}};
  return test;
}

std::vector<Case> types() {
  return {
      form("scalar", block("float data[];"), "result[i] = floatBitsToUint(data[i]);", load(4, 4)),
      form("vec2", block("uvec2 data[];"), "result[i] = data[i].x + data[i].y;", load(0, 4)),
      form("vec4_whole", block("uvec4 data[];"), "uvec4 v = data[i]; result[i] = v.x ^ v.y ^ v.z ^ v.w;",
           load(16, 16)),
      form("vec3_scalar_layout", "layout(set = 0, binding = 0, scalar) buffer Data { uvec3 data[]; };",
           "uvec3 v = data[i]; result[i] = v.x ^ v.y ^ v.z;", load(12, 1)),
      form("byte", block("uint8_t data[];"), "result[i] = uint(data[i]);", load(1, 1)),
      form("half_word", block("uint16_t data[];"), "result[i] = uint(data[i]);", load(2, 2)),
      form("long", block("uint64_t data[];"), "uint64_t v = data[i]; result[i] = uint(v) ^ uint(v >> 32);",
           load(8, 8)),
      form("double", block("double data[];"), "result[i] = data[i] == 0.0LF ? 1u : 0u;", load(8, 8)),
      form("struct_copied_whole",
           "struct Item { uvec4 a; uint b; uint c; uvec2 d; };\n" + block("Item data[];"),
           "Item item = data[i % 32u]; result[i] = item.a.x ^ item.b ^ item.c ^ item.d.y;", load(0, 1)),
      form("array_copied_whole", "struct Item { uint a[8]; };\n" + block("Item data[];"),
           "uint a[8] = data[i % 32u].a; result[i] = a[i % 8u];", load(0, 1)),
      form("matrix_column_major", block("mat4 data[];"),
           "mat4 m = data[i % 16u]; result[i] = floatBitsToUint(m[1][2]);", load(0, 1)),
      form("matrix_row_major_column",
           "layout(set = 0, binding = 0, std430, row_major) buffer Data { mat4 data[]; };",
           "vec4 c = data[i % 16u][1]; result[i] = floatBitsToUint(c.z);", load(0, 1)),
      form("bool_member", block("bool data[];"), "result[i] = data[i] ? 2u : 1u;", load(4, 4)),
      form("vector_component_store", block("uvec4 data[];"), "data[i].y = i;",
           {.hazard_class = "write after write", .access = "store", .size = 4, .multiple = 4, .below = 1024}),
  };
}

std::vector<Case> orders() {
  return {
      write_form("store_after_load", kReadFirst, "write after read", "data[i] = i;"),
      write_form("store_after_store", kWriteData, "write after write", "data[i] = i;"),
      write_form("atomic_after_store", kWriteData, "atomic against plain",
                 "result[i] = atomicAdd(data[i], 1u);", "atomic"),
      write_form("load_after_atomic", std::string(kDeclare) + "void main() { atomicMax(data[i], i); }\n",
                 "atomic against plain", "result[i] = data[i];", "load"),
      write_form("compare_and_swap_after_load", kReadFirst, "atomic against plain",
                 "result[i] = atomicCompSwap(data[i], 1u, 5u);", "atomic"),
  };
}

std::vector<Case> addresses() {
  return {
      by_address("pointer_load", "", "result[i] = Uints(address[0]).v[i];", load(4, 4)),
      by_address(
          "pointer_store", "", "Uints(address[0]).v[i] = 1u;",
          {.hazard_class = "write after write", .access = "store", .size = 4, .multiple = 4, .below = 1024}),
      by_address(
          "pointer_vec4",
          "layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { uvec4 v[]; };",
          "uvec4 v = Vectors(address[0]).v[i]; result[i] = v.x + v.w;", load(16, 16)),
      by_address("pointer_atomic", "", "result[i] = atomicOr(Uints(address[0]).v[i], 1u);",
                 {.hazard_class = "atomic against plain",
                  .access = "atomic",
                  .size = 4,
                  .multiple = 4,
                  .below = 1024}),
  };
}

// SPIR-V's image memory is that of images and texel buffers: GLSL orders both by memoryBarrierImage().
Case texels_within_a_workgroup() {
  Case test = texel("texels_within_a_workgroup", VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, "", "",
                    {.hazard_class = "", .access = "load", .size = 4, .multiple = 4, .below = 1024});
  test.shaders = {{"comp", R"(
layout(local_size_x = 64) in;
layout(set = 0, binding = 2, r32ui) uniform coherent uimageBuffer texels;
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  imageStore(texels, int(i), uvec4(i));
#ifndef RACY
  memoryBarrierImage();
#endif
  barrier();
  result[i] = imageLoad(texels, int(i ^ 37u)).x;  //!
})"}};
  test.steps = {dispatch(0)};
  return test;
}

std::vector<Case> texels() {
  return {
      texel("storage_texel_load", VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
            "layout(set = 0, binding = 2, r32ui) uniform readonly uimageBuffer texels;",
            "result[i] = imageLoad(texels, int(i)).x;", load(4, 4)),
      texel(
          "storage_texel_store", VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
          "layout(set = 0, binding = 2, r32ui) uniform writeonly uimageBuffer texels;",
          "imageStore(texels, int(i), uvec4(i));",
          {.hazard_class = "write after write", .access = "store", .size = 4, .multiple = 4, .below = 1024}),
      texel("storage_texel_atomic", VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
            "layout(set = 0, binding = 2, r32ui) uniform uimageBuffer texels;",
            "imageAtomicAdd(texels, int(i), 2u);",
            {.hazard_class = "atomic against plain",
             .access = "atomic",
             .size = 4,
             .multiple = 4,
             .below = 1024}),
      texel("uniform_texel_fetch", VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
            "layout(set = 0, binding = 2) uniform usamplerBuffer texels;",
            "result[i] = texelFetch(texels, int(i)).x;", load(4, 4)),
      texels_within_a_workgroup(),
  };
}

constexpr BarrierSpec kToUniform = {kCompute, kWrites, kCompute, VK_ACCESS_UNIFORM_READ_BIT};

Case uniform_buffer() {
  Case uniform =
      form("uniform_buffer", "layout(set = 0, binding = 2, std140) uniform Constants { uvec4 data[64]; };",
           "result[i] = data[i].z;", load(4, 4));
  uniform.bindings = {{.binding = 0, .buffers = {0}},
                      {.binding = 1, .buffers = {1}},
                      {.binding = 2, .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buffers = {0}}};
  uniform.steps = {dispatch(0), only_correct(barrier(kToUniform)), dispatch(1)};
  return uniform;
}

// The access flag of other reads does not stand for reads of uniform buffers, nor the other way round.
Case flag_of_another_read(const char* name, Case test, BarrierSpec correct, BarrierSpec racy) {
  test.name = name;
  test.steps = {dispatch(0), only_correct(barrier(correct)), only_racy(barrier(racy)), dispatch(1)};
  test.exact_only = true;
  return test;
}

Case float_atomic_after_store() {
  Case float_atomic =
      write_form("float_atomic_after_store", kWriteData, "atomic against plain", "", "atomic");
  float_atomic.shaders[1].source = R"(#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
void main() { atomicAdd(data[gl_GlobalInvocationID.x], 1.0); }  //!
)";
  float_atomic.extensions = {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME};
  return float_atomic;
}

const std::vector<Binding> kUniformOfThird = {
    {.binding = 0, .buffers = {0}},
    {.binding = 1, .buffers = {1}},
    {.binding = 2, .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buffers = {2}}};

// Reads of buffers that no shader can write are not checked; all other accesses are.
Case storage_beside_constants() {
  Case constants =
      form("storage_beside_constants",
           block("uint data[];") +
               "layout(set = 0, binding = 2, std140) uniform Constants { uvec4 constants[16]; };",
           "result[i] = data[i] + constants[i % 16u].x;", load(4, 4));
  constants.buffers.push_back({.name = "constants", .bytes = 256, .fill = 5, .read_only = true});
  constants.bindings = kUniformOfThird;
  return constants;
}

// Constants are checked if they lie in memory of a buffer that shaders do write.
Case constants_in_storage() {
  Case aliased = form("constants_in_storage",
                      "layout(set = 0, binding = 2, std140) uniform Constants { uvec4 constants[64]; };",
                      "result[i] = constants[i].y;", load(4, 4));
  aliased.expected.buffer = "constants";
  aliased.buffers.push_back({.name = "constants", .bytes = 1024, .alias_of = "data", .read_only = true});
  aliased.bindings = kUniformOfThird;
  aliased.steps = {dispatch(0), only_correct(barrier(kToUniform)), dispatch(1)};
  return aliased;
}

Case pointer_in_a_variable() {
  Case pointers = form("pointer_in_a_variable", block("uint data[];"), "", load(4, 4));
  pointers.shaders[1] = {"spvasm",
                         kit::read_text(SHADERQA_E2E_SHADER_DIR "/pointers_in_variables.comp.spvasm")};
  pointers.expected.line = false;
  return pointers;
}

Case cooperative_matrix() {
  Case cooperative = form("cooperative_matrix", block("uint data[];"), "", load(32, 32));
  cooperative.shaders[1].source = R"(#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float16_t data[]; };
layout(set = 0, binding = 1) buffer Result { float16_t result[]; };
void main() {
  // Rows, then columns: other invocations of the same subgroup check them, in its name.
  fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> m;
  coopMatLoadNV(m, data, gl_WorkGroupID.x * 256, 16, false);  //!
  coopMatStoreNV(m, result, gl_WorkGroupID.x * 256, 16, false);
  coopMatStoreNV(m, result, gl_WorkGroupID.x * 256, 16, true);
}
)";
  cooperative.steps = {dispatch(0), only_correct(barrier()), dispatch(1, 2)};
  cooperative.extensions = {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME};
  cooperative.rare = true;
  return cooperative;
}

// A pointer handed to a function.
Case array_through_a_function() {
  Case function =
      form("array_through_a_function", block("uint data[];") + "\nuint at(uint n) { return data[n]; }  //!",
           "result[i] = at(i);", load(4, 4));
  return function;
}

// The last of 6,400 bytes that are loaded at once.
Case end_of_a_long_load() {
  constexpr uint32_t bytes = 6400, filled = 8;
  Case one = form("end_of_a_long_load", "struct Long { uint words[1600]; };\n" + block("Long whole;"),
                  "Long copied = whole; result[i] = copied.words[1599];",
                  {.size = bytes, .multiple = 4, .earlier_command = "vkCmdFillBuffer"});
  one.shaders.erase(one.shaders.begin());
  one.buffers[0].bytes = bytes;
  one.steps = {
      fill_part(0, bytes - filled, filled, 7),
      only_correct(barrier({VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute, kReads})),
      dispatch(0, 1)};
  one.exact_only = true;
  return one;
}

}  // namespace

std::vector<Case> access_cases() {
  std::vector<Case> cases;
  for (const auto& some : {types(), orders(), addresses(), texels()})
    cases.insert(cases.end(), some.begin(), some.end());
  for (const Case& one :
       {uniform_buffer(),
        flag_of_another_read("flag_of_storage_for_uniform", uniform_buffer(), kToUniform,
                             {kCompute, kWrites, kCompute, kReads}),
        flag_of_another_read("flag_of_uniform_for_storage",
                             form("", block("uint data[];"), "result[i] = data[i];", load(4, 4)), {},
                             kToUniform),
        float_atomic_after_store(), storage_beside_constants(), constants_in_storage(),
        pointer_in_a_variable(), cooperative_matrix(), array_through_a_function(), end_of_a_long_load()})
    cases.push_back(one);
  return cases;
}

}  // namespace sync_cases
