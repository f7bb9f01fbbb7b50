// SPDX-License-Identifier: Apache-2.0
#include "host/trace/trace_selector.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace shaderqa {
namespace {

enum class StageGroup { compute, vertex, primitive, fragment, ray_tracing };

struct StageName {
  std::string_view name;
  Stage stage;
  StageGroup group;
};
constexpr StageName kStages[] = {
    {"compute", Stage::compute, StageGroup::compute},
    {"task", Stage::task, StageGroup::compute},
    {"mesh", Stage::mesh, StageGroup::compute},
    {"vertex", Stage::vertex, StageGroup::vertex},
    {"tesscontrol", Stage::tessellation_control, StageGroup::primitive},
    {"tesseval", Stage::tessellation_evaluation, StageGroup::primitive},
    {"geometry", Stage::geometry, StageGroup::primitive},
    {"fragment", Stage::fragment, StageGroup::fragment},
    {"raygen", Stage::ray_generation, StageGroup::ray_tracing},
    {"intersection", Stage::intersection, StageGroup::ray_tracing},
    {"anyhit", Stage::any_hit, StageGroup::ray_tracing},
    {"closesthit", Stage::closest_hit, StageGroup::ray_tracing},
    {"miss", Stage::miss, StageGroup::ray_tracing},
    {"callable", Stage::callable, StageGroup::ray_tracing},
};

// Where an input lies in the location (abi::TraceSelector).
struct Input {
  std::string_view name;
  StageGroup group;
  uint32_t first, count;
  bool packed;  // three numbers in one dword
};
constexpr Input kInputs[] = {
    {"GlobalInvocationID", StageGroup::compute, 0, 3, false},
    {"LocalInvocationIndex", StageGroup::compute, 3, 1, false},
    {"WorkgroupID", StageGroup::compute, 4, 3, false},
    {"LocalInvocationID", StageGroup::compute, 7, 3, true},
    {"VertexIndex", StageGroup::vertex, 0, 1, false},
    {"InstanceIndex", StageGroup::vertex, 1, 1, false},
    {"PrimitiveID", StageGroup::primitive, 0, 1, false},
    {"InvocationID", StageGroup::primitive, 1, 1, false},
    {"FragCoord", StageGroup::fragment, 0, 2, false},
    {"LaunchID", StageGroup::ray_tracing, 0, 3, false},
};
constexpr uint32_t kPackedShift[] = {0, 11, 22};
constexpr uint32_t kPackedMask[] = {0x7ff, 0x7ff, 0x3ff};

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

class Parser {
 public:
  Parser(std::string_view text, std::string& error) : text_(text), error_(error) {}

  std::optional<std::vector<abi::TraceSelector>> parse() {
    std::vector<abi::TraceSelector> selectors;
    do {
      if (selectors.size() == SQA_TRACE_SELECTORS) {
        fail("there are more than " + std::to_string(SQA_TRACE_SELECTORS) + " selectors");
        return std::nullopt;
      }
      if (!selector(selectors.emplace_back())) return std::nullopt;
    } while (take('|'));
    if (at_ != text_.size()) {
      fail("'|' and another selector, or the end, should be here");
      return std::nullopt;
    }
    return selectors;
  }

 private:
  bool fail(const std::string& what) {
    error_ = what + "\n  " + std::string(text_) + "\n  " + std::string(at_, ' ') + "^";
    return false;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_blanks();
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0)) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // Nothing: an error. any: '*'.
  std::optional<uint32_t> number(bool& any) {
    skip_blanks();
    any = take('*');
    if (any) return 0;
    uint32_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc()) {
      fail("a number from 0 to 4294967295 or * should be here");
      return std::nullopt;
    }
    at_ += static_cast<size_t>(end - begin);
    return value;
  }
  bool selector(abi::TraceSelector& selector);
  bool term(StageGroup group, abi::TraceSelector& selector, uint32_t& given);
  bool numbers(const Input& input, abi::TraceSelector& selector);

  std::string_view text_;
  std::string& error_;
  size_t at_ = 0;
};

bool Parser::selector(abi::TraceSelector& selector) {
  selector = {};
  selector.limit = 1;
  skip_blanks();
  const size_t begin = at_;
  const std::string_view name = word();
  const auto* stage =
      std::ranges::find_if(kStages, [&](const StageName& each) { return same(each.name, name); });
  if (stage == std::end(kStages)) {
    at_ = begin;
    std::string names;
    for (const StageName& each : kStages) names += (names.empty() ? "" : ", ") + std::string(each.name);
    return fail("a stage should be here: " + names);
  }
  selector.stages = 1u << static_cast<uint32_t>(stage->stage);
  skip_blanks();
  if (at_ == text_.size() || text_[at_] == '|') return true;
  if (!take(':')) return fail("':' and an input should be here");
  uint32_t given = 0;
  do {
    if (!term(stage->group, selector, given)) return false;
  } while (take(';'));
  return true;
}

bool Parser::term(StageGroup group, abi::TraceSelector& selector, uint32_t& given) {
  skip_blanks();
  const size_t begin = at_;
  const std::string_view name = word();
  const bool counts = same(name, "match") || same(name, "matches");
  const auto* input = std::ranges::find_if(
      kInputs, [&](const Input& each) { return each.group == group && same(each.name, name); });
  if (!counts && input == std::end(kInputs)) {
    at_ = begin;
    std::string names;
    for (const Input& each : kInputs)
      if (each.group == group) names += std::string(each.name) + ", ";
    return fail("an input of this stage should be here: " + names + "match or matches");
  }
  if (!take('=')) return fail("'=' and a number should be here");
  if (!counts) {
    const uint32_t bit = 1u << (input - kInputs);
    if ((given & bit) != 0) return fail(std::string(input->name) + " is given twice");
    given |= bit;
    return numbers(*input, selector);
  }
  bool any = false;
  const auto value = number(any);
  if (!value) return false;
  if (any || *value == 0) return fail("a number from 1 on should be here");
  if (same(name, "match"))
    selector.skip = *value - 1;
  else
    selector.limit = *value;
  return true;
}

bool Parser::numbers(const Input& input, abi::TraceSelector& selector) {
  for (uint32_t i = 0; i < input.count; ++i) {
    if (i != 0 && !take(','))
      return fail(std::string(input.name) + " has " + std::to_string(input.count) + " numbers");
    bool any = false;
    const auto value = number(any);
    if (!value) return false;
    const uint32_t dword = input.first + (input.packed ? 0 : i);
    const uint32_t mask = input.packed ? kPackedMask[i] : UINT32_MAX;
    const uint32_t shift = input.packed ? kPackedShift[i] : 0;
    if (*value > mask) return fail("no workgroup is that large, so nothing can match");
    if (any) continue;
    selector.value[dword] |= *value << shift;
    selector.mask[dword] |= mask << shift;
  }
  return true;
}

}  // namespace

std::optional<std::vector<abi::TraceSelector>> parse_trace_selectors(std::string_view text,
                                                                     std::string& error) {
  return Parser(text, error).parse();
}

std::string trace_inputs(uint32_t stages) {
  std::string names;
  for (const Input& input : kInputs)
    for (uint32_t i = 0; i < input.count; ++i) {
      const std::string name =
          std::string(input.name) + (input.count == 1 ? std::string() : std::string(".") + "xyz"[i]);
      if (trace_input(name, stages)) names += (names.empty() ? "" : ", ") + name;
    }
  return names;
}

std::optional<TraceInput> trace_input(std::string_view name, uint32_t stages) {
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string_view part = dot < name.size() ? name.substr(dot + 1) : std::string_view();
  const auto* input =
      std::ranges::find_if(kInputs, [&](const Input& each) { return same(each.name, name.substr(0, dot)); });
  if (input == std::end(kInputs)) return std::nullopt;
  for (const StageName& each : kStages) {
    const bool chosen = (stages >> static_cast<uint32_t>(each.stage) & 1) != 0;
    // What they do not have would always be 0.
    const bool lacks = each.stage == Stage::tessellation_evaluation && input->name == "InvocationID";
    if (chosen && (each.group != input->group || lacks)) return std::nullopt;
  }
  uint32_t component = 0;
  if (input->count > 1) {
    const size_t at =
        part.size() == 1 ? std::string_view("xyz").substr(0, input->count).find(part) : part.npos;
    if (at == part.npos) return std::nullopt;
    component = static_cast<uint32_t>(at);
  } else if (dot != name.size()) {
    return std::nullopt;
  }
  if (!input->packed) return TraceInput{input->first + component, 0, 0};
  return TraceInput{input->first, kPackedShift[component], component == 2 ? 10u : 11u};
}

std::string describe_location(Stage stage, const uint32_t (&location)[8]) {
  const auto* known = std::ranges::find(kStages, stage, &StageName::stage);
  if (known == std::end(kStages)) return "?";
  std::string text;
  for (const Input& input : kInputs) {
    if (input.group != known->group) continue;
    // What follows from the first one.
    if (input.group == StageGroup::compute && input.first != 0) continue;
    text += (text.empty() ? "" : ";") + std::string(input.name) + "=";
    for (uint32_t i = 0; i < input.count; ++i)
      text += (i == 0 ? "" : ",") + std::to_string(location[input.first + i]);
  }
  return std::string(known->name) + ":" + text;
}

}  // namespace shaderqa
