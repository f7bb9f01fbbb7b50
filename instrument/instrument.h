// SPDX-License-Identifier: Apache-2.0
// SPIR-V in, SPIR-V and ShaderRecord out: a pure function. The same input gives the same words, from any
// thread, in any order, in any process.
#ifndef SHADERQA_INSTRUMENT_INSTRUMENT_H
#define SHADERQA_INSTRUMENT_INSTRUMENT_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "instrument/nan_check.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// 64 bit, over the words as the application handed them over (XXH3); printed %016x.
uint64_t shader_hash(std::span<const uint32_t> words);

// Whether the module has an OpExtInst of NonSemantic.DebugPrintf. Scans words, parses nothing; false on
// malformed input.
bool has_debug_printf(std::span<const uint32_t> words);
// Whether it declares that it may have OpAssumeTrueKHR, OpExpectKHR or NonSemantic.DebugBreak. As above.
bool has_assumptions(std::span<const uint32_t> words);
// Whether it may access what the sync check watches: a StorageBuffer, Uniform or PhysicalStorageBuffer
// pointer type, an untyped pointer type, a texel buffer, and with `images` any other image. As above.
bool has_watched_accesses(std::span<const uint32_t> words, bool images);

// Whether it has variables in workgroup memory. As above.
bool has_workgroup_memory(std::span<const uint32_t> words);
// Whether it has atomics or memory barriers, which may order accesses of two invocations. As above.
bool has_ordering_instructions(std::span<const uint32_t> words);

// A descriptor of a pipeline layout, as in its set's table (abi_table.h): known when a pipeline is made.
struct DescriptorSlots {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t slot = 0;   // of array element 0
  uint32_t count = 0;  // slots of the binding
  uint32_t dynamic =
      0xffffffff;       // number of element 0 among the layout's dynamic offsets, or SQA_NOT_DYNAMIC
  uint32_t direct = 0;  // 1 + the number of its entry at SQA_ACTION_DIRECT, or abi_resolve.h; 0: none
  // The number of its table in the action record, where the shader's sets have none (descriptor heaps).
  static constexpr uint32_t as_set = 0xffffffff;
  uint32_t record_table = as_set;
  uint32_t table() const { return record_table == as_set ? set : record_table; }
  bool operator==(const DescriptorSlots&) const = default;
};

enum class SyncEngine : uint8_t {
  bloom,  // the filter, after vkd3d-proton's synchronisation check
  exact   // docs/internals/exact.md; needs int64_atomics
};

// Whether drivers are asked to call the code of a check instead of inlining it at every site.
enum class SyncCalls : uint8_t {
  automatic,  // in large shaders (check_copies.h)
  never,
  always,
  queued  // exact: for drivers that inline all calls. Large shaders check accesses later (check_queue.h)
};

struct SyncOptions {
  bool enabled = false;
  SyncEngine engine = SyncEngine::bloom;
  bool merge = true;         // neighbouring accesses share a check (merged_accesses.h)
  bool own_elements = true;  // exact: accesses to an invocation's own elements are not compared
  // exact: compute shaders have a second one without checks of their loads (unwatched_version.h)
  bool unwatched_version = true;
  // exact: stages of draws log their reads, to be checked behind the render pass (runtime/abi_reads.h)
  bool log_reads = true;
  SyncCalls calls = SyncCalls::automatic;  // not in ray tracing stages
  bool indirect = true;                    // arguments of indirect commands are checked
  // exact, compute: the shader runs only where the action record says all about the memory of direct slots
  // (ShaderRecord::direct), so checks of whole words there look nothing up
  bool direct = false;
  bool loops = true;        // exact: checks of accesses that follow each other share a loop (check_runs.h)
  bool footprints = false;  // exact: what actions access is noted as well (docs/internals/redundant.md)
  bool images = false;      // exact: texels of images (docs/internals/images.md)
  bool race_map = false;    // exact: hazards on images are entered into the race map (race_map.glsl)
  bool strict = false;      // exact: acquires need their fences (docs/internals/exact.md, Strict)
  uint32_t record_set = 0;  // descriptor set whose binding 0 is the action record
  // Instead, the offset of a push constant with the record's address.
  static constexpr uint32_t no_constant = 0xffffffff;
  uint32_t record_constant = no_constant;
  std::vector<DescriptorSlots>
      descriptors;  // sorted by set, binding; accesses through others are not checked
  bool operator==(const SyncOptions&) const = default;
};

// The value that a pipeline gives to a specialisation constant.
struct SpecialisedValue {
  uint32_t constant = 0;  // SpecId
  uint32_t value = 0;
  bool operator==(const SpecialisedValue&) const = default;
};

// Workgroups: their memory, and what is known of their size and of other integers when the pipeline is made.
struct WorkgroupOptions {
  bool races = false;
  bool uninitialised = false;  // reads of what nobody has written
  uint32_t limit = 0;          // bytes of workgroup memory that the stage may have
  bool strict = false;         // as of SyncOptions
  bool own_elements = true;    // accesses to an invocation's own elements are not checked
  bool large = true;  // also in shaders with so many accesses that drivers take long to compile the checks
  // Values of the constants that integer_constants() names and the pipeline sets. If they are not known,
  // memory whose size depends on one is not checked.
  bool values_known = false;
  std::vector<SpecialisedValue> values;
  bool any() const { return races || uninitialised; }
  bool operator==(const WorkgroupOptions&) const = default;
};
// The SpecIds of a module's integers of 32 bits and of its booleans.
std::vector<uint32_t> integer_constants(std::span<const uint32_t> words);

// Whether traced invocations can stop for a debugger (docs/internals/debug.md).
enum class DebugStops : uint8_t {
  none,
  ordered,    // memory barriers order what they tell
  unordered,  // the device is a CPU that needs none
};

struct PictureOptions {
  PictureKind kind = PictureKind::none;
  std::string expression;  // of a value, as picture_expression.h reads it
  uint32_t line = 0;       // the value before this line; 0: at the end of the function
  // The pipeline allows that the tests of a fragment come before its shader. So fragments that fail them have
  // no value, if the shader allows it, too.
  bool early_tests = false;
  bool colours = false;  // also written to the colour output with this location
  uint32_t location = 0;
  bool scaled = false;  // low becomes 0 in the colour output, and high 1
  float low = 0, high = 1;
  bool operator==(const PictureOptions&) const = default;
};

struct InstrumentOptions {
  bool printf = true;
  // OpAssumeTrueKHR, NonSemantic.DebugBreak: checked and then removed, since a driver may conclude from a
  // following assumption that the check always succeeds.
  bool assume = false;
  bool expect = false;      // OpExpectKHR
  bool keep_assume = true;  // the driver takes SPV_KHR_expect_assume; false: the instructions are removed
  NanCheck nan = NanCheck::none;
  bool trace = false;      // every basic block can write a record (docs/internals/trace.md)
  std::string trace_code;  // only those of this code, as CodeWindow::parse() reads it
  DebugStops debug = DebugStops::none;
  bool debug_accesses = false;  // with stops: also before accesses that leave their buffer
  PictureOptions picture;
  SyncOptions sync;  // storage buffers, uniform buffers, texel buffers, physical pointers
  WorkgroupOptions workgroup;
  uint64_t root_address = 0;  // device address of abi::Root
  std::string entry_point = "main";
  Stage stage = Stage::unknown;  // unknown: of the first entry point of that name

  // What the device supports: facts about device and driver, the same at every call for one device.
  bool int64_atomics = true;  // shaderInt64 and shaderBufferInt64Atomics are enabled
  bool subgroup_ballot =
      false;  // basic and ballot subgroup operations in this stage (and SPIR-V >= 1.3 modules)
  bool memory_barrier = true;  // order payload before header by a device-scope barrier
  bool vulkan_memory_model_device_scope =
      false;                       // enabled: device scope is allowed in modules of the Vulkan model
  bool varying_addresses = false;  // the runtime's addresses must not be known to be the same for all
                                   // invocations (instrument/passes/varying_zero.h)

  bool record_invocation = false;  // append SHADERQA_INVOCATION_DWORDS to every entry
  uint32_t printf_first = 0;       // budget of a site: its first N messages ...
  uint32_t printf_every = 0;       // ... and every Nth; both 0: no budget
  // Printfs, checked instructions and accesses of one shader beyond this many stay as they are; 0: no limit.
  // Drivers inline the code of every site, so time and memory of their compilers grow with the sites.
  uint32_t max_sites = 0;

  bool operator==(const InstrumentOptions&) const = default;
};

enum class InstrumentStatus : uint8_t {
  untouched,     // nothing in it to instrument: use the original words
  instrumented,  // words and record hold the result
  refused        // cannot be instrumented; message says why, for the user: use the original words
};

struct InstrumentResult {
  InstrumentStatus status = InstrumentStatus::untouched;
  std::vector<uint32_t> words;
  ShaderRecord record;
  std::string message;
};

InstrumentResult instrument(std::span<const uint32_t> words, const InstrumentOptions& options);

}  // namespace shaderqa
#endif
