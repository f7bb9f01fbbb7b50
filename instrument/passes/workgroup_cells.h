// SPDX-License-Identifier: Apache-2.0
// Which cells the variables of workgroup memory have, and how their bits are used.
#ifndef SHADERQA_INSTRUMENT_PASSES_WORKGROUP_CELLS_H
#define SHADERQA_INSTRUMENT_PASSES_WORKGROUP_CELLS_H

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/accesses/workgroup_memory.h"
#include "instrument/runtime/abi_shared.h"

namespace shaderqa {

// Cells that one variable has alone, or that aliased blocks share.
struct CellRange {
  uint32_t first = 0, count = 0;
  uint32_t unit = 0;  // scalars or bytes that share a cell
};

class WorkgroupCells {
 public:
  WorkgroupCells(const ModuleView& module, const Decorations& decorations, WorkgroupMemory& memory,
                 const WorkgroupOptions& options)
      : module_(module), decorations_(decorations), memory_(memory), options_(options) {}

  // Gives cells to what is accessed, as far as the limit allows.
  void place(const WorkgroupAccesses& found);
  // Null: the variable has none.
  const CellRange* range_of(uint32_t variable) const;
  bool is_initialised(uint32_t variable) const;
  uint32_t cells() const { return cells_; }
  // The words behind the cells.
  uint32_t release_word() const { return cells_; }
  uint32_t first_written_word() const { return cells_ + 1; }
  uint32_t words() const;
  bool blocks() const { return blocks_; }
  // Bytes of the blocks, behind which cells may lie.
  uint32_t block_bytes() const { return block_bytes_; }
  bool is_block(uint32_t variable) const;
  const std::vector<WorkgroupMemory::Variable>& variables() const { return *variables_; }
  // Names of variables without room for their cells.
  const std::vector<std::string>& left_out() const { return left_out_; }
  WorkgroupLayout layout() const;

 private:
  struct Group {
    std::vector<const WorkgroupMemory::Variable*> variables;
    uint32_t size = 0;
    uint32_t unit = 0;  // 0: not accessed
    CellRange range;
  };
  void make_groups();
  void find_units(const WorkgroupAccesses& found);
  uint32_t bytes_of_program() const;
  void fit();
  std::string name_of(uint32_t variable) const;

  const ModuleView& module_;
  const Decorations& decorations_;
  WorkgroupMemory& memory_;
  const WorkgroupOptions& options_;
  const std::vector<WorkgroupMemory::Variable>* variables_ = nullptr;
  std::vector<Group> groups_;
  std::unordered_map<uint32_t, size_t> group_of_;
  std::vector<std::string> left_out_;
  uint32_t cells_ = 0, block_bytes_ = 0;
  bool blocks_ = false;
};

// How the low bits of a cell are divided (abi_shared.h).
struct CellShape {
  uint32_t tag_bits = 0, owner_bits = 0, subphase_bits = 0;
  bool partly_ordered = false;  // SQA_SHARED_PARTLY_ORDERED
  // exchange_width: of an access that depends on what subgroup operations returned; see find_passed_on_reads.
  uint32_t argument(uint32_t exchange_width = 0) const {
    return tag_bits | owner_bits << 8 | subphase_bits << 16 | exchange_width << 24 |
           (partly_ordered ? SQA_SHARED_PARTLY_ORDERED : 0);
  }
  // The state that an access has by itself, and its tag, in their places.
  uint32_t mark(uint32_t state, uint32_t tag) const;
};
// What a cell holds of subgroups. told_apart: an owner is a lane of a subgroup.
enum class CellSubgroups : uint8_t { not_held, told_apart, with_subphases };
CellShape cell_shape(uint32_t invocations, uint32_t tags, CellSubgroups subgroups);

}  // namespace shaderqa
#endif
