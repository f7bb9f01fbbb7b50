// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/source_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support.h"

namespace shaderqa::test {
namespace {

std::vector<std::string> files_of(const std::string& debug) {
  return source_files(assemble(compute_shader("", "", "OpCapability Shader", debug)));
}

TEST(SourceFiles, NoneInWhatIsNoSpirv) {
  EXPECT_TRUE(source_files({}).empty());
  EXPECT_TRUE(source_files(std::vector<uint32_t>{1, 2, 3, 4, 5, 6}).empty());
}

TEST(SourceFiles, OfOpSource) {
  EXPECT_EQ(files_of("%other = OpString \"no file\"\n%a = OpString \"a.comp\"\n%b = OpString \"b.h\"\n"
                     "OpSource GLSL 460 %a\nOpSource GLSL 460 %b\nOpSource GLSL 460 %a\n"),
            (std::vector<std::string>{"a.comp", "b.h"}));
  EXPECT_TRUE(files_of("OpSource GLSL 460\n").empty());
}

// One compiled with each kind of debug information names the same file.
TEST(SourceFiles, OfDebugSource) {
  for (const char* name : {"control_flow.comp.g.vulkan1.2", "control_flow.comp.gVS.vulkan1.2"}) {
    const std::vector<std::string> files = source_files(load_shader(name));
    EXPECT_TRUE(std::ranges::any_of(files, [](const auto& file) { return file.ends_with(".comp"); })) << name;
  }
  const Module words = load_shader("control_flow.comp.gVS.vulkan1.2");
  EXPECT_EQ(source_files(with_newer_debug_set(words)), source_files(words));
}

}  // namespace
}  // namespace shaderqa::test
