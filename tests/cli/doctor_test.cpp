// SPDX-License-Identifier: Apache-2.0
// `shaderqa doctor`: a plain verdict, and what it is made of.
#include "cli_test.h"

namespace shaderqa::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

using Doctor = CliTest;

#if SHADERQA_LAYER_LOADS_ANYWHERE
TEST_F(Doctor, EverythingWorks) {
  const ProcessResult result = shaderqa({"doctor"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("the loader loads the layer"));
  EXPECT_THAT(result.out, HasSubstr("llvmpipe"));
  EXPECT_THAT(result.out, HasSubstr("uninit, trace, debug, show: yes"));
  EXPECT_THAT(result.out, HasSubstr("sync: yes, exact, with workgroup memory; images with --sync-images"));
  EXPECT_THAT(result.out, EndsWith("verdict: `shaderqa run` works here\n"));
}

TEST_F(Doctor, SaysWhatIsSetAndWhereFrom) {
  environment_["SHADERQA_SYNC"] = "bloom";
  environment_["SHADERQA_DISABLE"] = "1";
  const ProcessResult result = shaderqa({"doctor"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("sync = bloom  (from SHADERQA_SYNC)"));
  EXPECT_THAT(result.out, HasSubstr("SHADERQA_DISABLE=1"));
}

TEST_F(Doctor, Programs) {
  EXPECT_EQ(shaderqa({"doctor", "--", "true"}).exit_code, 0);
  const ProcessResult missing = shaderqa({"doctor", "--", "no-such-program"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.out, HasSubstr("no-such-program: there is no such program"));
  std::string elf(64, '\0');
  elf.replace(0, 7,
              std::string("\x7f"
                          "ELF\x01\x01\x01",
                          7));
  write_file(file("old"), elf);
  EXPECT_THAT(shaderqa({"doctor", "--", "./old"}).out, HasSubstr("another word size"));
}
#endif

TEST_F(Doctor, NoDriver) {
  environment_["VK_DRIVER_FILES"] = "/nowhere.json";
  environment_["VK_ICD_FILENAMES"] = "/nowhere.json";
  const ProcessResult result = shaderqa({"doctor"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("no Vulkan instance can be made"));
  EXPECT_THAT(result.out, EndsWith("verdict: 1 thing does not work: see above (NO)\n"));
}

TEST_F(Doctor, BadSettings) {
  environment_["SHADERQA_SYNC"] = "perhaps";
  const ProcessResult result = shaderqa({"doctor"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("SHADERQA_SYNC"));
}

}  // namespace
}  // namespace shaderqa::testing
