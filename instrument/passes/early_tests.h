// SPDX-License-Identifier: Apache-2.0
// Whether the tests of a fragment (depth, stencil, occlusion) may come before its shader.
#ifndef SHADERQA_INSTRUMENT_PASSES_EARLY_TESTS_H
#define SHADERQA_INSTRUMENT_PASSES_EARLY_TESTS_H

#include <string>

#include "instrument/instrument.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Whether a fragment shader declares that they do.
bool declares_early_tests(const ModuleView& view, const EntryPoint& entry_point);

// Why the results of a program can be others if a fragment shader that does not declare them does so, as the
// end of a sentence; empty: they are the same. Then a driver may run the tests early anyway, unless the
// shader stores something, as pictures do.
std::string obstacle_to_early_tests(const ModuleView& view, const EntryPoint& entry_point,
                                    const InstrumentOptions& options);

}  // namespace shaderqa
#endif
