// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_TESTS_INSTRUMENT_SUPPORT_H
#define SHADERQA_TESTS_INSTRUMENT_SUPPORT_H

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/memory_layout.h"
#include "spirv-tools/libspirv.hpp"

namespace shaderqa {
std::ostream& operator<<(std::ostream& out, const MemoryRun& run);
}  // namespace shaderqa

namespace shaderqa::test {

using Module = std::vector<uint32_t>;

// A module that the build compiled, by file name without ".spv".
Module load_shader(const std::string& name);
// The id of the first instruction with this text, in the text of a module.
std::string id_of(const std::string& text, const std::string& instruction);
// With the name that compilers of 2026 give the set of debug information, of a version that SPIRV-Tools of
// this age does not know.
Module with_newer_debug_set(Module words);
// Names of all of them.
std::vector<std::string> shader_names();
// The same for the shaders of the synchronisation check.
Module load_sync_shader(const std::string& name);
std::vector<std::string> sync_shader_names();
spv_target_env environment_of(const std::string& shader_name);

Module assemble(const std::string& text, spv_target_env environment = SPV_ENV_UNIVERSAL_1_5);
std::string disassemble(const Module& words);
// The validator's message; empty if the module is valid.
std::string validation_error(const Module& words, spv_target_env environment);

size_t count(const std::string& text, const std::string& part);

// Selections with an access each, so that no two of them follow each other in a block. The shader has %bool,
// and %x and %zero of uint. access: its text, with ids that end in this name.
std::string in_selections(const std::string& name, size_t count,
                          const std::function<std::string(const std::string&)>& access);

// A compute shader with this inside main(), and GlobalInvocationId's x in %x.
std::string compute_shader(const std::string& globals, const std::string& body,
                           const std::string& capabilities = "OpCapability Shader",
                           const std::string& debug = "%format = OpString \"format\"");

InstrumentOptions default_options();
// Default options with the sync check on: bindings 0 to 7 of sets 0 to 3 with 16 slots each, the record in
// set 4.
InstrumentOptions sync_options();
// As if each binding were mapped into a descriptor heap, behind an index for each set; for the exact engine.
constexpr uint32_t heap_stride = 32;
void move_to_heap(InstrumentOptions& options);

std::string read_text(const std::string& path);
// The text of fixtures/NAME.spvasm, with each @KEY@ replaced by its value.
std::string fixture(const std::string& name, const std::map<std::string, std::string>& values = {});

// Goldens hold only the parts of a disassembled module that do not depend on the compiler that made the
// runtime, whose version differs between distributions. The functions before the runtime's functions, which
// have their names.
std::string functions_of(const std::string& module);
// Capabilities, extensions, memory model, entry points, execution modes.
std::string declarations_of(const std::string& module);

}  // namespace shaderqa::test
#endif
