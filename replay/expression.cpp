// SPDX-License-Identifier: Apache-2.0
#include "replay/expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace shaderqa {
namespace {

constexpr std::string_view kComponents[] = {"xyzw", "rgba", "stpq"};

class Resolver {
 public:
  Resolver(const Invocation& invocation, const StackFrame& frame, std::string_view text, std::string& error)
      : invocation_(invocation),
        shader_(invocation.shader()),
        frame_(frame),
        step_(frame.step),
        text_(text),
        error_(error) {}

  std::optional<Named> resolve() {
    auto named = first();
    while (named && !text_.empty())
      if (!part(*named)) return std::nullopt;
    return named;
  }

 private:
  std::nullopt_t fail(std::string why) {
    error_ = std::move(why);
    return std::nullopt;
  }
  std::string word() {
    size_t end = 0;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
      ++end;
    std::string found(text_.substr(0, end));
    text_.remove_prefix(end);
    return found;
  }
  std::optional<Named> first();
  std::optional<Named> named(uint32_t id);
  std::optional<Named> anonymous_member(const std::string& name);
  bool part(Named& named);
  bool member(Named& named, const std::string& name);
  bool step_into(Named& named, uint64_t index) {
    if (!named.parts.empty()) {
      auto parts = parts_of(invocation_, named, index + 1);
      if (index >= parts.size() || (parts[index].second.type == 0 && parts[index].second.parts.empty()))
        return false;
      named = std::move(parts[index].second);
      return true;
    }
    const uint32_t type = shader_.part(named.type, index, named.dword);
    if (type == 0) return false;
    named.type = type;
    return true;
  }
  bool belongs(uint32_t id) const;

  const Invocation& invocation_;
  const TracedShader& shader_;
  const StackFrame& frame_;
  const size_t step_;
  std::string_view text_;
  std::string& error_;
};

std::optional<Named> Resolver::named(uint32_t id) {
  const ModuleView& view = shader_.view();
  const InstructionView definition = view.definition(id);
  const uint32_t frame = invocation_.steps()[step_].frame;
  Named found;
  if (definition && definition.op() == spv::Op::OpVariable) {
    found.variable = invocation_.variable(id, frame);
    found.type = shader_.pointee(definition.word(1));
    return found;
  }
  const uint32_t type = view.type_of(id);
  if (type == 0) return fail("%" + std::to_string(id) + " is no value of this shader");
  if (const uint32_t pointee = shader_.pointee(type); pointee != 0) {
    const auto place = invocation_.place(id, frame, step_);
    if (place) {
      found.variable = place->variable;
      found.dword = place->dword;
      found.type = place->type;
      return found;
    }
  }
  found.variable = {id, static_cast<int>(frame)};
  found.is_value = true;
  found.type = type;
  return found;
}

// Whether a name that several ids have means this one: a variable of the module, or something of the function
// that the step is in.
bool Resolver::belongs(uint32_t id) const {
  const ModuleView& view = shader_.view();
  const InstructionView definition = view.definition(id);
  if (!definition || view.type_of(id) == 0) return false;
  const uint32_t offset = static_cast<uint32_t>(definition.words.data() - view.words().data());
  if (offset < view.functions_offset()) return definition.op() == spv::Op::OpVariable;
  // An inlined function does not see what is local to its caller.
  if (frame_.scope.inlined_at != 0) return false;
  const uint32_t function = invocation_.frame(invocation_.steps()[step_].frame).function;
  bool inside = false, found = false;
  for_each_instruction(view.words(), view.functions_offset(), [&](InstructionView i, uint32_t at) {
    if (i.op() == spv::Op::OpFunction) inside = i.word(2) == function;
    found = at == offset && inside;
    return at < offset;
  });
  return found;
}

// A member of a block without a name of its own, as GLSL has them.
std::optional<Named> Resolver::anonymous_member(const std::string& name) {
  const ModuleView& view = shader_.view();
  for (const uint32_t id : shader_.global_variables()) {
    const uint32_t type = shader_.pointee(view.definition(id).word(1));
    const InstructionView structure = view.definition(type, spv::Op::OpTypeStruct);
    if (!structure || !shader_.name(id).empty()) continue;
    for (uint32_t i = 0; i + 2 < structure.size(); ++i) {
      if (shader_.member_name(type, i) != name) continue;
      Named found;
      found.variable = invocation_.variable(id, 0);
      found.type = type;
      if (step_into(found, i)) return found;
    }
  }
  return std::nullopt;
}

std::optional<Named> Resolver::first() {
  if (text_.starts_with('%')) {
    text_.remove_prefix(1);
    uint32_t id = 0;
    const std::string name = word();
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (problem == std::errc() && end == name.data() + name.size()) return named(id);
    const auto ids = shader_.named(name);
    if (ids.empty()) return fail("nothing is called %" + name);
    return named(ids.front());
  }
  const std::string name = word();
  if (name.empty()) return fail("a name should be here: " + std::string(text_));
  bool declared = false;
  if (!shader_.debug().empty()) {
    for (Local& local : locals_of(invocation_, frame_)) {
      if (local.name != name) continue;
      if (local.named) return std::move(local.named);
      if (!declared) fail(name + ": " + local.why);
      declared = true;
    }
  }
  if (declared) return std::nullopt;
  std::vector<uint32_t> ids = shader_.named(name);
  std::erase_if(ids, [&](uint32_t id) { return !belongs(id); });
  // If several variables have one name, in blocks of their own, the one that was used last.
  std::optional<Named> best;
  uint32_t best_step = 0;
  for (const uint32_t id : ids) {
    const auto candidate = named(id);
    if (!candidate) continue;
    uint32_t last = 0;
    if (const auto* accesses = candidate->is_value ? nullptr : invocation_.accesses(candidate->variable))
      for (const TraceAccess& access : *accesses)
        if (access.step < step_) last = access.step + 1;
    if (!best || last > best_step) best = candidate, best_step = last;
  }
  if (best) return best;
  if (auto member = anonymous_member(name)) return member;
  return fail("nothing is called " + name + " in " + frame_.function +
              "; the compiler may have removed it, or its name");
}

bool Resolver::member(Named& named, const std::string& name) {
  if (!named.parts.empty()) {
    const DebugInfo& debug = shader_.debug();
    const uint32_t count = debug.part_count(named.debug_type);
    for (uint32_t i = 0; i < count; ++i)
      if (debug.part_name(named.debug_type, i) == name) return step_into(named, i);
    if (count == 0 || !debug.part_name(named.debug_type, 0).empty() || name.size() != 1) return false;
    for (const std::string_view letters : kComponents)
      if (const size_t at = letters.find(name[0]); at != std::string_view::npos) return step_into(named, at);
    return false;
  }
  const InstructionView type = shader_.view().definition(named.type);
  if (type && type.op() == spv::Op::OpTypeVector && name.size() == 1) {
    for (const std::string_view letters : kComponents)
      if (const size_t at = letters.find(name[0]); at != std::string_view::npos) return step_into(named, at);
  }
  if (type && type.op() == spv::Op::OpTypeStruct) {
    for (uint32_t i = 0; i + 2 < type.size(); ++i)
      if (shader_.member_name(named.type, i) == name) return step_into(named, i);
  }
  return false;
}

bool Resolver::part(Named& named) {
  if (text_.starts_with('.')) {
    text_.remove_prefix(1);
    const std::string name = word();
    if (member(named, name)) return true;
    fail("there is no member " + name);
    return false;
  }
  if (text_.starts_with('[')) {
    const size_t close = text_.find(']');
    uint64_t index = 0;
    const char* const begin = text_.data() + 1;
    if (close != std::string_view::npos) {
      const auto [end, problem] = std::from_chars(begin, text_.data() + close, index);
      if (problem == std::errc() && end == text_.data() + close && index <= UINT32_MAX) {
        text_.remove_prefix(close + 1);
        if (step_into(named, index)) return true;
        fail("there is no element " + std::to_string(index));
        return false;
      }
    }
  }
  fail("a number in brackets, or a dot and a member, should be here: " + std::string(text_));
  return false;
}

}  // namespace

std::optional<Named> resolve(const Invocation& invocation, const StackFrame& frame, std::string_view text,
                             std::string& error) {
  if (frame.step >= invocation.steps().size()) {
    error = "the trace has no steps";
    return std::nullopt;
  }
  return Resolver(invocation, frame, text, error).resolve();
}

std::vector<std::optional<uint32_t>> dwords_of(const Invocation& invocation, const Named& named,
                                               size_t step) {
  if (!named.parts.empty() || named.type == 0) return {};
  const uint64_t size = invocation.shader().size_of(named.type);
  if (!named.is_value) return invocation.memory(named.variable, named.dword, size, step);
  const auto value = invocation.value(named.variable.id, static_cast<uint32_t>(named.variable.frame),
                                      std::min(step, named.as_of));
  std::vector<std::optional<uint32_t>> dwords;
  for (uint64_t i = 0; value && i < size && named.dword + i < value->size(); ++i)
    dwords.emplace_back((*value)[named.dword + i]);
  return dwords;
}

}  // namespace shaderqa
