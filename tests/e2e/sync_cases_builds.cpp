// SPDX-License-Identifier: Apache-2.0
// What builds and copies of acceleration structures do to buffers, beside shaders and each other.
#include <memory>

#include "ray_tracing_kit.h"
#include "sync_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags kBuild = VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR;
constexpr VkAccessFlags kStructureReads = VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR;
constexpr VkAccessFlags kStructureWrites = VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR;
constexpr BarrierSpec kToBuild = {kCompute, kWrites, kBuild, kReads};
constexpr BarrierSpec kFromBuild = {kBuild, 0, kCompute, 0};
constexpr BarrierSpec kBetweenBuilds = {kBuild, kStructureWrites, kBuild, kStructureReads | kStructureWrites};

const std::string kWriteInput = std::string(kDeclare) + "void main() { data[i] = i; }  //!\n";
constexpr const char* kInput = "address data";
constexpr const char* kBuilds = "vkCmdBuildAccelerationStructuresKHR";

Case builds(const char* name, std::vector<Step> steps, Expected expected = {}) {
  return {.group = "builds",
          .name = name,
          .shaders = {{"comp", kWriteInput}},
          .buffers = {{.name = kInput}, {.name = "result"}},
          .steps = std::move(steps),
          .expected = expected,
          .extensions = {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                         VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME},
          .exact_only = true,
          .rare = true};
}

Expected by_command(const char* hazard_class, const char* access, const char* command, const char* earlier,
                    const char* buffer) {
  return {.hazard_class = hazard_class,
          .access = access,
          .buffer = buffer,
          .stage = "",
          .line = false,
          .command = command,
          .earlier_command = earlier};
}

VkDeviceAddress address_of(Context& context, uint32_t buffer) {
  return context.device.address(context.buffers[buffer]);
}

// 32 boxes of the first buffer, 32 bytes apart; or of it triangles without indices, 16 bytes a corner.
VkAccelerationStructureGeometryKHR boxes(Context& context) {
  return kit::box_geometry(address_of(context, 0), 32);
}
VkAccelerationStructureGeometryKHR corners(Context& context) {
  VkAccelerationStructureGeometryKHR geometry = kit::geometry_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR);
  auto& triangles = geometry.geometry.triangles;
  triangles.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
  triangles.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
  triangles.vertexData.deviceAddress = address_of(context, 0);
  triangles.vertexStride = 16;
  triangles.maxVertex = 63;
  triangles.indexType = VK_INDEX_TYPE_NONE_KHR;
  return geometry;
}

kit::Build prepare(Context& context, const VkAccelerationStructureGeometryKHR& geometry, uint32_t count) {
  return {context.device, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, geometry, count};
}

Step build_boxes(uint32_t count = 32) {
  return {[=](Context& context) { prepare(context, boxes(context), count).record(context.commands()); }};
}
Step build_triangles(uint32_t count = 21) {
  return {[=](Context& context) { prepare(context, corners(context), count).record(context.commands()); }};
}

void name(Context& context, const kit::Buffer& buffer, const char* text) {
  const std::string prefix = context.racy ? "racy " : "correct ";
  context.device.name(buffer, (prefix + context.test.name + " " + text).c_str());
}

// Two builds with the same scratch memory, the first one's.
Step build_twice(bool with_barrier) {
  return {[=](Context& context) {
    const kit::Build first = prepare(context, boxes(context), 32);
    kit::Build second = prepare(context, boxes(context), 32);
    second.info.scratchData = first.info.scratchData;
    name(context, first.scratch, "scratch");
    first.record(context.commands());
    if (with_barrier) barrier(kBetweenBuilds).act(context);
    second.record(context.commands());
  }};
}

Step build_and_clone(bool with_barrier) {
  return {[=](Context& context) {
    const kit::Build first = prepare(context, boxes(context), 32),
                     second = prepare(context, boxes(context), 32);
    name(context, first.storage, "structure");
    first.record(context.commands());
    if (with_barrier) barrier(kBetweenBuilds).act(context);
    VkCopyAccelerationStructureInfoKHR copy{};
    copy.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR;
    copy.src = first.structure.handle;
    copy.dst = second.structure.handle;
    copy.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR;
    vkCmdCopyAccelerationStructureKHR(context.commands(), &copy);
  }};
}

}  // namespace

std::vector<Case> build_cases() {
  return {
      builds("write_then_build_boxes", {dispatch(0), only_correct(barrier(kToBuild)), build_boxes()},
             by_command("read after write", "load", kBuilds, "vkCmdDispatch", kInput)),
      builds("write_then_build_triangles", {dispatch(0), only_correct(barrier(kToBuild)), build_triangles()},
             by_command("read after write", "load", kBuilds, "vkCmdDispatch", kInput)),
      builds("build_then_write", {build_boxes(), only_correct(barrier(kFromBuild)), dispatch(0)},
             {.hazard_class = "write after read",
              .access = "store",
              .buffer = kInput,
              .size = 4,
              .multiple = 4,
              .below = 1024,
              .earlier_command = kBuilds}),
      builds("scratch_of_two_builds", {only_correct(build_twice(true)), only_racy(build_twice(false))},
             by_command("write after write", "store", kBuilds, kBuilds, "scratch")),
      builds(
          "build_then_clone", {only_correct(build_and_clone(true)), only_racy(build_and_clone(false))},
          by_command("read after write", "load", "vkCmdCopyAccelerationStructureKHR", kBuilds, "structure")),
  };
}

std::vector<Case> build_patterns() {
  // Behind each box 8 bytes are free, behind each corner 4.
  return {
      builds("what_lies_beside_boxes", {build_boxes(2), fill_part(0, 24, 8, 1), fill_part(0, 56, 968, 1)}),
      builds("what_lies_beside_corners",
             {build_triangles(1), fill_part(0, 12, 4, 1), fill_part(0, 28, 4, 1), fill_part(0, 44, 980, 1)}),
      builds("builds_apart", {build_boxes(), build_triangles(), build_boxes()}),
  };
}

}  // namespace sync_cases
