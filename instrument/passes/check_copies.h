// SPDX-License-Identifier: Apache-2.0
// Drivers inline the code of every check, once more for each iteration of a loop that they unroll, and the
// time to compile grows faster than the number of copies. This class estimates how many copies there will be,
// and asks drivers not to unroll loops with checks (docs/internals/exact.md, "Large shaders").
#ifndef SHADERQA_INSTRUMENT_PASSES_CHECK_COPIES_H
#define SHADERQA_INSTRUMENT_PASSES_CHECK_COPIES_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instrument/ir/module_view.h"
#include "source/opt/module.h"

namespace shaderqa {

// From this many copies on, checks are functions that the driver is asked to call.
constexpr uint64_t large_shader_copies = 32;
// From this many copies on, the checks of a run share a loop (check_runs.h). The loop costs a little at run
// time: 7 % for a copy on an H200, where it halved the time to compile.
constexpr uint64_t shared_copies = 2;
// Up to so many runs, with each iteration of loops with hints, the shader's own loops keep their hints. More
// (`tiles2` and `tiles3` of bench/pipeline_bench.cpp) took an H200's driver 1.8 and 2.6 s, without the hints
// 0.5 and 0.4, and dispatches became no slower.
constexpr uint64_t unrolled_runs = 8;
// With more runs than this, checks are called. 13 to 26 runs took an H200's driver 3 to 14 seconds, calls
// less than one; dispatches took up to twice as long with calls.
constexpr uint64_t most_runs = 12;
// With more runs than this, and not too many for loops, accesses are noted: compute shaders with 11 runs took
// an H200's driver 1.9 seconds with loops and 0.3 noted.
constexpr uint64_t runs_before_queue = 9;
// With more checks of images than this, accesses are noted (check_queue.h). A check of an image is twice as
// long as one of a buffer: 7 to 48 of them took an H200's driver 3 to 22 seconds inlined or called, noted
// less than one, and dispatches 1.7 times as long as inlined, called 20 times.
constexpr uint64_t image_checks_in_line = 6;
// Code that logs so many reads of images is as long as the check of one.
constexpr uint32_t logs_of_image_check = 6;
// Copies that a loop with a hint to unroll makes of its body: as many as the number of iterations has binary
// digits, since drivers unroll less than they are asked to. A loop of 7 x 7 iterations of one check compiled
// on an H200 as fast as ten copies. The constant is for loops whose number of iterations is not easily found.
constexpr uint64_t copies_of_iterations(uint64_t iterations) {
  constexpr uint64_t most = 64;
  return static_cast<uint64_t>(std::bit_width(std::clamp<uint64_t>(iterations, 1, most)));
}
constexpr uint64_t copies_of_unknown_loop = 3;

class CheckCopies {
 public:
  enum class Unrolling : uint8_t {
    usual,  // as copies_of_iterations says
    whole   // each iteration, of at most most_iterations
  };
  static constexpr uint64_t most_iterations = 64;
  // `view` has the words that `module` was made from.
  CheckCopies(spvtools::opt::Module& module, const ModuleView& view, Unrolling unrolling = Unrolling::usual)
      : module_(module), view_(view), unrolling_(unrolling) {}

  // Counts that many checks of this instruction. To be called before estimate() and stop_unrolling().
  void add(const spvtools::opt::Instruction& instruction, uint32_t checks) {
    checks_[&instruction] += checks;
  }
  uint64_t estimate(uint32_t entry_function);
  // Removes the hints to unroll of all loops that contain checks, also in functions that they call. From then
  // on, estimate() counts each of them once.
  void stop_unrolling();

 private:
  using BasicBlock = spvtools::opt::BasicBlock;
  using Instruction = spvtools::opt::Instruction;

  struct Block {
    const BasicBlock* block = nullptr;
    uint64_t checks = 0;
    uint64_t copies = 1;            // by the function's loops
    std::vector<uint32_t> callees;  // ids of functions, each as often as it is called
  };
  // A loop with a hint to unroll.
  struct Loop {
    Instruction* merge = nullptr;
    std::vector<size_t> blocks;
  };
  struct Code {
    std::vector<Block> blocks;
    std::vector<Loop> loops;
    std::unordered_map<uint32_t, size_t> labels;                 // of blocks
    std::unordered_map<uint32_t, std::vector<uint32_t>> stores;  // objects, by pointer
    uint32_t calls = 0;   // of this function, in others that are not yet counted
    uint64_t copies = 0;  // of the function
    bool checks = false;  // in it or in functions that it calls
  };

  void scan();
  void scan(spvtools::opt::Function& function);
  uint64_t copies_of_loop(const Code& code, const Block& header) const;
  // How a variable, or the OpPhi that took its place, begins and what is added to it in each iteration.
  struct Counter {
    bool found = false;
    int64_t first = 0, step = 0;
  };
  Counter counter(const Code& code, uint32_t value) const;
  int64_t step(uint32_t value, uint32_t counter) const;

  spvtools::opt::Module& module_;
  const ModuleView& view_;
  const Unrolling unrolling_;
  std::unordered_map<const Instruction*, uint32_t> checks_;
  bool scanned_ = false;
  std::unordered_map<uint32_t, Code> functions_;  // by id
  std::vector<uint32_t> order_;                   // functions after all that call them
};

}  // namespace shaderqa
#endif
