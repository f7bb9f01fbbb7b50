// SPDX-License-Identifier: Apache-2.0
// Draws a field of textured boxes offscreen, and checks on the CPU, by casting a ray through each pixel, that
// the right box is seen there. The fragment shader tells about one picked pixel. Exits with 0 only if the
// picture is right.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "renderer.h"

namespace {

constexpr VkExtent2D kExtent{512, 384};
constexpr float kNear = 0.5f, kFar = 60.0f, kTanHalfView = 0.7f;
constexpr float kEye[3] = {0.0f, 0.0f, 18.0f};

struct Arguments {
  uint32_t device = 0;
  std::string output;
  std::array<uint32_t, 2> picked{kExtent.width / 2, kExtent.height / 2};
};

std::vector<Box> make_boxes() {
  std::mt19937 random(7);  // fixed, so that every run draws the same
  const auto between = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(random() % 10000) / 10000.0f;
  };
  std::vector<Box> boxes(64);
  for (auto& box : boxes) {
    box.centre = {between(-12, 12), between(-8, 8), between(-12, 6), 1};
    box.half_size = {between(0.4f, 1.8f), between(0.4f, 1.8f), between(0.4f, 1.8f), 0};
  }
  return boxes;
}

// Looks down the negative z axis; Vulkan's clip space (y down, depth from 0 to 1).
std::array<float, 16> view_projection() {
  const float aspect = static_cast<float>(kExtent.width) / static_cast<float>(kExtent.height);
  const float x = 1.0f / (kTanHalfView * aspect), y = -1.0f / kTanHalfView, z = kFar / (kNear - kFar);
  return {x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, -1, 0, 0, z * -kEye[2] + kNear * kFar / (kNear - kFar), kEye[2]};
}

// The box a ray through the pixel meets first, + 1; 0 for none.
uint32_t cast_ray(const std::vector<Box>& boxes, uint32_t x, uint32_t y) {
  const float aspect = static_cast<float>(kExtent.width) / static_cast<float>(kExtent.height);
  const float ndc_x = (static_cast<float>(x) + 0.5f) / static_cast<float>(kExtent.width) * 2 - 1;
  const float ndc_y = (static_cast<float>(y) + 0.5f) / static_cast<float>(kExtent.height) * 2 - 1;
  const float direction[3] = {ndc_x * kTanHalfView * aspect, -ndc_y * kTanHalfView, -1.0f};
  float nearest = std::numeric_limits<float>::max();
  uint32_t found = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    float enter = kNear, leave = kFar;
    for (size_t axis = 0; axis < 3; ++axis) {
      const float low = boxes[i].centre[axis] - boxes[i].half_size[axis] - kEye[axis];
      const float high = boxes[i].centre[axis] + boxes[i].half_size[axis] - kEye[axis];
      const float a = low / direction[axis], b = high / direction[axis];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    if (enter < leave && enter < nearest) {
      nearest = enter;
      found = static_cast<uint32_t>(i) + 1;
    }
  }
  return found;
}

// Rasteriser and ray may differ by rounding at the outline of a box: there a neighbour's answer will do.
size_t count_wrong_pixels(const std::vector<Box>& boxes, std::span<const uint32_t> drawn) {
  size_t wrong = 0;
  for (uint32_t y = 1; y + 1 < kExtent.height; ++y) {
    for (uint32_t x = 1; x + 1 < kExtent.width; ++x) {
      const uint32_t pixel = drawn[y * kExtent.width + x];
      bool right = cast_ray(boxes, x, y) == pixel;
      for (uint32_t i = 0; i < 9 && !right; ++i)
        right = cast_ray(boxes, x + i % 3 - 1, y + i / 3 - 1) == pixel;
      wrong += right ? 0 : 1;
    }
  }
  return wrong;
}

void write_ppm(const std::string& path, std::span<const uint32_t> pixels) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << kExtent.width << ' ' << kExtent.height << "\n255\n";
  for (const uint32_t pixel : pixels)
    for (uint32_t shift = 0; shift < 24; shift += 8) file.put(static_cast<char>(pixel >> shift & 0xFF));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

int run(const Arguments& arguments) {
  kit::DeviceOptions options;
  options.device_index = arguments.device;
  kit::Device device(options);
  std::printf("device: %s\n", device.properties.deviceName);
  const auto boxes = make_boxes();
  const Frame frame = render_boxes(device, kExtent, boxes, {view_projection(), arguments.picked});
  const auto colour = frame.colour.as<uint32_t>();
  std::printf("checksum: %016llx\n", static_cast<unsigned long long>(kit::checksum(colour)));
  if (!arguments.output.empty()) write_ppm(arguments.output, colour);
  const size_t wrong = count_wrong_pixels(boxes, frame.box.as<uint32_t>());
  std::printf("%zu boxes, %u x %u pixels, %zu wrong\n", boxes.size(), kExtent.width, kExtent.height, wrong);
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) return false;
    if (option == "--device")
      arguments.device = static_cast<uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
    else if (option == "--output")
      arguments.output = argv[i + 1];
    else if (option != "--pixel" ||
             std::sscanf(argv[i + 1], "%u,%u", &arguments.picked[0], &arguments.picked[1]) != 2)
      return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: %s [--device N] [--output FILE.ppm] [--pixel X,Y]\n", argv[0]);
    return 2;
  }
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
