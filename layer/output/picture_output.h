// SPDX-License-Identifier: Apache-2.0
// A device's pictures: the table in which shaders find the memory of theirs, and that memory, which is the
// picture's file where the driver can write into it.
#ifndef SHADERQA_LAYER_OUTPUT_PICTURE_OUTPUT_H
#define SHADERQA_LAYER_OUTPUT_PICTURE_OUTPUT_H

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "host/pictures/picture_file.h"
#include "layer/memory/device_buffer.h"
#include "layer/memory/root_block.h"

namespace shaderqa::layer {

class DeviceContext;
class ObjectNames;

// Made when the first shader that may have a picture appears, lives as long as the device. Thread-safe.
class PictureOutput {
 public:
  // Null if that failed, and `problem` says why.
  static std::unique_ptr<PictureOutput> create(const DeviceContext& device, const ObjectNames& names,
                                               RootBlock& root, std::string& problem);
  PictureOutput(const PictureOutput&) = delete;
  PictureOutput& operator=(const PictureOutput&) = delete;

  // Before the shader can run. A shader without a picture is ignored.
  void add_shader(const ShaderRecord& record);
  // Brings the values into the files, unless shaders write there themselves.
  void save() noexcept;

 private:
  // Declared in this order: Vulkan must be done with the file's memory before it is unmapped.
  struct Picture {
    std::unique_ptr<PictureFile> file;
    std::unique_ptr<DeviceBuffer> memory;
    bool in_file = false;  // `memory` is the file's
  };
  PictureOutput(const DeviceContext& device, const ObjectNames& names) : device_(device), names_(names) {}
  bool make_memory(Picture& picture, std::string& problem) const;

  const DeviceContext& device_;
  const ObjectNames& names_;
  std::unique_ptr<DeviceBuffer> control_;
  std::mutex mutex_;                      // around what follows
  std::map<uint64_t, Picture> pictures_;  // by picture_key()
};

}  // namespace shaderqa::layer
#endif
