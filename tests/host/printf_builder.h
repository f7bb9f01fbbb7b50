// SPDX-License-Identifier: Apache-2.0
// Builds sites and payloads for tests: the same calls give the argument types and the dwords a shader would
// write.
#ifndef SHADERQA_TESTS_HOST_PRINTF_BUILDER_H
#define SHADERQA_TESTS_HOST_PRINTF_BUILDER_H

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "host/printf/printf_format.h"
#include "instrument/shader_record.h"

namespace shaderqa::test {

class Arguments {
 public:
  Arguments& scalar(ScalarKind kind, int width, uint64_t bits) {
    return add(ArgumentShape::scalar, kind, width, {bits});
  }
  Arguments& i8(int8_t v) { return scalar(ScalarKind::signed_int, 8, static_cast<uint8_t>(v)); }
  Arguments& u8(uint8_t v) { return scalar(ScalarKind::unsigned_int, 8, v); }
  Arguments& i16(int16_t v) { return scalar(ScalarKind::signed_int, 16, static_cast<uint16_t>(v)); }
  Arguments& u16(uint16_t v) { return scalar(ScalarKind::unsigned_int, 16, v); }
  Arguments& i32(int32_t v) { return scalar(ScalarKind::signed_int, 32, static_cast<uint32_t>(v)); }
  Arguments& u32(uint32_t v) { return scalar(ScalarKind::unsigned_int, 32, v); }
  Arguments& i64(int64_t v) { return scalar(ScalarKind::signed_int, 64, static_cast<uint64_t>(v)); }
  Arguments& u64(uint64_t v) { return scalar(ScalarKind::unsigned_int, 64, v); }
  Arguments& f32(float v) { return scalar(ScalarKind::floating, 32, bits_of(v)); }
  Arguments& f16(float widened) { return scalar(ScalarKind::floating, 16, bits_of(widened)); }
  Arguments& f64(double v) { return scalar(ScalarKind::floating, 64, bits_of(v)); }
  Arguments& boolean(bool v) { return scalar(ScalarKind::boolean, 1, v ? 1 : 0); }
  Arguments& pointer(uint64_t v) { return scalar(ScalarKind::pointer, 64, v); }
  Arguments& string(const std::string& text) {
    PrintfArgument argument;
    argument.shape = ArgumentShape::string;
    argument.text = text;
    types.push_back(argument);
    return *this;
  }
  Arguments& add(ArgumentShape shape, ScalarKind kind, int width, const std::vector<uint64_t>& values) {
    PrintfArgument argument;
    argument.shape = shape;
    for (const uint64_t value : values) {
      argument.scalars.push_back({kind, static_cast<uint8_t>(width)});
      payload.push_back(static_cast<uint32_t>(value));
      if (width == 64) payload.push_back(static_cast<uint32_t>(value >> 32));
    }
    types.push_back(argument);
    return *this;
  }
  Arguments& floats(std::initializer_list<float> values, ArgumentShape shape = ArgumentShape::vector) {
    std::vector<uint64_t> bits;
    for (const float value : values) bits.push_back(bits_of(value));
    return add(shape, ScalarKind::floating, 32, bits);
  }
  Arguments& ints(std::initializer_list<int32_t> values, int width = 32) {
    std::vector<uint64_t> bits;
    const uint64_t mask = (uint64_t{1} << width) - 1;
    for (const int32_t value : values) bits.push_back(static_cast<uint32_t>(value) & mask);
    return add(ArgumentShape::vector, ScalarKind::signed_int, width, bits);
  }

  PrintfSite site(const std::string& format, uint64_t id = 1) const {
    PrintfSite result;
    result.id = id;
    result.format = format;
    result.arguments = types;
    return result;
  }
  RenderedPrintf render(const std::string& format) const { return render_printf(site(format), payload); }
  std::string text(const std::string& format) const { return render(format).text; }
  size_t warnings(const std::string& format) const { return render(format).warnings.size(); }

  static uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  static uint64_t bits_of(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }

  std::vector<PrintfArgument> types;
  std::vector<uint32_t> payload;
};

inline Arguments args() { return {}; }

// An entry as the GPU writes it.
inline std::vector<uint32_t> make_entry(uint64_t id, const std::vector<uint32_t>& payload) {
  std::vector<uint32_t> words;
  words.push_back(static_cast<uint32_t>(payload.size() + 2) | static_cast<uint32_t>(id & 0xffff) << 16);
  words.push_back(static_cast<uint32_t>(id >> 16));
  words.insert(words.end(), payload.begin(), payload.end());
  return words;
}

inline ShaderRecord make_record(std::vector<PrintfSite> sites) {
  ShaderRecord record;
  record.printf_sites = std::move(sites);
  return record;
}

}  // namespace shaderqa::test
#endif
