// SPDX-License-Identifier: Apache-2.0
#include "tools/process_watch.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace shaderqa {
namespace {

constexpr unsigned char kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <typename Dynamic, typename Program>
bool has_library_name(std::ifstream& file, const Program& section) {
  file.seekg(static_cast<std::streamoff>(section.p_offset));
  for (size_t i = 0; i < section.p_filesz / sizeof(Dynamic); ++i) {
    Dynamic entry{};
    if (!file.read(reinterpret_cast<char*>(&entry), sizeof entry) || entry.d_tag == DT_NULL) return false;
    if (entry.d_tag == DT_SONAME) return true;
  }
  return false;
}

// Whether it names a dynamic linker, or is one (`ld.so PROGRAM`): that has the name of a library, which no
// program that is linked statically has.
template <typename Header, typename Program, typename Dynamic>
bool uses_linker(std::ifstream& file) {
  Header header{};
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return true;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Program program{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof program));
    if (!file.read(reinterpret_cast<char*>(&program), sizeof program)) return true;
    if (program.p_type == PT_INTERP) return true;
    if (program.p_type == PT_DYNAMIC && has_library_name<Dynamic>(file, program)) return true;
  }
  return false;
}

// Processes that it has started and that still are its children.
std::vector<pid_t> children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::istringstream list(content("/proc/" + number + "/task/" + number + "/children"));
  return {std::istream_iterator<pid_t>(list), std::istream_iterator<pid_t>()};
}

// Which variable of a process that was given those of enable_layer() keeps the layer out, and what to do;
// empty: none does.
std::string variable_that_keeps_out(const std::map<std::string, std::string, std::less<>>& variables) {
  const auto value = [&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  const auto unset = [](const std::string& name) {
    return "has " + name + " in its environment, which keeps the layer out; unset it there";
  };
  const auto let_through = [](const std::string& name) {
    return "has no " + name +
           " in its environment, without which the layer is not loaded; let the variables of `shaderqa run` "
           "through";
  };
  if (variables.contains("SHADERQA_DISABLE")) return unset("SHADERQA_DISABLE");
  if (value("SHADERQA") != "1") return let_through("SHADERQA=1");
  if (!value("VK_LOADER_LAYERS_DISABLE").empty() &&
      value("VK_LOADER_LAYERS_ENABLE").find("SHADERQA") == std::string::npos)
    return unset("VK_LOADER_LAYERS_DISABLE");
  if (value("XDG_DATA_DIRS").empty() && value("VK_ADD_IMPLICIT_LAYER_PATH").empty())
    return let_through("XDG_DATA_DIRS");
  return {};
}

}  // namespace

ProgramFile inspect_program(const std::string& path) {
  ProgramFile found;
  std::ifstream file(path, std::ios::binary);
  unsigned char identity[EI_NIDENT] = {};
  if (!file.read(reinterpret_cast<char*>(identity), sizeof identity) ||
      std::memcmp(identity, ELFMAG, SELFMAG) != 0)
    return found;
  found.is_elf = true;
  found.other_word_size = identity[EI_CLASS] != kOwnClass;
  found.is_static = identity[EI_CLASS] == ELFCLASS64 ? !uses_linker<Elf64_Ehdr, Elf64_Phdr, Elf64_Dyn>(file)
                                                     : !uses_linker<Elf32_Ehdr, Elf32_Phdr, Elf32_Dyn>(file);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return found;
  found.raises_rights = ((info.st_mode & S_ISUID) && info.st_uid != ::geteuid()) ||
                        ((info.st_mode & S_ISGID) && info.st_gid != ::getegid()) ||
                        ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return found;
}

void ProcessWatch::look(pid_t child) {
  constexpr size_t kMost = 256;
  std::vector<pid_t> open{child};
  for (size_t i = 0; i < open.size() && i < kMost; ++i) {
    look_at(open[i]);
    for (const pid_t more : children_of(open[i])) open.push_back(more);
  }
}

void ProcessWatch::look_at(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  Seen& seen = seen_[process];
  std::string name = content(folder + "/comm");
  while (!name.empty() && name.back() == '\n') name.pop_back();
  if (name.empty()) return;
  if (name != seen.name) seen = {};  // another program in the same process
  if (seen.done) return;
  seen.name = std::move(name);
  seen.file = inspect_program(folder + "/exe");
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    seen.readable = true;
    seen.layer = seen.layer || line.find("/libVkLayer_shaderqa") != std::string::npos;
    seen.loader = seen.loader || line.find("/libvulkan.so") != std::string::npos;
    seen.driver = seen.driver || line.find("/libvulkan_") != std::string::npos ||
                  line.find("/libGLX_nvidia.so") != std::string::npos;
  }
  const std::string environment = content(folder + "/environ");
  seen.marked = false;
  std::map<std::string, std::string, std::less<>> variables;
  for (std::string_view rest = environment; !rest.empty();) {
    const std::string_view variable = rest.substr(0, rest.find('\0'));
    seen.marked = seen.marked || variable == mark_;
    const size_t length = std::min(variable.find('='), variable.size());
    variables.emplace(variable.substr(0, length), variable.substr(std::min(length + 1, variable.size())));
    rest.remove_prefix(std::min(variable.size() + 1, rest.size()));
  }
  seen.kept_out = variable_that_keeps_out(variables);
  seen.done = seen.loader && seen.driver;
}

std::string ProcessWatch::cause(const Seen& seen) {
  if (seen.file.raises_rights || !seen.readable)
    return "runs with other rights than its parent (setuid, setgid or file capabilities), and the Vulkan "
           "loader "
           "then ignores layers from the environment; run it without, as the user that has those rights";
  if (seen.file.other_word_size)
    return sizeof(void*) == 8 ? "is a 32-bit program, and this layer is a 64-bit one"
                              : "is a 64-bit program, and this layer is a 32-bit one";
  if (!seen.marked)
    return "has another environment than it was given (env -i, sudo, a launcher or a container that clears "
           "it); "
           "put `shaderqa run` behind what clears it, or let the variables through";
  if (!seen.kept_out.empty()) return seen.kept_out;
  if (seen.driver && !seen.loader)
    return "uses a Vulkan driver without libvulkan.so (the loader is linked in statically), and such a "
           "loader may "
           "not find layers";
  return {};
}

std::vector<Gap> ProcessWatch::gaps(const std::vector<ProcessRecord>& records) const {
  std::set<uint32_t> reported;
  for (const ProcessRecord& record : records) reported.insert(record.process);
  std::set<std::string> texts;
  bool loader = false;
  for (const auto& [process, seen] : seen_) {
    loader |= seen.loader || seen.driver;
    if (reported.contains(static_cast<uint32_t>(process)) || !(seen.loader || seen.driver)) continue;
    const std::string why = cause(seen);
    if (!why.empty()) texts.insert(seen.name + " uses Vulkan without the layer: it " + why);
  }
  std::vector<Gap> gaps;
  for (const std::string& text : texts) gaps.push_back({text, Concern::everything});
  if (!gaps.empty() || !records.empty()) return gaps;

  Seen command;
  command.readable = command.marked = true;
  command.file = inspect_program(program_);
  std::string text = "the layer was never loaded: ";
  if (const std::string why = cause(command); !why.empty()) {
    text += "the program " + why;
  } else if (loader) {
    text += "the Vulkan loader was, but the program made no Vulkan instance with it";
  } else if (command.file.is_static) {
    text +=
        "the program is linked statically; if it uses Vulkan, its loader is linked in and may not find "
        "layers";
  } else {
    text +=
        "the program used no Vulkan, or only in processes that outlived it or have another environment "
        "(sudo, env -i, a container, a server that runs already)";
  }
  return {{text, Concern::everything}};
}

}  // namespace shaderqa
