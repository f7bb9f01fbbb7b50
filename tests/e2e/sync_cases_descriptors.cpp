// SPDX-License-Identifier: Apache-2.0
// The same missing barrier each time, found through every way in which a buffer gets into a descriptor. The
// second shader reads `data` by binding 2 or 3 or through sets that were written in an unusual way.
#include "sync_steps.h"

namespace sync_cases {
namespace {

const std::vector<BufferSpec> kThree = {{.name = "data", .bytes = 1024},
                                        {.name = "result", .bytes = 1024},
                                        {.name = "other", .bytes = 1024, .fill = 9}};
const Binding kData = {.binding = 0, .buffers = {0}};
const Binding kResult = {.binding = 1, .buffers = {1}};

Case path(const char* name, const std::string& declaration, const std::string& value,
          std::vector<Binding> bindings, uint32_t groups = 4,
          Expected expected = {.size = 4, .multiple = 4, .below = 1024}) {
  bindings.insert(bindings.begin(), {kData, kResult});
  const std::string reader =
      "#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x = 64) in;\n"
      "layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };\n" +
      declaration + "\nuint i = gl_GlobalInvocationID.x;\nvoid main() { result[i] = " + value + "; }  //!\n";
  return {.group = "descriptors",
          .name = name,
          .shaders = {{"comp", kWriteData}, {"comp", reader}},
          .buffers = kThree,
          .steps = {dispatch(0), only_correct(barrier()), dispatch(1, groups)},
          .expected = expected,
          .bindings = std::move(bindings)};
}

Case written(const char* name, Written how) {
  Case test = {.group = "descriptors",
               .name = name,
               .shaders = {{"comp", kWriteData}, {"comp", kReadData}},
               .buffers = kThree,
               .steps = {dispatch(0), only_correct(barrier()), dispatch(1)},
               .expected = {.size = 4, .multiple = 4, .below = 1024}};
  test.written = how;
  return test;
}

const char* const kOne = "layout(set = 0, binding = 2, std430) readonly buffer Items { uint items[]; };";
const char* const kArray =
    "layout(set = 0, binding = 2, std430) readonly buffer Items { uint items[]; } many[3];";
const char* const kUnbounded =
    "layout(set = 0, binding = 2, std430) readonly buffer Items { uint items[]; } many[];";

std::vector<Case> ways_into_a_set() {
  std::vector<Case> cases = {
      written("copied", Written::copy),
      written("updated_by_a_template", Written::update_template),
      written("pushed", Written::push),
      written("pushed_by_a_template", Written::push_template),
      written("bound_by_2", Written::bind2),
      written("pushed_by_2", Written::push2),
      written("pushed_by_a_template_by_2", Written::push_template2),
      written("updated_after_bind", Written::after_bind),
      written("set_freed_and_reused", Written::reused_set),
      written("consecutive_bindings_in_one_write", Written::one_update),
      path("array_constant_index", kArray, "many[1].items[i]", {{.binding = 2, .buffers = {2, 0, 2}}}),
      path("array_non_uniform_index", kArray, "many[nonuniformEXT(i % 3u)].items[i]",
           {{.binding = 2, .buffers = {2, 2, 0}}}),
      path("bindless_partially_bound", kUnbounded, "many[nonuniformEXT(i < 128u ? 5u : 0u)].items[i]",
           {{.binding = 2,
             .buffers = {2, -2, -2, -2, -2, 0, -2, -2},
             .flags = VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
                      VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT}}),
      path("second_set", "layout(set = 1, binding = 4, std430) readonly buffer Items { uint items[]; };",
           "items[i]", {{.set = 1, .binding = 4, .buffers = {0}}}),
      // On devices with eight, the check itself has none.
      path("eight_sets", "layout(set = 7, binding = 0, std430) readonly buffer Items { uint items[]; };",
           "items[i]", {{.set = 7, .binding = 0, .buffers = {0}}}),
      path("offset_and_range", kOne, "items[i]",
           {{.binding = 2, .buffers = {0}, .offset = 512, .range = 256}}, 1,
           {.size = 4, .multiple = 4, .below = 768}),
      path("mutable_type", kOne, "items[i]",
           {{.binding = 2, .type = VK_DESCRIPTOR_TYPE_MUTABLE_EXT, .buffers = {0}}}),
      path("beside_an_inline_uniform_block",
           "layout(set = 0, binding = 2) uniform Block { uvec4 block; };\n"
           "layout(set = 0, binding = 3, std430) readonly buffer Items { uint items[]; };",
           "items[i] + block.y",
           {{.binding = 2, .type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .buffers = {}},
            {.binding = 3, .buffers = {0}}}),
      path("beside_a_null_descriptor", kArray, "many[i % 2u].items[i] + many[2].items[i]",
           {{.binding = 2, .buffers = {-1, 0, -1}}}),
  };
  for (Case& test : cases) {
    if (std::string(test.name) == "mutable_type")
      test.extensions = {VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME};
    if (test.written == Written::bind2 || test.written == Written::push2 ||
        test.written == Written::push_template2) {
      test.extensions = {VK_KHR_MAINTENANCE_6_EXTENSION_NAME};
      test.rare = true;
    }
  }
  cases.back().extensions = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
  return cases;
}

std::vector<Case> offsets_and_aliases() {
  std::vector<Case> cases;
  Case dynamic =
      path("dynamic_offset", kOne, "items[i]",
           {{.binding = 2, .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, .buffers = {0}, .range = 256}},
           1, {.size = 4, .multiple = 4, .below = 768});
  dynamic.steps.insert(dynamic.steps.begin(), dynamic_offsets({512}));
  cases.push_back(dynamic);
  // Only the offset that the shader does not read lies where the first dispatch wrote.
  Case elsewhere =
      path("dynamic_offsets_in_order",
           "layout(set = 0, binding = 2, std430) readonly buffer Items { uint items[]; };\n"
           "layout(set = 0, binding = 3) uniform Constants { uvec4 constants[16]; };",
           "items[i] + constants[i % 16u].x",
           {{.binding = 2, .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, .buffers = {2}, .range = 256},
            {.binding = 3, .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .buffers = {0}, .range = 256}},
           1);
  elsewhere.steps = {dynamic_offsets({256, 512}), dispatch(0),
                     only_correct(barrier({kCompute, kWrites, kCompute, kBoth | VK_ACCESS_UNIFORM_READ_BIT})),
                     dispatch(1, 1)};
  elsewhere.expected.below = 768;
  cases.push_back(elsewhere);

  // Two buffers in the same memory.
  Case alias = path("aliased_memory", kOne, "items[i]", {{.binding = 2, .buffers = {3}}});
  alias.buffers.push_back({.name = "alias", .bytes = 1024, .alias_of = "data"});
  alias.expected.buffer = "";  // either name is right
  cases.push_back(alias);
  return cases;
}

}  // namespace

std::vector<Case> descriptor_cases() {
  std::vector<Case> cases = ways_into_a_set();
  for (const Case& one : offsets_and_aliases()) cases.push_back(one);
  return cases;
}

}  // namespace sync_cases
