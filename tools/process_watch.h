// SPDX-License-Identifier: Apache-2.0
// Looks at the processes of a run from outside: which of them use Vulkan without the layer, and why.
#ifndef SHADERQA_TOOLS_PROCESS_WATCH_H
#define SHADERQA_TOOLS_PROCESS_WATCH_H

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "host/summary/process_record.h"
#include "host/summary/verdict.h"

namespace shaderqa {

// What an executable file says about whether the layer can be loaded into it.
struct ProgramFile {
  bool is_elf = false;
  bool other_word_size = false;  // than the layer's
  bool is_static = false;        // it names no dynamic linker, and is none
  bool raises_rights = false;    // setuid, setgid or file capabilities: the loader ignores the environment
};
ProgramFile inspect_program(const std::string& path);

class ProcessWatch {
 public:
  // variable, value: of the environment that the layer needs. program: the file of the command; empty:
  // unknown.
  ProcessWatch(std::string variable, std::string value, std::string program)
      : mark_(std::move(variable) + "=" + std::move(value)), program_(std::move(program)) {}

  // Looks at the process and those that it started. Cheap enough for a few times a second.
  void look(pid_t child);
  // After the end: which processes used Vulkan and did not report, and, if none reported, why.
  std::vector<Gap> gaps(const std::vector<ProcessRecord>& records) const;

 private:
  struct Seen {
    std::string name;
    ProgramFile file;
    bool loader = false;  // it has the Vulkan loader
    bool driver = false;  // it has a Vulkan driver
    bool layer = false;   // it has this layer
    bool readable = false;
    bool marked = false;   // its environment is the one that was given to it
    bool done = false;     // nothing more can be learnt
    std::string kept_out;  // which variable keeps the layer out
  };
  void look_at(pid_t process);
  static std::string cause(const Seen& seen);

  const std::string mark_, program_;
  std::map<pid_t, Seen> seen_;
};

}  // namespace shaderqa
#endif
