// SPDX-License-Identifier: Apache-2.0
// What the bytes of descriptors in heaps mean: tables are read as shaders read them.
#include <optional>
#include <vector>

#include "instrument/runtime/abi_descriptors.h"
#include "tests/layer/heap_kit.h"

namespace shaderqa::layer_tests {
namespace {

class HeapBytes : public HeapTest {
 protected:
  Bytes write(VkDescriptorType type, uint64_t address, uint64_t range, size_t size = 0,
              VkFormat format = VK_FORMAT_R32_UINT) {
    const VkDeviceAddressRangeEXT buffer{address, range};
    VkTexelBufferDescriptorInfoEXT texels{};
    texels.sType = VK_STRUCTURE_TYPE_TEXEL_BUFFER_DESCRIPTOR_INFO_EXT;
    texels.format = format;
    texels.addressRange = buffer;
    VkResourceDescriptorInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT;
    info.type = type;
    const bool is_texels = type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    if (is_texels) info.data.pTexelBuffer = &texels;
    if (!is_texels && address) info.data.pAddressRange = &buffer;
    Bytes bytes(size ? size : is_texels ? 32 : 16, ++garbage_);
    const VkHostAddressRangeEXT place{bytes.data(), bytes.size()};
    check(command<PFN_vkWriteResourceDescriptorsEXT>("vkWriteResourceDescriptorsEXT")(device().handle, 1,
                                                                                      &info, &place),
          "vkWriteResourceDescriptorsEXT");
    return bytes;
  }
  unsigned char garbage_ = 0;
};

TEST_F(HeapBytes, DescriptorsMeanWhatTheProgramSaid) {
  act_once();
  const Bytes storage = write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256),
              uniform = write(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0x20000, 64),
              none = write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0),
              texels =
                  write(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 0x30000, 512, 0, VK_FORMAT_R32G32_SFLOAT);
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, storage), (TableEntry{0x10000, 256, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM, uniform), (TableEntry{0x20000, 64, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM, storage), std::nullopt);
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, none), (TableEntry{0, 0, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM_TEXEL, texels), (TableEntry{0x30000, 512, 8}));
}

TEST_F(HeapBytes, DescriptorsAreTheSameWhateverTheMemoryHeld) {
  EXPECT_EQ(write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256),
            write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256));
}

// The program's memory behind the descriptor is its own.
TEST_F(HeapBytes, NothingIsWrittenBehindADescriptor) {
  const Bytes bytes = write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256, 64);
  EXPECT_EQ(Bytes(bytes.begin() + 16, bytes.end()), Bytes(48, garbage_));
}

TEST_F(HeapBytes, AFailureLeavesTheProgramsMemory) {
  null_driver::Config config = host_visible();
  config.faults = {{"vkWriteResourceDescriptorsEXT", 0, VK_ERROR_OUT_OF_HOST_MEMORY}};
  driver().configure(config);
  Bytes bytes(16, 0x55);
  VkResourceDescriptorInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT;
  info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkHostAddressRangeEXT place{bytes.data(), bytes.size()};
  EXPECT_EQ(command<PFN_vkWriteResourceDescriptorsEXT>("vkWriteResourceDescriptorsEXT")(device().handle, 1,
                                                                                        &info, &place),
            VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(bytes, Bytes(16, 0x55));
}

}  // namespace
}  // namespace shaderqa::layer_tests
