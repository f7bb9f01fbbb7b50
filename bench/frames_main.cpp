// SPDX-License-Identifier: Apache-2.0
// Renders for some time, and says how many frames it were. endurance.py --render runs it with the layer and
// without it.
//   frames SECONDS [DEVICE [FRAMES_PER_SECOND]]     0 frames per second: as many as it can
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "frames.h"

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: %s SECONDS [DEVICE [FRAMES_PER_SECOND]]\n", argv[0]);
    return 2;
  }
  try {
    const std::chrono::duration<double> time(std::strtod(argv[1], nullptr));
    bench::Frames frames(argc > 2 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 0);
    std::printf("device: %s\n", frames.device_name());
    const uint32_t rate = argc > 3 ? static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10)) : 0;
    const std::chrono::duration<double> pause(rate != 0 ? 1.0 / rate : 0);
    const auto start = std::chrono::steady_clock::now();
    uint32_t number = 0;
    for (auto now = start; now - start < time; now = std::chrono::steady_clock::now()) {
      frames.render(++number);
      std::this_thread::sleep_until(now + pause);
    }
    frames.finish();
    std::printf("frames: %u\n", number);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
