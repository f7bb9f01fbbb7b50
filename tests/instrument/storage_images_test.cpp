// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/storage_images.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support.h"

namespace shaderqa::test {
namespace {

// A shader that accesses an image of these operands, behind its sampled type, as the body has it.
Module shader(const std::string& image, const std::string& body) {
  const std::string globals =
      "%image = OpTypeImage %uint " + image +
      "\n%pointer = OpTypePointer UniformConstant %image\n"
      "%texel = OpTypePointer Image %uint\n"
      "%variable = OpVariable %pointer UniformConstant\n"
      "%u4 = OpTypeVector %uint 4\n%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n";
  return assemble(compute_shader(globals, body, "OpCapability Shader\nOpCapability ImageBuffer",
                                 "OpName %image \"image\"\nOpName %variable \"it\"\n"));
}

bool accesses(const std::string& image, const std::string& body) {
  return accesses_storage_images(shader(image, body));
}

const std::string kLoad = "%it = OpLoad %image %variable\n";
const std::string kBodies[] = {
    kLoad + "%all = OpImageRead %u4 %it %x\n", kLoad + "%all = OpUndef %u4\nOpImageWrite %it %x %all\n",
    kLoad + "%copy = OpCopyObject %image %it\n%all = OpImageRead %u4 %copy %x\n",
    "%place = OpImageTexelPointer %texel %variable %x %c0\n%old = OpAtomicIAdd %uint %place %c1 %c0 %c1\n"};

TEST(StorageImages, AreAccessed) {
  for (const std::string& body : kBodies) {
    EXPECT_TRUE(accesses("2D 0 0 0 2 R32ui", body)) << body;
    EXPECT_TRUE(accesses("1D 0 1 0 2 R32ui", body)) << body;
  }
}

TEST(StorageImages, TexelBuffersAndInputAttachmentsAreNone) {
  for (const std::string& body : kBodies) EXPECT_FALSE(accesses("Buffer 0 0 0 2 R32ui", body)) << body;
  EXPECT_FALSE(accesses("SubpassData 0 0 0 2 Unknown", kBodies[0]));
}

TEST(StorageImages, OneBesideATexelBufferCounts) {
  const std::string globals =
      "%buffer = OpTypeImage %uint Buffer 0 0 0 2 R32ui\n%image = OpTypeImage %uint 2D 0 0 0 2 R32ui\n"
      "%to_buffer = OpTypePointer UniformConstant %buffer\n%to_image = OpTypePointer UniformConstant %image\n"
      "%first = OpVariable %to_buffer UniformConstant\n%second = OpVariable %to_image UniformConstant\n"
      "%u4 = OpTypeVector %uint 4\n";
  const std::string body =
      "%a = OpLoad %buffer %first\n%b = OpLoad %image %second\n%all = OpImageRead %u4 %a %x\n"
      "OpImageWrite %b %x %all\n";
  EXPECT_TRUE(accesses_storage_images(assemble(compute_shader(globals, body))));
}

TEST(StorageImages, ReadsAndWritesOnly) {
  EXPECT_FALSE(accesses("2D 0 0 0 2 R32ui", kLoad));
  EXPECT_FALSE(accesses_storage_images({}));
  EXPECT_FALSE(accesses_storage_images(std::vector<uint32_t>{1, 2, 3, 4, 5, 6}));
}

// Shaders that read textures alone are watched, too.
TEST(StorageImages, ShadersWithImagesAloneAreWatchedOnRequest) {
  const Module images = shader("2D 0 0 0 2 R32ui", kBodies[0]);
  EXPECT_TRUE(has_watched_accesses(images, true));
  EXPECT_FALSE(has_watched_accesses(images, false));
  const Module buffers = shader("Buffer 0 0 0 2 R32ui", kBodies[0]);
  EXPECT_TRUE(has_watched_accesses(buffers, false));
  EXPECT_FALSE(has_watched_accesses(assemble(compute_shader("", "")), true));
  EXPECT_FALSE(has_watched_accesses({}, true));
}

}  // namespace
}  // namespace shaderqa::test
