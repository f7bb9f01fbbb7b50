// SPDX-License-Identifier: Apache-2.0
#include "replay/debug_info.h"

#include <algorithm>

#include "NonSemanticShaderDebugInfo100.h"

namespace shaderqa {
namespace {

constexpr uint32_t kMostDepth = 64;
constexpr uint32_t kMostParts = 65536;
constexpr uint32_t kDeref = NonSemanticShaderDebugInfo100Deref;

}  // namespace

bool DebugInfo::is_debug(InstructionView i) const {
  return i.op() == spv::Op::OpExtInst && std::ranges::find(sets_, i.word(3)) != sets_.end();
}

InstructionView DebugInfo::find(uint32_t id, uint32_t& op) const {
  const InstructionView i = view_ ? view_->definition(id, spv::Op::OpExtInst) : InstructionView{};
  if (!i || !is_debug(i)) return {};
  op = i.word(4);
  return i;
}

void DebugInfo::read(const ModuleView& view) {
  view_ = &view;
  sets_ = view.shader_debug_sets();
  if (empty()) return;
  DebugScope scope;
  const auto change = [&](uint32_t offset, DebugScope to) {
    scope = to;
    scopes_.emplace_back(offset, to);
  };
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpFunction || i.op() == spv::Op::OpLabel) change(offset, {});
    if (!is_debug(i)) return true;
    switch (i.word(4)) {
      case NonSemanticShaderDebugInfo100DebugGlobalVariable:
        read_global(i);
        break;
      case NonSemanticShaderDebugInfo100DebugLocalVariable:
        variables_[i.word(10)].push_back(
            {i.word(2), text(i.word(5)), i.word(6), view.constant(i.word(8)).value_or(0)});
        break;
      case NonSemanticShaderDebugInfo100DebugFunctionDefinition:
        definitions_.emplace(i.word(6), i.word(5));
        break;
      // DebugNoScope is not one: what follows it belongs to the same piece of source as before.
      case NonSemanticShaderDebugInfo100DebugScope:
        change(offset, {i.word(5), i.word(6)});
        break;
      case NonSemanticShaderDebugInfo100DebugDeclare:
      case NonSemanticShaderDebugInfo100DebugValue:
        read_binding(i, offset, scope);
        break;
      default:
        break;
    }
    return true;
  });
  for (const auto& [function, debug] : definitions_)
    if (std::string name = function_name(debug); !name.empty()) names_.emplace(function, std::move(name));
}

void DebugInfo::read_global(InstructionView i) {
  const InstructionView variable = view_->definition(i.word(12), spv::Op::OpVariable);
  if (!variable) return;
  if (std::string name = text(i.word(5)); !name.empty()) names_.emplace(i.word(12), std::move(name));
  const InstructionView pointer = view_->definition(variable.word(1), spv::Op::OpTypePointer);
  if (pointer) match(pointer.word(3), i.word(6), 0);
}

bool DebugInfo::understands(uint32_t expression) const {
  uint32_t op = 0;
  const InstructionView all = find(expression, op);
  if (!all || op != NonSemanticShaderDebugInfo100DebugExpression) return false;
  for (uint32_t word = 5; word < all.size(); ++word) {
    const InstructionView each = find(all.word(word), op);
    if (!each || op != NonSemanticShaderDebugInfo100DebugOperation) return false;
    if (view_->constant(each.word(5)) != kDeref) return false;
  }
  // To follow a pointer to a pointer, its target would have to be known.
  return all.size() <= 6;
}

void DebugInfo::read_binding(InstructionView i, uint32_t offset, const DebugScope& scope) {
  DebugBinding binding;
  binding.variable = i.word(5);
  binding.operand = i.word(6);
  binding.is_known = understands(i.word(7));
  binding.scope = scope;
  for (uint32_t word = 8; word < i.size(); ++word) {
    const auto index = view_->constant(i.word(word));
    binding.is_known = binding.is_known && index;
    binding.path.push_back(index.value_or(0));
  }
  match_operand(binding);
  const auto place = bindings_.emplace(offset, std::move(binding)).first;
  if (i.word(4) == NonSemanticShaderDebugInfo100DebugDeclare)
    declarations_[place->second.variable].push_back(&place->second);
}

void DebugInfo::match_operand(const DebugBinding& binding) {
  uint32_t op = 0;
  const InstructionView variable = find(binding.variable, op);
  if (!variable || op != NonSemanticShaderDebugInfo100DebugLocalVariable) return;
  uint32_t debug_type = variable.word(6);
  for (const uint32_t part : binding.path) debug_type = part_type(debug_type, part);
  uint32_t type = view_->type_of(binding.operand);
  if (const InstructionView pointer = view_->definition(type, spv::Op::OpTypePointer)) type = pointer.word(3);
  match(type, debug_type, 0);
}

void DebugInfo::match(uint32_t type, uint32_t debug_type, uint32_t depth) {
  const InstructionView i = view_->definition(type);
  debug_type = plain_type(debug_type);
  if (!i || debug_type == 0 || depth > kMostDepth) return;
  if (i.op() == spv::Op::OpTypeArray || i.op() == spv::Op::OpTypeRuntimeArray) {
    uint32_t op = 0;
    const InstructionView array = find(debug_type, op);
    if (array && op == NonSemanticShaderDebugInfo100DebugTypeArray)
      match(i.word(2), array.word(5), depth + 1);
  } else if (i.op() == spv::Op::OpTypeStruct && composites_.emplace(type, debug_type).second) {
    const std::vector<uint32_t> parts = members(debug_type);
    for (uint32_t member = 0; member < parts.size() && member + 2 < i.size(); ++member)
      match(i.word(member + 2), view_->definition(parts[member]).word(6), depth + 1);
  }
}

DebugScope DebugInfo::scope(uint32_t offset) const {
  const auto after =
      std::ranges::upper_bound(scopes_, offset, {}, [](const auto& each) { return each.first; });
  return after == scopes_.begin() ? DebugScope{} : std::prev(after)->second;
}

DebugScope DebugInfo::scope_of_function(uint32_t function) const {
  const auto found = definitions_.find(function);
  return found == definitions_.end() ? DebugScope{} : DebugScope{found->second, 0};
}

uint32_t DebugInfo::parent(uint32_t scope) const {
  uint32_t op = 0;
  const InstructionView i = find(scope, op);
  if (!i) return 0;
  if (op == NonSemanticShaderDebugInfo100DebugLexicalBlock) return i.word(8);
  if (op == NonSemanticShaderDebugInfo100DebugLexicalBlockDiscriminator) return i.word(7);
  return 0;
}

std::string DebugInfo::function_name(uint32_t scope) const {
  uint32_t op = 0;
  for (uint32_t depth = 0; depth < kMostDepth && scope != 0; ++depth, scope = parent(scope)) {
    const InstructionView i = find(scope, op);
    if (i && op == NonSemanticShaderDebugInfo100DebugFunction) {
      const std::string name = text(i.word(5));
      return name.substr(0, name.find('('));
    }
  }
  return {};
}

std::string DebugInfo::file(uint32_t scope) const {
  uint32_t op = 0;
  const InstructionView i = find(scope, op);
  if (!i) return {};
  const InstructionView source = find(i.word(op == NonSemanticShaderDebugInfo100DebugFunction ? 7 : 5), op);
  return source && op == NonSemanticShaderDebugInfo100DebugSource ? text(source.word(5)) : "";
}

InlinedCall DebugInfo::call(uint32_t inlined_at) const {
  uint32_t op = 0;
  const InstructionView i = find(inlined_at, op);
  if (!i || op != NonSemanticShaderDebugInfo100DebugInlinedAt) return {};
  return {{i.word(6), i.word(7)}, view_->constant(i.word(5)).value_or(0)};
}

uint32_t DebugInfo::inline_depth(uint32_t inlined_at) const {
  uint32_t depth = 0;
  for (; inlined_at != 0 && depth < kMostDepth; ++depth) inlined_at = call(inlined_at).scope.inlined_at;
  return depth;
}

const std::vector<DebugVariable>& DebugInfo::variables(uint32_t scope) const {
  static const std::vector<DebugVariable> none;
  const auto found = variables_.find(scope);
  return found == variables_.end() ? none : found->second;
}

const DebugBinding* DebugInfo::binding(uint32_t offset) const {
  const auto found = bindings_.find(offset);
  return found == bindings_.end() ? nullptr : &found->second;
}

const std::vector<const DebugBinding*>& DebugInfo::declarations(uint32_t variable) const {
  static const std::vector<const DebugBinding*> none;
  const auto found = declarations_.find(variable);
  return found == declarations_.end() ? none : found->second;
}

std::string DebugInfo::name(uint32_t id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? "" : found->second;
}

std::string DebugInfo::member_name(uint32_t structure, uint32_t member) const {
  const auto found = composites_.find(structure);
  return found == composites_.end() ? "" : part_name(found->second, member);
}

uint32_t DebugInfo::plain_type(uint32_t type) const {
  uint32_t op = 0;
  for (uint32_t depth = 0; depth < kMostDepth; ++depth) {
    const InstructionView i = find(type, op);
    if (!i) return 0;
    if (op == NonSemanticShaderDebugInfo100DebugTypeQualifier ||
        op == NonSemanticShaderDebugInfo100DebugTypePointer)
      type = i.word(5);
    else if (op == NonSemanticShaderDebugInfo100DebugTypedef)
      type = i.word(6);
    else
      return type;
  }
  return 0;
}

// Functions of a class are listed beside its members.
std::vector<uint32_t> DebugInfo::members(uint32_t composite) const {
  std::vector<uint32_t> found;
  uint32_t op = 0;
  const InstructionView i = find(composite, op);
  if (!i || op != NonSemanticShaderDebugInfo100DebugTypeComposite) return found;
  for (uint32_t word = 14; word < i.size(); ++word)
    if (find(i.word(word), op) && op == NonSemanticShaderDebugInfo100DebugTypeMember)
      found.push_back(i.word(word));
  return found;
}

uint32_t DebugInfo::part_count(uint32_t type) const {
  uint32_t op = 0;
  const InstructionView i = find(plain_type(type), op);
  if (!i) return 0;
  if (op == NonSemanticShaderDebugInfo100DebugTypeComposite)
    return static_cast<uint32_t>(members(plain_type(type)).size());
  if (op == NonSemanticShaderDebugInfo100DebugTypeVector ||
      op == NonSemanticShaderDebugInfo100DebugTypeMatrix ||
      (op == NonSemanticShaderDebugInfo100DebugTypeArray && i.size() == 7))  // of one dimension
    return std::min(view_->constant(i.word(6)).value_or(0), kMostParts);
  return 0;
}

uint32_t DebugInfo::part_type(uint32_t type, uint32_t part) const {
  uint32_t op = 0;
  const InstructionView i = find(plain_type(type), op);
  if (!i || part >= part_count(type)) return 0;
  if (op != NonSemanticShaderDebugInfo100DebugTypeComposite) return i.word(5);
  return view_->definition(members(plain_type(type))[part]).word(6);
}

std::string DebugInfo::part_name(uint32_t type, uint32_t part) const {
  const std::vector<uint32_t> all = members(plain_type(type));
  return part < all.size() ? text(view_->definition(all[part]).word(5)) : "";
}

}  // namespace shaderqa
