// SPDX-License-Identifier: Apache-2.0
// The value of a picture's expression as code in the shader.
#ifndef SHADERQA_INSTRUMENT_PASSES_PICTURE_VALUE_H
#define SHADERQA_INSTRUMENT_PASSES_PICTURE_VALUE_H

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrument/ir/site_builder.h"
#include "instrument/passes/picture_names.h"

namespace shaderqa {

// A scalar or a vector. Narrow numbers are widened to 32 bits where they are read.
struct PictureType {
  ScalarKind kind = ScalarKind::floating;
  uint32_t width = 32;  // of a number: 32 or 64
  uint32_t components = 1;
  bool literal = false;  // an integer that takes the other operand's kind
};

class PictureValue {
 public:
  PictureValue(ModuleEditor& module, const PictureExpression& expression, const ShownVariables& shown)
      : module_(module), expression_(expression), shown_(shown) {}

  // The type of the whole. Nothing: `problem` says why. Nothing else may be called then.
  std::optional<PictureType> check(std::string& problem);
  // Keeps values that are in no memory in variables of their own, from where they are computed on.
  void keep_values(const std::vector<PlacedInstruction>& placed);
  // The value. After keep_values().
  uint32_t emit(SiteBuilder& site);
  // A bool: whether all values have been computed.
  uint32_t known(SiteBuilder& site);
  uint32_t convert(SiteBuilder& site, uint32_t value, const PictureType& from, PictureType to);
  uint32_t type_id(const PictureType& type);

 private:
  // A part of a variable: where it is, and which components of it.
  struct Leaf {
    uint32_t type = 0;  // before `components` are taken
    std::vector<uint32_t> path;
    std::vector<uint32_t> components;  // empty: all
    PictureType result;
  };
  struct Kept {
    uint32_t value = 0, known = 0;  // variables
  };
  std::optional<PictureType> numeric(uint32_t type) const;
  bool check_name(size_t node, std::string& problem);
  bool take_part(Leaf& leaf, const PicturePart& part) const;
  bool take_components(Leaf& leaf, const std::string& letters) const;
  bool check_operation(size_t node, std::string& problem);
  uint32_t emit_name(SiteBuilder& site, size_t node);
  uint32_t emit_operation(SiteBuilder& site, const PictureNode& node, uint32_t left, uint32_t right);

  ModuleEditor& module_;
  const PictureExpression& expression_;
  const ShownVariables& shown_;
  std::vector<PictureType> types_;  // by node
  std::map<size_t, Leaf> leaves_;
  std::map<std::string, Kept> kept_;
};

}  // namespace shaderqa
#endif
