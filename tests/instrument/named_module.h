// SPDX-License-Identifier: Apache-2.0
// A loaded module whose types, constants and variables are found by the names that its text gives them.
#ifndef SHADERQA_TESTS_INSTRUMENT_NAMED_MODULE_H
#define SHADERQA_TESTS_INSTRUMENT_NAMED_MODULE_H

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_loader.h"
#include "support.h"

namespace shaderqa::test {

// An OpName for each id that the text defines.
inline std::string names_of(const std::string& text) {
  static const std::regex definition(R"(%(\w+) *= *Op)");
  std::string names;
  for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at)
    names += "OpName %" + at->str(1) + " \"" + at->str(1) + "\"\n";
  return names;
}

class NamedModule {
 public:
  explicit NamedModule(Module words) : words_(std::move(words)) {}
  // A compute shader that has these definitions and decorations. %uint is there already.
  NamedModule(const std::string& definitions, const std::string& decorations, const std::string& capabilities)
      : NamedModule(assemble(compute_shader(definitions, "", capabilities,
                                            "OpName %uint \"uint\"\n" + names_of(definitions) + decorations),
                             SPV_ENV_UNIVERSAL_1_3)) {}

  uint32_t id(const std::string& name) const {
    for (uint32_t id = 1; id < words_.at(3); ++id)
      if (decorations_.name(id) == name) return id;
    ADD_FAILURE() << "nothing is called " << name;
    return 0;
  }
  const ModuleView& view() const { return loaded_.view; }
  const Decorations& decorations() const { return decorations_; }

 private:
  const Module words_;
  const LoadedModule loaded_ = load_module(words_);
  const Decorations decorations_{loaded_.view};
};

}  // namespace shaderqa::test
#endif
