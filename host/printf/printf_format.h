// SPDX-License-Identifier: Apache-2.0
// The format language of shader printf (docs/manual/printf.md): renders one message from a site and the words
// the GPU wrote.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_FORMAT_H
#define SHADERQA_HOST_PRINTF_PRINTF_FORMAT_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/printf/printf_spec.h"
#include "instrument/shader_record.h"

namespace shaderqa {

struct RenderedPrintf {
  std::string text;
  std::vector<std::string>
      warnings;  // sentences about the format and its arguments; the same for every message of a site
};

// payload: the dwords after the entry header, as many as the entry has; may be too short ("<missing>") or too
// long (ignored). Never reads past it, never throws on any content.
RenderedPrintf render_printf(const PrintfSite& site, std::span<const uint32_t> payload);

// "global invocation 1,2,3", "vertex 5, instance 0", "fragment 10,20", ...; empty for InvocationKind::none.
std::string render_invocation(const PrintfSite& site, std::span<const uint32_t> payload);
// The same of the three numbers themselves.
std::string render_invocation(InvocationKind kind,
                              std::span<const uint32_t, SHADERQA_INVOCATION_DWORDS> numbers);

// A site's format resolved against its argument types once, so that a message costs neither parsing nor
// allocation. Self-contained: the site may go away. Immutable, so any number of threads may render.
class CompiledFormat {
 public:
  explicit CompiledFormat(const PrintfSite& site);
  // Appends the message. Stops with "<truncated>" after kMaxMessageChars.
  void render(std::span<const uint32_t> payload, std::string& out) const;
  const std::vector<std::string>& warnings() const { return warnings_; }

  static constexpr size_t kMaxMessageChars = 1u << 20;

 private:
  friend class FormatCompiler;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kZero = UINT32_MAX - 1;  // an offset: no payload, the value is zero

  // How the payload's bits become what the conversion prints.
  enum class View : uint8_t { signed_integer, unsigned_integer, float_bits, boolean_as_float, character };
  struct Value {
    uint32_t offset = kNone;  // into the payload
    Scalar scalar;
  };
  // The text before a field, then the field, if any.
  struct Piece {
    uint32_t text_begin = 0, text_size = 0;  // in text_
    Value value;
    View view = View::unsigned_integer;
    PrintfSpec spec;
    Value star_width, star_precision;
  };

  static bool fetch(std::span<const uint32_t> payload, const Value& value, uint64_t& bits);
  static int64_t sign_extend(uint64_t bits, const Scalar& scalar);
  static void render_field(const Piece& piece, std::span<const uint32_t> payload, std::string& out);

  std::string text_;
  std::vector<Piece> pieces_;
  std::vector<std::string> warnings_;
};

}  // namespace shaderqa
#endif
