// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/vertex_inputs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "instrument/ir/module_view.h"

namespace shaderqa {
namespace {

// What matters about a type that an input can have.
struct Shape {
  uint32_t components = 1;  // of an element
  uint32_t bits = 32;       // of a component
  uint32_t elements = 1;
  // Elements with more than 128 bits take two locations.
  uint32_t locations() const { return components * bits > 128 ? 2 : 1; }
};

struct Function {
  std::unordered_set<uint32_t> inputs, called;
};

class Scan {
 public:
  explicit Scan(Words words) {
    for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) { return take(i); });
  }

  std::vector<VertexEntryPoint> entry_points() const {
    std::vector<VertexEntryPoint> found;
    for (const auto& [name, function] : entries_) found.push_back({name, inputs_of(function)});
    return found;
  }

 private:
  // Returns false when nothing that follows matters.
  bool take(InstructionView i) {
    switch (i.op()) {
      case spv::Op::OpEntryPoint:
        if (static_cast<spv::ExecutionModel>(i.word(1)) == spv::ExecutionModel::Vertex) {
          entries_.emplace_back(literal_string(i, 3), i.word(2));
        }
        return true;
      case spv::Op::OpDecorate:
        decorate(i);
        return true;
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
        // All types come after all entry points.
        shapes_[i.word(1)] = {1, i.word(2), 1};
        return !entries_.empty();
      case spv::Op::OpTypeVector:
        make_shape(i, [&](Shape& shape) { shape.components = std::min(i.word(3), 4u); });
        return true;
      case spv::Op::OpTypeMatrix:
        make_shape(i, [&](Shape& shape) { shape.elements = std::min(i.word(3), 4u); });
        return true;
      case spv::Op::OpTypeArray:
        make_shape(i, [&](Shape& shape) {
          const auto length = constants_.find(i.word(3));
          const uint64_t elements =
              length == constants_.end() ? 0 : uint64_t{length->second} * shape.elements;
          shape.elements = static_cast<uint32_t>(std::min<uint64_t>(elements, vertex_locations));
        });
        return true;
      case spv::Op::OpConstant:
        if (i.size() == 4) constants_[i.word(2)] = i.word(3);
        return true;
      case spv::Op::OpTypePointer:
        pointees_[i.word(1)] = i.word(3);
        return true;
      case spv::Op::OpVariable:
        if (static_cast<spv::StorageClass>(i.word(3)) == spv::StorageClass::Input) add_input(i);
        return true;
      case spv::Op::OpFunction:
        function_ = &functions_[i.word(2)];
        return !entries_.empty();
      default:
        use(i);
        return true;
    }
  }

  void decorate(InstructionView i) {
    const auto decoration = static_cast<spv::Decoration>(i.word(2));
    if (decoration == spv::Decoration::Location) locations_[i.word(1)] = i.word(3);
    if (decoration == spv::Decoration::Component) first_components_[i.word(1)] = i.word(3);
  }

  template <typename Change>
  void make_shape(InstructionView i, const Change& change) {
    const auto element = shapes_.find(i.word(2));
    if (element == shapes_.end()) return;
    Shape shape = element->second;
    change(shape);
    shapes_[i.word(1)] = shape;
  }

  void add_input(InstructionView i) {
    const auto pointee = pointees_.find(i.word(1));
    if (pointee == pointees_.end()) return;
    const auto shape = shapes_.find(pointee->second);
    if (shape != shapes_.end()) inputs_[i.word(2)] = shape->second;
  }

  void use(InstructionView i) {
    if (!function_) return;
    const auto name = [&](uint32_t id) {
      if (inputs_.contains(id)) function_->inputs.insert(id);
    };
    switch (i.op()) {
      case spv::Op::OpLoad:
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpCopyObject:
        return name(i.word(3));
      case spv::Op::OpCopyMemory:
        return name(i.word(2));
      case spv::Op::OpFunctionCall:
        function_->called.insert(i.word(3));
        for (uint32_t k = 4; k < i.size(); ++k) name(i.word(k));
        return;
      default:
        return;
    }
  }

  VertexInputs inputs_of(uint32_t entry) const {
    VertexInputs result{};
    std::vector<uint32_t> left{entry};
    std::unordered_set<uint32_t> seen{entry};
    while (!left.empty()) {
      const auto function = functions_.find(left.back());
      left.pop_back();
      if (function == functions_.end()) continue;
      for (const uint32_t input : function->second.inputs) read(input, result);
      for (const uint32_t called : function->second.called) {
        if (seen.insert(called).second) left.push_back(called);
      }
    }
    return result;
  }

  void read(uint32_t input, VertexInputs& result) const {
    const auto location = locations_.find(input);
    if (location == locations_.end()) return;  // a built-in one
    const Shape& shape = inputs_.at(input);
    const auto decorated = first_components_.find(input);
    // It counts units of 32 bits.
    const uint32_t first = decorated == first_components_.end()
                               ? 0
                               : std::min(decorated->second, 3u) / (shape.bits == 64 ? 2 : 1);
    for (uint32_t i = 0; i < shape.elements; ++i) {
      const uint64_t at = uint64_t{location->second} + uint64_t{i} * shape.locations();
      if (at >= vertex_locations) return;
      result[at] = std::max(result[at], static_cast<uint8_t>(first + shape.components));
    }
  }

  std::vector<std::pair<std::string, uint32_t>> entries_;  // name, function
  std::unordered_map<uint32_t, uint32_t> locations_, first_components_, constants_, pointees_;
  std::unordered_map<uint32_t, Shape> shapes_, inputs_;
  std::unordered_map<uint32_t, Function> functions_;
  Function* function_ = nullptr;
};

}  // namespace

std::vector<VertexEntryPoint> vertex_entry_points(std::span<const uint32_t> words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return {};
  return Scan(words).entry_points();
}

}  // namespace shaderqa
