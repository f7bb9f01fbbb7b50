// SPDX-License-Identifier: Apache-2.0
// GLSL of an abstract shader. Each statement is one line, which names it in reports.
#include <algorithm>
#include <set>

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

// Storage classes and semantics.
std::string semantics_of(const Statement& statement) {
  const bool buffers = statement.buffers || is_atomic(statement.what);
  std::string storage = buffers && statement.shared ? "gl_StorageSemanticsBuffer | gl_StorageSemanticsShared"
                        : buffers                   ? "gl_StorageSemanticsBuffer"
                        : statement.shared          ? "gl_StorageSemanticsShared"
                                                    : "0";
  if (statement.semantics == Semantics::relaxed) storage = "0";
  const char* const names[] = {"gl_SemanticsRelaxed", "gl_SemanticsAcquire", "gl_SemanticsRelease",
                               "gl_SemanticsAcquireRelease"};
  return storage + ", " + names[static_cast<int>(statement.semantics)];
}

class Writer {
 public:
  Writer(const Program& program, uint32_t command) : program_(program), command_(program.commands[command]) {}

  std::string shader(uint32_t first_line) {
    head();
    for (size_t i = 0; i < command_.shader.size(); ++i) {
      if (first_line != 0) text_ += "#line " + std::to_string(first_line + i) + "\n";
      text_ += "  " + line(command_.shader[i]) + "\n";
    }
    // What was read is not stored anywhere: the checks of a read do not depend on it, and would double.
    return text_ + "}\n";
  }

  std::string line(const Statement& statement) const {
    const std::string condition = statement.when.glsl();
    const std::string action = action_of(statement);
    return condition.empty() ? action : "if (" + condition + ") " + action;
  }

 private:
  void head() {
    text_ = "#version 460\n";
    if (program_.vulkan_model) text_ += "#pragma use_vulkan_memory_model\n";
    for (const char* extension :
         {"GL_KHR_memory_scope_semantics", "GL_EXT_shader_explicit_arithmetic_types",
          "GL_EXT_shader_8bit_storage", "GL_EXT_shader_16bit_storage", "GL_EXT_shader_atomic_int64",
          "GL_EXT_buffer_reference", "GL_EXT_buffer_reference_uvec2", "GL_EXT_nonuniform_qualifier"})
      text_ += std::string("#extension ") + extension + " : enable\n";
    text_ += "layout(local_size_x = " + std::to_string(command_.local_size) + ") in;\n";
    blocks();
    text_ += "const uint L = " + std::to_string(command_.local_size) + "u;\n";
    text_ +=
        "void main() {\n  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, g = "
        "gl_WorkGroupID.x;\n";
    text_ += "  uint acc = 0u;\n";
  }

  void blocks() {
    std::set<std::pair<uint32_t, Type>> used;
    for (const Statement& statement : command_.shader)
      if (is_access(statement.what)) used.emplace(statement.view, statement.type);
    if (std::ranges::any_of(
            used, [&](const auto& use) { return program_.views[use.first].reach == View::Reach::address; }))
      text_ += "layout(set = 0, binding = 20) uniform Addresses { uvec4 at[32]; };\n";
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
    }
    return "";
  }

  std::string place(const Statement& statement) const {
    const View& view = program_.views[statement.view];
    const std::string n = std::to_string(statement.view), t = name_of(statement.type);
    const std::string index =
        "[" + statement.index.glsl(view.elements(statement.type), command_.groups * command_.local_size) +
        "]";
    switch (view.reach) {
      case View::Reach::binding:
        return "v" + n + t + ".e" + index;
      case View::Reach::array:
        return "a" + n + t + "[(i >> 31u) + " + n + "u].e" + index;
      case View::Reach::address:
        return "R" + n + t + "(at[" + n + "].xy).e" + index;
    }
    return "";
  }

  // What is stored to arguments of indirect commands is what they hold already.
  std::string value(const Statement& statement) const {
    const Buffer& buffer = program_.buffers[program_.views[statement.view].buffer];
    if (static_cast<int>(buffer.memory) == program_.arguments_memory)
      return "(((" +
             statement.index.glsl(program_.views[statement.view].elements(statement.type),
                                  command_.groups * command_.local_size) +
             ") & 3u) == 0u ? " + std::to_string(program_.argument_groups) + "u : 1u)";
    const std::string t = name_of(statement.type);
    return t == "uint" ? "i + 1u" : t + "(i + 1u)";
  }

  std::string action_of(const Statement& statement) const {
    const std::string ordering = scope_of(statement.scope) + ", " + semantics_of(statement);
    const std::string one = statement.type == Type::u64 ? "uint64_t(1)" : "1u";
    switch (statement.what) {
      case Statement::What::load:
        if (statement.type == Type::vec2) return "{ uvec2 t = " + place(statement) + "; acc += t.x ^ t.y; }";
        if (statement.type == Type::vec4)
          return "{ uvec4 t = " + place(statement) + "; acc += t.x ^ t.y ^ t.z ^ t.w; }";
        return "acc += uint(" + place(statement) + ");";
      case Statement::What::store:
        return place(statement) + " = " + value(statement) + ";";
      case Statement::What::atomic_add:
        return "acc += uint(atomicAdd(" + place(statement) + ", " + one + ", " + ordering + "));";
      case Statement::What::atomic_exchange:
        return "acc += uint(atomicExchange(" + place(statement) + ", " + one + ", " + ordering + "));";
      case Statement::What::atomic_load:
        return "acc += uint(atomicLoad(" + place(statement) + ", " + ordering + "));";
      case Statement::What::signal:
      case Statement::What::atomic_store:
        return "atomicStore(" + place(statement) + ", " + one + ", " + ordering + ");";
      case Statement::What::wait:
        return "while (atomicLoad(" + place(statement) + ", " + ordering + ") == 0u) {}";
      case Statement::What::control_barrier:
        return "controlBarrier(" + scope_of(statement.execution) + ", " + ordering + ");";
      case Statement::What::memory_barrier:
        return "memoryBarrier(" + ordering + ");";
    }
    return "";
  }

  const Program& program_;
  const Command& command_;
  std::string text_;
};

}  // namespace

std::string glsl_of(const Program& program, uint32_t command, uint32_t first_line) {
  return Writer(program, command).shader(first_line);
}

std::string describe_site(const Program& program, int command, int statement) {
  const std::string number = "[" + std::to_string(command) + "]";
  if (statement < 0) return number + " the command itself";
  return number + "." + std::to_string(statement) + ": " +
         Writer(program, static_cast<uint32_t>(command))
             .line(program.commands[static_cast<size_t>(command)].shader[static_cast<size_t>(statement)]);
}

}  // namespace oracle
