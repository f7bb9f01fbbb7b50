// SPDX-License-Identifier: Apache-2.0
// A program that runs given shaders the way a case asks for; what it prints on stdout is the program's own
// result.
#ifndef SHADERQA_TESTS_E2E_RUNNER_H
#define SHADERQA_TESTS_E2E_RUNNER_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vulkan_kit.h"

namespace runner {

struct Arguments {
  std::vector<std::string> files;              // SPIR-V
  std::map<std::string, std::string> options;  // --name=value
  std::string text(const std::string& name, const std::string& otherwise = "") const;
  uint32_t number(const std::string& name, uint32_t otherwise) const;
};

// Every shader may use `layout(set = 0, binding = 0) buffer Io { uint io[]; }` of this many words.
constexpr uint32_t kIoWords = 4096;

// Features for all types that shaders can print, as the device has them; api: --api=1.0 .. 1.3;
// --expect-assume, --maximal-reconvergence, --workgroup-layout: with that extension; --memory-model: with
// Vulkan's.
struct RunnerDevice {
  explicit RunnerDevice(const Arguments& arguments, std::vector<const char*> instance_extensions = {},
                        std::vector<const char*> device_extensions = {}, void* device_next = nullptr);
  kit::Device& operator*() { return *device; }
  kit::Device* operator->() { return device.get(); }

 private:
  VkPhysicalDeviceVulkan11Features vulkan11_{};
  VkPhysicalDeviceVulkan12Features vulkan12_{};
  VkPhysicalDeviceVulkan13Features vulkan13_{};
  VkPhysicalDeviceShaderExpectAssumeFeaturesKHR expect_assume_{};
  VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR reconvergence_{};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroup_layout_{};
  std::unique_ptr<kit::Device> device;
};

void print_result(const kit::Buffer& io);       // "result: <hash of the buffer>"
void end_as_asked(const Arguments& arguments);  // --then=abort|exit|kill: ends the process on the spot

int run_compute(const Arguments& arguments);    // each file one dispatch, waited for
int run_addresses(const Arguments& arguments);  // --words=N, --gone=1: what it lets the shader do
int run_threads(const Arguments& arguments);    // --threads=N, each creates its pipelines and submits
int run_live(const Arguments& arguments);    // io[0] is set once a line came on stdin, while the shader runs
int run_inline(const Arguments& arguments);  // the module in the stage's pNext (maintenance5)
int run_ray_query(const Arguments& arguments);  // as compute, with a triangle to trace at in binding 1
int run_messenger(const Arguments& arguments);  // a debug messenger; object names
// vert [tesc tese] [geom] frag. --triangles=N, one if it is not given; --library: linked from parts;
// --views=N: multiview; --depth: with a depth attachment and the test "less"; --alpha-to-coverage.
int run_graphics(const Arguments& arguments);

}  // namespace runner
#endif
