// SPDX-License-Identifier: Apache-2.0
// The two dwords by which a report says a value, and what is needed to choose one of a vector's components.
#ifndef SHADERQA_INSTRUMENT_IR_VALUE_BITS_H
#define SHADERQA_INSTRUMENT_IR_VALUE_BITS_H

#include <cstdint>
#include <vector>

#include "instrument/ir/site_builder.h"

namespace shaderqa {

struct NumericType {
  bool floating = false;
  bool boolean = false;
  uint32_t width = 0;       // bits of a component; 1: bool
  uint32_t components = 1;  // more than 1: a vector
  uint32_t component_type = 0;
};
// The format of a scalar or vector; width 0 if it is neither, or its encoding is not IEEE 754's.
NumericType numeric_type(const ModuleView& view, uint32_t type);

// The components of a value, in ids.
std::vector<uint32_t> components(SiteBuilder& site, const NumericType& type, uint32_t value);
// A bool: all of these bools.
uint32_t all_of(SiteBuilder& site, const std::vector<uint32_t>& bools);
// The value of the first one whose bool is false; of the last if all are true. size: that of the values,
// which are vectors of uint, or scalars.
uint32_t first_false(SiteBuilder& site, const std::vector<uint32_t>& bools,
                     const std::vector<uint32_t>& values, uint32_t size);

}  // namespace shaderqa
#endif
