// SPDX-License-Identifier: Apache-2.0
// Runs variants of algorithms, each on a device of its own: e2e_algorithm_runner ALGORITHM:VARIANT
// FILE.spv... [ALGORITHM:VARIANT FILE.spv...]...
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "algorithm.h"
#include "program.h"

namespace {

void run(const std::string& which, const std::vector<std::string>& files) {
  const size_t colon = which.find(':');
  const algorithms::Algorithm& algorithm = algorithms::find(which.substr(0, colon));
  kit::DeviceOptions options;
  options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  kit::Device device(options);
  algorithms::Program program(device, which.substr(colon + 1), files);
  const bool right = algorithm.run(program);
  std::printf("%s: %s %016llx\n", which.c_str(), right ? "right" : "wrong",
              static_cast<unsigned long long>(program.checksum()));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    for (size_t i = 0; i < arguments.size();) {
      const std::string& which = arguments[i++];
      std::vector<std::string> files;
      while (i < arguments.size() && arguments[i].ends_with(".spv")) files.push_back(arguments[i++]);
      run(which, files);
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
