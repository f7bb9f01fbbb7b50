// SPDX-License-Identifier: Apache-2.0
// Writes the racy programs of tests/e2e, and their correct twins, as compiled shaders and a list of commands,
// for machines that have neither a compiler nor the tests: compare_programs FOLDER [TEXT], TEXT: only those
// with it in their names. compare.py runs them.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sync_shaders.h"
#include "workgroup_programs.h"

namespace {

using sync_cases::Case;

class ProgramList {
 public:
  ProgramList(std::filesystem::path folder, std::string only)
      : folder_(std::move(folder)), only_(std::move(only)) {
    std::filesystem::create_directories(folder_);
  }

  void add(const char* kind, const Case& test, bool racy, const std::string& options = "") {
    if (!wants(test.name)) return;
    std::vector<std::string> command{"e2e_sync_runner",
                                     std::string(test.name) + (racy ? ":racy" : ":correct")};
    for (const std::string& file : shaderqa::testing::compiled_case(folder_, test, racy))
      command.push_back(std::filesystem::path(file).filename());
    add(kind, test.name, racy, command, options);
  }
  void add_pair(const char* kind, const Case& test, const std::string& options = "") {
    add(kind, test, true, options);
    add(kind, test, false, options);
  }
  void add_compute(const char* kind, const std::string& name, bool racy, const std::string& text) {
    if (!wants(name)) return;
    const std::string file = shaderqa::testing::compile_glsl(
        folder_, name, "comp", "layout(set = 0, binding = 0) buffer Io { uint io[]; };\n" + text, {"-g"});
    add(kind, name, racy, {"e2e_runner", "compute", std::filesystem::path(file).filename()}, "");
  }
  void write() const {
    std::ofstream(folder_ / "programs.json") << programs_.dump(1) << "\n";
    std::printf("%zu programs\n", programs_.size());
  }

 private:
  void add(const char* kind, const std::string& name, bool racy, const std::vector<std::string>& command,
           const std::string& options) {
    programs_.push_back(
        {{"kind", kind}, {"name", name}, {"racy", racy}, {"command", command}, {"options", options}});
  }

  bool wants(const std::string& name) const { return name.find(only_) != std::string::npos; }

  const std::filesystem::path folder_;
  const std::string only_;
  nlohmann::json programs_ = nlohmann::json::array();
};

void add_buffers(ProgramList& list) {
  const char* within = "buffers, within a dispatch or draw";
  for (const sync_cases::RacyPattern& pattern : sync_cases::racy_patterns())
    list.add(within, pattern.test, true);
  for (const Case& test : sync_cases::correct_run_patterns()) list.add(within, test, false);
  for (const Case& test : sync_cases::dispatch_cases()) list.add_pair(within, test);
  const char* between = "buffers, a missing barrier between actions";
  for (const auto& cases :
       {sync_cases::access_cases(), sync_cases::descriptor_cases(), sync_cases::synchronisation_cases(),
        sync_cases::indirect_cases(), sync_cases::graphics_cases(), sync_cases::transfer_cases(),
        sync_cases::vertex_cases(), sync_cases::build_cases()})
    for (const Case& test : cases) list.add_pair(between, test);
  for (const Case& test : sync_cases::correct_patterns())
    if (test.host_reads == std::string("none")) list.add(between, test, false);
}

// Each algorithm as it is, and without one of its barriers.
void add_workgroups(ProgramList& list) {
  const char* kind = "workgroup memory";
  const std::string barrier = "barrier();";
  for (const auto& algorithm : shaderqa::testing::workgroup_programs::kAlgorithms) {
    const std::string text = algorithm.text;
    list.add_compute(kind, algorithm.name, false, text);
    size_t number = 0;
    for (size_t at = text.find(barrier); at != std::string::npos; at = text.find(barrier, at + 1)) {
      std::string without = text;
      without.erase(at, barrier.size());
      list.add_compute(kind, algorithm.name + ("_without_" + std::to_string(++number)), true, without);
    }
  }
}

void add_images(ProgramList& list) {
  for (const Case& test : sync_cases::image_cases())
    list.add_pair(test.group == std::string("images_in_dispatch")
                      ? "images, within a dispatch or draw"
                      : "images, a missing barrier between actions",
                  test, "--sync-images");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s FOLDER [TEXT]\n", argv[0]);
    return 2;
  }
  try {
    ProgramList list(argv[1], argc == 3 ? argv[2] : "");
    add_buffers(list);
    add_workgroups(list);
    add_images(list);
    list.write();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
