// SPDX-License-Identifier: Apache-2.0
// Every fragment and compute shader that the validator accepts, it accepts with the code of a picture.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "instrument/ir/module_loader.h"
#include "support.h"

namespace shaderqa::test {
namespace {

InstrumentOptions picture(PictureKind kind) {
  InstrumentOptions options = default_options();
  options.printf = false;
  options.picture.kind = kind;
  options.subgroup_ballot = true;
  return options;
}

Stage stage_of(const Module& words) {
  const LoadedModule loaded = load_module(words);
  return loaded.view.entry_points().empty() ? Stage::unknown : loaded.view.entry_points()[0].stage;
}

bool has_pictures(const Module& words) {
  const Stage stage = stage_of(words);
  return stage == Stage::fragment || stage == Stage::compute;
}

// Divergence makes older modules ones of SPIR-V 1.3.
spv_target_env environment_for(const std::string& name, const Module& words) {
  return words[1] >= 0x00010300 && environment_of(name) == SPV_ENV_VULKAN_1_0 ? SPV_ENV_VULKAN_1_1
                                                                              : environment_of(name);
}

// Names of the module, so that values of all types are shown.
std::vector<std::string> names_in(const Module& words) {
  std::vector<std::string> names;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpName && i.word(1) != 0) {
      const std::string name = literal_string(i, 2);
      const bool plain =
          !name.empty() &&
          name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
              std::string::npos;
      if (plain && (name[0] < '0' || name[0] > '9')) names.push_back(name);
    }
    return i.op() != spv::Op::OpFunction;
  });
  return names;
}

size_t expect_valid(const std::string& name, const Module& words, const InstrumentOptions& options) {
  const InstrumentResult result = instrument(words, options);
  EXPECT_NE(result.status, InstrumentStatus::refused) << name << ": " << result.message;
  if (result.status != InstrumentStatus::instrumented) return 0;
  EXPECT_EQ(validation_error(result.words, environment_for(name, result.words)), "")
      << name << ", " << options.picture.expression << "\n"
      << disassemble(result.words);
  return result.record.picture.kind == options.picture.kind ? 1 : 0;
}

TEST(PictureValidity, HoldsForOverdrawAndDivergence) {
  size_t pictures = 0;
  for (const std::string& name : shader_names()) {
    const Module words = load_shader(name);
    if (!has_pictures(words)) continue;
    pictures += expect_valid(name, words, picture(PictureKind::divergence));
    if (stage_of(words) == Stage::fragment)
      pictures += expect_valid(name, words, picture(PictureKind::overdraw));
  }
  EXPECT_GT(pictures, 20u);
}

TEST(PictureValidity, HoldsForEveryNameThatCanBeShown) {
  size_t pictures = 0;
  for (const bool sync : {false, true})
    for (const std::string& name : sync ? sync_shader_names() : shader_names()) {
      const Module words = sync ? load_sync_shader(name) : load_shader(name);
      if (!has_pictures(words)) continue;
      InstrumentOptions options = picture(PictureKind::value);
      options.picture.colours = options.picture.scaled = true;
      options.picture.high = 10;
      for (const std::string& variable : names_in(words)) {
        options.picture.expression = variable;
        pictures += expect_valid(name, words, options);
        options.picture.expression = "-" + variable + " * 2 + 1.5 < 3 && !" + variable;
        expect_valid(name, words, options);
      }
    }
  EXPECT_GT(pictures, 50u);
}

TEST(PictureValidity, HoldsWithEveryOtherCheck) {
  size_t pictures = 0;
  for (const std::string& name : shader_names()) {
    const Module words = load_shader(name);
    if (!has_pictures(words)) continue;
    InstrumentOptions options = default_options();
    options.picture.kind = PictureKind::divergence;
    options.subgroup_ballot = options.assume = options.expect = options.trace = true;
    options.nan = NanCheck::full;
    pictures += expect_valid(name, words, options);
  }
  EXPECT_GT(pictures, 10u);
}

// SHADERQA_UPDATE_GOLDEN=1 writes the file again; review the difference before committing it.
TEST(PictureGolden, IsAsBefore) {
  for (const auto& [kind, name] :
       {std::pair(PictureKind::value, "value"), std::pair(PictureKind::overdraw, "overdraw"),
        std::pair(PictureKind::divergence, "divergence")}) {
    InstrumentOptions options = picture(kind);
    options.picture.expression = "half * 2.0 + offset.y";
    options.picture.colours = options.picture.scaled = true;
    options.picture.low = 1, options.picture.high = 3;
    const std::string folder = PICTURE_GOLDENS;
    const Module words = assemble(read_text(folder + "/picture.spvasm"), SPV_ENV_VULKAN_1_1);
    ASSERT_EQ(validation_error(words, SPV_ENV_VULKAN_1_1), "");
    const InstrumentResult result = instrument(words, options);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_1), "");
    const std::string module = disassemble(result.words);
    const std::string output = declarations_of(module) + functions_of(module);
    const std::string path = folder + "/picture." + name + ".expected.spvasm";
    if (std::getenv("SHADERQA_UPDATE_GOLDEN")) std::ofstream(path) << output;
    EXPECT_EQ(output, read_text(path));
  }
}

}  // namespace
}  // namespace shaderqa::test
