// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/picture_expression.h"

#include <cctype>
#include <charconv>

namespace shaderqa {
namespace {

constexpr int deepest = 64;  // parentheses and signs within one another
constexpr size_t most_nodes = 256;

struct Operator {
  std::string_view text;
  PictureOperator op;
  int binds;  // the higher, the closer
};
// Longer ones first.
constexpr Operator operators[] = {
    {"||", PictureOperator::logical_or, 1}, {"&&", PictureOperator::logical_and, 2},
    {"==", PictureOperator::equal, 3},      {"!=", PictureOperator::differs, 3},
    {"<=", PictureOperator::at_most, 4},    {">=", PictureOperator::at_least, 4},
    {"<", PictureOperator::less, 4},        {">", PictureOperator::greater, 4},
    {"+", PictureOperator::add, 5},         {"-", PictureOperator::subtract, 5},
    {"*", PictureOperator::multiply, 6},    {"/", PictureOperator::divide, 6},
    {"%", PictureOperator::remainder, 6},
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Parser {
 public:
  Parser(std::string_view text, std::string& error) : text_(text), error_(error) {}

  std::optional<PictureExpression> parse() {
    if (!expression(0)) return std::nullopt;
    skip_blanks();
    if (at_ != text_.size()) {
      fail("an operator, or the end, should be here");
      return std::nullopt;
    }
    return std::move(nodes_);
  }

 private:
  bool fail(const std::string& what) {
    error_ = what + "\n  " + std::string(text_) + "\n  " + std::string(at_, ' ') + "^";
    return false;
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (next() == ' ' || next() == '\t') ++at_;
  }
  bool take(std::string_view what) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  bool push(PictureNode node) {
    if (nodes_.size() == most_nodes) return fail("the expression is too long");
    nodes_.push_back(std::move(node));
    return true;
  }
  const Operator* next_operator() {
    skip_blanks();
    for (const Operator& each : operators)
      if (text_.substr(at_).starts_with(each.text)) return &each;
    return nullptr;
  }
  bool expression(int least) {
    if (!operand()) return false;
    for (const Operator* op = next_operator(); op && op->binds > least; op = next_operator()) {
      PictureNode node;
      node.op = op->op;
      node.left = nodes_.size() - 1;
      at_ += op->text.size();
      if (!expression(op->binds)) return false;
      node.right = nodes_.size() - 1;
      if (!push(std::move(node))) return false;
    }
    return true;
  }
  bool operand();
  bool unary(PictureOperator op);
  bool number();
  bool name();
  bool part(PictureNode& node);
  std::string word() {
    const size_t begin = at_;
    while (is_letter(next()) || is_digit(next())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::string& error_;
  size_t at_ = 0;
  int depth_ = 0;
  PictureExpression nodes_;
};

bool Parser::unary(PictureOperator op) {
  if (!operand()) return false;
  PictureNode node;
  node.op = op;
  node.left = nodes_.size() - 1;
  return push(std::move(node));
}

bool Parser::operand() {
  skip_blanks();
  if (++depth_ > deepest) return fail("the expression is nested too deeply");
  bool good = false;
  if (take("("))
    good = expression(0) && (take(")") || fail("')' should be here"));
  else if (take("-"))
    good = unary(PictureOperator::negate);
  else if (take("!"))
    good = unary(PictureOperator::logical_not);
  else if (is_digit(next()) || next() == '.')
    good = number();
  else
    good = name();
  --depth_;
  return good;
}

bool Parser::number() {
  PictureNode node;
  const char* const begin = text_.data() + at_;
  const char* const end = text_.data() + text_.size();
  const auto whole = std::from_chars(begin, end, node.integer);
  const char stop = whole.ptr < end ? *whole.ptr : '\0';
  const bool is_whole = whole.ec == std::errc() && stop != '.' && stop != 'e' && stop != 'E';
  node.op = is_whole ? PictureOperator::integer : PictureOperator::floating;
  const auto read = is_whole ? whole : std::from_chars(begin, end, node.floating);
  if (read.ec != std::errc()) return fail("a number should be here");
  at_ = static_cast<size_t>(read.ptr - text_.data());
  if (next() == (is_whole ? 'u' : 'f')) ++at_;
  return push(std::move(node));
}

bool Parser::name() {
  PictureNode node;
  if (!is_letter(next())) return fail("a name or a number should be here");
  node.name = word();
  while (next() == '.' || next() == '[')
    if (!part(node)) return false;
  return push(std::move(node));
}

bool Parser::part(PictureNode& node) {
  PicturePart part;
  if (text_[at_++] == '.') {
    part.name = word();
    if (part.name.empty()) return fail("the name of a member should be here");
  } else {
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), part.index);
    if (problem != std::errc()) return fail("a number should be here: elements have constant numbers");
    at_ = static_cast<size_t>(end - text_.data());
    if (next() != ']') return fail("']' should be here");
    ++at_;
  }
  node.parts.push_back(std::move(part));
  return true;
}

}  // namespace

std::optional<PictureExpression> parse_picture_expression(std::string_view text, std::string& error) {
  return Parser(text, error).parse();
}

}  // namespace shaderqa
