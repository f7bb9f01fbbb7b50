// SPDX-License-Identifier: Apache-2.0
// Times work that sync validation slows down, under the layers that the environment switches on. Writes one
// "name value" line for each time, and before it a "# warm-up" line that says how the GPU's clocks were
// raised, to a file (messages of layers may go to stdout). run_sync_bench.py compares runs.
//   sync_bench programs OUT [--log2=N]    compute programs over 2^N words
//   sync_bench frames OUT [--log2=N] [--seconds=S]
//       the same programs, 16 dispatches a frame, each frame recorded anew and waited for, for S seconds a
//       program, after a second that is not counted: the time of a frame
//   sync_bench buffered OUT [--log2=N]
//       the same programs, with descriptors in sets and in a descriptor buffer
//   sync_bench images OUT [--log2=N]
//       storage images of 2^N texels, a frame of a deferred renderer, sets of 1,000 images
//   sync_bench draws OUT                  a program of many draws
//   sync_bench host OUT                   what commands cost the host; nothing is executed
//   sync_bench fill GRANULES
//       writes so many granules of 16 bytes, then 65536 others, without a race
#include "sync_bench.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "buffered_features.h"
#include "sync_arithmetic_spv.h"
#include "sync_bench_buffered.h"
#include "sync_constants_spv.h"
#include "sync_copy_spv.h"
#include "sync_fill_spv.h"
#include "sync_matrix_spv.h"
#include "sync_reduction_spv.h"
#include "sync_rows_spv.h"
#include "sync_scan_spv.h"
#include "sync_sort_spv.h"
#include "sync_stencil_spv.h"
#include "sync_transform_spv.h"
#include "warm_up.h"

namespace sync_bench {

void barrier(VkCommandBuffer commands) { kit::compute_barrier(commands); }

namespace {

struct Push {
  uint32_t first = 0, second = 0;
};
// Workgroups, and what is pushed.
struct Shape {
  uint32_t x = 1, y = 1;
  Push push = {};
};

void dispatch(VkCommandBuffer commands, const kit::Compute& compute, const Shape& shape) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &compute.set, 0,
                          nullptr);
  vkCmdPushConstants(commands, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof shape.push,
                     &shape.push);
  vkCmdDispatch(commands, shape.x, shape.y, 1);
}

struct Program {
  const char* name;
  std::span<const uint32_t> shader;
  uint32_t words_a_group;  // 0: 256 workgroups
  bool is_picture = false;
};
const Program kPrograms[] = {{"streaming copy", sync_copy_spv, 256},
                             {"arithmetic", sync_arithmetic_spv, 256},
                             {"stencil", sync_stencil_spv, 256},
                             {"reduction", sync_reduction_spv, 2048},
                             {"matrix product, 256 x 256", sync_matrix_spv, 0},
                             {"transforms in shared memory", sync_transform_spv, 512},
                             {"scan", sync_scan_spv, 256},
                             {"rows of a picture", sync_rows_spv, 256, true}};
const Program& kShortest = kPrograms[4];  // the matrix product
Shape shape_of(const Program& program, uint32_t words) {
  if (!program.is_picture) return {program.words_a_group != 0 ? words / program.words_a_group : 256};
  // Its width is no multiple of a workgroup's, as those of pictures mostly are not.
  constexpr uint32_t kSide = 16;
  const uint32_t around = 1u << std::bit_width(words) / 2;
  return {around / kSide, words / around / kSide, {around - 5, words / around}};
}

void dispatch(VkCommandBuffer commands, const BufferedCompute& compute, const Shape& shape) {
  compute.bind(commands);
  vkCmdPushConstants(commands, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof shape.push,
                     &shape.push);
  vkCmdDispatch(commands, shape.x, shape.y, 1);
}

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;

std::vector<uint32_t> numbers_of(uint32_t words) {
  std::vector<uint32_t> numbers(words);
  for (uint32_t i = 0; i < words; ++i) numbers[i] = (i * 2654435761u) >> 8;
  return numbers;
}

// In the GPU's memory, where programs keep such data. The first one holds the numbers.
std::vector<kit::Buffer> buffers_of(kit::Device& device, std::span<const uint32_t> numbers,
                                    VkBufferUsageFlags usage = kUsage) {
  std::vector<kit::Buffer> buffers = {device.buffer(numbers.size_bytes(), usage, true),
                                      device.buffer(numbers.size_bytes(), usage, true)};
  std::memcpy(buffers[0].mapped, numbers.data(), numbers.size_bytes());
  return buffers;
}

constexpr int kDispatchesOfFrame = 16;

void run_frames(kit::Device& device, FILE* output, uint32_t log2, double seconds) {
  using Clock = std::chrono::steady_clock;
  const uint32_t words = 1u << log2;
  const std::vector<kit::Buffer> buffers = buffers_of(device, numbers_of(words));
  bench::WarmUp warm_up(device);
  for (const Program& program : kPrograms) {
    const auto compute = device.compute(program.shader, buffers, sizeof(Push));
    warm_up.before_measurement();
    const auto run_for = [&](double time) {
      const auto start = Clock::now();
      uint64_t frames = 0;
      std::chrono::duration<double> passed{};
      for (; passed.count() < time; passed = Clock::now() - start, ++frames) {
        VkCommandBuffer commands = device.begin();
        for (int i = 0; i < kDispatchesOfFrame; ++i) {
          dispatch(commands, compute, shape_of(program, words));
          barrier(commands);
        }
        device.run(commands);
      }
      return passed.count() * 1e6 / static_cast<double>(frames);
    };
    run_for(1);  // checked pipelines are made
    const double frame = run_for(seconds);
    warm_up.report(output, program.name);
    std::fprintf(output, "%s\t%.3f\n", program.name, frame);
    std::fflush(output);
  }
}

void run_buffered(kit::Device& device, FILE* output, uint32_t log2) {
  const uint32_t words = 1u << log2;
  const std::vector<kit::Buffer> buffers =
      buffers_of(device, numbers_of(words), kUsage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  Timer timer(device, output);
  const auto time = [&](const Program& program, const std::string& where, const auto& compute) {
    const Shape shape = shape_of(program, words);
    timer.time(program.name + where, [&](VkCommandBuffer commands) { dispatch(commands, compute, shape); });
    if (&program != &kShortest) return;
    timer.time(std::to_string(kDispatchesOfFrame) + " of them" + where, [&](VkCommandBuffer commands) {
      for (int i = 0; i < kDispatchesOfFrame; ++i) {
        dispatch(commands, compute, shape);
        barrier(commands);
      }
    });
  };
  // First, because shaders that write through descriptor buffers change what is known to be written.
  for (const Program& program : kPrograms)
    time(program, "", device.compute(program.shader, buffers, sizeof(Push)));
  for (const Program& program : kPrograms)
    time(program, ", descriptor buffer", BufferedCompute(device, program.shader, buffers, sizeof(Push)));
  const auto many = device.buffer(uint64_t{256} * 5000, kUsage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const DescriptorTimes times = time_descriptors(device, many);
  std::fprintf(output, "a new descriptor\t%.4f\nthe same descriptor again\t%.4f\n", times.first, times.again);
}

void run_programs(kit::Device& device, FILE* output, uint32_t log2) {
  const uint32_t words = 1u << log2;
  const std::vector<uint32_t> numbers = numbers_of(words);
  const std::vector<kit::Buffer> buffers = buffers_of(device, numbers);
  Timer timer(device, output);
  const auto timed = [&](const char* name, const auto& record) { timer.time(name, record); };
  for (const Program& program : kPrograms) {
    const auto compute = device.compute(program.shader, buffers, sizeof(Push));
    timed(program.name,
          [&](VkCommandBuffer commands) { dispatch(commands, compute, shape_of(program, words)); });
  }
  // Reads a buffer that no shader can write, then one that shaders may write.
  for (const bool writable : {false, true}) {
    const auto table = device.buffer(16384, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | (writable ? kUsage : 0));
    const auto compute = device.compute(sync_constants_spv, {buffers[1], table}, sizeof(Push), "main", 1);
    timed(writable ? "constants in a storage buffer" : "constants",
          [&](VkCommandBuffer commands) { dispatch(commands, compute, {words / 256}); });
  }
  if (log2 > 22) return;  // hundreds of dispatches
  std::memcpy(buffers[1].mapped, numbers.data(), uint64_t{words} * 4);
  const auto sort = device.compute(sync_sort_spv, buffers, sizeof(Push));
  timed("sort", [&](VkCommandBuffer commands) {
    for (uint32_t block = 2; block <= words; block *= 2)
      for (uint32_t stride = block / 2; stride != 0; stride /= 2) {
        dispatch(commands, sort, {words / 512, 1, {block, stride}});
        barrier(commands);
      }
  });
  const auto sorted = buffers[1].as<uint32_t>();
  if (!std::is_sorted(sorted.begin(), sorted.end())) throw std::runtime_error("the sort is wrong");
}

// A program without a race: every report is false.
void fill(kit::Device& device, uint32_t granules) {
  constexpr uint32_t kProbes = 65536;
  const auto buffer = device.buffer(uint64_t{granules + kProbes} * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const auto compute = device.compute(sync_fill_spv, {buffer}, sizeof(Push));
  VkCommandBuffer commands = device.begin();
  // Every device accepts dispatches of this many workgroups.
  constexpr uint32_t kRow = 1u << 20;
  for (uint32_t first = 0; first < granules; first += kRow)
    dispatch(commands, compute, {kRow / 256, 1, {first, std::min(kRow, granules - first)}});
  dispatch(commands, compute, {kProbes / 256, 1, {granules, kProbes}});
  device.run(commands);
}

int run(const std::vector<std::string>& arguments) {
  const std::string& what = arguments.at(0);
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_3;
  std::optional<bench::BufferedFeatures> features;
  if (what == "buffered") features.emplace(options);
  std::optional<ImageFeatures> image_features;
  if (what == "images" || what == "host") image_features.emplace(options);
  kit::Device device(options);
  if (what == "fill") {
    fill(device, static_cast<uint32_t>(std::stoul(arguments.at(1))));
    return EXIT_SUCCESS;
  }
  FILE* output = std::fopen(arguments.at(1).c_str(), "w");
  if (output == nullptr) throw std::runtime_error("cannot write " + arguments[1]);
  std::fprintf(output, "# %s\n", device.properties.deviceName);
  if (what == "programs" || what == "frames" || what == "buffered" || what == "images") {
    uint32_t log2 = 20;
    double seconds = 10;
    for (const std::string& argument : arguments) {
      if (argument.starts_with("--log2=")) log2 = static_cast<uint32_t>(std::stoul(argument.substr(7)));
      if (argument.starts_with("--seconds=")) seconds = std::stod(argument.substr(10));
    }
    // The matrices need 2^17 words.
    if (log2 < 17 || log2 > 28) throw std::runtime_error("--log2 is 17 to 28");
    if (what == "frames") run_frames(device, output, log2, seconds);
    if (what == "programs") run_programs(device, output, log2);
    if (what == "buffered") run_buffered(device, output, log2);
    if (what == "images") run_images(device, output, log2);
  } else if (what == "host") {
    run_host(device, output);
  } else {
    bench::WarmUp warm_up(device);
    for (const bool reading : {false, true}) {
      const DrawTimes times = time_draws(device, &warm_up, reading, 4000);
      const char* shader = reading ? "a shader that reads a buffer" : "no buffer read by a shader";
      warm_up.report(output, std::string("draws, ").append(shader));
      std::fprintf(output, "record a draw, %s\t%.4f\n", shader, times.record);
      std::fprintf(output, "record a draw again, %s\t%.4f\n", shader, times.record_again);
      std::fprintf(output, "execute a draw, %s\t%.4f\n", shader, times.execute);
      std::fprintf(output, "update a set of 4 buffers, %s\t%.4f\n", shader, times.update);
      std::fprintf(output, "update a set of 4 buffers by one command, %s\t%.4f\n", shader,
                   times.update_at_once);
    }
  }
  std::fclose(output);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace sync_bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: %s programs|buffered|images OUT [--log2=N] | frames OUT [--log2=N] [--seconds=S] | "
                 "draws OUT | host OUT | fill "
                 "GRANULES\n",
                 argv[0]);
    return 2;
  }
  try {
    return sync_bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
