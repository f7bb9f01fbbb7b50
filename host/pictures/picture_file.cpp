// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/picture_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/rescue/memory_files.h"
#include "host/text/shader_hash_text.h"

namespace shaderqa {
namespace {

constexpr int kMostFiles = 256;

std::string file_name(const ShaderRecord& record, int number) {
  std::string name;
  append_hash(name, record.shader_hash);
  name += std::string("-") + to_string(record.stage);
  std::ranges::replace(name, ' ', '-');
  if (number > 1) name += "-" + std::to_string(number);
  return name + ".picture";
}

}  // namespace

uint32_t picture_cell_dwords(const PictureRecord& picture) {
  if (picture.kind == PictureKind::overdraw) return 1;
  if (picture.kind == PictureKind::divergence) return 3;
  return 1 + std::bit_ceil(std::max(picture.components * picture.scalar.payload_dwords(), 1u));
}

std::unique_ptr<PictureFile> PictureFile::create(const std::string& folder, const ShaderRecord& record,
                                                 const std::string& name, const std::string& text,
                                                 uint32_t width, uint32_t height, std::string& error) {
  std::unique_ptr<PictureFile> file(new PictureFile);
  const PictureRecord& picture = record.picture;
  const uint64_t cells = uint64_t{width} * height;
  const uint64_t dwords = SQA_PICTURE_FIRST_CELL + cells * picture_cell_dwords(picture);
  if (dwords > INT32_MAX) {
    error = "a picture of " + std::to_string(width) + " x " + std::to_string(height) + " is too large";
    return nullptr;
  }
  std::error_code none;
  std::filesystem::create_directories(folder, none);
  for (int n = 1; file->descriptor_ < 0 && n <= kMostFiles; ++n) {
    file->path_ = (std::filesystem::path(folder) / file_name(record, n)).string();
    file->descriptor_ = ::open(file->path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file->descriptor_ < 0 && errno != EEXIST) break;
  }
  const auto fail = [&](const char* what) {
    error = std::string("cannot ") + what + " " + file->path_ + ": " + std::strerror(errno);
    return nullptr;
  };
  if (file->descriptor_ < 0) return fail("create");
  const size_t bytes = kPicturePage + (dwords * 4 + kPicturePage - 1) / kPicturePage * kPicturePage;
  // Reserve the space now: with a full file system, the first value would end the program with SIGBUS.
  if (const int problem = ::posix_fallocate(file->descriptor_, 0, static_cast<off_t>(bytes)); problem != 0) {
    errno = problem;
    ::unlink(file->path_.c_str());
    return fail("reserve the space of");
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor_, 0);
  if (mapped == MAP_FAILED) return fail("map");
  file->memory_ = static_cast<std::byte*>(mapped);
  file->bytes_ = bytes;
  auto* const header = reinterpret_cast<PictureFileHeader*>(mapped);
  header->version = kPictureVersion;
  header->kind = static_cast<uint32_t>(picture.kind);
  header->shader_hash = record.shader_hash;
  header->stage = static_cast<uint32_t>(record.stage);
  header->scalar = static_cast<uint32_t>(picture.scalar.kind);
  header->width = picture.scalar.width;
  header->components = picture.components;
  header->memory_bytes = file->bytes();
  record.entry_point.copy(header->entry_point, sizeof header->entry_point - 1);
  name.copy(header->name, sizeof header->name - 1);
  text.copy(header->text, sizeof header->text - 1);
  header->magic = kPictureMagic;
  auto* const words = reinterpret_cast<uint32_t*>(file->memory());
  words[SQA_PICTURE_PITCH] = width;
  words[SQA_PICTURE_CELLS] = static_cast<uint32_t>(cells);
  words[SQA_PICTURE_CELL] = picture_cell_dwords(picture);
  // One line of text for each block: its line, then its file.
  std::string lines;
  for (const SourcePosition& block : picture.blocks)
    lines += std::to_string(block.line) + " " + block.file + "\n";
  if (::pwrite(file->descriptor_, lines.data(), lines.size(), static_cast<off_t>(bytes)) !=
      static_cast<ssize_t>(lines.size()))
    return fail("write");
  return file;
}

bool PictureFile::in_memory() const { return lies_in_memory(descriptor_); }

PictureFile::~PictureFile() {
  if (memory_) ::munmap(memory_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace shaderqa
