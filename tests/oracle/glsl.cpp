// SPDX-License-Identifier: Apache-2.0
// GLSL of an abstract shader. Each statement is one line, which names it in reports.
#include <algorithm>
#include <set>
#include <utility>

#include "loops.h"
#include "program.h"

namespace oracle {
namespace {

const char* name_of(Type type) {
  switch (type) {
    case Type::u8:
      return "uint8_t";
    case Type::u16:
      return "uint16_t";
    case Type::u32:
      return "uint";
    case Type::u64:
      return "uint64_t";
    case Type::vec2:
      return "uvec2";
    case Type::vec4:
      return "uvec4";
  }
  return "";
}

std::string scope_of(Scope scope) {
  const char* const names[] = {"gl_ScopeInvocation", "gl_ScopeSubgroup", "gl_ScopeWorkgroup",
                               "gl_ScopeDevice"};
  return names[static_cast<int>(scope)];
}

// Storage classes and semantics. of_shared: an atomic's memory is that of the workgroup. images: in place of
// buffers.
std::string semantics_of(const Statement& statement, bool of_shared, bool images) {
  const bool buffers = statement.buffers || (is_atomic(statement.what) && !of_shared);
  const bool shared = statement.shared || of_shared;
  const std::string of_buffers = images ? "gl_StorageSemanticsImage" : "gl_StorageSemanticsBuffer";
  std::string storage = buffers && shared ? of_buffers + " | gl_StorageSemanticsShared"
                        : buffers         ? of_buffers
                        : shared          ? "gl_StorageSemanticsShared"
                                          : "0";
  if (statement.semantics == Semantics::relaxed) storage = "0";
  const char* const names[] = {"gl_SemanticsRelaxed", "gl_SemanticsAcquire", "gl_SemanticsRelease",
                               "gl_SemanticsAcquireRelease"};
  return storage + ", " + names[static_cast<int>(statement.semantics)];
}

// Input of vertex shaders, and a place that is not rasterized.
constexpr const char* kInput = "layout(location = 0) in uint element;\n";
constexpr const char* kNowhere = "gl_PointSize = 1.0; gl_Position = vec4(2.0, 2.0, 2.0, 1.0)";

class Writer {
 public:
  Writer(const Program& program, uint32_t command)
      : program_(program), number_(command), command_(program.commands[command]) {}

  std::string shader(uint32_t first_line) {
    declarations();
    functions(first_line);
    begin_main();
    if (draws_colour()) text_ += "  colour = 5u;\n";
    if (reads_input()) text_ += "  acc += element;\n";
    for (uint32_t i = 0; i < command_.shader.size();) {
      const Loop* loop = loop_of(command_, i);
      if (loop == nullptr) {
        statements(first_line, i, 1);
        ++i;
        continue;
      }
      if (loop->form == Loop::Form::called) {
        for (uint32_t turn = 0; turn < loop->turns; ++turn)
          text_ += "  " + function_of(*loop) + "(i, l, g, x, y, W, " + std::to_string(turn) + "u, acc);\n";
      } else {
        text_ += "  " + head_of(*loop) + " {\n";
        statements(first_line, i, loop->length);
        text_ += "  }\n";
      }
      i = loop->end();
    }
    // What was read is not stored anywhere: the checks of a read do not depend on it, and would double.
    return text_ + "}\n";
  }

  std::string line(size_t number) const {
    const std::string condition = condition_of(command_.shader[number]);
    return (condition.empty() ? "" : "if (" + condition + ") ") + unconditional(number);
  }

 private:
  std::string unconditional(size_t number) const {
    const Statement& statement = command_.shader[number];
    return is_question(statement.what) ? question_of(statement, number) : action_of(statement);
  }
  std::string condition_of(const Statement& statement) const {
    return statement.when.glsl(turn_of(statement));
  }

  // Neighbours with one condition share a block, if they begin at an even number.
  uint32_t end_of_block(uint32_t first, uint32_t end) const {
    const std::string condition = condition_of(command_.shader[first]);
    uint32_t last = first + 1;
    if (condition.empty() || first % 2 != 0 || is_question(command_.shader[first].what)) return last;
    while (last < end && condition_of(command_.shader[last]) == condition &&
           !is_question(command_.shader[last].what))
      ++last;
    return last;
  }

  void statements(uint32_t first_line, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count;) {
      const uint32_t end = end_of_block(i, first + count);
      const bool is_block = end > i + 1;
      if (is_block) text_ += "  if (" + condition_of(command_.shader[i]) + ") {\n";
      for (; i < end; ++i) {
        if (first_line != 0) text_ += "#line " + std::to_string(first_line + i) + "\n";
        text_ += "  " + (is_block ? unconditional(i) : line(i)) + "\n";
      }
      if (is_block) text_ += "  }\n";
    }
  }

  static std::string function_of(const Loop& loop) { return "part" + std::to_string(loop.first); }
  std::string head_of(const Loop& loop) const {
    const std::string counted = "for (uint r = 0u; r < ";
    const uint32_t invocations = command_.grid().invocations();
    switch (loop.form) {
      case Loop::Form::bounded:  // what only the dispatch knows is 1
        return counted + "gl_NumWorkGroups.z + " + std::to_string(loop.turns - 1) + "u; ++r)";
      case Loop::Form::strided:
        return "for (uint r = 0u, walked = i; walked < " +
               std::to_string(std::min(loop.elements, loop.turns * invocations)) + "u; ++r, walked += " +
               (is_line() ? "gl_NumWorkGroups.x * L" : std::to_string(invocations) + "u") + ")";
      default:
        return counted + std::to_string(loop.turns) + "u; ++r)";
    }
  }
  const Loop* loop_around(const Statement& statement) const {
    return loop_of(command_, static_cast<uint32_t>(&statement - command_.shader.data()));
  }
  std::string turn_of(const Statement& statement) const {
    return loop_around(statement) != nullptr ? "r" : std::to_string(statement.turn) + "u";
  }

  void functions(uint32_t first_line) {
    for (const Loop& loop : command_.loops) {
      if (loop.form != Loop::Form::called) continue;
      text_ += "void " + function_of(loop) +
               "(uint i, uint l, uint g, uint x, uint y, uint W, uint r, inout uint acc) {\n";
      statements(first_line, loop.first, loop.length);
      text_ += "}\n";
    }
  }

  void declarations() {
    text_ = "#version 460\n";
    if (program_.vulkan_model) text_ += "#pragma use_vulkan_memory_model\n";
    for (const char* extension :
         {"GL_KHR_memory_scope_semantics", "GL_EXT_shader_explicit_arithmetic_types",
          "GL_EXT_shader_8bit_storage", "GL_EXT_shader_16bit_storage", "GL_EXT_shader_atomic_int64",
          "GL_EXT_buffer_reference", "GL_EXT_buffer_reference_uvec2", "GL_EXT_nonuniform_qualifier",
          "GL_EXT_samplerless_texture_functions"})
      text_ += std::string("#extension ") + extension + " : enable\n";
    const std::string size = std::to_string(command_.local_size);
    const bool specialised = program_.specialised && !command_.is_draw();
    if (specialised)
      text_ += "layout(local_size_x = 1, local_size_x_id = 0) in;\n";
    else if (!command_.is_draw())
      text_ +=
          "layout(local_size_x = " + std::to_string(command_.local_size / command_.local_rows) + ") in;\n";
    if (command_.local_rows != 1)
      text_ += "layout(local_size_y = " + std::to_string(command_.local_rows) + ") in;\n";
    if (reads_input()) text_ += kInput;
    if (draws_colour()) text_ += "layout(location = 0) out uint colour;\n";
    blocks();
    text_ += specialised ? "layout(constant_id = 1) const uint L = 1u;\n" : "const uint L = " + size + "u;\n";
    if (program_.images) {
      const std::string row = std::to_string(kRowTexels);
      text_ += "ivec2 T(uint k) { return ivec2(k % " + row + "u, k / " + row + "u); }\n";
    }
  }

  void begin_main() {
    text_ += "void main() {\n  uint " + invocation() + ";\n";
    text_ += "  uint acc = 0u;\n";
    if (asks()) text_ += "  bool entered = false;\n  uint turn = 0u;\n";
  }

  bool draws_colour() const {
    return command_.stage == Command::Stage::fragment &&
           attached_pass_of(program_, static_cast<int>(number_)) >= 0;
  }
  bool reads_input() const { return command_.stage == Command::Stage::vertex && command_.input_stride != 0; }

  std::string invocation() const {
    switch (command_.stage) {
      case Command::Stage::vertex:
        return "i = uint(gl_VertexIndex), l = 0u, g = i, x = i, y = 0u, W = " +
               std::to_string(command_.grid().columns) + "u;\n  " + kNowhere;
      case Command::Stage::fragment:
        return "W = " + std::to_string(command_.fragments_in_row()) +
               "u, x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y), i = y * W + x, l = 0u, g = i";
      default:
        if (is_line())
          return "i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, g = gl_WorkGroupID.x,\n"
                 "      x = i, y = 0u, W = gl_NumWorkGroups.x * gl_WorkGroupSize.x";
        return "l = gl_LocalInvocationIndex, g = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x,\n"
               "      i = g * L + l, x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y,\n"
               "      W = gl_NumWorkGroups.x * gl_WorkGroupSize.x";
    }
  }
  // A dispatch of one dimension.
  bool is_line() const {
    return command_.stage == Command::Stage::compute && command_.group_rows * command_.local_rows == 1;
  }

  bool asks() const {
    return std::ranges::any_of(command_.shader,
                               [](const Statement& statement) { return is_question(statement.what); });
  }

  bool has_numbers() const {
    return std::ranges::any_of(command_.shader, [](const Statement& statement) {
      return statement.index.width == Source::uniform_buffer ||
             statement.when.limit == Source::uniform_buffer;
    });
  }

  void blocks() {
    std::set<std::pair<uint32_t, Type>> used;
    for (const Statement& statement : command_.shader)
      if (is_access(statement.what)) used.emplace(statement.view, statement.type);
    if (std::ranges::any_of(
            used, [&](const auto& use) { return program_.views[use.first].reach == View::Reach::address; }))
      text_ += "layout(set = 0, binding = 20) uniform Addresses { uvec4 at[32]; };\n";
    if (asks()) text_ += "layout(std430, set = 0, binding = 21) buffer Answers { uint answers[]; };\n";
    if (has_numbers())
      text_ += "layout(set = 0, binding = 23) uniform Numbers { uvec4 number[" + std::to_string(kNumbers) +
               "]; };\n";
    std::set<std::string> written;
    for (const auto& [view, type] : used) {
      const std::string block = block_of(view, type);
      if (written.insert(block).second) text_ += block;
    }
  }

  std::string coherent(const View& view) const {
    if (!program_.vulkan_model) return "coherent ";
    return view.coherent ? "devicecoherent " : "";
  }

  std::string block_of(uint32_t number, Type type) const {
    const View& view = program_.views[number];
    const std::string n = std::to_string(number), t = name_of(type), body = " { " + t + " e[]; }";
    if (view.reach == View::Reach::sampled)
      return "layout(set = 0, binding = " + n + ") uniform utexture2D v" + n + ";\n";
    if (is_image(view))
      return "layout(set = 0, binding = " + n + ", r32ui) " + coherent(view) + "uniform uimage2D v" + n +
             ";\n";
    switch (view.reach) {
      case View::Reach::binding:
        return "layout(std430, set = 0, binding = " + n + ") " + coherent(view) + "buffer V" + n + t + body +
               " v" + n + t + ";\n";
      case View::Reach::array:
        return "layout(std430, set = 0, binding = 22) " + coherent(view) + "buffer A" + n + t + body + " a" +
               n + t + "[16];\n";
      case View::Reach::address:
        return "layout(std430, buffer_reference, buffer_reference_align = " + std::to_string(size_of(type)) +
               ") " + coherent(view) + "buffer R" + n + t + body + ";\n";
      case View::Reach::shared:
        return "shared " + t + " s" + n + "[" + std::to_string(kSharedElements) + "];\n";
      case View::Reach::sampled:
        break;
    }
    return "";
  }

  bool is_image(const View& view) const { return program_.images && !view.is_shared(); }
  bool is_image(const Statement& statement) const {
    return is_access(statement.what) && is_image(program_.views[statement.view]);
  }

  bool is_strided(const Statement& statement) const {
    const Loop* loop = loop_around(statement);
    return loop != nullptr && loop->form == Loop::Form::strided;
  }

  std::string leave(const Statement& statement) const {
    const Loop* loop = loop_around(statement);
    if (loop == nullptr || loop->form == Loop::Form::called) return "return;";
    const char* const words[] = {"continue;", "break;", "return;"};
    return words[static_cast<int>(statement.leave)];
  }

  std::string index_of(const Statement& statement) const {
    return statement.index.glsl(program_.views[statement.view].elements(statement.type), command_.grid(),
                                turn_of(statement), is_strided(statement) ? "walked" : "");
  }

  // Arguments of functions on images have the image and the coordinate.
  std::string place(const Statement& statement) const {
    const View& view = program_.views[statement.view];
    const std::string n = std::to_string(statement.view), t = name_of(statement.type);
    const std::string index = "[" + index_of(statement) + "]";
    // As programs address an image.
    const bool is_texel = index.find('%') == std::string::npos && statement.index.form == Index::Form::rows &&
                          statement.index.step == 0 && statement.index.k == kRowTexels;
    if (is_image(view))
      return "v" + n + ", " + (is_texel ? "ivec2(x, y)" : "T(" + index.substr(1, index.size() - 2) + ")");
    switch (view.reach) {
      case View::Reach::binding:
        return "v" + n + t + ".e" + index;
      case View::Reach::array:
        return "a" + n + t + "[(i >> 31u) + " + n + "u].e" + index;
      case View::Reach::address:
        return "R" + n + t + "(at[" + n + "].xy).e" + index;
      case View::Reach::shared:
        return "s" + n + index;
      case View::Reach::sampled:
        break;
    }
    return "";
  }

  std::string ordering_of(const Statement& statement) const {
    const bool of_shared = is_access(statement.what) && program_.views[statement.view].is_shared();
    return scope_of(statement.scope) + ", " + semantics_of(statement, of_shared, program_.images);
  }

  // An atomic function of GLSL, as "Add". value: "" if it only loads.
  std::string atomic(const char* function, const Statement& statement, const std::string& value) const {
    return (is_image(statement) ? "imageAtomic" : "atomic") + std::string(function) + "(" + place(statement) +
           (value.empty() ? "" : ", " + value) + ", " + ordering_of(statement) + ")";
  }

  // Asks, and keeps the answer for who judges the run.
  std::string question_of(const Statement& statement, size_t number) const {
    const std::string value = statement.value == Statement::Value::turn ? "g" : "1u";
    const std::string load = "entered = " + atomic("Load", statement, "") + " == " + value + ";";
    const uint32_t first =
        question_number(program_, number_, static_cast<uint32_t>(number)) * kMaxInvocations;
    const std::string answer = " answers[" + std::to_string(first) + "u + i] = ";
    if (statement.what == Statement::What::try_lock)
      return "{ turn = " + atomic("Or", statement, "1u") + "; entered = (turn & 1u) == 0u;" + answer +
             "entered ? 1u + (turn >> 1u) : 0u; }";
    const bool waits = statement.what == Statement::What::wait;
    return "{ " + (waits ? "do " + load + " while (!entered);" : load) + answer + "uint(entered); }";
  }

  // What is stored to arguments of indirect commands is what they hold already.
  std::string value(const Statement& statement) const {
    const View& view = program_.views[statement.view];
    if (!view.is_shared() &&
        static_cast<int>(program_.buffers[view.buffer].memory) == program_.arguments_memory)
      return arguments() + "[(" + index_of(statement) + ") & 7u]";
    const std::string t = name_of(statement.type);
    return t == "uint" ? "i + 1u" : t + "(i + 1u)";
  }

  std::string arguments() const {
    std::string words;
    for (const uint32_t word : argument_words(program_))
      words += (words.empty() ? "" : ", ") + std::to_string(word) + "u";
    return "uint[](" + words + ")";
  }

  std::string action_of(const Statement& statement) const {
    const std::string ordering = ordering_of(statement);
    const std::string one = statement.type == Type::u64 ? "uint64_t(1)" : "1u";
    switch (statement.what) {
      case Statement::What::load:
        if (program_.views[statement.view].reach == View::Reach::sampled)
          return "acc += texelFetch(" + place(statement) + ", 0).x;";
        if (is_image(statement)) return "acc += imageLoad(" + place(statement) + ").x;";
        if (statement.type == Type::vec2) return "{ uvec2 t = " + place(statement) + "; acc += t.x ^ t.y; }";
        if (statement.type == Type::vec4)
          return "{ uvec4 t = " + place(statement) + "; acc += t.x ^ t.y ^ t.z ^ t.w; }";
        return "acc += uint(" + place(statement) + ");";
      case Statement::What::store:
        if (is_image(statement))
          return "imageStore(" + place(statement) + ", uvec4(" + value(statement) + "));";
        return place(statement) + " = " + value(statement) + ";";
      case Statement::What::atomic_add:
        return "acc += uint(" + atomic("Add", statement, one) + ");";
      case Statement::What::atomic_exchange:
        return "acc += uint(" + atomic("Exchange", statement, one) + ");";
      case Statement::What::atomic_load:
        return "acc += uint(" + atomic("Load", statement, "") + ");";
      case Statement::What::signal:
        if (statement.value == Statement::Value::turn) return atomic("Store", statement, "g + 1u") + ";";
        [[fallthrough]];
      case Statement::What::atomic_store:
        return atomic("Store", statement, one) + ";";
      case Statement::What::unlock:
        return atomic("Store", statement, "turn + 2u") + ";";
      case Statement::What::control_barrier:
        return "controlBarrier(" + scope_of(statement.execution) + ", " + ordering + ");";
      case Statement::What::memory_barrier:
        return "memoryBarrier(" + ordering + ");";
      case Statement::What::leave:
        return leave(statement);
      default:
        return "";
    }
  }

  const Program& program_;
  const uint32_t number_;
  const Command& command_;
  std::string text_;
};

}  // namespace

std::string glsl_of(const Program& program, uint32_t command, uint32_t first_line) {
  return Writer(program, command).shader(first_line);
}

std::string other_glsl_of(const Command& draw) {
  const std::string version = "#version 460\n";
  if (draw.stage == Command::Stage::vertex) return version + "void main() {}\n";
  const bool input = draw.input_stride != 0;
  // The shader uses its input, since compilers drop inputs without a use, and adds zero.
  return version + (input ? kInput : "") +
         "void main() {\n  vec2 at = vec2(gl_VertexIndex << 1 & 2, gl_VertexIndex & 2)" +
         (input ? " + vec2(min(element, 0u))" : "") +
         ";\n  gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);\n}\n";
}

std::string describe_site(const Program& program, int command, int statement) {
  const std::string number = "[" + std::to_string(command) + "]";
  if (statement < 0) return number + " the command itself";
  return number + "." + std::to_string(statement) + ": " +
         Writer(program, static_cast<uint32_t>(command)).line(static_cast<size_t>(statement));
}

}  // namespace oracle
