// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_MEMORY_TABLE_ENTRY_H
#define SHADERQA_LAYER_MEMORY_TABLE_ENTRY_H

#include <cstdint>

namespace shaderqa::layer {

// One descriptor in a descriptor table, as shaders read it (instrument/runtime/abi_table.h).
struct TableEntry {
  uint64_t address = 0;  // 0: null, never written, or nothing that is checked
  uint32_t range = 0;
  uint32_t meta = 0;
  bool operator==(const TableEntry&) const = default;
};
static_assert(sizeof(TableEntry) == 16);

}  // namespace shaderqa::layer
#endif
