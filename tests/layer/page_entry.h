// SPDX-License-Identifier: Apache-2.0
// What the exact engine's page table says of an address, as shaders find it.
#ifndef SHADERQA_TESTS_LAYER_PAGE_ENTRY_H
#define SHADERQA_TESTS_LAYER_PAGE_ENTRY_H

#include <cstdint>
#include <cstring>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"

namespace shaderqa::layer_tests {

// record: of an action. 0: the page has no cells.
inline uint64_t page_entry(const uint32_t* record, uint64_t address) {
  const uint64_t* tables = nullptr;
  std::memcpy(&tables, record + SQA_ACTION_PAGES, sizeof tables);
  const auto pages = reinterpret_cast<const uint64_t*>(tables[address >> 32 & 0xffff]);
  return pages ? pages[address >> SQA_PAGE_LOG2 & 0xffff] : 0;
}

}  // namespace shaderqa::layer_tests
#endif
