// SPDX-License-Identifier: Apache-2.0
// Compares the application's instrumented functions, and what the host is told about their sites, with text
// files, without the runtime's functions. SHADERQA_UPDATE_GOLDEN=1 writes the files again; review the
// difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support.h"

namespace shaderqa::test {
namespace {

std::string sites_of(const ShaderRecord& record) {
  std::ostringstream text;
  for (const CheckSite& site : record.check_sites) {
    text << "; " << site.text << " | access " << site.access << " | " << site.variable;
    if (site.set != 0xffffffff) text << " | set " << site.set << " binding " << site.binding;
    text << "\n";
  }
  for (const ShaderNote& note : record.notes) text << "; note: " << note.text << "\n";
  return text.str();
}

class SyncGolden : public testing::TestWithParam<const char*> {};

// The parameter is NAME for NAME.spvasm with the filter, or exact_NAME with the exact engine, heap_NAME with
// its descriptors in a heap; with _calls at the end, checks are called (check_copies.h).
TEST_P(SyncGolden, IsAsBefore) {
  const std::string folder = std::string(SOURCE_DIR) + "/golden/sync/", name = GetParam();
  InstrumentOptions options = sync_options();
  const bool exact = name.starts_with("exact_");
  if (exact) options.sync.engine = SyncEngine::exact;
  const bool heap = name.starts_with("heap_");
  if (heap) move_to_heap(options);
  std::string source = exact ? name.substr(6) : heap ? name.substr(5) : name;
  if (source.ends_with("_calls")) {
    options.sync.calls = SyncCalls::always;
    source.resize(source.size() - 6);
  }
  options.sync.images = exact && source.starts_with("images");
  const std::string input = read_text(folder + source + ".spvasm");
  ASSERT_FALSE(input.empty());
  const Module words = assemble(input, SPV_ENV_UNIVERSAL_1_5);
  ASSERT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  const auto result = instrument(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  const std::string output = sites_of(result.record) + functions_of(disassemble(result.words));
  const std::string path = folder + name + ".expected.spvasm";
  if (std::getenv("SHADERQA_UPDATE_GOLDEN")) std::ofstream(path) << output;
  EXPECT_EQ(output, read_text(path));
}

INSTANTIATE_TEST_SUITE_P(Golden, SyncGolden,
                         testing::Values("layouts_comp", "atomics_comp", "barriers_comp", "texels_comp",
                                         "fence_comp", "helpers_frag", "plain_vert", "bindless_comp",
                                         "float_atomics_comp", "interlock_frag", "launch_rgen", "copies_comp",
                                         "parameters_comp", "phis_comp", "uniforms_comp", "variables_comp",
                                         "cooperative_comp", "neighbours_comp", "exact_neighbours_comp",
                                         "exact_barriers_comp", "exact_images_comp", "exact_atomics_comp",
                                         "exact_plain_vert", "loops_comp_calls", "exact_loops_comp",
                                         "exact_loops_comp_calls", "heap_uniforms_comp"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace shaderqa::test
