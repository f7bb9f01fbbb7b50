// SPDX-License-Identifier: Apache-2.0
// Cases whose memory is images: storage images within a dispatch and between dispatches, and what reads them.
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

Case within(const char* name, const std::string& shader, Expected expected) {
  Case one = between(name, {dispatch(0)}, expected, {{"comp", kImage + shader}});
  one.group = "images_in_dispatch";
  return one;
}

// Shaders that have nothing but images.
const std::string kImagesAlone = R"(
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D img;
layout(set = 0, binding = 2, r32ui) uniform uimage2D other;
uint i = gl_GlobalInvocationID.x;
ivec2 t = ivec2(int(i % 16u), int(i / 16u));
)";

Case alone(Case one, const std::vector<std::string>& shaders) {
  one.shaders.clear();
  for (const std::string& shader : shaders) one.shaders.push_back({"comp", kImagesAlone + shader});
  one.images.push_back({.name = "other"});
  one.bindings.push_back(storage(2, {1}));
  return one;
}

std::vector<Case> within_dispatches() {
  return {
      alone(within("images_alone", "", raced("write after write", "store")), {R"(
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifdef RACY
  imageStore(img, (t + ivec2(1, 0)) & 15, uvec4(i));  //!
#endif
})"}),
      within("image_neighbour_written", R"(
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifdef RACY
  imageStore(img, (t + ivec2(1, 0)) & 15, uvec4(i));  //!
#endif
})",
             raced("write after write", "store")),
      within("image_other_group_read", R"(
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifdef RACY
  result[i] = imageLoad(img, (t + ivec2(0, 4)) & 15).x * 0u;  //!
#else
  result[i] = imageLoad(img, t).x;
#endif
})",
             raced("", "")),
      within("image_atomic_beside_load", R"(
void main() {
  imageAtomicAdd(img, ivec2(3, 3), 1u);  //!
#ifdef RACY
  result[i] = imageLoad(img, ivec2(3, 3)).x * 0u;  //!
#endif
})",
             raced("atomic against plain", "")),
      within("image_barrier_without_memory", R"(
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifndef RACY
  memoryBarrierImage();
#endif
  barrier();
  uint other = i ^ 5u;
  result[i] = imageLoad(img, ivec2(int(other % 16u), int(other / 16u))).x;  //!
})",
             raced("ordered only by execution", "load")),
      within("image_barrier_for_buffers", R"(
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifdef RACY
  memoryBarrierBuffer();
#else
  memoryBarrierImage();
#endif
  barrier();
  uint other = i ^ 5u;
  result[i] = imageLoad(img, ivec2(int(other % 16u), int(other / 16u))).x;  //!
})",
             raced("ordered only by execution", "load")),
  };
}

std::vector<Case> between_dispatches() {
  const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const auto write = dispatch(0), read = dispatch(1);
  std::vector<Case> all = {
      alone(between("images_alone_no_barrier", {write, only_correct(image_barrier()), read}), {R"(
void main() { imageStore(img, t, uvec4(i)); }  //!
)",
                                                                                               R"(
void main() { imageStore(other, t, imageLoad(img, t)); }  //!
)"}),
      between("image_no_barrier", {write, only_correct(image_barrier()), read}),
      with(between("image_in_a_buffers_memory", {write, only_correct(image_barrier()), read}),
           [](Case& test) { test.images[0].in_buffer = true; }),
      between("image_barrier2",
              {write,
               only_correct(image_barrier2(
                   VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT)),
               only_racy(image_barrier2(
                   VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT)),
               read}),
      between("image_global_barrier", {write, only_correct(barrier()), read}),
      between("image_wrong_destination_stage",
              {write, only_correct(image_barrier()),
               only_racy(image_barrier({.to = transfer, .seen = VK_ACCESS_TRANSFER_READ_BIT})), read}),
      between("image_wrong_source_access",
              {write, only_correct(image_barrier()), only_racy(image_barrier({.made = kReads})), read}),
      between("image_barrier_of_a_buffer",
              {write, only_correct(image_barrier()), only_racy(buffer_barrier(0)), read}),
      between("image_write_after_read", {read, only_correct(image_barrier({.made = 0, .seen = 0})), write},
              raced("write after read", "store")),
      between("image_written_twice", {write, only_correct(image_barrier()), write},
              raced("write after write", "store")),
      between("image_two_submissions", {write, only_correct(image_barrier()), submit_now(), read}),
      with(between("image_barrier_of_other_mip", {write, only_correct(image_barrier({.range = part(1, 0)})),
                                                  only_racy(image_barrier({.range = part(0, 0)})), read}),
           [](Case& test) {
             test.images[0].mips = 3;
             test.images[0].extent = {32, 32, 1};
             test.bindings[0].first_mip = 1;
           }),
      with(between("image_barrier_of_other_layer",
                   {write, only_correct(image_barrier({.range = part(0, 2)})),
                    only_racy(image_barrier({.range = part(0, 0, 1, 2)})), read}),
           [](Case& test) {
             test.images[0].layers = 4;
             test.bindings[0].first_layer = 2;
           }),
      with(between("image_view_of_other_format", {write, only_correct(image_barrier()), read},
                   raced("read after write", "load"), {{"comp", kWrite}, {"comp", kHeader + R"(
layout(set = 0, binding = 2, rgba8) uniform image2D other;
void main() { result[i] = uint(imageLoad(other, t).x * 255.0); }  //!
)"}}),
           [](Case& test) {
             test.images[0].flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
             test.bindings.push_back(storage(2));
             test.bindings.back().format = VK_FORMAT_R8G8B8A8_UNORM;
           }),
      with(between("image_of_three_dimensions", {write, only_correct(image_barrier()), read},
                   raced("read after write", "load"),
                   {{"comp",
                     kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage3D img;
void main() { imageStore(img, ivec3(t.x, t.y & 3, t.y >> 2), uvec4(i)); }  //!
)"},
                    {"comp", kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage3D img;
void main() { result[i] = imageLoad(img, ivec3(t.x, t.y & 3, t.y >> 2)).x; }  //!
)"}}),
           [](Case& test) {
             test.images[0].type = VK_IMAGE_TYPE_3D;
             test.images[0].extent = {16, 4, 4};
             test.bindings[0].view = VK_IMAGE_VIEW_TYPE_3D;
           }),
      with(between("image_of_an_array", {write, only_correct(image_barrier({.image = 1})), read},
                   raced("read after write", "load", "second"),
                   {{"comp",
                     kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage2D img[2];
void main() { imageStore(img[1], t, uvec4(i)); }  //!
)"},
                    {"comp", kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage2D img[2];
void main() { uint n = result[4000] + 1u; result[i] = imageLoad(img[n], t).x; }  //!
)"}}),
           [](Case& test) {
             test.images.push_back({.name = "second"});
             test.bindings[0].buffers = {0, 1};
           }),
      with(between("image_layers_of_a_view", {write, only_correct(image_barrier()), read},
                   raced("read after write", "load"),
                   {{"comp",
                     kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage2DArray img;
void main() { imageStore(img, ivec3(t, 1), uvec4(i)); }  //!
)"},
                    {"comp", kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage2DArray img;
void main() { result[i] = imageLoad(img, ivec3(t, 1)).x; }  //!
)"}}),
           [](Case& test) {
             test.images[0].layers = 3;
             test.bindings[0].view = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
             test.bindings[0].layers = 3;
           }),
  };
  const std::string fetch = kHeader + R"(
layout(set = 0, binding = 2) uniform usampler2D tex;
void main() { result[i] = texelFetch(tex, t, 0).x; }  //!
)";
  const std::string sampled = kHeader + R"(
layout(set = 0, binding = 2) uniform usampler2D tex;
void main() { result[i] = textureLod(tex, (vec2(t) + 0.5) / 16.0, 0.0).x; }  //!
)";
  const std::string gathered = kHeader + R"(
layout(set = 0, binding = 2) uniform usampler2D tex;
void main() { result[i] = textureGather(tex, (vec2(t) + 0.5) / 16.0, 0).x; }  //!
)";
  for (const auto& [name, reader] :
       {std::pair{"image_fetched", fetch}, {"image_sampled", sampled}, {"image_gathered", gathered}})
    all.push_back(with(between(name, {write, only_correct(image_barrier()), read},
                               raced("read after write", "load"), {{"comp", kWrite}, {"comp", reader}}),
                       [](Case& test) { test.bindings.push_back(texture(2)); }));
  for (const auto& [name, how] : {std::pair{"image_pushed", Written::push},
                                  {"image_by_template", Written::update_template},
                                  {"image_by_copy", Written::copy},
                                  {"image_after_bind", Written::after_bind}})
    all.push_back(with(between(name, {write, only_correct(image_barrier()), read}),
                       [&, way = how](Case& test) { test.written = way; }));
  return all;
}

}  // namespace

const std::vector<Case>& image_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all;
    for (const auto& some :
         {within_dispatches(), between_dispatches(), image_command_cases(), image_attachment_cases(),
          image_alias_cases(), image_frame_cases(), image_last_access_cases(), image_layout_cases(),
          image_own_texel_cases(), image_plane_cases(), image_pass_cases(), image_sampling_cases(),
          image_logged_cases(), image_presented_cases(), local_read_cases()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return cases;
}

namespace {

std::vector<Case> patterns() {
  return {
      between("image_own_texels", {dispatch(0), image_barrier(), dispatch(0), image_barrier(), dispatch(1)}),
      with(between("image_other_mips", {dispatch(0), dispatch(1)}, {},
                   {{"comp", kWrite}, {"comp", kHeader + R"(
layout(set = 0, binding = 2, r32ui) uniform uimage2D other;
void main() { imageStore(other, t, uvec4(i)); result[i] = i; }
)"}}),
           [](Case& test) {
             test.images[0].mips = 2;
             test.images[0].extent = {32, 32, 1};
             test.bindings.push_back(storage(2));
             test.bindings.back().first_mip = 1;
           }),
      // The last workgroup reads what the others have written.
      between("image_last_group", {dispatch(0)}, {}, {{"comp", kImage + R"(
shared uint ticket;
void main() {
  imageStore(img, t, uvec4(i));
  memoryBarrierImage();
  barrier();
  if (l == 0u) ticket = atomicAdd(result[1000], 1u);
  barrier();
  if (ticket == gl_NumWorkGroups.x - 1u) {
    memoryBarrierImage();
    for (uint n = 0u; n < 4u; ++n) {
      uint k = n * 64u + l;
      result[k] = imageLoad(img, ivec2(int(k % 16u), int(k / 16u))).x;
    }
  }
}
)"}}),
      // Different corners of one image.
      with(between("image_copies_beside_each_other",
                   {copy_in(0, {0, 0, 0}, {8, 8, 1}), copy_in(0, {8, 0, 0}, {8, 8, 1}),
                    copy_in(0, {0, 8, 0}, {7, 8, 1}), copy_in(0, {7, 8, 0}, {9, 8, 1})}),
           [](Case& test) {
             test.images[0].usage &= ~VkImageUsageFlags(VK_IMAGE_USAGE_STORAGE_BIT);
             test.bindings.erase(test.bindings.begin());
           }),
      // From compute to an attachment, and from there to compute: the second barrier hands on what the first
      // one made available.
      with(between("image_through_an_attachment",
                   {dispatch(0),
                    image_barrier(
                        {.to = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                         .seen = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT}),
                    image_barrier({.from = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                   .made = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT}),
                    dispatch(1)}),
           [](Case& test) { test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT; }),
      // Who orders accesses to memory may name the buffer that has all of it.
      with(between("image_ordered_by_its_memorys_buffer",
                   {dispatch(0), memory_buffer_barrier(), dispatch(1), memory_buffer_barrier(), dispatch(0)}),
           [](Case& test) { test.images[0].in_buffer = true; }),
  };
}

}  // namespace

const std::vector<Case>& image_patterns() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all = patterns();
    for (const auto& some :
         {image_alias_patterns(), image_layout_patterns(), image_attachment_patterns(), image_pass_patterns(),
          local_read_patterns(), host_copy_patterns(), image_plane_patterns(), image_sampling_patterns()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return cases;
}

}  // namespace sync_cases
