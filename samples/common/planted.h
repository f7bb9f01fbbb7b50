// SPDX-License-Identifier: Apache-2.0
// Mistakes that a sample makes on request, for shaderqa to find: --bug=print,assume,race,nan|all selects
// them, and
// --in=NAME,...|all selects the shader stages that make them. planted.glsl is the shaders' side.
#ifndef SHADERQA_SAMPLES_PLANTED_H
#define SHADERQA_SAMPLES_PLANTED_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

namespace kit {

struct Planted {  // push constants of all stages
  uint32_t bugs = 0;
  uint32_t stages = 0;
};

struct PlantedArguments {
  uint32_t device = 0;
  Planted planted;
};

// Bits of the names in a list with commas; nothing if one of them is unknown.
inline std::optional<uint32_t> planted_bits(std::string_view list, std::span<const char* const> names) {
  if (list == "all") return (1u << names.size()) - 1;
  uint32_t bits = 0;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    uint32_t bit = 0;
    for (uint32_t i = 0; i < names.size(); ++i)
      if (name == names[i]) bit = 1u << i;
    if (bit == 0) return std::nullopt;
    bits |= bit;
    list.remove_prefix(name.size() == list.size() ? name.size() : name.size() + 1);
  }
  return bits;
}

// stages: their names, in the order of the shaders' STAGE.
inline std::optional<PlantedArguments> parse_planted(std::span<char* const> arguments,
                                                     std::span<const char* const> stages) {
  static constexpr std::array<const char*, 4> bugs = {"print", "assume", "race", "nan"};
  PlantedArguments result;
  result.planted.stages = (1u << stages.size()) - 1;
  bool right = true;
  for (size_t i = 1; i < arguments.size() && right; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--device" && i + 1 < arguments.size()) {
      result.device = static_cast<uint32_t>(std::strtoul(arguments[++i], nullptr, 10));
      continue;
    }
    const bool bug = argument.starts_with("--bug="), stage = argument.starts_with("--in=");
    const auto bits = bug     ? planted_bits(argument.substr(6), bugs)
                      : stage ? planted_bits(argument.substr(5), stages)
                              : std::nullopt;
    right = bits.has_value();
    if (right) (bug ? result.planted.bugs : result.planted.stages) = *bits;
  }
  if (right) return result;
  std::fprintf(stderr, "usage: %s [--device N] [--bug=print,assume,race,nan|all] [--in=", arguments[0]);
  for (const char* stage : stages) std::fprintf(stderr, "%s,", stage);
  std::fprintf(stderr, "|all]\n");
  return std::nullopt;
}

}  // namespace kit
#endif
