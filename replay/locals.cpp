// SPDX-License-Identifier: Apache-2.0
// Variables of the source: where they are at a step, and what their values look like.
#include <algorithm>
#include <set>

#include "replay/expression.h"

namespace shaderqa {
namespace {

constexpr uint32_t kMostDepth = 64;
constexpr uint32_t kMostParts = 64;

using Path = std::vector<uint32_t>;

bool begins_with(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// What a DebugDeclare or DebugValue says, for someone who stands at the frame's step.
std::optional<Named> operand_of(const Invocation& invocation, const StackFrame& frame,
                                const TraceBinding& at) {
  std::string unused;
  auto named = resolve(invocation, frame, "%" + std::to_string(at.binding->operand), unused);
  if (!named) return std::nullopt;
  const InstructionView operand = invocation.shader().view().definition(at.binding->operand);
  if (operand.op() == spv::Op::OpUndef) return std::nullopt;
  if (named->is_value) named->as_of = at.step;
  return named;
}

// A parameter gets its value before the scope changes to that of the inlined function.
bool concerns(const DebugInfo& debug, const DebugBinding& binding, const DebugScope& scope) {
  if (binding.scope.inlined_at == scope.inlined_at) return true;
  return scope.inlined_at != 0 && binding.scope.inlined_at == debug.call(scope.inlined_at).scope.inlined_at;
}

// The first step of the inlined function's call that the frame is in; 0: it is not inlined.
size_t begin_of_inlined(const Invocation& invocation, const StackFrame& frame) {
  if (frame.scope.inlined_at == 0) return 0;
  const DebugInfo& debug = invocation.shader().debug();
  const uint32_t own = invocation.steps()[frame.step].frame;
  const auto is_inside = [&](size_t step) {
    const TraceStep& at = invocation.steps()[step];
    if (at.frame != own) return true;  // a function that it calls
    uint32_t inlined_at = at.scope.inlined_at;
    for (uint32_t depth = 0; inlined_at != 0 && depth < kMostDepth; ++depth) {
      if (inlined_at == frame.scope.inlined_at) return true;
      inlined_at = debug.call(inlined_at).scope.inlined_at;
    }
    return false;
  };
  size_t begin = frame.step;
  while (begin > 0 && is_inside(begin - 1)) --begin;
  return begin;
}

// A variable's value, which code that is not traced may have replaced by another one; else its place in
// memory.
bool is_value(const TracedShader& shader, const DebugBinding& binding) {
  return !shader.view().definition(shader.view().type_of(binding.operand), spv::Op::OpTypePointer);
}

// The latest bindings of a variable that hold at the step, none of which another one has replaced.
std::vector<TraceBinding> latest_bindings(const Invocation& invocation, const StackFrame& frame,
                                          uint32_t variable) {
  std::vector<TraceBinding> latest;
  const auto is_replaced = [&](const DebugBinding& binding) {
    return std::ranges::any_of(
        latest, [&](const TraceBinding& each) { return begins_with(binding.path, each.binding->path); });
  };
  const DebugInfo& debug = invocation.shader().debug();
  const uint32_t own = invocation.steps()[frame.step].frame;
  const size_t begin = begin_of_inlined(invocation, frame), since = invocation.whole_since(frame.step);
  if (const auto* all = invocation.bindings(own, variable)) {
    auto after = std::ranges::upper_bound(*all, frame.step, {}, &TraceBinding::step);
    while (after != all->begin()) {
      const TraceBinding& each = *--after;
      if (!concerns(debug, *each.binding, frame.scope)) continue;
      if (each.step < since && is_value(invocation.shader(), *each.binding)) continue;
      // It belongs to an earlier call, in a loop.
      if (each.step < begin && each.binding->scope.inlined_at == frame.scope.inlined_at) continue;
      if (!is_replaced(*each.binding)) latest.push_back(each);
      if (each.binding->path.empty()) return latest;
    }
  }
  // A declaration holds in the whole scope, also where its record is missing.
  for (const DebugBinding* declaration : debug.declarations(variable))
    if (concerns(debug, *declaration, frame.scope) && !is_replaced(*declaration))
      latest.push_back({static_cast<uint32_t>(frame.step), declaration});
  return latest;
}

Local local_of(const Invocation& invocation, const StackFrame& frame, const DebugVariable& variable) {
  Local local{variable.name, variable.line, std::nullopt,
              "it has no value here: the compiler has left it out, or it comes later"};
  const std::vector<TraceBinding> latest = latest_bindings(invocation, frame, variable.id);
  for (const TraceBinding& each : latest) {
    if (!each.binding->is_known) {
      local.why = "the debug information computes it in a way that is not supported";
      return local;
    }
  }
  if (latest.size() == 1 && latest.front().binding->path.empty()) {
    local.named = operand_of(invocation, frame, latest.front());
    return local;
  }
  Named parts;
  parts.debug_type = variable.type;
  for (const TraceBinding& each : latest)
    if (auto named = operand_of(invocation, frame, each))
      parts.parts.emplace_back(each.binding->path, *named);
  if (!parts.parts.empty()) local.named = std::move(parts);
  return local;
}

// Parts of what was taken apart that lie in a part of it.
Named inner(const Invocation& invocation, const Named& named, uint32_t part) {
  Named found;
  found.debug_type = invocation.shader().debug().part_type(named.debug_type, part);
  for (const auto& [path, each] : named.parts) {
    if (path.empty()) {
      // The whole is known beside newer parts of it.
      const auto own = parts_of(invocation, each, uint64_t{part} + 1);
      if (part < own.size()) found.parts.emplace_back(Path(), own[part].second);
    } else if (path.front() == part) {
      found.parts.emplace_back(Path(path.begin() + 1, path.end()), each);
    }
  }
  if (found.parts.size() == 1 && found.parts.front().first.empty()) {
    Named only = found.parts.front().second;
    return only;
  }
  return found;
}

std::string text_of_parts(const Invocation& invocation, const Named& named, size_t step, uint32_t depth) {
  if (named.debug_type == 0 || named.parts.empty() || depth > kMostDepth) return "?";
  const DebugInfo& debug = invocation.shader().debug();
  const uint32_t count = std::min(debug.part_count(named.debug_type), kMostParts);
  const bool vector = count != 0 && debug.part_name(named.debug_type, 0).empty();
  std::string text = vector ? "(" : "{";
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = debug.part_name(named.debug_type, i);
    const Named part = inner(invocation, named, i);
    std::string value = "?";
    if (!part.parts.empty()) {
      value = text_of_parts(invocation, part, step, depth + 1);
    } else if (part.type != 0) {
      const auto dwords = dwords_of(invocation, part, step);
      if (std::ranges::any_of(dwords, [](const auto& dword) { return dword.has_value(); }))
        value = invocation.shader().format(part.type, dwords);
    }
    text += (i == 0 ? "" : ", ") + (name.empty() ? "" : name + " = ") + value;
  }
  return text + (vector ? ")" : "}");
}

void add_locals_of_function(const Invocation& invocation, const StackFrame& frame,
                            std::vector<Local>& locals) {
  const TracedShader& shader = invocation.shader();
  const uint32_t function = invocation.frame(invocation.steps()[frame.step].frame).function;
  bool inside = false;
  for_each_instruction(
      shader.view().words(), shader.view().functions_offset(), [&](InstructionView i, uint32_t) {
        if (i.op() == spv::Op::OpFunction) inside = i.word(2) == function;
        if (!inside || (i.op() != spv::Op::OpVariable && i.op() != spv::Op::OpFunctionParameter)) return true;
        Local local{shader.name(i.word(2)), 0, std::nullopt, {}};
        if (local.name.empty()) return true;
        local.named = resolve(invocation, frame, "%" + std::to_string(i.word(2)), local.why);
        if (local.named) locals.push_back(std::move(local));
        return true;
      });
}

// The step at which it was accessed or given a value last.
size_t last_use(const Invocation& invocation, const StackFrame& frame, const Local& local,
                uint32_t variable) {
  if (local.named && !local.named->is_value && local.named->parts.empty()) {
    const auto* accesses = invocation.accesses(local.named->variable);
    if (!accesses) return 0;
    const auto after = std::ranges::lower_bound(*accesses, frame.step, {}, &TraceAccess::step);
    return after == accesses->begin() ? 0 : std::prev(after)->step + size_t{1};
  }
  size_t last = 0;
  for (const TraceBinding& each : latest_bindings(invocation, frame, variable))
    last = std::max<size_t>(last, each.step);
  return last;
}

// Those of one scope in the order of the source, but for several of one name.
std::vector<Local> locals_of_scope(const Invocation& invocation, const StackFrame& frame, uint32_t scope) {
  const std::vector<DebugVariable>& variables = invocation.shader().debug().variables(scope);
  std::vector<Local> locals;
  std::vector<size_t> uses;
  for (const DebugVariable& variable : variables) {
    Local local = local_of(invocation, frame, variable);
    const bool several = std::ranges::count(variables, variable.name, &DebugVariable::name) > 1;
    const size_t use = several ? last_use(invocation, frame, local, variable.id) : 0;
    size_t place = 0;
    while (place < locals.size() && (locals[place].name != variable.name || uses[place] > use)) ++place;
    uses.insert(uses.begin() + static_cast<std::ptrdiff_t>(place), use);
    locals.insert(locals.begin() + static_cast<std::ptrdiff_t>(place), std::move(local));
  }
  return locals;
}

}  // namespace

std::vector<Local> locals_of(const Invocation& invocation, const StackFrame& frame) {
  const DebugInfo& debug = invocation.shader().debug();
  std::vector<Local> locals;
  uint32_t scope = frame.scope.scope;
  for (uint32_t depth = 0; scope != 0 && depth < kMostDepth; scope = debug.parent(scope), ++depth) {
    const std::vector<Local> further_out = locals_of_scope(invocation, frame, scope);
    const size_t inner = locals.size();
    for (const Local& local : further_out)
      if (std::ranges::find(locals.begin(), locals.begin() + static_cast<std::ptrdiff_t>(inner), local.name,
                            &Local::name) == locals.begin() + static_cast<std::ptrdiff_t>(inner))
        locals.push_back(local);
  }
  if (locals.empty()) add_locals_of_function(invocation, frame, locals);
  return locals;
}

namespace {

// If the array's size is not known: those elements that the invocation accesses.
std::vector<std::pair<std::string, Named>> elements_of(const Invocation& invocation, const Named& named,
                                                       uint64_t most) {
  std::vector<std::pair<std::string, Named>> elements;
  const uint32_t type = invocation.shader().view().definition(named.type).word(2);
  const uint64_t size = invocation.shader().size_of(type);
  const auto* accesses = named.is_value ? nullptr : invocation.accesses(named.variable);
  std::set<uint64_t> indexes;
  for (size_t i = 0; accesses && size != 0 && i < accesses->size(); ++i)
    if ((*accesses)[i].dword >= named.dword) indexes.insert(((*accesses)[i].dword - named.dword) / size);
  for (const uint64_t index : indexes) {
    if (elements.size() == most) break;
    Named element = named;
    element.type = type;
    element.dword += index * size;
    elements.emplace_back("[" + std::to_string(index) + "]", std::move(element));
  }
  return elements;
}

}  // namespace

std::string text_of(const Invocation& invocation, const Named& named, size_t step) {
  if (!named.parts.empty()) return text_of_parts(invocation, named, step, 0);
  const auto dwords = dwords_of(invocation, named, step);
  const bool known = std::ranges::any_of(dwords, [](const auto& dword) { return dword.has_value(); });
  if (known) return invocation.shader().format(named.type, dwords);
  return named.is_value ? "not computed yet" : "not known: the invocation has neither read nor stored it yet";
}

std::vector<std::pair<std::string, Named>> parts_of(const Invocation& invocation, const Named& named,
                                                    uint64_t most) {
  const TracedShader& shader = invocation.shader();
  std::vector<std::pair<std::string, Named>> parts;
  if (!named.parts.empty()) {
    const DebugInfo& debug = shader.debug();
    const uint32_t count = debug.part_count(named.debug_type);
    for (uint32_t i = 0; i < count && i < most; ++i) {
      const std::string name = debug.part_name(named.debug_type, i);
      parts.emplace_back(name.empty() ? "[" + std::to_string(i) + "]" : name, inner(invocation, named, i));
    }
    return parts;
  }
  const InstructionView type = shader.view().definition(named.type);
  if (type && type.op() == spv::Op::OpTypeRuntimeArray) return elements_of(invocation, named, most);
  const bool vector = type && type.op() == spv::Op::OpTypeVector;
  const uint64_t count = shader.part_count(named.type);
  for (uint64_t i = 0; i < count && i < most; ++i) {
    Named part = named;
    part.type = shader.part(named.type, i, part.dword);
    if (part.type == 0) break;
    std::string name = shader.member_name(named.type, static_cast<uint32_t>(i));
    if (name.empty()) name = vector && i < 4 ? std::string(1, "xyzw"[i]) : "[" + std::to_string(i) + "]";
    parts.emplace_back(std::move(name), std::move(part));
  }
  return parts;
}

}  // namespace shaderqa
