// SPDX-License-Identifier: Apache-2.0
// Random abstract programs, and smaller ones made from a given one.
#ifndef SHADERQA_TESTS_ORACLE_GENERATOR_H
#define SHADERQA_TESTS_ORACLE_GENERATOR_H

#include <optional>
#include <string>
#include <vector>

#include "program.h"

namespace oracle {

// The same program for the same seed and machine. Even seeds give programs without races, odd ones
// programs with a race; programs whose verdict depends on how they run are never given.
Program generate(uint64_t seed, const Machine& machine);

// Valid programs that are one step smaller or simpler, always in the same order.
std::vector<Program> smaller_programs(const Program& program, uint32_t subgroup_size);

// A spec: "SEED", "SEED@32,2" (that of a machine with subgroups of 32 and two queues), "SEED:3.0.7" (the
// program made smaller by the numbered steps) or "@NAME" (forms.h). In front of a seed, letters say
// what its program is: one of images, with draws, with its descriptors in a descriptor buffer, one
// dispatch with barriers of all kinds, with loops, with dispatches of two dimensions, or with render passes
// that have an attachment.
constexpr char kImagesLetter = 'i', kDrawsLetter = 'd', kDescriptorBuffersLetter = 'b',
               kMixedBarriersLetter = 'm', kLoopsLetter = 'l', kGridsLetter = 'g', kPassesLetter = 'p';
bool has_images(const std::string& spec);
bool has_descriptor_buffers(const std::string& spec);
Program program_of(const std::string& spec, const Machine& machine);
std::vector<Program> smaller_programs_of(const std::string& spec, const Machine& machine);

}  // namespace oracle
#endif
