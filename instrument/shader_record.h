// SPDX-License-Identifier: Apache-2.0
// What the host must know about an instrumented shader to explain what it reports. Made by instrument/, read
// by host/.
#ifndef SHADERQA_INSTRUMENT_SHADER_RECORD_H
#define SHADERQA_INSTRUMENT_SHADER_RECORD_H

#include <cstdint>
#include <string>
#include <vector>

namespace shaderqa {

// Execution model of the entry point, in the order of SPIR-V's core models; the others follow.
enum class Stage : uint8_t {
  vertex,
  tessellation_control,
  tessellation_evaluation,
  geometry,
  fragment,
  compute,
  task,
  mesh,
  ray_generation,
  intersection,
  any_hit,
  closest_hit,
  miss,
  callable,
  unknown
};
// How the exact engine's cells name the hazard site `number` (from 0) of a shader. Several sites may share a
// tag.
uint32_t site_tag(uint64_t shader_hash, uint32_t number);
const char* to_string(Stage stage);  // "vertex", "tessellation control", ...

enum class ScalarKind : uint8_t { signed_int, unsigned_int, floating, boolean, pointer };

// One scalar of a flattened argument, as in the shader. In the payload (LLPC's format): bool and integers
// below 32 bits are zero-extended to one dword, half is widened to float, 64-bit values and pointers are two
// dwords, low first.
struct Scalar {
  ScalarKind kind = ScalarKind::unsigned_int;
  uint8_t width = 32;  // bits: 1 (bool), 8, 16, 32, 64
  uint32_t payload_dwords() const { return width == 64 ? 2 : 1; }
  bool operator==(const Scalar&) const = default;
};

enum class ArgumentShape : uint8_t { scalar, vector, matrix, array, structure, string };

struct PrintfArgument {
  ArgumentShape shape = ArgumentShape::scalar;
  std::vector<Scalar> scalars;  // column-major / element / member order; empty for a string
  std::string text;             // of an OpString argument: known here, nothing in the payload
  bool operator==(const PrintfArgument&) const = default;
};

struct SourcePosition {
  std::string file;  // empty: unknown
  uint32_t line = 0;
  uint32_t column = 0;
  std::string text;  // the source line itself, where the module embeds its source
  bool operator==(const SourcePosition&) const = default;
};

// What the records of a trace (passes/trace_plan.h) are made for; trace files have its number.
enum class PlanKind : uint32_t { trace, stops, stops_and_accesses };

// A function on the way to an instruction, as debug information has it.
struct SourceFrame {
  std::string function;
  // Where the call was by which the function of the frame before was inlined into this one; the first frame
  // has none.
  std::string file;
  uint32_t line = 0;
  bool operator==(const SourceFrame&) const = default;
};

// Which numbers the trailing invocation dwords of an entry hold (three dwords, after the arguments).
enum class InvocationKind : uint8_t {
  none,       // the entry carries no invocation
  global_id,  // compute, task, mesh: GlobalInvocationId.xyz
  vertex,     // VertexIndex, InstanceIndex, 0
  fragment,   // FragCoord.x and .y as uint, 0
  primitive,  // tessellation, geometry: PrimitiveId, InvocationId (0 in evaluation), 0
  launch_id   // ray tracing: LaunchId.xyz
};
#define SHADERQA_INVOCATION_DWORDS 3

struct PrintfSite {
  // 48 bits, never 0; a hash of format, argument types, shader hash, entry point and site ordinal: the same
  // words give the same id, and an id names one site.
  uint64_t id = 0;
  std::string format;
  std::vector<PrintfArgument> arguments;
  InvocationKind invocation = InvocationKind::none;
  uint32_t ordinal = 0;  // of the OpExtInst among the module's DebugPrintf instructions, from 0
  SourcePosition source;
  uint64_t shader_hash = 0;
  Stage stage = Stage::unknown;
  std::string entry_point;

  uint32_t payload_dwords() const;  // arguments only, without the invocation
  // Equal except for where the site is: then a shared id does no harm.
  bool same_definition(const PrintfSite& other) const {
    return format == other.format && arguments == other.arguments && invocation == other.invocation;
  }
};

// The most operands of an operation whose values a report holds.
constexpr uint32_t kOriginOperands = 3;
struct OriginOperand {
  std::string name;
  bool whole = false;  // of a vector: the report holds its first component that is not finite, else the first
  bool operator==(const OriginOperand&) const = default;
};
// What made a component of a value that is checked for NaN and infinity.
struct ValueOrigin {
  std::string operation;  // "division", "sqrt"; empty: it is not known, or the value is only read from memory
  std::string file;       // of the operation
  uint32_t line = 0;
  std::vector<OriginOperand> operands;
  bool complete = false;  // these are all operands that can be NaN or infinity
  bool operator==(const ValueOrigin&) const = default;
};

// An instruction that a check watches. A report names it by shader hash and word offset; a copy is two sites,
// a load and a store.
struct CheckSite {
  uint32_t instruction = 0;  // word offset in the application's module
  uint32_t check = 0;        // SQA_CHECK_*
  uint32_t access = 0;       // SQA_ACCESS_*, of hazards
  std::string text;          // the instruction for people: "OpStore %out", the names as the module has them
  std::string variable;      // the name of the resource variable or block, where there is one
  uint32_t set = 0, binding = 0;  // of `variable`; both 0xffffffff where the access is by address
  InvocationKind invocation = InvocationKind::none;
  SourcePosition source;
  uint32_t tag = 0;    // of accesses to workgroup memory: how cells name them
  bool parts = false;  // hazards: it may access parts of words
  // The functions that it was inlined into, the innermost first, or the function that it is in; empty: it is
  // in the entry point's.
  std::vector<SourceFrame> frames;
  std::vector<ValueOrigin> origins;  // of NaN checks, by component; empty: not known
  bool operator==(const CheckSite&) const = default;
};

// A variable of workgroup memory, or the memory that aliased blocks share, and its cells.
struct WorkgroupVariable {
  std::string name;
  uint32_t first = 0, count = 0;  // cells
  uint32_t unit = 1;              // scalars (or bytes, of blocks) that share a cell
  // Its type: "[LENGTH*STRIDE" before that of an element, "{OFFSET.NAME:TYPE;...}", "" for a scalar. Offsets
  // and strides are in scalars, or in bytes of blocks.
  std::string shape;
  bool operator==(const WorkgroupVariable&) const = default;
};

// Depends on specialisation constants, so one shader may have several.
struct WorkgroupLayout {
  uint32_t id = 0;  // a hash of the variables; 0: nothing is checked
  std::vector<WorkgroupVariable> variables;
  bool operator==(const WorkgroupLayout&) const = default;
};

// What a picture shows of each pixel, or of each invocation of a grid (docs/internals/pictures.md).
enum class PictureKind : uint8_t {
  none,
  value,      // of an expression over the shader's variables
  overdraw,   // how many fragments
  divergence  // how many invocations of a subgroup run each block together
};

struct PictureRecord {
  PictureKind kind = PictureKind::none;
  // The components of a value, each 32 or 64 bits; a bool is a dword.
  Scalar scalar;
  uint32_t components = 0;
  bool colours = false;                // the value is written to the colour output, too
  std::vector<SourcePosition> blocks;  // divergence: where each block begins
  bool operator==(const PictureRecord&) const = default;
};

// What a note says is not checked, or not completely. A run in which there is such a note is not complete.
enum class Concern : uint8_t { nothing, everything, printf, values, sync };

// A sentence for the user: a site left alone and why, a format that does not fit its arguments. It is about
// one shader, which whoever shows it names.
struct ShaderNote {
  std::string text;
  Concern incomplete = Concern::everything;
  bool common = false;  // the same for every shader that is like this one, so that it is said once
};

struct ShaderRecord {
  uint64_t shader_hash = 0;
  Stage stage = Stage::unknown;
  std::string entry_point;
  std::vector<PrintfSite> printf_sites;  // those instrumented
  std::vector<CheckSite> check_sites;    // those instrumented
  // SyncOptions::footprints is set, and all that the shader accesses in memory is noted.
  bool footprints_complete = false;
  // SyncOptions::direct is set, and some checks rely on it: they find nothing where the action record does
  // not say where cells lie.
  bool direct = false;
  bool logs_reads = false;  // some of its reads, to be checked behind the render pass (abi_reads.h)
  WorkgroupLayout workgroup;
  PictureRecord picture;
  uint32_t sites_beyond_limit = 0;  // left as they are, because there were enough (max_sites)
  std::vector<ShaderNote> notes;
};

// By which shaders find their picture: a hash of words, stage and entry point.
uint64_t picture_key(const ShaderRecord& record);

}  // namespace shaderqa
#endif
