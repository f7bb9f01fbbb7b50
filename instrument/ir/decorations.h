// SPDX-License-Identifier: Apache-2.0
// Names and decorations of a module by id: looked up many times, so read once.
#ifndef SHADERQA_INSTRUMENT_IR_DECORATIONS_H
#define SHADERQA_INSTRUMENT_IR_DECORATIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "instrument/ir/module_view.h"

namespace shaderqa {

class Decorations {
 public:
  explicit Decorations(const ModuleView& module);

  // The first literal of a decoration (0 if it has none); nothing: not decorated so.
  std::optional<uint32_t> find(uint32_t id, spv::Decoration decoration) const;
  std::optional<uint32_t> find_member(uint32_t structure, uint32_t member, spv::Decoration decoration) const;

  // Empty: it has no name.
  std::string name(uint32_t id) const;
  std::string member_name(uint32_t structure, uint32_t member) const;

 private:
  std::unordered_map<uint64_t, uint32_t> decorations_;  // id << 32 | decoration
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> member_decorations_;
  std::unordered_map<uint32_t, std::string> names_;
  std::unordered_map<uint64_t, std::string> member_names_;  // structure << 32 | member
};

// A variable, or an array of them, whose memory the shader cannot write through it.
bool is_uniform_block(const ModuleView& module, const Decorations& decorations, uint32_t variable);

}  // namespace shaderqa
#endif
