// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/png.h"

#include <algorithm>

namespace shaderqa {
namespace {

void append_big(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

const std::array<uint32_t, 256>& crc_table() {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
      made[i] = c;
    }
    return made;
  }();
  return table;
}

void append_chunk(std::string& out, const std::string& kind, const std::string& data) {
  append_big(out, static_cast<uint32_t>(data.size()));
  uint32_t crc = 0xffffffffu;
  for (const std::string* part : {&kind, &data})
    for (const char c : *part) crc = crc_table()[(crc ^ static_cast<uint8_t>(c)) & 0xff] ^ crc >> 8;
  out += kind + data;
  append_big(out, ~crc);
}

// A zlib stream of blocks that are stored as they are.
std::string stored(const std::string& raw) {
  constexpr size_t kMost = 65535;
  std::string out("\x78\x01", 2);
  uint32_t a = 1, b = 0;
  for (const char c : raw) {
    a = (a + static_cast<uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  for (size_t at = 0; at < raw.size(); at += kMost) {
    const size_t size = std::min(kMost, raw.size() - at);
    out += static_cast<char>(at + size == raw.size());
    for (const size_t word : {size, ~size}) {
      out += static_cast<char>(word & 0xff);
      out += static_cast<char>(word >> 8 & 0xff);
    }
    out.append(raw, at, size);
  }
  append_big(out, b << 16 | a);
  return out;
}

std::string png_begin(uint32_t width, uint32_t height, char bits, char type) {
  std::string out("\x89PNG\r\n\x1a\n"), header;
  append_big(header, width);
  append_big(header, height);
  header += bits;
  header += type;
  header += std::string(3, '\0');
  append_chunk(out, "IHDR", header);
  return out;
}

}  // namespace

std::string png_of(const PictureImage& image) {
  std::string out = png_begin(image.width, image.height, 8, 6), raw;  // red, green, blue, alpha
  const size_t row = size_t{image.width} * 4;
  for (uint32_t y = 0; y < image.height; ++y) {
    raw += '\0';  // no filter
    raw.append(reinterpret_cast<const char*>(image.rgba.data()) + y * row, row);
  }
  append_chunk(out, "IDAT", stored(raw));
  append_chunk(out, "IEND", "");
  return out;
}

std::string png_of(const FourColours& image, const std::string& description) {
  std::string out = png_begin(image.width(), image.height(), 2, 3), palette, raw;  // numbers of colours
  for (const Colour& colour : image.colours())
    for (const uint8_t channel : colour) palette += static_cast<char>(channel);
  append_chunk(out, "PLTE", palette);
  // Neither compressed nor in a language.
  append_chunk(out, "iTXt", "Description" + std::string(5, '\0') + description);
  for (uint32_t y = 0; y < image.height(); ++y) {
    raw += '\0';  // no filter
    raw.append(reinterpret_cast<const char*>(image.pixels().data()) + y * image.pitch(), image.pitch());
  }
  append_chunk(out, "IDAT", stored(raw));
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace shaderqa
