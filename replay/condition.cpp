// SPDX-License-Identifier: Apache-2.0
#include "replay/condition.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <functional>

#include "replay/expression.h"

namespace shaderqa {
namespace {

constexpr int kMostDepth = 64;

// A double holds all integers of 32 bits.
struct Number {
  double value = 0;
  bool is_integer = true;
};
using Value = std::optional<Number>;
using Lookup = std::function<Value(std::string_view)>;

struct Operator {
  std::string_view text;
  int level;  // the higher, the closer it binds
};
// Longer ones first.
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4}, {"<", 4},
                                   {">", 4},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6}};

Number compute(std::string_view op, const Number& left, const Number& right) {
  const double a = left.value, b = right.value;
  const bool is_integer = left.is_integer && right.is_integer;
  if (op == "==") return {a == b ? 1.0 : 0.0};
  if (op == "!=") return {a != b ? 1.0 : 0.0};
  if (op == "<=") return {a <= b ? 1.0 : 0.0};
  if (op == ">=") return {a >= b ? 1.0 : 0.0};
  if (op == "<") return {a < b ? 1.0 : 0.0};
  if (op == ">") return {a > b ? 1.0 : 0.0};
  if (op == "+") return {a + b, is_integer};
  if (op == "-") return {a - b, is_integer};
  if (op == "*") return {a * b, is_integer};
  if (op == "/") return {is_integer ? std::trunc(a / b) : a / b, is_integer};
  return {std::fmod(a, b), is_integer};
}

// Nothing: a side that decides has no value.
Value combine(std::string_view op, const Value& left, const Value& right) {
  if (op != "||" && op != "&&") return left && right ? Value(compute(op, *left, *right)) : std::nullopt;
  // What one side decides needs no value of the other: i < 4 && near[i] > 2.
  const bool deciding = op == "||";
  if ((left && (left->value != 0) == deciding) || (right && (right->value != 0) == deciding))
    return Number{deciding ? 1.0 : 0.0};
  return left && right ? Value(Number{deciding ? 0.0 : 1.0}) : std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  Value parse() {
    Value value = binary(0);
    skip();
    if (error_.empty() && at_ != text_.size()) fail("this is not expected here");
    return value;
  }
  const std::string& error() const { return error_; }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  void fail(const std::string& why) {
    if (error_.empty()) error_ = why + "\n  " + std::string(text_) + "\n  " + std::string(at_, ' ') + "^";
    at_ = text_.size();
  }
  const Operator* next_operator() {
    skip();
    for (const Operator& each : kOperators)
      if (text_.substr(at_).starts_with(each.text)) return &each;
    return nullptr;
  }

  Value binary(int level) {
    Value left = unary();
    while (const Operator* op = next_operator()) {
      if (op->level <= level) break;
      at_ += op->text.size();
      left = combine(op->text, left, binary(op->level));
    }
    return left;
  }

  Value unary() {
    if (++depth_ > kMostDepth) {
      fail("it is nested too deeply");
      return std::nullopt;
    }
    const Value value = operand();
    --depth_;
    return value;
  }

  Value operand() {
    skip();
    if (at_ == text_.size()) {
      fail("a value is missing");
      return std::nullopt;
    }
    const char first = text_[at_];
    if (first == '!' || first == '-') {
      ++at_;
      const Value value = unary();
      if (!value) return std::nullopt;
      if (first == '!') return Number{value->value == 0 ? 1.0 : 0.0};
      return Number{-value->value, value->is_integer};
    }
    if (first == '(') {
      ++at_;
      const Value value = binary(0);
      skip();
      if (at_ == text_.size() || text_[at_] != ')')
        fail("a closing parenthesis is missing");
      else
        ++at_;
      return value;
    }
    return (first >= '0' && first <= '9') || first == '.' ? number() : name();
  }

  Value number() {
    const std::string_view rest = text_.substr(at_);
    double value = 0;
    const char* end = rest.data();
    if (rest.starts_with("0x") || rest.starts_with("0X")) {
      uint64_t integer = 0;
      end = std::from_chars(rest.data() + 2, rest.data() + rest.size(), integer, 16).ptr;
      value = static_cast<double>(integer);
      if (end == rest.data() + 2) end = rest.data();
    } else {
      end = std::from_chars(rest.data(), rest.data() + rest.size(), value).ptr;
    }
    if (end == rest.data()) {
      fail("this is no number");
      return std::nullopt;
    }
    const size_t length = static_cast<size_t>(end - rest.data());
    at_ += length;
    const bool marked = at_ < text_.size() && text_[at_] == 'f';
    const bool has_point =
        !rest.starts_with("0x") && rest.substr(0, length).find_first_of(".eE") != std::string_view::npos;
    if (at_ < text_.size() && (text_[at_] == 'u' || marked)) ++at_;
    return Number{value, !marked && !has_point};
  }

  // A variable with its members and elements; what stands in brackets belongs to it.
  Value name() {
    const size_t begin = at_;
    int brackets = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '[') ++brackets;
      if (c == ']' && --brackets < 0) break;
      const bool part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        c == '_' || c == '.' || c == '$' || c == '[' || c == ']' || brackets > 0;
      if (!part && !(c == '%' && at_ == begin)) break;
      ++at_;
    }
    if (at_ == begin || brackets > 0) {
      fail("this is no name");
      return std::nullopt;
    }
    const std::string_view own = text_.substr(begin, at_ - begin);
    if (own == "true" || own == "false") return Number{own == "true" ? 1.0 : 0.0};
    return lookup_(own);
  }

  const std::string_view text_;
  const Lookup& lookup_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

Value number_in(const TracedShader& shader, uint32_t type, uint32_t dword) {
  const InstructionView i = shader.view().definition(type);
  if (i.op() == spv::Op::OpTypeBool) return Number{dword != 0 ? 1.0 : 0.0};
  if (i.op() == spv::Op::OpTypeFloat && i.word(2) <= 32) return Number{std::bit_cast<float>(dword), false};
  if (i.op() != spv::Op::OpTypeInt || i.word(2) > 32) return std::nullopt;
  return Number{i.word(3) != 0 ? static_cast<double>(static_cast<int32_t>(dword))
                               : static_cast<double>(dword)};
}

}  // namespace

std::string check_condition(std::string_view text) {
  const Lookup nothing = [](std::string_view) { return std::nullopt; };
  Parser parser(text, nothing);
  parser.parse();
  return parser.error();
}

std::optional<bool> condition_holds(const Invocation& invocation, const StackFrame& frame, size_t step,
                                    std::string_view text) {
  const Lookup lookup = [&](std::string_view name) -> Value {
    std::string unused;
    const auto named = resolve(invocation, frame, name, unused);
    if (!named || named->type == 0) return std::nullopt;
    const auto dwords = dwords_of(invocation, *named, step);
    if (dwords.size() != 1 || !dwords[0]) return std::nullopt;
    return number_in(invocation.shader(), named->type, *dwords[0]);
  };
  Parser parser(text, lookup);
  const Value value = parser.parse();
  if (!value || !parser.error().empty()) return std::nullopt;
  return value->value != 0;
}

std::optional<uint32_t> bits_of_number(const TracedShader& shader, uint32_t type, std::string_view text) {
  const InstructionView i = shader.view().definition(type);
  const Lookup nothing = [](std::string_view) { return std::nullopt; };
  Parser parser(text, nothing);
  const Value parsed = parser.parse();
  if (!parsed || !parser.error().empty()) return std::nullopt;
  const double value = parsed->value;
  if (i.op() == spv::Op::OpTypeBool) return value != 0 ? 1 : 0;
  if (i.op() == spv::Op::OpTypeFloat && i.word(2) == 32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (i.op() != spv::Op::OpTypeInt || i.word(2) != 32 || value != std::trunc(value)) return std::nullopt;
  const bool is_signed = i.word(3) != 0;
  if (value < (is_signed ? -2147483648.0 : 0.0) || value > (is_signed ? 2147483647.0 : 4294967295.0))
    return std::nullopt;
  return is_signed ? static_cast<uint32_t>(static_cast<int32_t>(value)) : static_cast<uint32_t>(value);
}

}  // namespace shaderqa
