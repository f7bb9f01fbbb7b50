// SPDX-License-Identifier: Apache-2.0
// Finds the instructions that access buffers, what they access, and what orders them.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_BUFFER_ACCESSES_H
#define SHADERQA_INSTRUMENT_ACCESSES_BUFFER_ACCESSES_H

#include <cstdint>
#include <span>
#include <vector>

#include "instrument/accesses/cooperative_matrix.h"
#include "instrument/accesses/pointer_roots.h"
#include "instrument/ir/placed_instructions.h"

namespace shaderqa {

struct BufferAccess {
  PlacedInstruction at;
  uint32_t access = 0;   // SQA_ACCESS_*
  uint32_t pointer = 0;  // id; 0: a texel buffer is accessed
  ResolvedPointer place;
  std::vector<MemoryRun> runs;  // from `place` on
  uint32_t size = 0;            // id of the number of bytes, where only the shader knows it; then no runs
  uint32_t texel = 0;           // id of the coordinate in a texel buffer; then no runs
  MatrixLines lines;            // of a cooperative matrix; then no runs
  uint32_t merged = 0;          // more accesses that are checked with this one
  uint32_t reach = 0;           // SQA_REACH_*; 0: it is not to own elements
};

struct BufferAccesses {
  std::vector<BufferAccess> accesses;  // in module order; a copy's load before its store
  uint32_t unknown_place = 0;          // accesses that are left out: pointer not followed
  uint32_t unknown_layout = 0;         // or their bytes not known, or in too many pieces
  uint32_t unknown_lines = 0;          // or cooperative matrices and vectors, whose lines are not known

  // What the semantics of a control barrier do for one kind of memory.
  struct Semantics {
    bool releases = false;
    bool acquires = false;
    bool narrow = false;  // it is of all, and orders for each subgroup only
  };
  struct Barrier {
    PlacedInstruction at;
    Semantics buffers, images;
    bool whole = true;  // false: of a subgroup only
  };
  std::vector<Barrier> workgroup_barriers;
  // A memory barrier lets the control barriers beside it order memory.
  struct MemoryBarrier {
    PlacedInstruction at;
    bool wide = true;    // false: its scope is the subgroup
    bool early = false;  // right behind a control barrier, and common: what follows is not behind it
  };
  struct MemoryBarriers {
    std::vector<MemoryBarrier> all;
    // Whether are_fences_common is true of the wide ones: then one behind a control barrier says nothing of
    // what others released before it.
    bool common = false;
  };
  MemoryBarriers buffer_barriers, image_barriers;
  bool joined = false;  // join_barriers was called
  // Fences of device scope, after which atomics may have ordered what the filter does not see. Empty without
  // atomics.
  std::vector<PlacedInstruction> fences;
  std::vector<PlacedInstruction> workgroup_fences;  // fences of a smaller scope
  // Those of both that release: what an invocation did before one of these is behind its later atomics.
  struct Release {
    PlacedInstruction at;
    bool device = false;  // its scope is wider than the workgroup
  };
  std::vector<Release> releases;
  std::vector<PlacedInstruction> acquiring;  // barriers that acquire
  struct Atomic {
    PlacedInstruction at;
    bool used = false;      // something may depend on its result
    bool device = false;    // its scope is wider than the workgroup
    bool acquires = false;  // by its own semantics
  };
  std::vector<Atomic> atomics;  // on memory that workgroups share; only where there are fences
  // Other instructions than barriers and those atomics by which invocations of a workgroup communicate.
  std::vector<PlacedInstruction> exchanges;
  // On workgroup memory, which are among the exchanges, too. Empty where the results of all are unused.
  std::vector<PlacedInstruction> workgroup_atomics;
  bool acquires = false;               // something may depend on the result of one of the atomics
  bool acquires_in_workgroup = false;  // or of an atomic on workgroup memory
  std::vector<PlacedInstruction> interlock_begins, interlock_ends;
};

// Whether an atomic's scope is the workgroup or less. A specialisation constant counts as the widest scope.
bool is_workgroup_atomic(const ModuleView& module, InstructionView instruction);

// From here on, a barrier for images or for buffers counts for both, and stands among those for buffers. So
// it is where a shader releases, since one phase for all memory says what a release covers, and where it
// accesses texel buffers: they are image memory, and other accesses may reach the same bytes as a buffer's.
void join_barriers(BufferAccesses& found);
// No access to an image is checked.
void forget_images(BufferAccesses& found);

class AccessFinder {
 public:
  // images: fences for images count as well.
  AccessFinder(const ModuleView& module, spvtools::opt::IRContext& context, const Decorations& decorations,
               std::span<const PlacedInstruction> placed, bool images = false);

  BufferAccesses find();
  PointerRoots& roots() { return roots_; }

 private:
  void matrix(const PlacedInstruction& at, const MatrixAccess& access);
  void memory(const PlacedInstruction& at, uint32_t access, uint32_t pointer, uint32_t size_id);
  void texel(const PlacedInstruction& at, uint32_t access, const ResolvedPointer& image, uint32_t image_type,
             uint32_t coordinate);
  void atomic(const PlacedInstruction& at, InstructionView instruction, uint32_t pointer);
  void add(const BufferAccess& access);
  void find_order();
  bool is_wide(uint32_t scope) const;  // the workgroup, or wider
  void add_memory_barrier(const PlacedInstruction& at, uint32_t scope, uint32_t semantics);
  void add_control_barrier(const PlacedInstruction& at, InstructionView barrier);
  BufferAccesses::Semantics semantics_of(InstructionView barrier, bool whole, uint32_t memory) const;
  void find_common_fences(BufferAccesses::MemoryBarriers& barriers);
  void find_used_atomics();
  static bool is_buffer(InstructionView pointer_type);
  enum class Fence { none, workgroup, device };
  Fence buffer_fence(uint32_t scope, uint32_t semantics) const;
  void add_fence(const PlacedInstruction& at, Fence fence, uint32_t semantics);
  bool acquires(uint32_t scope, uint32_t semantics) const;  // buffers; what is not known does

  const ModuleView& module_;
  spvtools::opt::IRContext& context_;
  std::span<const PlacedInstruction> placed_;
  MemoryLayout layout_;
  PointerVariables variables_;
  PointerRoots roots_;
  bool texel_buffers_;
  uint32_t fenced_memory_;  // semantics
  BufferAccesses found_;
};

}  // namespace shaderqa
#endif
