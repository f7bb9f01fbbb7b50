// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/module_view.h"

#include <algorithm>
namespace shaderqa {
namespace {

Stage stage_of(uint32_t model) {
  switch (static_cast<spv::ExecutionModel>(model)) {
    case spv::ExecutionModel::Vertex:
      return Stage::vertex;
    case spv::ExecutionModel::TessellationControl:
      return Stage::tessellation_control;
    case spv::ExecutionModel::TessellationEvaluation:
      return Stage::tessellation_evaluation;
    case spv::ExecutionModel::Geometry:
      return Stage::geometry;
    case spv::ExecutionModel::Fragment:
      return Stage::fragment;
    case spv::ExecutionModel::GLCompute:
      return Stage::compute;
    case spv::ExecutionModel::TaskNV:
    case spv::ExecutionModel::TaskEXT:
      return Stage::task;
    case spv::ExecutionModel::MeshNV:
    case spv::ExecutionModel::MeshEXT:
      return Stage::mesh;
    case spv::ExecutionModel::RayGenerationKHR:
      return Stage::ray_generation;
    case spv::ExecutionModel::IntersectionKHR:
      return Stage::intersection;
    case spv::ExecutionModel::AnyHitKHR:
      return Stage::any_hit;
    case spv::ExecutionModel::ClosestHitKHR:
      return Stage::closest_hit;
    case spv::ExecutionModel::MissKHR:
      return Stage::miss;
    case spv::ExecutionModel::CallableKHR:
      return Stage::callable;
    default:
      return Stage::unknown;
  }
}

}  // namespace

std::string literal_string(InstructionView instruction, size_t word, size_t* end) {
  std::string text;
  for (; word < instruction.words.size(); ++word) {
    for (int shift = 0; shift < 32; shift += 8) {
      const char c = static_cast<char>(instruction.words[word] >> shift & 0xff);
      if (c == 0) {
        if (end) *end = word + 1;
        return text;
      }
      text += c;
    }
  }
  if (end) *end = word;
  return text;
}

ModuleView::ModuleView(Words words, std::vector<uint32_t> definitions, std::vector<uint32_t> types)
    : words_(words),
      definitions_(std::move(definitions)),
      types_(std::move(types)),
      functions_offset_(static_cast<uint32_t>(words.size())) {
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t offset) {
    switch (i.op()) {
      case spv::Op::OpCapability:
        capabilities_.push_back(static_cast<spv::Capability>(i.word(1)));
        break;
      case spv::Op::OpExtension:
        extensions_.push_back(literal_string(i, 1));
        break;
      case spv::Op::OpExtInstImport:
        imports_.emplace_back(literal_string(i, 2), i.word(1));
        break;
      case spv::Op::OpMemoryModel:
        addressing_model_ = static_cast<spv::AddressingModel>(i.word(1));
        memory_model_ = static_cast<spv::MemoryModel>(i.word(2));
        break;
      case spv::Op::OpEntryPoint: {
        size_t end = 0;
        EntryPoint entry{i.word(2), stage_of(i.word(1)), literal_string(i, 3, &end), {}};
        entry.interface.assign(i.words.begin() + static_cast<ptrdiff_t>(std::min(end, i.words.size())),
                               i.words.end());
        entry_points_.push_back(std::move(entry));
        break;
      }
      case spv::Op::OpFunction:
        functions_offset_ = offset;
        return false;
      default:
        break;
    }
    return true;
  });
}

std::optional<uint32_t> ModuleView::constant(uint32_t id) const {
  const InstructionView found = definition(id, spv::Op::OpConstant);
  if (!found || found.size() != 4) return std::nullopt;
  return found.word(3);
}

std::optional<std::string> ModuleView::string(uint32_t id) const {
  const InstructionView found = definition(id, spv::Op::OpString);
  if (!found) return std::nullopt;
  return literal_string(found, 2);
}

bool ModuleView::has_capability(spv::Capability capability) const {
  return std::ranges::find(capabilities_, capability) != capabilities_.end();
}

bool ModuleView::has_extension(std::string_view name) const {
  return std::ranges::find(extensions_, name) != extensions_.end();
}

std::vector<uint32_t> ModuleView::imports(std::string_view set) const {
  std::vector<uint32_t> ids;
  for (const auto& [name, id] : imports_)
    if (name == set) ids.push_back(id);
  return ids;
}

bool is_shader_debug_set(std::string_view name) {
  constexpr std::string_view prefix = "NonSemantic.Shader.DebugInfo.";
  if (!name.starts_with(prefix)) return false;
  const std::string_view version = name.substr(prefix.size());
  return version.size() == 3 && version >= "100" && version <= "999";
}

std::vector<uint32_t> ModuleView::shader_debug_sets() const {
  std::vector<uint32_t> ids;
  for (const auto& [name, id] : imports_)
    if (is_shader_debug_set(name)) ids.push_back(id);
  return ids;
}

bool ModuleView::is_non_semantic(InstructionView instruction) const {
  if (instruction.op() != spv::Op::OpExtInst) return false;
  return std::ranges::any_of(imports_, [&](const auto& import) {
    return import.second == instruction.word(3) && import.first.starts_with("NonSemantic.");
  });
}

}  // namespace shaderqa
