// SPDX-License-Identifier: Apache-2.0
// Types and values of a traced shader.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "replay/traced_shader.h"

namespace shaderqa {
namespace {

constexpr uint64_t kUnknownSize = uint64_t{1} << 32;
constexpr uint32_t kMostDepth = 32;
constexpr size_t kMostShown = 64;  // elements of an array

float from_half(uint32_t half) {
  const uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  const uint32_t bits =
      exponent == 31 ? sign | 0x7f800000 | fraction << 13 : sign | (exponent + 112) << 23 | fraction << 13;
  return std::bit_cast<float>(bits);
}

std::string number_text(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string scalar_text(InstructionView type, uint32_t low, uint32_t high) {
  const uint64_t both = low | static_cast<uint64_t>(high) << 32;
  const uint32_t width = type.word(2);
  if (type.op() == spv::Op::OpTypeBool) return low != 0 ? "true" : "false";
  if (type.op() == spv::Op::OpTypePointer) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(both));
    return text;
  }
  if (type.op() == spv::Op::OpTypeFloat) {
    if (width == 64) return number_text(std::bit_cast<double>(both), 17);
    return number_text(std::bit_cast<float>(low), width == 16 ? 5 : 9);
  }
  if (type.word(3) == 0) return std::to_string(width == 64 ? both : low);
  switch (width) {
    case 8:
      return std::to_string(static_cast<int8_t>(low));
    case 16:
      return std::to_string(static_cast<int16_t>(low));
    case 64:
      return std::to_string(static_cast<int64_t>(both));
    default:
      return std::to_string(static_cast<int32_t>(low));
  }
}

}  // namespace

uint64_t TracedShader::size_of(uint32_t type) const {
  uint64_t sum = 0;
  const InstructionView i = view().definition(type);
  if (!i) return 0;
  switch (i.op()) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return i.word(2) == 64 ? 2 : 1;
    case spv::Op::OpTypePointer:
      return 2;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return i.word(2) < type ? std::min(kUnknownSize, size_of(i.word(2)) * i.word(3)) : 0;
    case spv::Op::OpTypeArray: {
      const auto length = view().constant(i.word(3));
      if (!length || i.word(2) == type) return kUnknownSize;
      return std::min(kUnknownSize, size_of(i.word(2)) * *length);
    }
    case spv::Op::OpTypeRuntimeArray:
      return kUnknownSize;
    case spv::Op::OpTypeStruct:
      for (uint32_t member = 2; member < i.size(); ++member)
        sum = std::min(kUnknownSize, sum + size_of(i.word(member)));
      return sum;
    default:
      return 1;
  }
}

uint32_t TracedShader::part(uint32_t type, uint64_t index, uint64_t& dword) const {
  const InstructionView i = view().definition(type);
  if (!i) return 0;
  switch (i.op()) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      if (index >= i.word(3)) return 0;
      break;
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      break;
    case spv::Op::OpTypeStruct:
      if (index + 2 >= i.size()) return 0;
      for (uint32_t member = 0; member < index; ++member) dword += size_of(i.word(member + 2));
      return i.word(static_cast<uint32_t>(index) + 2);
    default:
      return 0;
  }
  dword += index * size_of(i.word(2));
  return i.word(2);
}

uint64_t TracedShader::part_count(uint32_t type) const {
  const InstructionView i = view().definition(type);
  if (!i) return 0;
  switch (i.op()) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return i.word(3);
    case spv::Op::OpTypeArray:
      return view().constant(i.word(3)).value_or(0);
    case spv::Op::OpTypeStruct:
      return i.size() - 2;
    default:
      return 0;
  }
}

bool TracedShader::constant_of(uint32_t id, std::vector<uint32_t>& dwords, uint32_t depth) const {
  const InstructionView i = view().definition(id);
  if (!i || depth > kMostDepth) return false;
  switch (i.op()) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
      dwords.push_back(i.op() == spv::Op::OpConstantTrue ? 1 : 0);
      return true;
    case spv::Op::OpConstantNull: {
      const uint64_t size = size_of(i.word(1));
      if (size >= kUnknownSize || size > 65536) return false;
      dwords.resize(dwords.size() + size, 0);
      return true;
    }
    case spv::Op::OpConstant: {
      const InstructionView type = view().definition(i.word(1));
      if (!type) return false;
      const uint32_t width = type.word(2);
      if (type.op() == spv::Op::OpTypeFloat && width == 16)
        dwords.push_back(std::bit_cast<uint32_t>(from_half(i.word(3))));
      else
        dwords.push_back(width < 32 ? i.word(3) & ((1u << width) - 1) : i.word(3));
      if (width == 64) dwords.push_back(i.word(4));
      return true;
    }
    case spv::Op::OpConstantComposite:
      for (uint32_t word = 3; word < i.size(); ++word)
        if (!constant_of(i.word(word), dwords, depth + 1)) return false;
      return true;
    default:
      return false;
  }
}

std::optional<std::vector<uint32_t>> TracedShader::constant(uint32_t id) const {
  std::vector<uint32_t> dwords;
  if (!constant_of(id, dwords, 0)) return std::nullopt;
  return dwords;
}

std::string TracedShader::format_part(uint32_t type, const std::vector<std::optional<uint32_t>>& dwords,
                                      size_t& next, uint32_t depth) const {
  const InstructionView i = view().definition(type);
  if (!i || depth > kMostDepth) return "?";
  const auto take = [&]() -> std::optional<uint32_t> {
    return next < dwords.size() ? dwords[next++] : std::nullopt;
  };
  switch (i.op()) {
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
    case spv::Op::OpTypePointer: {
      const auto low = take();
      const auto high = size_of(type) == 2 ? take() : std::optional<uint32_t>(0);
      return low && high ? scalar_text(i, *low, *high) : "?";
    }
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray: {
      const bool array = i.op() == spv::Op::OpTypeArray || i.op() == spv::Op::OpTypeRuntimeArray;
      std::string text = array ? "{" : "(";
      const uint64_t whole =
          !array ? i.word(3) : (i.op() == spv::Op::OpTypeArray ? view().constant(i.word(3)).value_or(0) : 0);
      for (uint64_t k = 0; k < whole && k < kMostShown; ++k)
        text += (k == 0 ? "" : ", ") + format_part(i.word(2), dwords, next, depth + 1);
      if (whole > kMostShown) next += (whole - kMostShown) * size_of(i.word(2));
      if (whole > kMostShown || whole == 0) text += whole == 0 ? "..." : ", ...";
      return text + (array ? "}" : ")");
    }
    case spv::Op::OpTypeStruct: {
      std::string text = "{";
      for (uint32_t member = 2; member < i.size(); ++member) {
        const std::string own = member_name(type, member - 2);
        text += (member == 2 ? "" : ", ") + (own.empty() ? std::to_string(member - 2) : own) + " = " +
                format_part(i.word(member), dwords, next, depth + 1);
      }
      return text + "}";
    }
    default:
      return "?";
  }
}

std::string TracedShader::format(uint32_t type, const std::vector<std::optional<uint32_t>>& dwords) const {
  size_t next = 0;
  return format_part(type, dwords, next, 0);
}

}  // namespace shaderqa
