// SPDX-License-Identifier: Apache-2.0
// One small program of the sync tests: shaders, buffers, what is recorded, and the finding that its racy twin
// must give. The correct and the racy twin are the same but for steps marked so and `#ifdef RACY`.
#ifndef SHADERQA_TESTS_E2E_SYNC_CASE_H
#define SHADERQA_TESTS_E2E_SYNC_CASE_H

#include <volk.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sync_cases {

class Context;

struct Shader {
  const char* stage;        // "comp", "vert", ..., or "spvasm": SPIR-V as text
  std::string source = {};  // `//!` at the end of the lines that may be reported
};

struct BufferSpec {
  const char* name = "";
  uint32_t bytes = 1024;
  uint32_t fill = 0;                 // every word at first
  const char* alias_of = "";         // shares the memory of an earlier buffer
  std::vector<uint32_t> words = {};  // the first ones, instead of `fill`
  bool read_only = false;            // created without any usage by which shaders can write
};

// In the layout GENERAL from the beginning.
struct ImageSpec {
  const char* name = "";
  VkFormat format = VK_FORMAT_R32_UINT;
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkExtent3D extent = {16, 16, 1};
  uint32_t mips = 1, layers = 1;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                            VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkImageCreateFlags flags = 0;
  const char* alias_of = "";  // shares the memory of an earlier image
  bool in_buffer = false;     // a buffer has all of its memory, as allocators have one
  bool presented = false;     // the first one alone: that of a swapchain which was acquired last
};

// A binding of the layout that all shaders of the case share. Unless said otherwise, each buffer is one
// storage buffer of set 0, in order.
struct Binding {
  uint32_t set = 0;
  uint32_t binding = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  std::vector<int> buffers = {};  // of its array elements; -1: a null descriptor, -2: never written
  VkDeviceSize offset = 0;
  VkDeviceSize range = VK_WHOLE_SIZE;
  VkDescriptorBindingFlags flags = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;  // of texel buffers; of images, if it is not their own
  // For images, whose numbers `buffers` has.
  VkImageViewType view = VK_IMAGE_VIEW_TYPE_2D;
  uint32_t first_mip = 0, mips = 1, first_layer = 0, layers = 1;
  VkImageAspectFlags aspects = 0;  // 0: all
  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
};

// How descriptors get into the sets.
// The last three use the commands of VK_KHR_maintenance6.
enum class Written {
  update,
  one_update,
  update_template,
  copy,
  push,
  push_template,
  after_bind,
  reused_set,
  bind2,
  push2,
  push_template2
};
constexpr bool is_pushed(Written how) {
  return how == Written::push || how == Written::push_template || how == Written::push2 ||
         how == Written::push_template2;
}

struct Step {
  enum class Of { both, correct, racy };
  std::function<void(Context&)> act = {};
  Of of = Of::both;
};
inline Step only_correct(Step step) { return {std::move(step.act), Step::Of::correct}; }
inline Step only_racy(Step step) { return {std::move(step.act), Step::Of::racy}; }

struct Expected {
  const char* hazard_class = "read after write";
  const char* access = "load";  // of the reported access
  const char* buffer = "data";
  const char* stage = "compute";
  uint32_t size = 0;                 // 0: of several sizes
  int64_t multiple = -1;             // the offset is a multiple of this ...
  int64_t below = -1;                // ... and below this
  bool line = true;                  // on a line marked `//!`
  const char* command = "";          // that makes the access by itself; "": a shader makes it
  const char* earlier_command = "";  // that made the other access
};

struct Case {
  const char* group = "";
  const char* name = "";
  std::vector<Shader> shaders = {};
  std::vector<BufferSpec> buffers = {};
  std::vector<Step> steps = {};
  Expected expected = {};
  std::vector<Binding> bindings = {};
  Written written = Written::update;
  std::vector<const char*> extensions = {};  // beyond those that every case gets
  uint32_t queues = 1;                       // of one family
  bool other_family = false;                 // and one of another family with compute
  bool exact_only = false;                   // the filter does not see it
  const char* host_reads = "none";           // the layer's setting sync_host
  std::vector<VkVertexInputBindingDescription> vertex_bindings = {};
  std::vector<VkVertexInputAttributeDescription> vertex_attributes = {};
  bool strips = false;  // draws are of triangle strips, which the highest index ends
  std::vector<ImageSpec> images = {};
  bool rare = false;  // many devices lack one of these; there, it is not run
};

// All cases that have a racy twin, then programs that are correct and have none.
const std::vector<Case>& cases_with_a_race();
const std::vector<Case>& correct_patterns();
// Programs with a race that is not seen.
const std::vector<Case>& undetected_cases();

// A race of which each side is one of two accesses: the letter after `//!` on its line, and what it does.
// They may come in either order.
struct Side {
  char line = 0;
  const char* access = "";
};
struct SidePair {
  Side one, two;
};
constexpr uint32_t kPatternRuns = 100;
struct RacyPattern {
  Case test;
  uint32_t words = 1;  // that are raced for in each run
  std::vector<SidePair> pairs = {};
  // Right, too, but not in every program: of several readers the first one's site is named, which may be the
  // writer's own.
  std::vector<SidePair> rarely = {};
};
const std::vector<RacyPattern>& racy_patterns();
const std::vector<Case>& correct_run_patterns();

// Correct programs, with the barriers that are listed as redundant: a part of each one's text, in any order.
struct RedundantCase {
  Case test;
  std::vector<std::string> listed = {};
};
const std::vector<RedundantCase>& redundant_cases();

// Those of images, which only the exact engine checks, with the setting sync_images. Expected::buffer is the
// name of the image.
const std::vector<Case>& image_cases();
const std::vector<Case>& image_patterns();
// All pairs of accesses to an image; a row has those with the same first one.
const std::vector<std::vector<Case>>& image_matrix();
// Programs in which one barrier is left out or narrowed. Their correct twins are all the same.
// Expected::buffer: the images that the barrier is for, with | between them.
const std::vector<Case>& image_renderer_mutants();
const std::vector<Case>& image_chain_mutants();

// Whose racy twins access images in a wrong layout, and have no race.
struct LayoutCase {
  Case test;
  const char* command = "";  // that names the layout; "": a shader accesses the image
  const char* named = "";
  const char* is = "";
  const char* changed_by = "";
  const char* changed_in = "";  // a debug label
  bool as_old = false;
  bool of_descriptor = false;
  uint32_t mip = 0;
  bool khronos = true;  // the Khronos layer finds it, in all versions
};
const std::vector<LayoutCase>& wrong_layout_cases();
const std::vector<Case>& right_layout_patterns();

// Whose racy twins race on these texels of one level and layer.
enum class Raced : uint8_t {
  no,
  between_actions,
  within_action,
  some  // in at least one of both ways
};
using RacedTexel = std::function<Raced(uint32_t x, uint32_t y)>;
struct PictureCase {
  Case test;
  uint32_t width = 16, height = 16;
  std::string file;             // the picture's
  std::string other_file = {};  // the same picture of another image
  std::string note = {};        // a part of what the finding says of the picture
  RacedTexel raced = {};
};
const std::vector<PictureCase>& picture_cases();

// One a file.
std::vector<Case> access_cases();
std::vector<Case> descriptor_cases();
std::vector<Case> synchronisation_cases();
std::vector<Case> host_cases();
std::vector<Case> host_read_cases();
std::vector<Case> host_read_patterns();
std::vector<Case> queue_patterns();
std::vector<Case> dispatch_cases();
std::vector<Case> indirect_cases();
std::vector<Case> indirect_patterns();
std::vector<Case> graphics_cases();
std::vector<Case> graphics_patterns();
std::vector<Case> compute_patterns();
std::vector<Case> transfer_cases();
std::vector<Case> transfer_patterns();
std::vector<Case> row_cases();
std::vector<Case> vertex_cases();
std::vector<Case> vertex_patterns();
std::vector<Case> build_cases();
std::vector<Case> build_patterns();

}  // namespace sync_cases
#endif
