// SPDX-License-Identifier: Apache-2.0
// Which bytes a value covers in memory, by the layout decorations: padding is not accessed.
#ifndef SHADERQA_INSTRUMENT_IR_MEMORY_LAYOUT_H
#define SHADERQA_INSTRUMENT_IR_MEMORY_LAYOUT_H

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// How what is at a pointer lies in memory as far as its type does not say: decorations of the structure
// member around it.
struct MatrixLayout {
  uint32_t stride = 0;  // 0: no matrix
  bool row_major = false;
  // Bytes from one component to the next of a vector that is a column of a row-major matrix; 0: contiguous.
  uint32_t component_stride = 0;
  bool operator==(const MatrixLayout&) const = default;
};

struct MemoryRun {
  uint32_t offset = 0;
  uint32_t size = 0;
  bool operator==(const MemoryRun&) const = default;
};

// More runs than this are not worth their calls.
constexpr size_t max_memory_runs = 64;

class MemoryLayout {
 public:
  MemoryLayout(const ModuleView& module, const Decorations& decorations)
      : module_(module), decorations_(decorations) {}

  // Bytes of a scalar, or of a pointer in memory; 0: it is neither.
  uint32_t scalar_size(uint32_t type) const;
  // Whether a value of this type holds integers or floats that the module may only load, store and convert;
  // if in doubt, it does.
  bool has_storage_only_scalars(uint32_t type) const;
  // Whether all scalars of a value of this type have 32 bits or more; if in doubt, they do not.
  bool has_whole_words(uint32_t type) const;
  MatrixLayout member_matrix(uint32_t structure, uint32_t member) const;
  // In order, neither touching nor overlapping. Nothing if the layout is not known or there are too many.
  std::optional<std::vector<MemoryRun>> footprint(uint32_t type, const MatrixLayout& matrix) const;

 private:
  // Whether the predicate says so of any integer or float type in this type, or it is too large to tell.
  template <typename Predicate>
  bool any_scalar(uint32_t type, const Predicate& predicate) const;
  bool add(uint32_t type, const MatrixLayout& matrix, uint32_t offset, uint32_t& budget,
           std::vector<MemoryRun>& runs) const;
  bool add_repeated(const std::vector<MemoryRun>& element, uint32_t count, uint32_t stride, uint32_t offset,
                    std::vector<MemoryRun>& runs) const;

  const ModuleView& module_;
  const Decorations& decorations_;
};

}  // namespace shaderqa
#endif
