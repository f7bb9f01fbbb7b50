// SPDX-License-Identifier: Apache-2.0
// Every way to access an image before every other one: the correct twin has the barrier that the two need,
// the racy twin has none. Layout transitions are barriers themselves: in the racy twin they name other
// stages. Render pass objects change layouts and have dependencies of their own.
#include <deque>
#include <string>

#include "sync_image_steps.h"

namespace sync_cases {
namespace {

// Image 0 is raced for; 1 is only read, and 2 only written by one command of a case.
enum Image : uint32_t { kRaced, kSource, kTarget };

struct Kind {
  const char* name;
  VkPipelineStageFlags2 stage;
  VkAccessFlags2 access;
  bool writes;
  const char* said = "";     // of the access, in a report
  const char* command = "";  // that makes it; "": the shader does
  std::string shader = {};
  Step step = {};
};

constexpr VkPipelineStageFlags2 kComputeStage2 = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

Step blit(uint32_t from, uint32_t to) {
  return {[=](Context& context) {
    const VkImageSubresourceLayers all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageBlit region{all, {{0, 0, 0}, {16, 16, 1}}, all, {{0, 0, 0}, {16, 16, 1}}};
    vkCmdBlitImage(context.commands(), context.images[from], VK_IMAGE_LAYOUT_GENERAL, context.images[to],
                   VK_IMAGE_LAYOUT_GENERAL, 1, &region, VK_FILTER_NEAREST);
  }};
}

Step copy_out(uint32_t image) { return copy_in(image, {0, 0, 0}, {16, 16, 1}, true); }

std::vector<Kind> kinds() {
  const std::string texture = kHeader + "layout(set = 0, binding = 2) uniform usampler2D tex;\n";
  constexpr VkPipelineStageFlags2 output = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                  copies = VK_PIPELINE_STAGE_2_COPY_BIT, blits = VK_PIPELINE_STAGE_2_BLIT_BIT;
  constexpr VkAccessFlags2 stored = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                           loaded = VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
                           sampled = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
                           written = VK_ACCESS_2_TRANSFER_WRITE_BIT, read = VK_ACCESS_2_TRANSFER_READ_BIT;
  return {
      {"store", kComputeStage2, stored, true, "store", "", kWrite},
      {"load", kComputeStage2, loaded, false, "load", "", kRead},
      {"atomic", kComputeStage2, stored | loaded, true, "atomic", "",
       kImage + "void main() { imageAtomicAdd(img, t, 1u); }  //!\n"},
      {"fetch", kComputeStage2, sampled, false, "load", "",
       texture + "void main() { result[i] = texelFetch(tex, t, 0).x; }  //!\n"},
      {"sample", kComputeStage2, sampled, false, "load", "",
       texture + "void main() { result[i] = textureLod(tex, (vec2(t) + 0.5) / 16.0, 0.0).x; }  //!\n"},
      {"clear", VK_PIPELINE_STAGE_2_CLEAR_BIT, written, true, "store", "vkCmdClearColorImage", "",
       clear_image(kRaced)},
      {"copy_in", copies, written, true, "store", "vkCmdCopyBufferToImage", "", copy_in(kRaced)},
      {"copy_out", copies, read, false, "load", "vkCmdCopyImageToBuffer", "", copy_out(kRaced)},
      {"blit_in", blits, written, true, "store", "vkCmdBlitImage", "", blit(kSource, kRaced)},
      {"blit_out", blits, read, false, "load", "vkCmdBlitImage", "", blit(kRaced, kTarget)},
      {"rendering", output, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, true, "store", "vkCmdBeginRendering", "",
       render(kRaced)},
      {"loading", output, VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT, false, "load", "vkCmdBeginRendering", "",
       render(kRaced, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_NONE)},
  };
}

constexpr const char* kTransition = "layout transition";

// What the barrier of these two is, or the layout transition beside one of them.
Step ordered(VkPipelineStageFlags2 from, VkAccessFlags2 made, VkPipelineStageFlags2 to, VkAccessFlags2 seen,
             bool transition) {
  return image_barrier2(from, made, to, seen, kRaced, VK_IMAGE_ASPECT_COLOR_BIT,
                        transition ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL);
}

const char* kept(std::string name) {
  static std::deque<std::string> names;
  return names.emplace_back(std::move(name)).c_str();
}

Case empty(const std::string& name) {
  Case one = between(kept("image_matrix_" + name), {}, {}, {});
  one.bindings.push_back(texture(2));
  one.images = {{.name = "image"}, {.name = "source"}, {.name = "target"}};
  one.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  return one;
}

void add(Case& test, const Kind& kind) {
  if (kind.shader.empty()) return test.steps.push_back(kind.step);
  test.steps.push_back(dispatch(static_cast<uint32_t>(test.shaders.size())));
  test.shaders.push_back({"comp", kind.shader});
}

const char* hazard_between(bool first_writes, bool second_writes) {
  if (!first_writes) return "write after read";
  return second_writes ? "write after write" : "read after write";
}

Expected expected_of(const char* hazard_class, const Kind& second, const char* earlier) {
  Expected expected = raced(hazard_class, second.said);
  expected.command = second.command;
  expected.earlier_command = earlier;
  return expected;
}

Case pair(const Kind& first, const Kind& second) {
  Case one = empty(std::string(first.name) + "_then_" + second.name);
  add(one, first);
  one.steps.push_back(only_correct(
      ordered(first.stage, first.writes ? first.access : 0, second.stage, second.access, false)));
  add(one, second);
  const bool atomic = std::string(first.name) == "atomic" || std::string(second.name) == "atomic";
  one.expected =
      expected_of(atomic ? "" : hazard_between(first.writes, second.writes), second, first.command);
  return one;
}

Case before_transition(const Kind& first) {
  constexpr VkPipelineStageFlags2 all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  constexpr VkAccessFlags2 any = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  Case one = empty(std::string(first.name) + "_then_transition");
  add(one, first);
  one.steps.push_back(only_correct(ordered(first.stage, first.writes ? first.access : 0, all, any, true)));
  one.steps.push_back(only_racy(ordered(VK_PIPELINE_STAGE_2_NONE, 0, all, any, true)));
  const Kind transition{"", 0, 0, true, "store", kTransition};
  one.expected = expected_of(first.writes ? "" : "write after read", transition, first.command);
  return one;
}

Case behind_transition(const Kind& second) {
  Case one = empty(std::string("transition_then_") + second.name);
  one.steps.push_back(only_correct(ordered(VK_PIPELINE_STAGE_2_NONE, 0, second.stage, second.access, true)));
  const bool computes = second.stage == kComputeStage2;
  one.steps.push_back(only_racy(
      ordered(VK_PIPELINE_STAGE_2_NONE, 0, computes ? VK_PIPELINE_STAGE_2_COPY_BIT : kComputeStage2,
              computes ? VK_ACCESS_2_TRANSFER_READ_BIT : VK_ACCESS_2_SHADER_STORAGE_READ_BIT, true)));
  add(one, second);
  const bool atomic = std::string(second.name) == "atomic";
  one.expected = expected_of(atomic ? "" : hazard_between(true, second.writes), second, kTransition);
  return one;
}

constexpr VkPipelineStageFlags2 kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkAccessFlags2 kDrawn = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;

// The pass begins with a transition, which only a dependency of its own puts behind the access.
Case before_pass(const Kind& first) {
  Case one = empty(std::string(first.name) + "_then_pass");
  add(one, first);
  const PassDependency in = {true, first.stage, first.writes ? first.access : 0, kOutput,
                             kDrawn | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT};
  one.steps.push_back(only_correct(pass(kRaced, {{in}})));
  one.steps.push_back(only_racy(pass(kRaced)));
  const Kind transition{"", 0, 0, true, "store", "layout transition of vkCmdBeginRenderPass"};
  one.expected = expected_of(first.writes ? "" : "write after read", transition, first.command);
  return one;
}

Case behind_pass(const Kind& second) {
  Case one = empty(std::string("pass_then_") + second.name);
  one.steps.push_back(only_correct(pass(kRaced, {{{false, kOutput, kDrawn, second.stage, second.access}}})));
  one.steps.push_back(only_racy(pass(kRaced)));
  add(one, second);
  const bool atomic = std::string(second.name) == "atomic";
  one.expected =
      expected_of(atomic ? "" : hazard_between(true, second.writes), second, "vkCmdBeginRenderPass");
  return one;
}

}  // namespace

const std::vector<std::vector<Case>>& image_matrix() {
  static const std::vector<std::vector<Case>> rows = [] {
    const std::vector<Kind> all = kinds();
    std::vector<std::vector<Case>> made;
    std::vector<Case>& transitions = made.emplace_back();
    for (const Kind& kind : all) transitions.push_back(behind_transition(kind));
    std::vector<Case> passes;
    for (const Kind& kind : all) passes.push_back(behind_pass(kind));
    made.push_back(std::move(passes));
    for (const Kind& first : all) {
      std::vector<Case> row;
      for (const Kind& second : all)
        if ((first.writes || second.writes) &&
            !(std::string(first.name) == "atomic" && std::string(second.name) == "atomic"))
          row.push_back(pair(first, second));
      row.push_back(before_transition(first));
      row.push_back(before_pass(first));
      made.push_back(std::move(row));
    }
    return made;
  }();
  return rows;
}

}  // namespace sync_cases
