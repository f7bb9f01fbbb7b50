// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>

#include "host/pictures/picture_file.h"
#include "host/text/file_text.h"

namespace shaderqa {
namespace {

template <typename Number>
std::string text_of(Number number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string bounded_text(const char* text, size_t size) { return {text, ::strnlen(text, size)}; }

class Reader {
 public:
  Reader(std::span<const uint32_t> words, PictureContents& contents) : words_(words), contents_(contents) {}
  bool read();

 private:
  void read_cell(size_t at, PictureCell& cell);
  void read_value(size_t at, PictureCell& cell) const;
  void read_blocks();

  std::span<const uint32_t> words_;
  PictureContents& contents_;
};

void Reader::read_value(size_t at, PictureCell& cell) const {
  const bool wide = contents_.scalar.width == 64;
  for (uint32_t i = 0; i < contents_.components; ++i) {
    const size_t word = at + 1 + i * (wide ? 2 : 1);
    const uint32_t low = words_[word];
    const uint64_t both = wide ? uint64_t{words_[word + 1]} << 32 | low : low;
    const auto add = [&cell](auto number) {
      cell.values.push_back(static_cast<double>(number));
      cell.texts.push_back(text_of(number));
    };
    switch (contents_.scalar.kind) {
      case ScalarKind::floating:
        wide ? add(std::bit_cast<double>(both)) : add(std::bit_cast<float>(low));
        break;
      case ScalarKind::signed_int:
        wide ? add(static_cast<int64_t>(both)) : add(static_cast<int32_t>(low));
        break;
      default:
        wide ? add(both) : add(low);
        break;
    }
  }
}

void Reader::read_cell(size_t at, PictureCell& cell) {
  cell.count = words_[at];
  if (contents_.kind == PictureKind::value) {
    read_value(at, cell);
  } else if (contents_.kind == PictureKind::divergence) {
    const uint32_t blocks = words_[at + 2];
    cell.values.push_back(blocks == 0 ? 0 : double{1} * words_[at + 1] / blocks);
    cell.texts.push_back(text_of(cell.values[0]));
  }
  if (cell.count > 1) ++contents_.several;
  contents_.cells.push_back(std::move(cell));
}

void Reader::read_blocks() {
  for (size_t i = 0; i < contents_.blocks.size(); ++i) {
    const size_t at = SQA_PICTURE_BLOCKS + i * SQA_PICTURE_BLOCK_DWORDS;
    const auto number = [&](size_t word) {
      return uint64_t{words_[at + word + 1]} << 32 | words_[at + word];
    };
    contents_.blocks[i].times = number(SQA_PICTURE_BLOCK_TIMES);
    contents_.blocks[i].sum = number(SQA_PICTURE_BLOCK_SUM);
  }
}

bool Reader::read() {
  if (words_.size() < SQA_PICTURE_FIRST_CELL) return false;
  const bool grid = contents_.stage == Stage::compute;
  const uint64_t pitch = words_[SQA_PICTURE_PITCH], cells = words_[SQA_PICTURE_CELLS];
  const uint64_t dwords = words_[SQA_PICTURE_CELL];
  PictureRecord expected;
  expected.kind = contents_.kind;
  expected.scalar = contents_.scalar;
  expected.components = contents_.components;
  if (pitch == 0 || cells == 0 || dwords != picture_cell_dwords(expected) ||
      cells > (words_.size() - SQA_PICTURE_FIRST_CELL) / dwords)
    return false;
  for (uint32_t i = 0; i < 3; ++i) {
    contents_.extent[i] = words_[SQA_PICTURE_EXTENT + i];
    contents_.mixed = contents_.mixed || (grid && words_[SQA_PICTURE_LEAST + i] != ~contents_.extent[i]);
  }
  contents_.missed = words_[SQA_PICTURE_MISSED];
  contents_.lanes = words_[SQA_PICTURE_LANES];
  if (!grid) {
    contents_.extent[0] = static_cast<uint32_t>(std::min<uint64_t>(contents_.extent[0], pitch));
    contents_.extent[1] = static_cast<uint32_t>(std::min<uint64_t>(contents_.extent[1], cells / pitch));
    contents_.extent[2] = 1;
  }
  const uint64_t width = grid ? std::max(contents_.extent[0], 1u) : pitch;
  const uint64_t height = std::max(contents_.extent[1], 1u);
  for (uint64_t i = 0; i < cells; ++i) {
    const size_t at = SQA_PICTURE_FIRST_CELL + i * dwords;
    if (words_[at] == 0) continue;
    PictureCell cell;
    cell.x = static_cast<uint32_t>(i % width);
    cell.y = static_cast<uint32_t>(i / width);
    if (grid) cell.z = static_cast<uint32_t>(cell.y / height), cell.y %= static_cast<uint32_t>(height);
    read_cell(at, cell);
  }
  read_blocks();
  return true;
}

}  // namespace

bool read_picture_file(const std::string& path, PictureContents& contents, std::string& error) {
  const std::optional<std::string> bytes = read_file_text(path, error);
  PictureFileHeader header{};
  if (!bytes) return false;
  if (bytes->size() < kPicturePage) {
    error = "is no picture";
    return false;
  }
  std::memcpy(&header, bytes->data(), sizeof header);
  if (header.magic != kPictureMagic || header.version != kPictureVersion) {
    error = "is no picture, or one of another version of shaderqa";
    return false;
  }
  contents = {};
  contents.kind = static_cast<PictureKind>(header.kind);
  contents.shader_hash = header.shader_hash;
  contents.stage = static_cast<Stage>(header.stage);
  contents.entry_point = bounded_text(header.entry_point, sizeof header.entry_point);
  contents.name = bounded_text(header.name, sizeof header.name);
  contents.text = bounded_text(header.text, sizeof header.text);
  contents.scalar = {static_cast<ScalarKind>(header.scalar), static_cast<uint8_t>(header.width)};
  contents.components = header.components;
  const bool known = header.kind >= static_cast<uint32_t>(PictureKind::value) &&
                     header.kind <= static_cast<uint32_t>(PictureKind::divergence) &&
                     header.components <= 4 && header.memory_bytes <= bytes->size() - kPicturePage &&
                     header.memory_bytes % 4 == 0;
  std::vector<uint32_t> words(known ? header.memory_bytes / 4 : 0);
  if (!words.empty()) std::memcpy(words.data(), bytes->data() + kPicturePage, header.memory_bytes);
  size_t at = known ? kPicturePage + header.memory_bytes : bytes->size();
  while (at < bytes->size() && contents.blocks.size() < SQA_PICTURE_MOST_BLOCKS) {
    const size_t end = std::min(bytes->find('\n', at), bytes->size());
    const std::string_view line = std::string_view(*bytes).substr(at, end - at);
    PictureBlock& block = contents.blocks.emplace_back();
    const auto number = std::from_chars(line.data(), line.data() + line.size(), block.source.line);
    const size_t used = static_cast<size_t>(number.ptr - line.data());
    if (used < line.size()) block.source.file = line.substr(used + 1);
    at = end + 1;
  }
  if (known && Reader(words, contents).read()) return true;
  error = "is damaged";
  return false;
}

}  // namespace shaderqa
