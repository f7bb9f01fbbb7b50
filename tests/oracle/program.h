// SPDX-License-Identifier: Apache-2.0
// An abstract Vulkan program of the oracle: memory, buffers, commands, and small shaders without control flow
// that depends on data. docs/internals/oracle.md describes it.
#ifndef SHADERQA_TESTS_ORACLE_PROGRAM_H
#define SHADERQA_TESTS_ORACLE_PROGRAM_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oracle {

// Every block of memory, every view and every index stays within these.
constexpr uint32_t kMemoryBytes = 4096;
constexpr uint32_t kViewBytes = 2048;
constexpr uint32_t kMaxInvocations = 128;
constexpr uint32_t kQueues = 2;
// Where buffers are images: texels in a row.
constexpr uint32_t kRowTexels = 32;
// Where fragment shaders run: fragments in a row, and vertices.
constexpr uint32_t kFragmentsInRow = 8, kTriangle = 3;
// Arguments of an indirect dispatch and of a draw lie in turns, each in half of this.
constexpr uint32_t kArgumentsBytes = 32;
// How many numbers a uniform buffer holds.
constexpr uint32_t kNumbers = 256;
// Elements of an array in workgroup memory.
constexpr uint32_t kSharedElements = 128;

enum class Type : uint8_t { u8, u16, u32, u64, vec2, vec4 };  // the vectors have 32-bit components
uint32_t size_of(Type type);

enum class Scope : uint8_t { invocation, subgroup, workgroup, device };  // from narrow to wide
enum class Semantics : uint8_t { relaxed = 0, acquire = 1, release = 2, acquire_release = 3 };
constexpr bool acquires(Semantics s) { return (static_cast<int>(s) & 1) != 0; }
constexpr bool releases(Semantics s) { return (static_cast<int>(s) & 2) != 0; }

// What programs are made for.
struct Machine {
  uint32_t subgroup_size = 8;
  uint32_t queues = 1;
  bool images = false;              // Program::images
  bool draws = false;               // beside dispatches
  bool descriptor_buffers = false;  // Program::descriptor_buffers
  bool mixed_barriers = false;      // one dispatch, whose few accesses lie among barriers of all kinds
  bool loops = false;               // parts of shaders are executed several times
  bool grids = false;               // dispatches have two dimensions
  bool passes = false;  // images are attachments of render passes, and sampled; with images and draws
};

// Who executes: g workgroup, l invocation within it, i = g * local size + l; x and y: column and row.
struct Invocation {
  uint32_t i = 0, l = 0, g = 0, local_size = 1, groups = 1, x = 0, y = 0;
};

// How many invocations there are, in columns and rows.
struct Grid {
  uint32_t columns = 1, rows = 1;
  uint32_t invocations() const { return columns * rows; }
};

// Where a shader has a number from.
enum class Source : uint8_t { literal, uniform_buffer, columns /* of the dispatch */ };

// The element that an invocation accesses, modulo the number of elements of the view.
struct Index {
  enum class Form : uint8_t {
    own,            // i
    plus,           // i + k
    flip,           // i ^ k
    modulo,         // i % k
    local,          // l
    group,          // g
    constant,       // k
    reversed,       // last invocation - i
    rotated,        // g * local size + (l + k) % local size
    group_flipped,  // g * local size + (l ^ k)
    divided,        // i / k
    strided,        // i * k
    rows,           // y * k + x
    row_neighbour,  // y * k + x + 1
    columns,        // x * k + y
    walked          // i + turn * invocations, which strided loops have in a variable
  };
  Form form = Form::own;
  uint32_t k = 0;
  uint32_t step = 0;               // what each turn of a loop adds to k, or to y * k + x
  Source width = Source::literal;  // of k in rows and columns
  uint32_t of(const Invocation& who, uint32_t elements, uint32_t turn) const;
  // turn: the text of its number. walked: of a strided loop's variable, or ""
  std::string glsl(uint32_t elements, const Grid& grid, const std::string& turn,
                   const std::string& walked) const;
};

struct Condition {
  enum class Form : uint8_t {
    always,
    local_is,
    local_below,
    group_is,
    group_below,
    own_is,
    own_from,
    x_from,
    y_from,
    turn_is,
    turn_beyond_local,  // turn > l % k
    turn_beyond_group,  // turn > g % k
    entered             // the last question before it was answered with yes
  };
  Form form = Form::always;
  uint32_t k = 0;
  Source limit = Source::literal;  // of k in x_from and y_from
  bool holds(const Invocation& who, bool entered, uint32_t turn) const;
  std::string glsl(const std::string& turn) const;  // "" for always
};

struct Statement {
  enum class What : uint8_t {
    load,
    store,
    atomic_add,
    atomic_exchange,
    atomic_load,
    atomic_store,
    control_barrier,
    memory_barrier,
    signal,    // an atomic store to a word that nothing but signals writes
    wait,      // question: atomic loads of such a word until it has the value
    peek,      // question: whether one atomic load finds the value
    try_lock,  // question: whether an atomic update found the lock free
    unlock,    // by who has it: an atomic store
    leave      // goes on elsewhere
  };
  // What is left; in a function always its turn.
  enum class Leave : uint8_t { turn, loop, shader };
  // What signals store, and what is waited for.
  enum class Value : uint8_t { one, turn };  // turn: waits for g, signals g + 1
  What what = What::load;
  uint32_t view = 0;
  Type type = Type::u32;
  Index index = {};
  Condition when = {};  // of control barriers one that is the same for the whole workgroup
  uint32_t turn = 0;    // which of a loop it is of
  Value value = Value::one;
  Leave leave = Leave::shader;
  Scope scope = Scope::device;         // memory scope
  Scope execution = Scope::workgroup;  // of control barriers
  // Storage class semantics. Atomics always have those of their own memory. buffers: where buffers are
  // images, those of images.
  bool buffers = false, shared = false;
  Semantics semantics = Semantics::relaxed;
};
bool is_access(Statement::What what);
bool is_atomic(Statement::What what);
// The answer depends on the run.
bool is_question(Statement::What what);
// Belongs to a protocol of waits and signals or of a lock, whose other parts name the same word.
bool is_protocol(Statement::What what);

struct Buffer {
  uint32_t memory = 0;
  uint32_t offset = 0;
  uint32_t size = kMemoryBytes;
};

// How shaders reach a part of a buffer, or an array in workgroup memory: each workgroup of each dispatch has
// its own.
struct View {
  enum class Reach : uint8_t { binding, array, address, shared, sampled /* loads of a sampled image */ };
  uint32_t buffer = 0;
  uint32_t offset = 0;
  Reach reach = Reach::binding;
  bool coherent = true;    // always with the GLSL450 memory model; else accesses through it are private
  Type type = Type::u32;   // of the elements in workgroup memory; others are accessed as any type
  bool read_only = false;  // of a sampled image: its descriptor says Layout::read_only, else general
  bool is_shared() const { return reach == Reach::shared; }
  uint32_t elements(Type accessed) const {
    return is_shared() ? kSharedElements : kViewBytes / size_of(accessed);
  }
};

// The layout of an image. In other ones than `general` only commands use it, or what samples it where it is
// `read_only`.
enum class Layout : uint8_t { general, transfer_source, transfer_destination, colour_attachment, read_only };

struct Barrier {
  VkPipelineStageFlags2 src_stages = 0;
  VkAccessFlags2 src_access = 0;
  VkPipelineStageFlags2 dst_stages = 0;
  VkAccessFlags2 dst_access = 0;
  bool ranged = false;  // a buffer memory barrier
  uint32_t buffer = 0, offset = 0, bytes = 0;
  // An image's barrier has one: it is a transition if the layout changes, or if it discards what was there.
  std::optional<Layout> layout = {};
  bool discards = false;
};

// Statements that the shader says once and all its invocations execute several times.
struct Loop {
  enum class Form : uint8_t {
    counted,  // the number of turns is a constant
    bounded,  // it is the same for all, and not known before the dispatch
    called,   // a function, which is called in a row
    strided   // each invocation goes from its own element on in steps of their number, up to `elements`
  };
  Form form = Form::counted;
  // Those of the first turn; those of the other turns follow in the command's list.
  uint32_t first = 0, length = 1;
  uint32_t turns = 2;  // of strided loops: the most that an invocation has, also if there are more elements
  uint32_t elements = 0;
  uint32_t end() const { return first + length * turns; }
};
constexpr uint32_t kMaxTurns = 4;

struct Command {
  enum class What : uint8_t {
    dispatch,
    dispatch_indirect,
    draw,
    draw_indirect,
    copy,
    fill,
    barrier,
    set_event,
    wait_event,
    submit,
    // A render pass with an image, `buffer`, as its colour attachment; its area are the first `bytes`. What
    // follows up to its end continues it.
    begin_pass,
    end_pass
  };
  // A barrier that is a dependency of a VkRenderPass object's subpass with VK_SUBPASS_EXTERNAL: directly in
  // front of begin_pass, or directly behind end_pass. What it does to layouts the pass does to its
  // attachment.
  enum class Edge : uint8_t { none, enters, leaves };
  // What a pass does with its attachment's content.
  enum class Load : uint8_t { keep, clear, discard };
  // Whose shader it is. The vertex shader is that of points, of which none is rasterized, or, where the
  // fragment shader is meant, of a triangle that covers its fragments.
  enum class Stage : uint8_t { compute, vertex, fragment };
  // What a new submission is ordered by.
  enum class Submit : uint8_t { nothing, semaphore, fence };
  What what = What::dispatch;
  uint32_t groups = 1, local_size = 1;  // of draws: invocations of the stage, and 1
  // In dispatches: how many of the groups, and of the invocations of one, lie below each other.
  uint32_t group_rows = 1, local_rows = 1;
  Stage stage = Stage::compute;
  // A draw, or a barrier in a VkRenderPass object's pass, in the render pass that the command before it is
  // in, if it is in one.
  bool continues = false;
  Edge edge = Edge::none;
  Load load = Load::keep;
  bool stores = true;
  // Bytes from one vertex to the next in a buffer of which the vertex shader of a draw reads a word for each;
  // 0: it reads none.
  uint32_t input_stride = 0, input_buffer = 0, input_offset = 0;
  std::vector<Statement> shader = {};          // as it is executed
  std::vector<Loop> loops = {};                // in the order of their statements
  uint32_t buffer = 0, offset = 0, bytes = 0;  // arguments, or what is copied or filled
  uint32_t from_buffer = 0, from_offset = 0;   // of a copy
  Barrier barrier = {};                        // of barriers, events; its dst_stages: of a semaphore's wait
  uint32_t event = 0;
  Submit submit = Submit::nothing;
  uint32_t queue = 0;  // of a submission's end: where what follows is submitted
  bool is_draw() const { return what == What::draw || what == What::draw_indirect; }
  bool is_indirect() const { return what == What::dispatch_indirect || what == What::draw_indirect; }
  bool runs_shader() const { return what == What::dispatch || what == What::dispatch_indirect || is_draw(); }
  uint32_t vertices() const { return stage == Stage::fragment ? kTriangle : groups; }
  // Fragments lie in rows of this many.
  uint32_t fragments_in_row() const { return groups < kFragmentsInRow ? groups : kFragmentsInRow; }
  Grid grid() const;
  Invocation invocation(uint32_t i) const;
  bool is_action() const { return runs_shader() || what == What::copy || what == What::fill; }
};

// The arguments of indirect commands lie at the start of a buffer of their own memory. The host puts them
// there, and all that writes them writes the same.
struct Program {
  bool vulkan_model = false;  // else GLSL450, where all buffers are coherent
  // All buffers are images instead: two-dimensional, kRowTexels wide, with a texel of 32 bits for each word,
  // in VK_IMAGE_LAYOUT_GENERAL where nothing else is said. Views are bindings then, and their elements are
  // words.
  bool images = false;
  bool descriptor_buffers = false;  // its descriptors lie in one, else in a set
  bool pass_objects = false;        // draws are in VkRenderPass objects, else in dynamic rendering
  // Dispatches: the size of the workgroup, and L in indices, are specialisation constants of the pipeline.
  bool specialised = false;
  uint32_t memories = 1;
  int arguments_memory = -1;  // every kArgumentsBytes: argument_words()
  uint32_t argument_groups = 1, argument_vertices = 1;
  int flags_memory = -1;  // for signals
  std::vector<Buffer> buffers = {};
  std::vector<View> views = {};
  std::vector<Command> commands = {};
};

// Words of a dispatch's arguments, and of a draw's.
inline std::array<uint32_t, kArgumentsBytes / 4> argument_words(const Program& program) {
  return {program.argument_groups, 1, 1, 0, program.argument_vertices, 1, 0, 0};
}

// Answers to questions, as they were in one run: 0 for no, otherwise 1, or 1 + how many had the lock before.
// By question (question_number) and invocation. Empty: not run.
using Answers = std::vector<uint32_t>;
// Counted through the program. 0 for the first one, and where there is none.
uint32_t question_number(const Program& program, uint32_t command, uint32_t statement);
uint32_t question_count(const Program& program);

// That of the image (its number as a buffer) behind the commands before `command`.
Layout layout_before(const Program& program, int command, uint32_t image);
// Whether the command is a barrier that changes an image's layout: it writes all of the image.
bool is_transition(const Program& program, int command);
// Whether commands and shaders find their images in layouts in which they may access them.
bool has_right_layouts(const Program& program);

uint32_t queue_of(const Program& program, int command);
uint32_t queues_of(const Program& program);  // how many

// The first command of the render pass that the command is in; -1: none.
int pass_of(const Program& program, int command);
// The same of passes with an attachment, whose edges are in it, too.
int attached_pass_of(const Program& program, int command);
// Whether each pass begins and ends, has nothing in it that no pass may have, and leaves its attachment
// alone.
bool has_right_passes(const Program& program);

std::string glsl_of(const Program& program, uint32_t command, uint32_t first_line);
// The vertex shader of a draw whose fragment shader is meant, or an empty fragment shader.
std::string other_glsl_of(const Command& draw);
// GLSL of each shader and the list of commands.
std::string describe(const Program& program);
// What accesses memory is named by its command and its statement, counted from 0; -1: the command's own.
std::string describe_site(const Program& program, int command, int statement);

}  // namespace oracle
#endif
