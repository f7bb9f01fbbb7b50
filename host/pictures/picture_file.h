// SPDX-License-Identifier: Apache-2.0
// The file of a picture: a page that says what it is, what shaders write (instrument/runtime/abi_picture.h),
// and behind them the lines of blocks. The layer maps it and lets shaders write into it where it lies in
// memory and the driver can.
#ifndef SHADERQA_HOST_PICTURES_PICTURE_FILE_H
#define SHADERQA_HOST_PICTURES_PICTURE_FILE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "instrument/runtime/abi_picture.h"
#include "instrument/shader_record.h"

namespace shaderqa {

constexpr uint32_t kPictureVersion = 1;
constexpr uint32_t kPicturePage = 4096;
constexpr uint64_t kPictureMagic = 0x5255544349504151;  // "QAPICTUR"

struct PictureFileHeader {
  uint64_t magic;  // kPictureMagic
  uint32_t version;
  uint32_t kind;  // PictureKind
  uint64_t shader_hash;
  uint32_t stage;                                // Stage
  uint32_t scalar, width, components;            // of a value
  uint64_t memory_bytes;                         // of what shaders write
  char entry_point[256], name[256], text[1024];  // end in 0; name: that the application gave the shader
};
static_assert(sizeof(PictureFileHeader) <= kPicturePage);

// Dwords of a cell.
uint32_t picture_cell_dwords(const PictureRecord& picture);

// Written by the layer.
class PictureFile {
 public:
  // A new file in the folder, named after the shader. Null with an error sentence if that fails.
  static std::unique_ptr<PictureFile> create(const std::string& folder, const ShaderRecord& record,
                                             const std::string& name, const std::string& text, uint32_t width,
                                             uint32_t height, std::string& error);
  ~PictureFile();
  PictureFile(const PictureFile&) = delete;
  PictureFile& operator=(const PictureFile&) = delete;

  const std::string& path() const { return path_; }
  std::byte* memory() { return memory_ + kPicturePage; }  // page aligned; zeroed but for what shaders read
  size_t bytes() const { return bytes_ - kPicturePage; }
  // Whether Vulkan may import the memory (host/rescue/memory_files.h).
  bool in_memory() const;

 private:
  PictureFile() = default;
  std::string path_;
  int descriptor_ = -1;
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0;
};

struct PictureCell {
  uint32_t x = 0, y = 0, z = 0;
  uint32_t count = 0;  // of fragments, or of values that came one after the other
  // The components; of divergence: how many invocations ran together on average.
  std::vector<double> values;
  std::vector<std::string> texts;  // the same, exact
};

struct PictureBlock {
  SourcePosition source;
  uint64_t times = 0;  // how often a subgroup ran it
  uint64_t sum = 0;    // invocations that ran it together
};

struct PictureContents {
  PictureKind kind = PictureKind::none;
  uint64_t shader_hash = 0;
  Stage stage = Stage::unknown;
  std::string entry_point, name, text;
  Scalar scalar;
  uint32_t components = 0;
  uint32_t extent[3] = {};
  bool mixed = false;              // dispatches of different sizes: the cells are those of several grids
  uint32_t missed = 0;             // invocations without a cell
  uint32_t lanes = 0;              // the most invocations of a subgroup that ran together
  uint64_t several = 0;            // cells that more than one fragment or value came to
  std::vector<PictureCell> cells;  // that something came to
  std::vector<PictureBlock> blocks;
};

// Tolerates anything in the bytes. False, with a sentence, if it is no picture.
bool read_picture_file(const std::string& path, PictureContents& contents, std::string& error);

}  // namespace shaderqa
#endif
