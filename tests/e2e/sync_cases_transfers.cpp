// SPDX-License-Identifier: Apache-2.0
// Copies, fills and updates beside shaders, and beside each other.
#include "sync_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kCopyReads = VK_ACCESS_TRANSFER_READ_BIT;
constexpr VkAccessFlags kCopyWrites = VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr BarrierSpec kToCompute = {kTransfer, kCopyWrites, kCompute, kReads};
constexpr BarrierSpec kToTransfer = {kCompute, kWrites, kTransfer, kCopyReads | kCopyWrites};
constexpr VkPipelineStageFlags kColour = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkPipelineStageFlags kIndexInput = VK_PIPELINE_STAGE_VERTEX_INPUT_BIT;
constexpr BarrierSpec kToIndices = {kCompute, kWrites, kIndexInput, VK_ACCESS_INDEX_READ_BIT};
constexpr BarrierSpec kFillToIndices = {
    kTransfer, kCopyWrites, kIndexInput | kCompute | kTransfer,
    VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
constexpr BarrierSpec kBetweenTransfers = {kTransfer, kCopyWrites, kTransfer, kCopyReads | kCopyWrites};

// The buffers are `data`, `result` and `copy`; the shaders write data[i], and read it into result[i].
Case transfer(const char* name, std::vector<Step> steps, Expected expected) {
  return {.group = "transfer",
          .name = name,
          .shaders = {{"comp", kWriteData}, {"comp", kReadData}},
          .buffers = {{.name = "data"}, {.name = "result"}, {.name = "copy"}},
          .steps = std::move(steps),
          .expected = expected,
          .exact_only = true};
}

// A shader's access after a command's.
Expected shader_after(const char* command, const char* hazard_class = "read after write",
                      const char* access = "load") {
  return {.hazard_class = hazard_class,
          .access = access,
          .size = 4,
          .multiple = 4,
          .below = 1024,
          .line = hazard_class == std::string("read after write"),
          .command = "",
          .earlier_command = command};
}

// A command's access after a shader's or another command's.
Expected command_after(const char* command, const char* hazard_class, const char* access,
                       const char* earlier = "vkCmdDispatch", const char* buffer = "data") {
  return {.hazard_class = hazard_class,
          .access = access,
          .buffer = buffer,
          .stage = "",
          .size = 4,
          .multiple = 4,
          .below = 1024,
          .line = false,
          .command = command,
          .earlier_command = earlier};
}

// Indices that a shader writes, and an indexed draw reads from the 64th on.
const std::string kWriteIndices = std::string(kDeclare) + "void main() { data[i] = i % 3u; }  //!\n";
const std::string kPlainPixel = R"(layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
)";

Case indices(const char* name, std::vector<Step> steps, Expected expected) {
  Case test = transfer(name, std::move(steps), expected);
  test.shaders = {{"comp", kWriteIndices}, {"vert", kTriangle}, {"frag", kPlainPixel}};
  return test;
}

// A shader that sums what it loads from pages that it shares with nothing: until something writes there, none
// of its loads is checked.
constexpr VkDeviceSize kInner = 0x20000;
const std::string kSumSource = std::string(kDeclare) +
                               R"(layout(set = 0, binding = 2, std430) buffer Source { uint source[]; };
uint l = gl_LocalInvocationID.x;
shared uint sums[64];
void main() {
  sums[l] = source[i];  //!
  barrier();
  for (uint step = 32u; step != 0u; step >>= 1u) {
    if (l < step) sums[l] += sums[l + step];
    barrier();
  }
  if (l == 0u) result[gl_WorkGroupID.x] += sums[0];
  data[i] = sums[0] + i;  //!
}
)";

Case sum_source(const char* name, std::vector<Step> steps, Expected expected) {
  Case test = transfer(name, std::move(steps), expected);
  test.shaders = {{"comp", kWriteData}, {"comp", kSumSource}};
  test.buffers[2] = {.name = "source", .bytes = 0x40000, .fill = 3};
  test.bindings = {{.binding = 0, .buffers = {0}},
                   {.binding = 1, .buffers = {1}},
                   {.binding = 2, .buffers = {2}, .offset = kInner, .range = 1024}};
  test.exact_only = true;
  return test;
}

// A shader accesses what a command wrote or read.
std::vector<Case> shader_behind_command() {
  const std::vector<uint32_t> words(256, 7u);
  Case alias = transfer("fill_of_a_buffer_in_the_same_memory",
                        {fill_buffer(3, 5), only_correct(barrier(kToCompute)), dispatch(1)},
                        shader_after("vkCmdFillBuffer"));
  alias.buffers.push_back({.name = "alias", .alias_of = "data"});
  alias.expected.buffer = "";  // either name is right
  return {
      alias,
      transfer("fill_then_read", {fill_buffer(0, 5), only_correct(barrier(kToCompute)), dispatch(1)},
               shader_after("vkCmdFillBuffer")),
      sum_source("read_filled_and_read_again",
                 {dispatch(1), submit_now(), barrier({kCompute, kBoth, kTransfer | kCompute, kBoth}),
                  fill_part(2, kInner, 1024, 5), only_correct(barrier(kToCompute)), dispatch(1)},
                 [] {
                   Expected expected = shader_after("vkCmdFillBuffer");
                   expected.buffer = "source";
                   expected.below = static_cast<int64_t>(kInner) + 1024;
                   return expected;
                 }()),
      // Its stores are checked all the same.
      sum_source(
          "stored_beside_loads_of_what_nothing_writes", {dispatch(0), only_correct(barrier()), dispatch(1)},
          {.hazard_class = "write after write", .access = "store", .size = 4, .multiple = 4, .below = 1024}),
      transfer("update_then_read",
               {update_buffer(0, 0, words), only_correct(barrier(kToCompute)), dispatch(1)},
               shader_after("vkCmdUpdateBuffer")),
      transfer("copy_then_read", {copy_buffer(2, 0), only_correct(barrier(kToCompute)), dispatch(1)},
               shader_after("vkCmdCopyBuffer")),
      transfer("copy2_then_read", {copy_buffer2(2, 0), only_correct(barrier(kToCompute)), dispatch(1)},
               shader_after("vkCmdCopyBuffer2")),
      transfer("copy_then_overwrite",
               {copy_buffer(0, 2), only_correct(barrier({kTransfer, 0, kCompute, 0})), dispatch(0)},
               shader_after("vkCmdCopyBuffer", "write after read", "store")),
  };
}

// A command accesses what a shader or another command wrote or read.
std::vector<Case> command_behind_access() {
  return {
      transfer("write_then_copy", {dispatch(0), only_correct(barrier(kToTransfer)), copy_buffer(0, 2)},
               command_after("vkCmdCopyBuffer", "read after write", "load")),
      transfer("write_then_copy2", {dispatch(0), only_correct(barrier(kToTransfer)), copy_buffer2(0, 2)},
               command_after("vkCmdCopyBuffer2", "read after write", "load")),
      transfer("write_then_fill", {dispatch(0), only_correct(barrier(kToTransfer)), fill_buffer(0, 1)},
               command_after("vkCmdFillBuffer", "write after write", "store")),
      transfer("read_then_fill",
               {fill_buffer(0, 3), barrier(kToCompute), dispatch(1),
                only_correct(barrier({kCompute, 0, kTransfer, 0})), fill_buffer(0, 1)},
               command_after("vkCmdFillBuffer", "write after read", "store")),
      transfer("write_then_update",
               {dispatch(0), only_correct(barrier(kToTransfer)), update_buffer(0, 256, {1, 2, 3, 4})},
               command_after("vkCmdUpdateBuffer", "write after write", "store")),
      transfer("copies_in_a_row",
               {dispatch(0), barrier(kToTransfer), copy_buffer(0, 2),
                only_correct(barrier(kBetweenTransfers)), copy_buffer(2, 1)},
               command_after("vkCmdCopyBuffer", "read after write", "load", "vkCmdCopyBuffer", "copy")),
      transfer("fill_then_copy_over",
               {fill_buffer(2, 9), only_correct(barrier(kBetweenTransfers)), copy_buffer(0, 2)},
               command_after("vkCmdCopyBuffer", "write after write", "store", "vkCmdFillBuffer", "copy")),
  };
}

// Barriers that do not order what they must, and order across command buffers and submissions.
std::vector<Case> orders() {
  return {
      transfer("barrier_of_the_wrong_stage",
               {fill_buffer(0, 5), only_correct(barrier(kToCompute)), only_racy(barrier()), dispatch(1)},
               shader_after("vkCmdFillBuffer")),
      transfer("barrier_of_the_wrong_access",
               {fill_buffer(0, 5), only_correct(barrier(kToCompute)),
                only_racy(barrier({kTransfer, kCopyReads, kCompute, kReads})), dispatch(1)},
               shader_after("vkCmdFillBuffer")),
      transfer("barrier_of_the_wrong_buffer",
               {dispatch(0), only_correct(buffer_barrier(0, kToTransfer)),
                only_racy(buffer_barrier(1, kToTransfer)), copy_buffer(0, 2)},
               command_after("vkCmdCopyBuffer", "read after write", "load")),
      transfer("copy_in_a_secondary",
               {dispatch(0), only_correct(barrier(kToTransfer)), secondary({copy_buffer(0, 2)})},
               command_after("vkCmdCopyBuffer", "read after write", "load")),
      transfer("copy_in_the_next_submission",
               {dispatch(0), only_correct(binary_semaphore()), only_racy(submit_now()), copy_buffer(0, 2)},
               command_after("vkCmdCopyBuffer", "read after write", "load")),
  };
}

// Copies and clears are two stages, to which fills and updates, and copies of query results, belong.
std::vector<Case> stages_of_transfers() {
  constexpr VkPipelineStageFlags2 copies = VK_PIPELINE_STAGE_2_COPY_BIT,
                                  clears = VK_PIPELINE_STAGE_2_CLEAR_BIT,
                                  shaders = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  const auto twins = [](Step first, Step correct, Step racy, Step second) {
    return std::vector<Step>{first, only_correct(correct), only_racy(racy), second};
  };
  return {
      transfer("fill_then_copy_behind_copies",
               twins(fill_buffer(0, 5), barrier2(clears, kCopyWrites, copies, kCopyReads),
                     barrier2(copies, kCopyWrites, copies, kCopyReads), copy_buffer(0, 2)),
               command_after("vkCmdCopyBuffer", "read after write", "load", "vkCmdFillBuffer")),
      transfer("copy_then_fill_behind_copies",
               twins(copy_buffer(0, 2), barrier2(copies, 0, clears, 0), barrier2(copies, 0, copies, 0),
                     fill_buffer(0, 5)),
               command_after("vkCmdFillBuffer", "write after read", "store", "vkCmdCopyBuffer")),
      transfer("copy_then_update_behind_clears",
               twins(copy_buffer(2, 0), barrier2(copies, kCopyWrites, clears, kCopyWrites),
                     barrier2(clears, kCopyWrites, clears, kCopyWrites), update_buffer(0, 0, {1, 2})),
               command_after("vkCmdUpdateBuffer", "write after write", "store", "vkCmdCopyBuffer")),
      transfer("query_results_then_read_behind_clears",
               twins(copy_query_results(0, 4), barrier2(copies, kCopyWrites, shaders, kReads),
                     barrier2(clears, kCopyWrites, shaders, kReads), dispatch(1)),
               shader_after("vkCmdCopyQueryPoolResults")),
  };
}

// What overwrites all races with a read of one half and a write of the other: both are reported.
std::vector<Case> two_races_of_one_access() {
  const auto twins = [](Step last) {
    return std::vector<Step>{
        copy_buffer(0, 2, {{512, 512, 512}}), fill_part(0, 0, 512, 1),
        only_correct(barrier({kTransfer, kCopyWrites, kTransfer | kCompute, kCopyWrites | kWrites})), last};
  };
  return {transfer("filled_over_a_read_and_a_write", twins(fill_buffer(0, 2)),
                   command_after("vkCmdFillBuffer", "write after read", "store", "vkCmdCopyBuffer")),
          transfer("stored_over_a_read_and_a_write", twins(dispatch(0)),
                   shader_after("vkCmdCopyBuffer", "write after read", "store"))};
}

std::vector<Case> images_and_queries() {
  return {
      transfer("image_copy_then_read", {copy_from_image(0), only_correct(barrier(kToCompute)), dispatch(1)},
               shader_after("vkCmdCopyImageToBuffer")),
      transfer("image_copy2_then_read",
               {copy_from_image(0, true), only_correct(barrier(kToCompute)), dispatch(1)},
               shader_after("vkCmdCopyImageToBuffer2")),
      transfer("write_then_copy_to_image",
               {dispatch(0), only_correct(barrier(kToTransfer)), copy_to_image(0)},
               command_after("vkCmdCopyBufferToImage", "read after write", "load")),
      transfer("write_then_copy_to_image2",
               {dispatch(0), only_correct(barrier(kToTransfer)), copy_to_image(0, true)},
               command_after("vkCmdCopyBufferToImage2", "read after write", "load")),
      transfer("write_then_query_results",
               {dispatch(0), only_correct(barrier(kToTransfer)), copy_query_results(0, 4)},
               command_after("vkCmdCopyQueryPoolResults", "write after write", "store")),
  };
}

std::vector<Case> fetched_indices() {
  return {
      indices("write_then_fetch_indices",
              {dispatch(0), only_correct(barrier(kToIndices)), begin_rendering(),
               draw_indexed({1, 2}, 0, 64, 3), end_rendering()},
              command_after("vkCmdDrawIndexed", "read after write", "load")),
      indices("fetch_indices_then_write",
              {fill_buffer(0, 0), barrier(kFillToIndices), begin_pass(), draw_indexed({1, 2}, 0, 64, 3),
               end_pass(), only_correct(barrier({kIndexInput, 0, kCompute, 0})), dispatch(0)},
              [] {
                Expected expected = shader_after("vkCmdDrawIndexed", "write after read", "store");
                expected.line = true;
                return expected;
              }()),
  };
}

}  // namespace

std::vector<Case> transfer_cases() {
  std::vector<Case> cases;
  for (const auto& some : {shader_behind_command(), command_behind_access(), orders(), stages_of_transfers(),
                           two_races_of_one_access(), images_and_queries(), fetched_indices()})
    cases.insert(cases.end(), some.begin(), some.end());
  return cases;
}

std::vector<Case> transfer_patterns() {
  std::vector<Case> cases = {
      transfer("parts_of_one_buffer",
               {fill_part(0, 0, 512, 1), fill_part(0, 512, VK_WHOLE_SIZE, 2), update_buffer(2, 0, {1, 2}),
                fill_part(2, 8, 4, 3), barrier(kToCompute), dispatch(1)},
               {}),
      transfer("regions_side_by_side",
               {dispatch(0), barrier(kToTransfer),
                copy_buffer(0, 2, {{0, 2, 3}, {3, 5, 1}, {4, 512, 509}, {516, 256, 127}}),
                copy_buffer(0, 2, {{1, 6, 250}, {0, 383, 2}}), barrier(kBetweenTransfers), fill_buffer(2, 0),
                fill_buffer(0, 0)},
               {}),
      transfer("fill_between_dispatches",
               {dispatch(0), barrier(kToTransfer), fill_buffer(0, 4), barrier(kToCompute), dispatch(1),
                barrier({kCompute, kWrites, kTransfer, 0}), update_buffer(0, 0, {1}),
                barrier({kTransfer, kCopyWrites, kCompute, kBoth}), dispatch(1, 1)},
               {}),
      transfer("between_the_rows_of_an_image",
               {copy_from_image(0), update_buffer(0, 32, {1, 2, 3, 4, 5, 6, 7, 8}), fill_part(0, 480, 544, 1),
                barrier(kToCompute), dispatch(1)},
               {}),
      transfer("between_the_results_of_queries",
               {copy_query_results(0, 2), update_buffer(0, 8, {1, 2}), fill_part(0, 24, 8, 1),
                barrier(kToCompute), dispatch(1)},
               {}),
      indices("indices_beside_those_that_are_fetched",
              {fill_buffer(0, 0), barrier(kFillToIndices), begin_rendering(), draw_indexed({1, 2}, 0, 64, 3),
               end_rendering(), fill_part(0, 0, 256, 1), fill_part(0, 268, 8, 1)},
              {}),
      transfer("copies_that_read_the_same", {copy_buffer(0, 2), copy_buffer(0, 1)}, {}),
      // A barrier hands on to a stage that accesses no buffer, and the next one takes over from there.
      transfer("chain_through_colour_output",
               {dispatch(0), barrier({kCompute, kWrites, kColour, VK_ACCESS_COLOR_ATTACHMENT_READ_BIT}),
                barrier({kColour, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, kCompute, kReads}), dispatch(1)},
               {}),
      transfer("chain_through_blits",
               {dispatch(0),
                barrier2(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, kWrites, VK_PIPELINE_STAGE_2_BLIT_BIT, 0),
                barrier2(VK_PIPELINE_STAGE_2_BLIT_BIT, 0, VK_PIPELINE_STAGE_2_CLEAR_BIT, kCopyWrites),
                fill_buffer(0, 1)},
               {}),
  };
  return cases;
}

}  // namespace sync_cases
