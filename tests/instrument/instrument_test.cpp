// SPDX-License-Identifier: Apache-2.0
#include "instrument/instrument.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "source/latest_version_spirv_header.h"
#include "support.h"

namespace shaderqa::test {
namespace {

TEST(HasDebugPrintf, SeesTheInstructionNotTheImport) {
  EXPECT_TRUE(has_debug_printf(load_shader("control_flow.comp.vulkan1.0")));
  EXPECT_FALSE(has_debug_printf(load_shader("silent.comp.vulkan1.0")));
  EXPECT_FALSE(has_debug_printf(assemble(compute_shader("", ""))));
  EXPECT_FALSE(has_debug_printf(assemble(compute_shader("", "%e = OpExtInst %void %printf 2 %format"))));
  EXPECT_TRUE(has_debug_printf(assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format"))));
}

// Other sets have an instruction with the same number.
TEST(HasDebugPrintf, IsOfItsOwnSetAlone) {
  std::string text = compute_shader("%float = OpTypeFloat 32\n%half = OpConstant %float 0.5",
                                    "%e = OpExtInst %float %glsl Round %half");
  text.insert(text.find("%printf = OpExtInstImport"), "%glsl = OpExtInstImport \"GLSL.std.450\"\n");
  EXPECT_FALSE(has_debug_printf(assemble(text)));
  text.insert(text.find("OpReturn"), "%f = OpExtInst %void %printf 1 %format\n");
  EXPECT_TRUE(has_debug_printf(assemble(text)));
}

TEST(HasDebugPrintf, IsFalseForWhatIsNoModule) {
  EXPECT_FALSE(has_debug_printf({}));
  const Module module = load_shader("control_flow.comp.vulkan1.0");
  for (size_t size = 0; size < 24; ++size) EXPECT_FALSE(has_debug_printf(std::span(module).first(size)));
  Module swapped = module;
  for (uint32_t& word : swapped) word = __builtin_bswap32(word);
  EXPECT_FALSE(has_debug_printf(swapped));
}

TEST(ShaderHash, DiffersWithEveryWord) {
  Module module = load_shader("silent.comp.vulkan1.0");
  std::set<uint64_t> hashes{shader_hash(module)};
  EXPECT_EQ(*hashes.begin(), shader_hash(module));
  for (uint32_t& word : module) {
    word ^= 1;
    hashes.insert(shader_hash(module));
    word ^= 1;
  }
  EXPECT_EQ(hashes.size(), module.size() + 1);
}

TEST(Instrument, LeavesAloneWhatPrintsNothing) {
  InstrumentOptions options = default_options();
  EXPECT_EQ(instrument(load_shader("silent.comp.vulkan1.2"), options).status, InstrumentStatus::untouched);
  EXPECT_EQ(instrument({}, options).status, InstrumentStatus::untouched);
  options.printf = false;
  const auto result = instrument(load_shader("control_flow.comp.vulkan1.2"), options);
  EXPECT_EQ(result.status, InstrumentStatus::untouched);
  EXPECT_TRUE(result.words.empty());
}

TEST(Instrument, GivesTheSameWordsFromAnyThread) {
  const std::vector<std::string> names{"control_flow.comp.vulkan1.2", "arguments.comp.vulkan1.1",
                                       "discard.frag.vulkan1.3", "printf.geom.vulkan1.0"};
  std::vector<Module> expected;
  for (const auto& name : names) expected.push_back(instrument(load_shader(name), default_options()).words);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (size_t round = 0; round < 20; ++round) {
        const size_t which = (round + t) % names.size();
        if (instrument(load_shader(names[which]), default_options()).words != expected[which]) ++wrong[t];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST(Instrument, SiteIdsAreFortyEightBitsAndUnique) {
  std::set<uint64_t> ids;
  size_t sites = 0;
  for (const auto& name : shader_names()) {
    const Module words = load_shader(name);
    const auto result = instrument(words, default_options());
    for (const PrintfSite& site : result.record.printf_sites) {
      EXPECT_NE(site.id, 0u);
      EXPECT_EQ(site.id >> 48, 0u);
      EXPECT_EQ(site.shader_hash, shader_hash(words));
      ids.insert(site.id);
      ++sites;
    }
    const auto again = instrument(words, default_options());
    ASSERT_EQ(again.record.printf_sites.size(), result.record.printf_sites.size());
    for (size_t i = 0; i < again.record.printf_sites.size(); ++i)
      EXPECT_EQ(again.record.printf_sites[i].id, result.record.printf_sites[i].id);
  }
  EXPECT_EQ(ids.size(), sites);
  EXPECT_GT(sites, 100u);
}

TEST(Instrument, PutsSizeAndIdIntoTheHeaderConstants) {
  const auto result = instrument(assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x %x")),
                                 default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  const uint64_t id = result.record.printf_sites.at(0).id;
  const uint32_t low = 4 | static_cast<uint32_t>(id << 16), high = static_cast<uint32_t>(id >> 16);
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpConstant %uint " + std::to_string(low) + "\n"), 1u);
  EXPECT_EQ(count(text, "OpConstant %uint " + std::to_string(high) + "\n"), 1u);
  EXPECT_EQ(count(text, "OpConstant %uint " + std::to_string(0x32100000u) + "\n"), 1u);  // the root's address
  EXPECT_EQ(count(text, "OpConstant %uint " + std::to_string(0x7654u) + "\n"), 1u);
}

TEST(Instrument, ImportsOnlyWhatIsCalled) {
  const Module words = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  InstrumentOptions options = default_options();
  std::string text = disassemble(instrument(words, options).words);
  EXPECT_EQ(count(text, "OpFunctionEnd"), 5u);  // main, printf, reserve, advance
  EXPECT_EQ(count(text, "sqa_printf_due"), 0u);
  options.printf_first = 5;
  text = disassemble(instrument(words, options).words);
  EXPECT_EQ(count(text, "OpFunctionEnd"), 6u);
  EXPECT_EQ(count(text, "OpFunctionCall %bool %sqa_printf_due"), 1u);
}

TEST(Instrument, SharesTypesAndConstants) {
  const Module words = assemble(compute_shader(
      "", "%e = OpExtInst %void %printf 1 %format %x\n%f = OpExtInst %void %printf 1 %format %x"));
  const std::string text = disassemble(instrument(words, default_options()).words);
  for (const char* unique : {"OpTypeVoid", "OpTypeBool", "OpTypeInt 32 0", "OpTypeVector %uint 2",
                             "OpTypeVector %uint 3", "OpConstant %uint 1\n"})
    EXPECT_EQ(count(text, unique), 1u) << unique;
}

// A name of the site's result stays valid: the call takes its id.
TEST(Instrument, KeepsTheResultId) {
  const Module words =
      assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x", "OpCapability Shader",
                              "%format = OpString \"f\"\nOpName %e \"the_site\"\nOpName %printf \"set\""));
  ASSERT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  const auto result = instrument(words, default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  EXPECT_EQ(count(disassemble(result.words), "%the_site = OpFunctionCall %void %sqa_printf_1 "), 1u);
}

TEST(Instrument, UsesTheScopeThatTheMemoryModelAllows) {
  const Module words = load_shader("vulkan_model.comp.vulkan1.2");
  InstrumentOptions options = default_options();
  std::string text = disassemble(instrument(words, options).words);
  EXPECT_EQ(count(text, "VulkanMemoryModelDeviceScope"), 0u);
  EXPECT_EQ(count(text, "OpMemoryBarrier %uint_5 "), 2u);
  EXPECT_GT(count(text, "Aligned|NonPrivatePointer 4"), 0u);
  options.vulkan_memory_model_device_scope = true;
  text = disassemble(instrument(words, options).words);
  EXPECT_EQ(count(text, "OpCapability VulkanMemoryModelDeviceScope"), 1u);
  EXPECT_EQ(count(text, "OpMemoryBarrier %uint_1 "), 2u);
}

TEST(Instrument, RefusesWhatItCannotRead) {
  const Module good = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  const auto refuses = [](const Module& words, const char* why) {
    const auto result = instrument(words, default_options());
    EXPECT_EQ(result.status, InstrumentStatus::refused) << why;
    EXPECT_NE(result.message.find(why), std::string::npos) << result.message;
    EXPECT_TRUE(result.words.empty());
  };
  Module module = good;
  module[1] = 0x00010700;
  refuses(module, "1.7");
  module = good;
  module[3] = 0xffffffff;
  refuses(module, "bound");
  module = good;
  module[3] = 5;
  refuses(module, "bound");
  module = good;
  module.resize(module.size() - 1);  // no OpFunctionEnd
  refuses(module, "no end");
  module = good;
  module.insert(module.end() - 2, 0x00010000 | 60000);  // in a function
  refuses(module, "60000");
}

// Their integers have no sign.
TEST(Instrument, RefusesKernels) {
  const auto status = [](spv::Capability capability) {
    Module module = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
    const uint32_t declaration[] = {2u << 16 | 17, static_cast<uint32_t>(capability)};
    module.insert(module.begin() + 5, declaration, declaration + 2);
    const auto result = instrument(module, default_options());
    EXPECT_EQ(result.message.find("kernel") != std::string::npos, result.status == InstrumentStatus::refused)
        << result.message;
    return result.status;
  };
  using spv::Capability;
  // Itself, and what implies it, over others too.
  for (const Capability capability :
       {Capability::Kernel, Capability::Vector16, Capability::Float16Buffer, Capability::ImageBasic,
        Capability::ImageReadWrite, Capability::ImageMipmap, Capability::Pipes, Capability::DeviceEnqueue,
        Capability::LiteralSampler, Capability::SubgroupDispatch, Capability::NamedBarrier,
        Capability::PipeStorage, Capability::FPFastMathModeINTEL})
    EXPECT_EQ(status(capability), InstrumentStatus::refused) << static_cast<uint32_t>(capability);
  // They do not.
  for (const Capability capability :
       {Capability::Geometry, Capability::Addresses, Capability::Linkage, Capability::Groups,
        Capability::GenericPointer, Capability::Int8, Capability::StorageImageReadWithoutFormat})
    EXPECT_EQ(status(capability), InstrumentStatus::instrumented) << static_cast<uint32_t>(capability);
}

}  // namespace
}  // namespace shaderqa::test
