// SPDX-License-Identifier: Apache-2.0
// Owns objects of any types, so that a header can declare them without knowing what they are.
#ifndef SHADERQA_LAYER_LOADER_OWNED_PARTS_H
#define SHADERQA_LAYER_LOADER_OWNED_PARTS_H

#include <memory>
#include <utility>
#include <vector>

namespace shaderqa::layer {

class OwnedParts {
 public:
  OwnedParts() = default;
  ~OwnedParts() {
    while (!parts_.empty()) parts_.pop_back();  // the part made last goes first
  }
  OwnedParts(const OwnedParts&) = delete;
  OwnedParts& operator=(const OwnedParts&) = delete;

  template <typename Part, typename... Arguments>
  Part& make(Arguments&&... arguments) {
    auto part = std::make_shared<Part>(std::forward<Arguments>(arguments)...);
    parts_.push_back(part);
    return *part;
  }

  template <typename Part>
  Part& adopt(std::unique_ptr<Part> part) {
    Part& adopted = *part;
    parts_.push_back(std::move(part));
    return adopted;
  }

 private:
  std::vector<std::shared_ptr<void>> parts_;
};

}  // namespace shaderqa::layer
#endif
