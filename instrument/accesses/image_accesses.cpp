// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/image_accesses.h"

#include <bit>
#include <optional>

#include "instrument/ir/atomics.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

constexpr uint32_t mask(spv::ImageOperandsMask bit) { return static_cast<uint32_t>(bit); }

// The type of an image or sampled image; none for texel buffers.
InstructionView image_type(const ModuleView& module, uint32_t type_id) {
  InstructionView type = module.definition(type_id);
  if (type && type.op() == spv::Op::OpTypeSampledImage) type = module.definition(type.word(2));
  if (!type || type.op() != spv::Op::OpTypeImage) return {};
  return static_cast<spv::Dim>(type.word(3)) == spv::Dim::Buffer ? InstructionView() : type;
}

struct Operands {
  uint32_t bits = 0;
  uint32_t level = 0, sample = 0, offset = 0;
};

// first: the word that may have the mask of image operands.
Operands read_operands(InstructionView i, uint32_t first) {
  Operands operands;
  if (i.size() <= first) return operands;
  operands.bits = i.word(first);
  uint32_t at = first + 1;
  for (uint32_t bits = operands.bits; bits != 0; bits &= bits - 1) {
    const uint32_t bit = bits & (~bits + 1);
    if (at >= i.size()) break;
    if (bit == mask(spv::ImageOperandsMask::Lod)) operands.level = i.word(at);
    if (bit == mask(spv::ImageOperandsMask::Sample)) operands.sample = i.word(at);
    if (bit == mask(spv::ImageOperandsMask::ConstOffset) || bit == mask(spv::ImageOperandsMask::Offset))
      operands.offset = i.word(at);
    // These two have two operands, and those without any do not come before the last one that is read here.
    at += bit == mask(spv::ImageOperandsMask::Grad) ? 2 : 1;
  }
  return operands;
}

class Finder {
 public:
  Finder(const ModuleView& module, PointerRoots& roots) : module_(module), roots_(roots) {}

  void visit(const PlacedInstruction& at);
  ImageAccesses found;

 private:
  void texel(const PlacedInstruction& at, uint32_t access, uint32_t image, uint32_t coordinate,
             uint32_t operands);
  struct Sampling {
    bool implicit = false;  // its level comes from derivatives
    bool compares = false;  // has one more operand
    bool projected = false;
  };
  void sample(const PlacedInstruction& at, Sampling how);
  void atomic(const PlacedInstruction& at);
  void add(ImageAccess access);

  const ModuleView& module_;
  PointerRoots& roots_;
};

void Finder::add(ImageAccess access) {
  if (access.place.root == Root::descriptor || access.place.root == Root::flow)
    found.accesses.push_back(std::move(access));
  else
    ++found.unknown_place;
}

void Finder::texel(const PlacedInstruction& at, uint32_t access, uint32_t image, uint32_t coordinate,
                   uint32_t operands) {
  const InstructionView type = image_type(module_, module_.type_of(image));
  if (!type) return;
  const Operands given = read_operands(module_.at(at.offset), operands);
  ImageAccess one{at, access, roots_.resolve_image(image), type.word(1), coordinate};
  one.input = static_cast<spv::Dim>(type.word(3)) == spv::Dim::SubpassData;
  one.level = given.level;
  one.sample = given.sample;
  one.offset = given.offset;
  add(std::move(one));
}

void Finder::sample(const PlacedInstruction& at, Sampling how) {
  const InstructionView i = module_.at(at.offset);
  const InstructionView type = image_type(module_, module_.type_of(i.word(3)));
  if (!type) return;
  const bool is_gather = i.op() == spv::Op::OpImageGather || i.op() == spv::Op::OpImageDrefGather ||
                         i.op() == spv::Op::OpImageSparseGather || i.op() == spv::Op::OpImageSparseDrefGather;
  const Operands given = read_operands(i, 5 + (how.compares || is_gather ? 1 : 0));
  const auto has = [&](spv::ImageOperandsMask bit) { return (given.bits & mask(bit)) != 0; };
  const auto dim = static_cast<spv::Dim>(type.word(3));
  const bool is_known =
      dim == spv::Dim::Dim1D || dim == spv::Dim::Dim2D || dim == spv::Dim::Dim3D || dim == spv::Dim::Cube;
  if (!is_known || has(spv::ImageOperandsMask::ConstOffsets) || has(spv::ImageOperandsMask::Offsets)) {
    ++found.unfollowed;
    return;
  }
  ImageAccess one{at, SQA_ACCESS_LOAD, roots_.resolve_image(i.word(3)), type.word(1), i.word(4)};
  one.sampled = true;
  one.projected = how.projected;
  one.derived = how.implicit || has(spv::ImageOperandsMask::Grad);
  one.implicit = how.implicit && !has(spv::ImageOperandsMask::Bias) && !has(spv::ImageOperandsMask::MinLod);
  // An extension's gathers may have a level or a bias of their own.
  one.gathered = is_gather && !has(spv::ImageOperandsMask::Bias) && !has(spv::ImageOperandsMask::Lod);
  one.level = given.level;
  one.offset = given.offset;
  add(std::move(one));
}

void Finder::atomic(const PlacedInstruction& at) {
  const InstructionView i = module_.at(at.offset);
  const InstructionView texel =
      module_.definition(i.word(atomic_has_result(i.op()) ? 3 : 1), spv::Op::OpImageTexelPointer);
  if (!texel) return;
  const InstructionView pointer = module_.definition(module_.type_of(texel.word(3)), spv::Op::OpTypePointer);
  const InstructionView type = pointer ? image_type(module_, pointer.word(3)) : InstructionView();
  if (!type) return;
  ImageAccess one{at, SQA_ACCESS_ATOMIC, roots_.resolve(texel.word(3)), type.word(1), texel.word(4)};
  one.sample = texel.word(5);
  add(std::move(one));
}

void Finder::visit(const PlacedInstruction& at) {
  const InstructionView i = module_.at(at.offset);
  switch (i.op()) {
    case spv::Op::OpImageRead:
    case spv::Op::OpImageFetch:
    case spv::Op::OpImageSparseRead:
    case spv::Op::OpImageSparseFetch:
      return texel(at, SQA_ACCESS_LOAD, i.word(3), i.word(4), 5);
    case spv::Op::OpImageWrite:
      return texel(at, SQA_ACCESS_STORE, i.word(1), i.word(2), 4);
    case spv::Op::OpImageSampleImplicitLod:
    case spv::Op::OpImageSparseSampleImplicitLod:
      return sample(at, {.implicit = true});
    case spv::Op::OpImageSampleDrefImplicitLod:
    case spv::Op::OpImageSparseSampleDrefImplicitLod:
      return sample(at, {.implicit = true, .compares = true});
    case spv::Op::OpImageSampleExplicitLod:
    case spv::Op::OpImageSparseSampleExplicitLod:
    case spv::Op::OpImageGather:
    case spv::Op::OpImageSparseGather:
      return sample(at, {});
    case spv::Op::OpImageSampleDrefExplicitLod:
    case spv::Op::OpImageSparseSampleDrefExplicitLod:
    case spv::Op::OpImageDrefGather:
    case spv::Op::OpImageSparseDrefGather:
      return sample(at, {.compares = true});
    case spv::Op::OpImageSampleProjImplicitLod:
      return sample(at, {.implicit = true, .projected = true});
    case spv::Op::OpImageSampleProjDrefImplicitLod:
      return sample(at, {.implicit = true, .compares = true, .projected = true});
    case spv::Op::OpImageSampleProjExplicitLod:
      return sample(at, {.projected = true});
    case spv::Op::OpImageSampleProjDrefExplicitLod:
      return sample(at, {.compares = true, .projected = true});
    default:
      if (is_atomic(i.op())) atomic(at);
      return;
  }
}

}  // namespace

ImageAccesses find_image_accesses(const ModuleView& module, std::span<const PlacedInstruction> placed,
                                  PointerRoots& roots) {
  Finder finder(module, roots);
  for (const PlacedInstruction& at : placed) finder.visit(at);
  return std::move(finder.found);
}

}  // namespace shaderqa
