// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/storage_images.h"

#include <unordered_set>

#include "instrument/ir/module_view.h"

namespace shaderqa {
namespace {

// The image that an instruction accesses, or a pointer to it; 0: it accesses none.
uint32_t accessed_image(InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpImageRead:
    case spv::Op::OpImageSparseRead:
    case spv::Op::OpImageTexelPointer:
      return i.word(3);
    case spv::Op::OpImageWrite:
      return i.word(1);
    default:
      return 0;
  }
}

bool is_other_image(InstructionView type) {
  const auto dimension = static_cast<spv::Dim>(type.word(3));
  return dimension == spv::Dim::Buffer || dimension == spv::Dim::SubpassData;
}

}  // namespace

bool accesses_storage_images(Words words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return false;
  // Types of texel buffers and input attachments, pointers to those, and values of all these types.
  std::unordered_set<uint32_t> types, values;
  bool found = false;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpTypeImage && is_other_image(i)) types.insert(i.word(1));
    if (i.op() == spv::Op::OpTypePointer && types.contains(i.word(3))) types.insert(i.word(1));
    const uint32_t image = accessed_image(i);
    found = image != 0 && !values.contains(image);
    // What an annotation of such a type says in the place of a value is no image's id.
    if (types.contains(i.word(1))) values.insert(i.word(2));
    return !found;
  });
  return found;
}

}  // namespace shaderqa
