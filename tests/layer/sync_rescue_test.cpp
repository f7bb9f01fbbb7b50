// SPDX-License-Identifier: Apache-2.0
// What a process that died leaves of hazards: its parent can say which buffer they are about.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/findings/check_details.h"
#include "host/rescue/rescue_file.h"
#include "host/summary/process_record.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class SyncRescue : public CommandTest {
 protected:
  // A directory of its own, which the base's members are made before.
  static std::string folder() { return "/dev/shm/shaderqa_test_" + std::to_string(getpid()); }
  static std::map<std::string, std::string> settings() {
    std::filesystem::create_directory(folder());
    return {{"SHADERQA_RESCUE_DIR", folder()}};
  }
  SyncRescue()
      : CommandTest({}, {}, "bloom", settings(),
                    {VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr}) {}
  void TearDown() override {
    CommandTest::TearDown();
    // The summary stays for whoever sums up.
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      EXPECT_TRUE(is_summary(entry.path())) << entry.path() << " is left to rescue";
    std::filesystem::remove_all(folder());
  }

  static bool is_summary(const std::filesystem::path& path) {
    return path.extension() == kRunPageSuffix || path.extension() == kFactsSuffix;
  }
  void name(VkBuffer buffer, const char* text) {
    VkDebugUtilsObjectNameInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
    info.objectType = VK_OBJECT_TYPE_BUFFER;
    info.objectHandle = reinterpret_cast<uint64_t>(buffer);
    info.pObjectName = text;
    check(vkSetDebugUtilsObjectNameEXT(device().handle, &info), "vkSetDebugUtilsObjectNameEXT");
  }

  // Copies, since who reads files removes them.
  std::vector<Finding> rescued() const {
    const auto copies = directory() / "copies";
    std::filesystem::create_directory(copies);
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (is_summary(entry.path())) continue;
      std::filesystem::copy_file(entry.path(), copies / entry.path().filename());
    }
    std::vector<Finding> findings;
    RescueCallbacks callbacks;
    callbacks.message = [](const RescuedMessage&) {};
    callbacks.finding = [&](const Finding& finding) { findings.push_back(finding); };
    callbacks.problem = [](const std::string& problem) { ADD_FAILURE() << problem; };
    rescue(copies.string(), callbacks);
    std::filesystem::remove(copies);
    return findings;
  }
};

TEST_F(SyncRescue, HazardsNameTheirBuffers) {
  name(buffer_->handle, "particles");
  leave_hazard(10, buffer_->address + 16, 10);
  const std::vector<Finding> findings = rescued();
  ASSERT_EQ(findings.size(), 1u);
  ASSERT_TRUE(findings[0].check && findings[0].check->hazard && findings[0].check->hazard->buffer);
  const BufferOrigin& buffer = *findings[0].check->hazard->buffer;
  EXPECT_EQ(buffer.name, "particles");
  EXPECT_EQ(buffer.offset, 16u);
  EXPECT_EQ(buffer.size, 256u);
}

// Made after the first checked shader, too.
TEST_F(SyncRescue, ABufferThatIsGoneToo) {
  uint64_t address = 0;
  {
    const BoundBuffer temporary(device(), 1024);
    name(temporary.handle, "was here");
    address = temporary.address;
  }
  leave_hazard(10, address + 8, 10);
  const std::vector<Finding> findings = rescued();
  ASSERT_EQ(findings.size(), 1u);
  ASSERT_TRUE(findings[0].check && findings[0].check->hazard && findings[0].check->hazard->buffer);
  const BufferOrigin& buffer = *findings[0].check->hazard->buffer;
  EXPECT_EQ(buffer.name, "was here");
  EXPECT_TRUE(buffer.destroyed);
}

}  // namespace
}  // namespace shaderqa::layer_tests
