// SPDX-License-Identifier: Apache-2.0
#include "host/trace/trace_when.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "host/trace/trace_selector.h"
#include "instrument/runtime/abi_trace.h"

namespace shaderqa {
namespace {

constexpr int kDeepest = 64;  // parentheses within one another

struct Operator {
  std::string_view text;
  uint32_t op;
  int binds;  // the higher, the closer
};
// Longer ones first.
constexpr Operator kOperators[] = {
    {"||", SQA_WHEN_OR, 1},       {"&&", SQA_WHEN_AND, 2},        {"==", SQA_WHEN_EQUAL, 6},
    {"!=", SQA_WHEN_DIFFERS, 6},  {"<<", SQA_WHEN_SHIFT_LEFT, 8}, {">>", SQA_WHEN_SHIFT_RIGHT, 8},
    {"<=", SQA_WHEN_AT_MOST, 7},  {">=", SQA_WHEN_AT_LEAST, 7},   {"<", SQA_WHEN_LESS, 7},
    {">", SQA_WHEN_GREATER, 7},   {"|", SQA_WHEN_BITS_OR, 3},     {"^", SQA_WHEN_BITS_XOR, 4},
    {"&", SQA_WHEN_BITS_AND, 5},  {"+", SQA_WHEN_ADD, 9},         {"-", SQA_WHEN_SUBTRACT, 9},
    {"*", SQA_WHEN_MULTIPLY, 10}, {"/", SQA_WHEN_DIVIDE, 10},     {"%", SQA_WHEN_REMAINDER, 10},
};

class Parser {
 public:
  Parser(std::string_view text, uint32_t stages, std::string& error)
      : text_(text), stages_(stages), error_(error) {}

  std::optional<std::vector<uint32_t>> parse() {
    if (!expression(0)) return std::nullopt;
    skip_blanks();
    if (at_ != text_.size()) {
      fail("an operator, or the end, should be here");
      return std::nullopt;
    }
    return std::move(words_);
  }

 private:
  bool fail(const std::string& what) {
    error_ = what + "\n  " + std::string(text_) + "\n  " + std::string(at_, ' ') + "^";
    return false;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view what) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  bool push(uint32_t word) {
    if (words_.size() == SQA_TRACE_WHEN_WORDS)
      return fail("the condition is too long: it may have about 30 operations");
    words_.push_back(word);
    return true;
  }
  // Another value is on the stack.
  bool grow() {
    if (++height_ > SQA_TRACE_WHEN_STACK) return fail("the condition is nested too deeply");
    return true;
  }
  const Operator* next_operator() {
    skip_blanks();
    for (const Operator& each : kOperators)
      if (text_.substr(at_).starts_with(each.text)) return &each;
    return nullptr;
  }
  bool expression(int least) {
    if (!operand()) return false;
    for (const Operator* op = next_operator(); op && op->binds > least; op = next_operator()) {
      at_ += op->text.size();
      if (!expression(op->binds) || !push(op->op)) return false;
      --height_;
    }
    return true;
  }
  bool operand();
  bool number();
  bool input();

  std::string_view text_;
  const uint32_t stages_;
  std::string& error_;
  size_t at_ = 0;
  int height_ = 0, depth_ = 0;
  std::vector<uint32_t> words_;
};

bool Parser::operand() {
  skip_blanks();
  if (++depth_ > kDeepest) return fail("the condition is nested too deeply");
  const auto leave = [this](bool good) {
    --depth_;
    return good;
  };
  if (take("(")) {
    if (!expression(0)) return leave(false);
    return leave(take(")") || fail("')' should be here"));
  }
  if (!text_.substr(at_).starts_with("!=") && take("!")) return leave(operand() && push(SQA_WHEN_NOT));
  if (take("~")) return leave(operand() && push(SQA_WHEN_BITS_NOT));
  if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return leave(number());
  return leave(input());
}

bool Parser::number() {
  const bool hex = text_.substr(at_).starts_with("0x");
  uint32_t value = 0;
  const char* const begin = text_.data() + at_ + (hex ? 2 : 0);
  const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value, hex ? 16 : 10);
  if (problem != std::errc()) return fail("a number from 0 to 4294967295 should be here");
  at_ = static_cast<size_t>(end - text_.data());
  return grow() && push(SQA_WHEN_NUMBER) && push(value);
}

bool Parser::input() {
  const size_t begin = at_;
  while (at_ < text_.size() &&
         (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
    ++at_;
  const std::string_view name = text_.substr(begin, at_ - begin);
  const auto place = trace_input(name, stages_);
  if (!place) {
    at_ = begin;
    return fail("an input should be here: " + trace_inputs(stages_));
  }
  return grow() && push(SQA_WHEN_INPUT | place->dword << 8 | place->shift << 16 | place->bits << 24);
}

uint32_t compute(uint32_t op, uint32_t a, uint32_t b) {
  switch (op) {
    case SQA_WHEN_OR:
      return a != 0 || b != 0 ? 1 : 0;
    case SQA_WHEN_AND:
      return a != 0 && b != 0 ? 1 : 0;
    case SQA_WHEN_EQUAL:
      return a == b ? 1 : 0;
    case SQA_WHEN_DIFFERS:
      return a != b ? 1 : 0;
    case SQA_WHEN_LESS:
      return a < b ? 1 : 0;
    case SQA_WHEN_AT_MOST:
      return a <= b ? 1 : 0;
    case SQA_WHEN_GREATER:
      return a > b ? 1 : 0;
    case SQA_WHEN_AT_LEAST:
      return a >= b ? 1 : 0;
    case SQA_WHEN_BITS_OR:
      return a | b;
    case SQA_WHEN_BITS_XOR:
      return a ^ b;
    case SQA_WHEN_BITS_AND:
      return a & b;
    case SQA_WHEN_SHIFT_LEFT:
      return a << (b & 31);
    case SQA_WHEN_SHIFT_RIGHT:
      return a >> (b & 31);
    case SQA_WHEN_ADD:
      return a + b;
    case SQA_WHEN_SUBTRACT:
      return a - b;
    case SQA_WHEN_MULTIPLY:
      return a * b;
    case SQA_WHEN_DIVIDE:
      return b == 0 ? 0 : a / b;
    default:
      return b == 0 ? 0 : a % b;
  }
}

}  // namespace

std::optional<std::vector<uint32_t>> parse_trace_when(std::string_view text, uint32_t stages,
                                                      std::string& error) {
  return Parser(text, stages, error).parse();
}

uint32_t evaluate_trace_when(std::span<const uint32_t> words, const uint32_t (&location)[8]) {
  std::array<uint32_t, SQA_TRACE_WHEN_STACK> stack{};
  size_t top = 0;  // values on the stack
  for (size_t at = 0; at < words.size(); ++at) {
    const uint32_t op = words[at] & 0xff;
    if (op == SQA_WHEN_NUMBER) {
      stack[top++] = words[++at];
    } else if (op == SQA_WHEN_INPUT) {
      const uint32_t bits = words[at] >> 24;
      const uint32_t value = location[words[at] >> 8 & 7] >> (words[at] >> 16 & 31);
      stack[top++] = bits == 0 ? value : value & ((1u << bits) - 1);
    } else if (op == SQA_WHEN_NOT) {
      stack[top - 1] = stack[top - 1] == 0 ? 1 : 0;
    } else if (op == SQA_WHEN_BITS_NOT) {
      stack[top - 1] = ~stack[top - 1];
    } else {
      --top;
      stack[top - 1] = compute(op, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

}  // namespace shaderqa
