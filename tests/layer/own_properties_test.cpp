// SPDX-License-Identifier: Apache-2.0
// What the layer says of itself: its properties for the loader, and the number of its build.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "host/version.h"
#include "layer/context/hook_table.h"
#include "layer/context/instance.h"
#include "layer/loader/build_id.h"

namespace shaderqa::layer {
namespace {

TEST(OwnProperties, ThereAreNoExtensions) {
  uint32_t count = 7;
  EXPECT_EQ(hooks::EnumerateInstanceExtensionProperties(kLayerName, &count, nullptr), VK_SUCCESS);
  EXPECT_EQ(count, 0u);
  count = 7;
  EXPECT_EQ(hooks::EnumerateDeviceExtensionProperties(VK_NULL_HANDLE, kLayerName, &count, nullptr),
            VK_SUCCESS);
  EXPECT_EQ(count, 0u);
  for (const char* other : {static_cast<const char*>(nullptr), "VK_LAYER_another"}) {
    EXPECT_EQ(hooks::EnumerateInstanceExtensionProperties(other, &count, nullptr),
              VK_ERROR_LAYER_NOT_PRESENT);
  }
}

TEST(OwnProperties, TheLayerIsOne) {
  const auto both = [](uint32_t* count, VkLayerProperties* properties) {
    const uint32_t room = *count;
    const VkResult result = hooks::EnumerateInstanceLayerProperties(count, properties);
    uint32_t of_device = room;
    EXPECT_EQ(hooks::EnumerateDeviceLayerProperties(VK_NULL_HANDLE, &of_device, properties), result);
    EXPECT_EQ(of_device, *count);
    return result;
  };
  uint32_t count = 7;
  EXPECT_EQ(both(&count, nullptr), VK_SUCCESS);
  EXPECT_EQ(count, 1u);
  VkLayerProperties properties[2] = {};
  count = 0;
  EXPECT_EQ(both(&count, properties), VK_INCOMPLETE);
  EXPECT_EQ(count, 0u);
  count = 2;
  EXPECT_EQ(both(&count, properties), VK_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_STREQ(properties[0].layerName, kLayerName);
  EXPECT_STRNE(properties[0].description, "");
  EXPECT_EQ(properties[0].implementationVersion, version_number());
  EXPECT_STREQ(properties[1].layerName, "");
}

// The bytes of the section that the linker wrote, or none.
std::string build_id_in_file(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file.data() + header->e_shoff);
  const char* names = file.data() + sections[header->e_shstrndx].sh_offset;
  for (uint32_t i = 0; i < header->e_shnum; ++i) {
    if (std::strcmp(names + sections[i].sh_name, ".note.gnu.build-id") != 0) continue;
    const size_t before = sizeof(Elf64_Nhdr) + 4;  // and the name "GNU"
    return file.substr(sections[i].sh_offset + before, sections[i].sh_size - before);
  }
  return {};
}

// Results in the cache are of one build alone.
TEST(BuildId, IsThatOfTheFile) {
  const std::string expected = build_id_in_file("/proc/self/exe");
  ASSERT_GE(expected.size(), 8u) << "the linker wrote none";
  EXPECT_EQ(build_id(), expected);
}

}  // namespace
}  // namespace shaderqa::layer
