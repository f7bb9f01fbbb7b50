// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_format.h"

#include <algorithm>
#include <cstring>

#include "host/printf/printf_field.h"

namespace shaderqa {
namespace {

constexpr std::string_view kMissing = "<missing>";

// C's rules for a '*': a negative width means '-', a negative precision none.
int32_t clamp_star(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, -kMaxStarWidth, kMaxStarWidth));
}

}  // namespace

// False: the payload ends before it.
bool CompiledFormat::fetch(std::span<const uint32_t> payload, const Value& value, uint64_t& bits) {
  bits = 0;
  if (value.offset == kZero) return true;
  const uint32_t dwords = value.scalar.payload_dwords();
  if (value.offset >= payload.size() || payload.size() - value.offset < dwords) return false;
  bits = payload[value.offset];
  if (dwords == 2) {
    bits |= uint64_t{payload[value.offset + 1]} << 32;
  } else if (value.scalar.kind == ScalarKind::boolean) {
    bits = bits != 0;
  } else if (value.scalar.width < 32 && value.scalar.kind != ScalarKind::floating) {
    bits &= (uint64_t{1} << value.scalar.width) - 1;
  }
  return true;
}

// The value under %d: what the argument's type says, and for unsigned types of 32 and 64 bits C's
// reinterpretation.
int64_t CompiledFormat::sign_extend(uint64_t bits, const Scalar& scalar) {
  if (scalar.payload_dwords() == 2) return static_cast<int64_t>(bits);
  if (scalar.kind == ScalarKind::signed_int) {
    if (scalar.width == 8) return static_cast<int8_t>(bits);
    if (scalar.width == 16) return static_cast<int16_t>(bits);
  }
  return static_cast<int32_t>(bits);
}

void CompiledFormat::render_field(const Piece& piece, std::span<const uint32_t> payload, std::string& out) {
  uint64_t bits = 0;
  if (!fetch(payload, piece.value, bits)) {
    out += kMissing;
    return;
  }
  const PrintfSpec* spec = &piece.spec;
  PrintfSpec starred;
  if (piece.star_width.offset != kNone || piece.star_precision.offset != kNone) {
    starred = piece.spec;
    uint64_t star = 0;
    if (piece.star_width.offset != kNone && fetch(payload, piece.star_width, star)) {
      const int32_t width = clamp_star(sign_extend(star, piece.star_width.scalar));
      if (width < 0) starred.minus = true;
      starred.width = static_cast<uint32_t>(width < 0 ? -width : width);
    }
    if (piece.star_precision.offset != kNone && fetch(payload, piece.star_precision, star))
      starred.precision = std::max(-1, clamp_star(sign_extend(star, piece.star_precision.scalar)));
    spec = &starred;
  }
  switch (piece.view) {
    case View::signed_integer:
      print_signed(out, *spec, sign_extend(bits, piece.value.scalar));
      break;
    case View::unsigned_integer:
      print_unsigned(out, *spec, bits);
      break;
    case View::boolean_as_float:
      print_float(out, *spec, static_cast<double>(bits));
      break;
    case View::character:
      print_character(out, *spec, static_cast<uint8_t>(bits));
      break;
    case View::float_bits:
      if (piece.value.scalar.payload_dwords() == 2) {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        print_float(out, *spec, value);
      } else {
        const uint32_t low = static_cast<uint32_t>(bits);
        float value;
        std::memcpy(&value, &low, sizeof value);
        print_float(out, *spec, static_cast<double>(value));
      }
      break;
  }
}

void CompiledFormat::render(std::span<const uint32_t> payload, std::string& out) const {
  const size_t start = out.size();
  for (const Piece& piece : pieces_) {
    out.append(text_, piece.text_begin, piece.text_size);
    if (piece.value.offset != kNone) render_field(piece, payload, out);
    if (out.size() - start > kMaxMessageChars) {
      out += "<truncated>";
      return;
    }
  }
}

RenderedPrintf render_printf(const PrintfSite& site, std::span<const uint32_t> payload) {
  const CompiledFormat format(site);
  RenderedPrintf rendered;
  format.render(payload, rendered.text);
  rendered.warnings = format.warnings();
  return rendered;
}

std::string render_invocation(InvocationKind kind,
                              std::span<const uint32_t, SHADERQA_INVOCATION_DWORDS> numbers) {
  const std::string x = std::to_string(numbers[0]);
  const std::string y = std::to_string(numbers[1]);
  const std::string z = std::to_string(numbers[2]);
  switch (kind) {
    case InvocationKind::global_id:
      return "global invocation " + x + "," + y + "," + z;
    case InvocationKind::vertex:
      return "vertex " + x + ", instance " + y;
    case InvocationKind::fragment:
      return "fragment " + x + "," + y;
    case InvocationKind::primitive:
      return "primitive " + x + ", invocation " + y;
    case InvocationKind::launch_id:
      return "launch " + x + "," + y + "," + z;
    case InvocationKind::none:
      break;
  }
  return {};
}

std::string render_invocation(const PrintfSite& site, std::span<const uint32_t> payload) {
  const size_t at = site.payload_dwords();
  if (site.invocation == InvocationKind::none || payload.size() < SHADERQA_INVOCATION_DWORDS ||
      payload.size() - SHADERQA_INVOCATION_DWORDS < at)
    return {};
  return render_invocation(site.invocation, payload.subspan(at).first<SHADERQA_INVOCATION_DWORDS>());
}

}  // namespace shaderqa
