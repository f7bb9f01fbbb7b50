// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/source_files.h"

#include <algorithm>
#include <unordered_map>

#include "NonSemanticShaderDebugInfo100.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

std::vector<std::string> source_files(Words words) {
  std::vector<std::string> files;
  if (words.size() < header_words || words[0] != spv::MagicNumber) return files;
  std::unordered_map<uint32_t, std::string> strings;
  std::vector<uint32_t> debug_sets;
  const auto add = [&](uint32_t id) {
    const auto known = strings.find(id);
    if (known != strings.end() && std::ranges::find(files, known->second) == files.end())
      files.push_back(known->second);
  };
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    switch (i.op()) {
      case spv::Op::OpString:
        strings[i.word(1)] = literal_string(i, 2);
        break;
      case spv::Op::OpSource:
        add(i.word(3));
        break;
      case spv::Op::OpExtInstImport:
        if (is_shader_debug_set(literal_string(i, 2))) debug_sets.push_back(i.word(1));
        break;
      case spv::Op::OpExtInst:
        if (i.word(4) == NonSemanticShaderDebugInfo100DebugSource &&
            std::ranges::find(debug_sets, i.word(3)) != debug_sets.end())
          add(i.word(5));
        break;
      case spv::Op::OpFunction:
        return false;
      default:
        break;
    }
    return true;
  });
  return files;
}

}  // namespace shaderqa
