// SPDX-License-Identifier: Apache-2.0
// CompiledFormat's constructor: the rules of docs/manual/printf.md about which argument a conversion takes
// and what it makes of it.
#include "host/printf/printf_field.h"
#include "host/printf/printf_format.h"
#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

std::string in_quotes(std::string_view text) { return "\"" + to_utf8(text) + "\""; }

std::string type_name(const Scalar& scalar) {
  switch (scalar.kind) {
    case ScalarKind::signed_int:
      return "int" + std::to_string(scalar.width);
    case ScalarKind::unsigned_int:
      return "uint" + std::to_string(scalar.width);
    case ScalarKind::floating:
      return "float" + std::to_string(scalar.width);
    case ScalarKind::boolean:
      return "bool";
    case ScalarKind::pointer:
      return "pointer";
  }
  return "value";
}

bool is_integer(const Scalar& scalar) {
  return scalar.kind == ScalarKind::signed_int || scalar.kind == ScalarKind::unsigned_int;
}

}  // namespace

class FormatCompiler {
 public:
  FormatCompiler(const PrintfSite& site, CompiledFormat& out) : site_(site), out_(out) {}
  void compile();

 private:
  using Value = CompiledFormat::Value;
  using View = CompiledFormat::View;

  void literal(std::string_view text) { append_utf8(out_.text_, text); }
  void warn(const std::string& what);
  void conversion(PrintfSpec spec, std::string_view source, size_t& end);
  const PrintfArgument* next_argument();
  Value star(std::string_view source);
  void argument(const PrintfArgument& argument, const PrintfSpec& spec, std::string_view source);
  void field(const PrintfSpec& spec, const Value& value, std::string_view source);
  View view_of(PrintfSpec& spec, const Scalar& scalar, std::string_view source);

  const PrintfSite& site_;
  CompiledFormat& out_;
  size_t next_ = 0;               // argument
  uint32_t offset_ = 0;           // payload dword of that argument
  uint32_t argument_offset_ = 0;  // of the argument taken last
  size_t text_taken_ = 0;         // of out_.text_, by the pieces so far
  Value star_width_, star_precision_;
};

void FormatCompiler::warn(const std::string& what) {
  // On one line, as the source has it.
  std::string format;
  for (const char c : site_.format)
    if (c == '\n')
      format += "\\n";
    else
      format += c;
  std::string text = in_quotes(format) + ": " + what;
  for (const std::string& known : out_.warnings_)
    if (known == text) return;
  out_.warnings_.push_back(std::move(text));
}

const PrintfArgument* FormatCompiler::next_argument() {
  if (next_ == site_.arguments.size()) return nullptr;
  const PrintfArgument& argument = site_.arguments[next_++];
  argument_offset_ = offset_;
  for (const Scalar& scalar : argument.scalars) offset_ += scalar.payload_dwords();
  return &argument;
}

FormatCompiler::Value FormatCompiler::star(std::string_view source) {
  const PrintfArgument* argument = next_argument();
  if (argument == nullptr) {
    warn("there is no argument for the '*' of " + in_quotes(source));
    return {};
  }
  if (argument->shape != ArgumentShape::scalar || argument->scalars.size() != 1 ||
      !is_integer(argument->scalars[0])) {
    warn("the argument for the '*' of " + in_quotes(source) + " is not an integer and is ignored");
    return {};
  }
  return {argument_offset_, argument->scalars[0]};
}

// Decides how a scalar's bits are read under the conversion; widths come from the type, never from the
// modifier.
FormatCompiler::View FormatCompiler::view_of(PrintfSpec& spec, const Scalar& scalar,
                                             std::string_view source) {
  const std::string given = type_name(scalar);
  if (is_float_conversion(spec.conversion)) {
    if (scalar.kind == ScalarKind::floating) return View::float_bits;
    if (scalar.kind == ScalarKind::boolean) {
      warn(in_quotes(source) + " prints a bool as 0 or 1");
      return View::boolean_as_float;
    }
    warn(in_quotes(source) + " prints the bits of a " + given + " argument as a float");
    return View::float_bits;
  }
  if (spec.conversion == 'p') {
    if (scalar.kind != ScalarKind::pointer)
      warn(in_quotes(source) + " is given a " + given + ", not a pointer");
    return View::unsigned_integer;
  }
  if (spec.conversion == 'c') {
    if (!is_integer(scalar)) warn(in_quotes(source) + " is given a " + given + ", not an integer");
    return View::character;
  }
  // %x of a float is the idiom for looking at bits: no warning.
  if (scalar.kind == ScalarKind::floating && spec.conversion != 'x' && spec.conversion != 'X')
    warn(in_quotes(source) + " prints the bits of a " + given +
         " argument as an integer; use %f, %e or %g for its value");
  if (is_integer(scalar) && scalar.width == 64 && !spec.long_modifier)
    warn(in_quotes(source) + " is given a 64-bit integer; it is printed in full, but other tools need %l" +
         spec.conversion);
  return spec.conversion == 'd' || spec.conversion == 'i' ? View::signed_integer : View::unsigned_integer;
}

void FormatCompiler::field(const PrintfSpec& spec, const Value& value, std::string_view source) {
  CompiledFormat::Piece piece;
  piece.text_begin = static_cast<uint32_t>(text_taken_);
  piece.text_size = static_cast<uint32_t>(out_.text_.size() - text_taken_);
  text_taken_ = out_.text_.size();
  piece.value = value;
  piece.spec = spec;
  piece.view = view_of(piece.spec, value.scalar, source);
  piece.star_width = star_width_;
  piece.star_precision = star_precision_;
  out_.pieces_.push_back(piece);
}

void FormatCompiler::argument(const PrintfArgument& argument, const PrintfSpec& spec,
                              std::string_view source) {
  const uint32_t first = argument_offset_;
  const std::vector<Scalar>& scalars = argument.scalars;
  if (argument.shape == ArgumentShape::string) {
    if (spec.conversion != 's') warn(in_quotes(source) + " is given a string; the string is printed");
    std::string text;
    print_string(text, spec.conversion == 's' ? spec : PrintfSpec{}, to_utf8(argument.text));
    literal(text);
    return;
  }
  if (spec.conversion == 's') {
    warn(in_quotes(source) + " is given something other than a string literal");
    return literal("<%s?>");
  }
  if (argument.shape == ArgumentShape::scalar && spec.vector != 0) {
    warn(in_quotes(source) + " is given a scalar");
    return literal("<" + to_utf8(source) + " of a scalar>");
  }
  size_t count = scalars.size();
  if (argument.shape == ArgumentShape::vector) {
    if (spec.vector == 0) {
      warn(in_quotes(source) + " is given a vector of " + std::to_string(count) +
           "; all its components are printed");
    } else if (spec.vector != count) {
      warn(in_quotes(source) + " is given a vector of " + std::to_string(count) +
           (spec.vector > count ? "; the rest is printed as zeros"
                                : "; the other components are not printed"));
      count = spec.vector;
    }
  }
  uint32_t offset = first;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) literal(", ");
    if (i < scalars.size()) {
      field(spec, {offset, scalars[i]}, source);
      offset += scalars[i].payload_dwords();
    } else {
      field(spec, {CompiledFormat::kZero, scalars.empty() ? Scalar{} : scalars.back()}, source);
    }
  }
}

void FormatCompiler::conversion(PrintfSpec spec, std::string_view source, size_t& end) {
  star_width_ = spec.star_width ? star(source) : Value{};
  star_precision_ = spec.star_precision ? star(source) : Value{};
  const PrintfArgument* taken = next_argument();
  if (taken == nullptr) {
    warn("there is no argument for " + in_quotes(source));
    return literal("<missing>");
  }
  // "%ul" and "%dl": the 'l' belongs to it only if the argument is 64-bit; "%ul" then prints hex.
  const std::string_view format = site_.format;
  const bool wide = !taken->scalars.empty() && is_integer(taken->scalars[0]) && taken->scalars[0].width == 64;
  if (wide && !spec.long_modifier && end < format.size() && format[end] == 'l' &&
      (spec.conversion == 'u' || spec.conversion == 'd' || spec.conversion == 'i')) {
    ++end;
    spec.long_modifier = true;
    if (spec.conversion == 'u') spec.conversion = 'x';
  }
  argument(*taken, spec, source);
}

void FormatCompiler::compile() {
  const std::string_view format = site_.format;
  size_t at = 0;
  while (at < format.size()) {
    const size_t percent = format.find('%', at);
    literal(format.substr(at, percent == std::string_view::npos ? percent : percent - at));
    if (percent == std::string_view::npos) break;
    const ParsedSpec parsed = parse_printf_spec(format, percent);
    const std::string_view source = format.substr(percent, parsed.end - percent);
    at = parsed.end;
    const bool no_argument = parsed.status == SpecStatus::conversion && next_ == site_.arguments.size();
    if (parsed.spec.space && (!parsed.space_is_flag || no_argument)) {
      warn("there is an isolated '%'; write \"%%\"");
      literal("%");
      at = percent + 1;
      continue;
    }
    switch (parsed.status) {
      case SpecStatus::percent:
        literal("%");
        break;
      case SpecStatus::trailing:
        if (source != "%")
          warn(in_quotes(source) + " at the end is not a complete conversion; it is printed as it stands");
        literal(source);
        break;
      case SpecStatus::unknown:
        warn(in_quotes(source) + " is not a conversion; it is printed as it stands and takes no argument");
        literal(source);
        break;
      case SpecStatus::conversion:
        conversion(parsed.spec, source, at);
        break;
    }
  }
  if (out_.text_.size() > text_taken_) {
    CompiledFormat::Piece rest;
    rest.text_begin = static_cast<uint32_t>(text_taken_);
    rest.text_size = static_cast<uint32_t>(out_.text_.size() - text_taken_);
    out_.pieces_.push_back(rest);
  }
  if (next_ < site_.arguments.size())
    warn("there are more arguments than conversions: " + std::to_string(site_.arguments.size() - next_) +
         " not printed");
}

CompiledFormat::CompiledFormat(const PrintfSite& site) { FormatCompiler(site, *this).compile(); }

}  // namespace shaderqa
