// SPDX-License-Identifier: Apache-2.0
// Two frames of a deferred renderer, and a chain of compute passes that process an image. Each of their
// barriers is left out or narrowed in turn.
#include <deque>
#include <string>

#include "sync_image_steps.h"

namespace sync_cases {
namespace {

enum Image : uint32_t { kAlbedo, kNormal, kDepth, kShadow, kLit, kBloom, kBlur, kHistory };

constexpr VkPipelineStageFlags2 kComputes = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                kFragments = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                kTests = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                                         VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                                kBlits = VK_PIPELINE_STAGE_2_BLIT_BIT, kCopies = VK_PIPELINE_STAGE_2_COPY_BIT;
constexpr VkAccessFlags2 kStored = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                         kSeen = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
                         kMoved = VK_ACCESS_2_TRANSFER_WRITE_BIT, kTaken = VK_ACCESS_2_TRANSFER_READ_BIT,
                         kDrawn = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                         kDepthWritten = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

const std::string kLight = kHeader + R"(
layout(set = 0, binding = 0) uniform sampler2D albedo;
layout(set = 0, binding = 2) uniform sampler2D normal;
layout(set = 0, binding = 3) uniform sampler2D depth;
layout(set = 0, binding = 4) uniform sampler2D shadow;
layout(set = 0, binding = 5, r32ui) uniform writeonly uimage2D lit;
layout(set = 0, binding = 6, r32ui) uniform readonly uimage2D history;
void main() {
  vec2 at = (vec2(t) + 0.5) / 16.0;
  float light = textureLod(albedo, at, 0.0).x * textureLod(normal, at, 0.0).z + texelFetch(depth, t, 0).x;
  light += textureProjLod(shadow, vec3(at * 2.0, 2.0), 0.0).x;
  imageStore(lit, t, uvec4(uint(light * 64.0) + i + imageLoad(history, t).x / 2u));
}
)";
const std::string kThreshold = kHeader + R"(
layout(set = 0, binding = 5, r32ui) uniform readonly uimage2D lit;
layout(set = 0, binding = 7, rgba8) uniform writeonly image2D bloom;
void main() { imageStore(bloom, t, vec4(float(imageLoad(lit, t).x & 255u) / 255.0)); }
)";
const std::string kBlurred = kHeader + R"(
layout(set = 0, binding = 8) uniform sampler2D levels;
layout(set = 0, binding = 9, rgba8) uniform writeonly image2D blur;
void main() {
  vec2 at = (vec2(t) + 0.5) / 16.0;
  imageStore(blur, t, textureLod(levels, at, 1.0) * 0.5 + textureLod(levels, at, 2.0) * 0.5);
}
)";
const std::string kCompose = R"(
layout(set = 0, binding = 10) uniform sampler2D blur;
layout(set = 0, binding = 11) uniform usampler2D lit;
layout(location = 0) out vec4 colour;
void main() {
  ivec2 t = ivec2(gl_FragCoord.xy);
  colour = texelFetch(blur, t, 0) + float(texelFetch(lit, t, 0).x);
}
)";

// A barrier of the correct program.
struct Link {
  const char* name;
  std::vector<uint32_t> images;
  VkPipelineStageFlags2 from;
  VkAccessFlags2 made;  // 0: what comes before it only reads
  VkPipelineStageFlags2 to;
  VkAccessFlags2 seen;
  uint32_t mip = 0, mips = 1;
};

Step barrier_of(const Link& link) {
  return {[link](Context& context) {
    std::vector<VkImageMemoryBarrier2> barriers;
    for (const uint32_t image : link.images) {
      VkImageMemoryBarrier2& one = barriers.emplace_back();
      one.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
      one.srcStageMask = link.from;
      one.srcAccessMask = link.made;
      one.dstStageMask = link.to;
      one.dstAccessMask = link.seen;
      one.oldLayout = one.newLayout = VK_IMAGE_LAYOUT_GENERAL;
      one.srcQueueFamilyIndex = one.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
      one.image = context.images[image];
      const bool depth = context.test.images[image].format == VK_FORMAT_D32_SFLOAT;
      one.subresourceRange = {depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, link.mip,
                              link.mips, 0, 1};
    }
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.imageMemoryBarrierCount = static_cast<uint32_t>(barriers.size());
    info.pImageMemoryBarriers = barriers.data();
    vkCmdPipelineBarrier2(context.commands(), &info);
  }};
}

// A pass, and the barriers behind it.
struct Part {
  Step pass;
  std::vector<Link> links = {};
};

Step copy_image(uint32_t from, uint32_t to) {
  return {[=](Context& context) {
    const VkImageSubresourceLayers all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region{all, {}, all, {}, {16, 16, 1}};
    vkCmdCopyImage(context.commands(), context.images[from], VK_IMAGE_LAYOUT_GENERAL, context.images[to],
                   VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }};
}

Step compose() {
  return {[](Context& context) {
    // For the target, which is not one of the case's images.
    barrier2(kOutput, kDrawn, kOutput, kDrawn).act(context);
    begin_rendering().act(context);
    draw({3, 4}).act(context);
    end_rendering().act(context);
  }};
}

const Link kDepthAgain = {"depth_again", {kDepth, kShadow}, kComputes, 0, kTests, kDepthWritten};
const Link kHistoryRead = {"history", {kHistory}, kCopies, kMoved, kComputes, kSeen};

std::vector<Part> frame() {
  return {
      {render_depth(kShadow), {{"shadow", {kShadow}, kTests, kDepthWritten, kComputes, kSeen}}},
      {render(kAlbedo), {{"albedo", {kAlbedo}, kOutput, kDrawn, kComputes, kSeen}}},
      {render(kNormal), {{"normal", {kNormal}, kOutput, kDrawn, kComputes, kSeen}}},
      {render_depth(kDepth), {{"depth", {kDepth}, kTests, kDepthWritten, kComputes, kSeen}}},
      {dispatch(0), {{"lit_for_threshold", {kLit}, kComputes, kStored, kComputes, kSeen}}},
      {dispatch(1), {{"bloom", {kBloom}, kComputes, kStored, kBlits, kTaken}}},
      {blit_down(kBloom, 0, 16, VK_FILTER_LINEAR),
       {{"first_level", {kBloom}, kBlits, kMoved, kBlits, kTaken, 1}}},
      {blit_down(kBloom, 1, 8, VK_FILTER_LINEAR),
       {{"levels", {kBloom}, kBlits, kMoved, kComputes, kSeen, 1, 2}}},
      {dispatch(2),
       {{"blur", {kBlur}, kComputes, kStored, kFragments, kSeen},
        {"lit_for_copy", {kLit}, kComputes, kStored, kCopies, kTaken}}},
      {copy_image(kLit, kHistory), {{"lit_for_pixels", {kLit}, kComputes, kStored, kFragments, kSeen}}},
      {compose()},
  };
}

// Barriers that are there for something else order all that the second frame writes again, but for depth:
// those behind colour output and tests order what pixels have read before what compute shaders write.
std::vector<Part> two_frames() {
  std::vector<Part> parts = frame();
  parts.back().links = {kDepthAgain, kHistoryRead};
  for (Part& part : frame()) {
    // Those of the first frame are changed.
    for (Link& link : part.links) link.name = "";
    parts.push_back(std::move(part));
  }
  // What the two have computed, for the comparison of results.
  parts.back().links = {{"", {kHistory}, kCopies, kMoved, kCopies, kTaken}};
  parts.push_back({copy_in(kHistory, {0, 0, 0}, {16, 16, 1}, true)});
  return parts;
}

Case renderer() {
  Case one = between(
      "", {}, {},
      {{"comp", kLight}, {"comp", kThreshold}, {"comp", kBlurred}, {"vert", kTriangle}, {"frag", kCompose}});
  one.images.clear();
  for (const char* name : {"albedo", "normal", "depth", "shadow", "lit", "bloom", "blur", "history"})
    one.images.push_back({.name = name});
  for (const uint32_t target : {kAlbedo, kNormal}) {
    one.images[target].format = VK_FORMAT_R8G8B8A8_UNORM;
    one.images[target].usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  }
  for (const uint32_t target : {kDepth, kShadow}) {
    one.images[target].format = VK_FORMAT_D32_SFLOAT;
    one.images[target].usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  }
  for (const uint32_t target : {kBloom, kBlur}) one.images[target].format = VK_FORMAT_R8G8B8A8_UNORM;
  one.images[kBloom].mips = 3;
  one.bindings = {texture(0, {kAlbedo}), kResultBinding,      texture(2, {kNormal}),  texture(3, {kDepth}),
                  texture(4, {kShadow}), storage(5, {kLit}),  storage(6, {kHistory}), storage(7, {kBloom}),
                  texture(8, {kBloom}),  storage(9, {kBlur}), texture(10, {kBlur}),   texture(11, {kLit})};
  one.bindings[8].mips = 3;
  return one;
}

// A chain on two images and one that it reads and writes in place.
std::vector<Part> chain() {
  const auto next = [](const char* name, uint32_t image) {
    return Link{name, {image}, kComputes, kStored, kComputes, kSeen | kStored};
  };
  return {{dispatch(0), {next("first", 0)}},     {dispatch(1), {next("across", 1)}},
          {dispatch(2), {next("back", 0)}},      {dispatch(1), {next("across_again", 1)}},
          {dispatch(3), {next("sharpened", 2)}}, {dispatch(4)}};
}

std::string pass_shader(const std::string& from, const std::string& to, const std::string& value) {
  return kHeader + "layout(set = 0, binding = " + from + ", r32ui) uniform readonly uimage2D from;\n" +
         "layout(set = 0, binding = " + to + ", r32ui) uniform writeonly uimage2D to;\n" +
         "void main() { imageStore(to, t, uvec4(" + value + ")); }\n";
}

Case chained() {
  const std::string blurred = "imageLoad(from, t).x + imageLoad(from, (t + 1) & 15).x";
  Case one = between("", {}, {},
                     {{"comp", kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform writeonly uimage2D to;
void main() { imageStore(to, t, uvec4(i)); }
)"},
                      {"comp", pass_shader("0", "2", blurred)},
                      {"comp", pass_shader("2", "0", blurred)},
                      {"comp", pass_shader("2", "3", "imageLoad(from, t.yx).x * 3u")},
                      {"comp", kHeader + R"(
layout(set = 0, binding = 3, r32ui) uniform readonly uimage2D from;
void main() { result[i] = imageLoad(from, t.yx).x; }
)"}});
  one.images = {{.name = "there"}, {.name = "back"}, {.name = "sharp"}};
  one.bindings = {storage(0, {0}), kResultBinding, storage(2, {1}), storage(3, {2})};
  return one;
}

struct Change {
  const char* name;
  // False: of such a barrier it changes nothing, or nothing that is needed.
  bool (*apply)(Link&);
};

const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      {"left_out", [](Link& link) { return (link.images.clear(), true); }},
      {"too_early",
       [](Link& link) {
         link.from = VK_PIPELINE_STAGE_2_NONE;
         link.made = 0;
         return true;
       }},
      {"not_available",
       [](Link& link) {
         const bool writes = link.made != 0;
         link.made = 0;
         return writes;
       }},
      {"elsewhere",
       [](Link& link) {
         link.to = link.to == kCopies ? kComputes : kCopies;
         link.seen = link.to == kCopies ? kTaken | kMoved : kSeen | kStored;
         return true;
       }},
      {"not_visible",
       [](Link& link) {
         const bool reads_written = link.made != 0;
         link.seen = 0;
         return reads_written;
       }},
      {"other_level",
       [](Link& link) {
         const bool has_levels = link.images == std::vector<uint32_t>{kBloom} && link.mips == 1;
         link.mip = link.mip == 0 ? 2 : 0;
         return has_levels;
       }},
  };
  return all;
}

const char* kept(std::string name) {
  static std::deque<std::string> names;
  return names.emplace_back(std::move(name)).c_str();
}

std::vector<Case> mutants_of(const std::string& name, const Case& program, const std::vector<Part>& parts) {
  std::vector<Case> all;
  std::vector<const Link*> links;
  for (const Part& part : parts)
    for (const Link& link : part.links)
      if (*link.name) links.push_back(&link);
  for (const Link* changed : links)
    for (const Change& change : changes()) {
      Link without = *changed;
      if (!change.apply(without)) continue;
      Case one = program;
      one.name = kept(name + "_" + changed->name + "_" + change.name);
      for (const uint32_t image : changed->images)
        one.expected.buffer = kept(image == changed->images.front()
                                       ? program.images[image].name
                                       : std::string(one.expected.buffer) + "|" + program.images[image].name);
      for (const Part& part : parts) {
        one.steps.push_back(part.pass);
        for (const Link& link : part.links) {
          if (&link != changed) {
            one.steps.push_back(barrier_of(link));
            continue;
          }
          one.steps.push_back(only_correct(barrier_of(link)));
          if (!without.images.empty()) one.steps.push_back(only_racy(barrier_of(without)));
        }
      }
      all.push_back(std::move(one));
    }
  return all;
}

}  // namespace

const std::vector<Case>& image_renderer_mutants() {
  static const std::vector<Case> all = mutants_of("renderer", renderer(), two_frames());
  return all;
}

const std::vector<Case>& image_chain_mutants() {
  static const std::vector<Case> all = mutants_of("chain", chained(), chain());
  return all;
}

}  // namespace sync_cases
