// SPDX-License-Identifier: Apache-2.0
// An installed tree, and packages.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli_test.h"

namespace shaderqa::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kManifests[] = {"/share/vulkan/implicit_layer.d/VkLayer_shaderqa.json",
                                      "/share/vulkan/explicit_layer.d/VkLayer_shaderqa_explicit.json"};

class Install : public CliTest {
 protected:
  void install(const std::string& prefix, const std::string& destination = "") {
    if (!destination.empty()) environment_["DESTDIR"] = destination;
    const ProcessResult result =
        testing::run({SHADERQA_CMAKE, "--install", SHADERQA_BUILD_DIR, "--prefix", prefix}, environment_);
    environment_.erase("DESTDIR");
    ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  }
  std::string library_path(const std::string& manifest) {
    return nlohmann::json::parse(read_file(manifest)).at("layer").at("library_path");
  }
};

TEST_F(Install, AnyPrefixAndNothingIsLeft) {
  const std::string prefix = file("prefix");
  install(prefix);
  for (const char* manifest : kManifests) {
    const fs::path library = fs::path(prefix + manifest).parent_path() / library_path(prefix + manifest);
    EXPECT_TRUE(fs::exists(library)) << library;
  }
  for (const char* installed :
       {"/bin/shaderqa", "/share/man/man1/shaderqa.1", "/share/man/man5/shaderqa-settings.5",
        "/share/bash-completion/completions/shaderqa", "/share/zsh/vendor-completions/_shaderqa",
        "/share/fish/vendor_completions.d/shaderqa.fish", "/share/doc/shaderqa/LICENSE"})
    EXPECT_TRUE(fs::exists(prefix + installed)) << installed;
  const ProcessResult run = testing::run(
      {prefix + "/bin/shaderqa", "run", "--", "/bin/sh", "-c", "echo $VK_ADD_IMPLICIT_LAYER_PATH"},
      environment_);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, prefix + "/share/vulkan/implicit_layer.d\n");

  write_file(prefix + "/share/man/man1/other.1", "not ours");
  const auto uninstall = [&] {
    return testing::run({SHADERQA_CMAKE, "-DBUILD_DIR=" SHADERQA_BUILD_DIR, "-P",
                         SHADERQA_SOURCE_DIR "/cmake/uninstall.cmake"},
                        environment_);
  };
  const ProcessResult first = uninstall();
  ASSERT_EQ(first.exit_code, 0) << first.err;
  std::set<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(prefix))
    if (!entry.is_directory()) left.insert(entry.path());
  EXPECT_EQ(left, std::set<std::string>{prefix + "/share/man/man1/other.1"});
  EXPECT_NE(uninstall().exit_code, 0);  // nothing is installed any more

  fs::remove_all(prefix);
  install(prefix);
  ASSERT_EQ(uninstall().exit_code, 0);
  EXPECT_FALSE(fs::exists(prefix));
}

// A 64-bit and a 32-bit program read the same manifest there.
TEST_F(Install, UnderUsrTheLibraryIsNamedWithoutAPath) {
  install("/usr", file("stage"));
  for (const char* manifest : kManifests)
    EXPECT_EQ(library_path(file("stage/usr") + manifest), "libVkLayer_shaderqa.so");
  install("/opt/shaderqa", file("stage"));
  for (const char* manifest : kManifests)
    EXPECT_THAT(library_path(file("stage/opt/shaderqa") + manifest), HasSubstr("../"));
}

TEST_F(Install, Packages) {
  const std::string cpack = fs::path(SHADERQA_CMAKE).parent_path() / "cpack";
  // CPack asks `file` which files are programs.
  if (!fs::exists(cpack) || !fs::exists("/usr/bin/dpkg-deb") || !fs::exists("/usr/bin/file"))
    GTEST_SKIP() << "cpack, dpkg-deb or file is not installed";
  const ProcessResult made = testing::run(
      {cpack, "--config", SHADERQA_BUILD_DIR "/CPackConfig.cmake", "-B", file("packages")}, environment_);
  ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
  std::map<std::string, std::string> packages;
  for (const auto& entry : fs::directory_iterator(file("packages"))) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".tar.gz")) packages["archive"] = entry.path();
    if (name.ends_with(".deb")) packages[name.substr(0, name.find('_'))] = entry.path();
  }
  ASSERT_TRUE(packages.contains("archive") && packages.contains("shaderqa") &&
              packages.contains("shaderqa-layer"));

  // The archive works wherever it is unpacked.
  fs::create_directories(file("unpacked"));
  ASSERT_EQ(
      testing::run({"/bin/tar", "xf", packages["archive"], "--strip-components=1", "-C", file("unpacked")},
                   environment_)
          .exit_code,
      0);
  EXPECT_EQ(testing::run({file("unpacked/bin/shaderqa"), "run", "--", "/bin/true"}, environment_).exit_code,
            0);

  ASSERT_EQ(testing::run({"/usr/bin/dpkg-deb", "-x", packages["shaderqa-layer"], file("layer")}, environment_)
                .exit_code,
            0);
  EXPECT_EQ(library_path(file("layer/usr") + kManifests[0]), "libVkLayer_shaderqa.so");
  if (!fs::exists("/usr/bin/lintian"))
    GTEST_SKIP() << "lintian is not installed: packages are not checked by it";
  const ProcessResult lintian =
      testing::run({"/usr/bin/lintian", "--allow-root", "--fail-on", "error,warning", packages["shaderqa"],
                    packages["shaderqa-layer"]},
                   environment_);
  EXPECT_EQ(lintian.exit_code, 0) << lintian.out << lintian.err;
}

}  // namespace
}  // namespace shaderqa::testing
