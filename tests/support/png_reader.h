// SPDX-License-Identifier: Apache-2.0
// Reads back the pictures of hazards: PNG files with numbers of four colours, not compressed.
#ifndef SHADERQA_TESTS_SUPPORT_PNG_READER_H
#define SHADERQA_TESTS_SUPPORT_PNG_READER_H

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace shaderqa::testing {

struct ReadPng {
  uint32_t width = 0, height = 0;
  std::string description;
  std::vector<std::array<int, 3>> pixels;  // row by row
  std::array<int, 3> at(uint32_t x, uint32_t y) const { return pixels.at(size_t{y} * width + x); }
};

namespace png {

inline uint32_t big(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes.at(i));
  return value;
}

inline void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("a PNG's ") + what + " is wrong");
}

inline uint32_t crc_of(const std::string& bytes) {
  uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
  }
  return ~crc;
}

// What a zlib stream of stored blocks holds.
inline std::string unpacked(const std::string& stream) {
  std::string raw;
  size_t at = 2;
  for (bool last = false; !last;) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(stream.at(at + i)); };
    require(byte(0) <= 1, "block");
    last = byte(0) == 1;
    const size_t size = byte(1) | byte(2) << 8;
    require(size == (~(byte(3) | byte(4) << 8) & 0xffff), "block's size");
    raw += stream.substr(at + 5, size);
    at += 5 + size;
  }
  uint32_t a = 1, b = 0;
  for (const char c : raw) {
    a = (a + static_cast<uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  require(big(stream, at) == (b << 16 | a) && stream.size() == at + 4, "checksum");
  return raw;
}

}  // namespace png

// Throws std::runtime_error or std::out_of_range if the bytes are no such file.
inline ReadPng read_png(const std::string& bytes) {
  png::require(bytes.starts_with("\x89PNG\r\n\x1a\n"), "signature");
  std::map<std::string, std::string> chunks;
  for (size_t at = 8; at < bytes.size();) {
    const uint32_t size = png::big(bytes, at);
    png::require(png::crc_of(bytes.substr(at + 4, size + 4)) == png::big(bytes, at + 8 + size), "CRC");
    chunks[bytes.substr(at + 4, 4)] = bytes.substr(at + 8, size);
    at += 12 + size;
  }
  const std::string& header = chunks.at("IHDR");
  png::require(header.substr(8) == std::string("\x02\x03\0\0\0", 5), "format");
  png::require(chunks.contains("IEND"), "end");
  ReadPng image;
  image.width = png::big(header, 0);
  image.height = png::big(header, 4);
  image.description = chunks.at("iTXt").substr(std::string("Description").size() + 5);
  const std::string& palette = chunks.at("PLTE");
  const std::string raw = png::unpacked(chunks.at("IDAT"));
  const size_t pitch = 1 + (size_t{image.width} + 3) / 4;
  png::require(raw.size() == pitch * image.height, "size");
  for (size_t y = 0; y < image.height; ++y) {
    png::require(raw.at(y * pitch) == 0, "filter");
    for (size_t x = 0; x < image.width; ++x) {
      const size_t number = static_cast<uint8_t>(raw.at(y * pitch + 1 + x / 4)) >> (6 - x % 4 * 2) & 3;
      std::array<int, 3> colour{};
      for (size_t i = 0; i < 3; ++i) colour[i] = static_cast<uint8_t>(palette.at(number * 3 + i));
      image.pixels.push_back(colour);
    }
  }
  return image;
}

inline ReadPng read_png_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return read_png({std::istreambuf_iterator<char>(file), {}});
}

}  // namespace shaderqa::testing
#endif
