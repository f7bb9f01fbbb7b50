// SPDX-License-Identifier: Apache-2.0
// Times Fourier transforms, whose shaders are large (VkFFT generates them), under the layers that the
// environment switches on, and compares their results with what they must be. Writes one "name value" line
// for each time, and before it a "# warm-up" line, to a file (messages of layers may go to stdout).
// run_sync_bench.py compares runs.
//   fft_bench OUT [--log2=N] [--log2-points=N] [--in-place]
// There are as many transforms as 2^N words hold. --log2-points: the points of each (default: 2^12); fewer
// points make smaller shaders. --in-place: only in place, otherwise out of place, too.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fft_plan.h"
#include "stopwatch.h"
#include "warm_up.h"

namespace fft_bench {
namespace {

using Point = std::complex<float>;
using Points = std::span<const Point>;

constexpr uint32_t kLeastLog2Points = 3, kMostLog2Points = 12;
// Errors that single precision allows: for values up to 1, and for sums of 4096 such values.
constexpr double kTolerance = 1e-4, kToleranceOfSums = 1e-2;

std::vector<Point> make_input(size_t points) {
  std::vector<Point> input(points);
  uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  };
  for (Point& point : input) {
    const float real = next();
    point = {real, next()};
  }
  return input;
}

// Computes the sums of the definition, so that it shares no mistake with a fast transform.
std::vector<std::complex<double>> transform(Points input) {
  std::vector<std::complex<double>> roots(input.size()), result(input.size());
  for (size_t i = 0; i < roots.size(); ++i)
    roots[i] =
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(roots.size()));
  for (size_t k = 0; k < result.size(); ++k) {
    double real = 0, imaginary = 0;
    for (size_t n = 0; n < input.size(); ++n) {
      const auto& root = roots[k * n % roots.size()];
      real += input[n].real() * root.real() - input[n].imag() * root.imag();
      imaginary += input[n].real() * root.imag() + input[n].imag() * root.real();
    }
    result[k] = {real, imaginary};
  }
  return result;
}

template <typename Wanted>
void expect_near(Points found, const Wanted& wanted, double tolerance, const std::string& what) {
  for (size_t i = 0; i < found.size(); ++i) {
    const std::complex<double> right(wanted[i]);
    // This comparison is false for a NaN, so NaN counts as wrong.
    if (std::abs(std::complex<double>(found[i]) - right) <= tolerance) continue;
    throw std::runtime_error(what + " is wrong: point " + std::to_string(i) + " is " +
                             std::to_string(found[i].real()) + ", " + std::to_string(found[i].imag()) +
                             " and not " + std::to_string(right.real()) + ", " +
                             std::to_string(right.imag()));
  }
}

struct Bench {
  kit::Device& device;
  bench::WarmUp& warm_up;
  FILE* output;
  size_t points;  // of a transform
  uint32_t batches;
  std::vector<Point> input;
  std::vector<std::complex<double>> first, last;  // batches, transformed
  kit::Buffer readback;  // for the points of a buffer in the GPU's memory, which the host reads slowly

  Bench(kit::Device& kit, bench::WarmUp& warm, FILE* file, uint32_t log2_points, uint32_t count)
      : device(kit),
        warm_up(warm),
        output(file),
        points(size_t{1} << log2_points),
        batches(count),
        input(make_input(count * points)),
        first(transform(Points(input).first(points))),
        last(transform(Points(input).last(points))),
        readback(device.readback_buffer(input.size() * sizeof(Point))) {}

  double time(Plan& plan, const bench::Stopwatch& stopwatch, bool inverse) const {
    VkCommandBuffer commands = device.begin();
    stopwatch.start(commands);
    plan.record(commands, inverse);
    stopwatch.stop(commands);
    warm_up.before_measurement();
    device.run(commands);
    return stopwatch.microseconds();
  }

  // What the buffer holds, until the next call.
  Points read(const kit::Buffer& buffer) const {
    VkCommandBuffer commands = device.begin();
    kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy all{.srcOffset = 0, .dstOffset = 0, .size = buffer.size};
    vkCmdCopyBuffer(commands, buffer.handle, readback.handle, 1, &all);
    kit::memory_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                        VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    device.run(commands);
    return readback.as<Point>();
  }

  void run(bool in_place) const {
    const std::string name = in_place ? "FFT in place" : "FFT out of place";
    const auto buffer = [&] {
      return device.buffer(input.size() * sizeof(Point),
                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
    };
    const kit::Buffer from = buffer(), to = in_place ? from : buffer();
    std::copy(input.begin(), input.end(), from.as<Point>().begin());
    Plan plan(device, points, batches, from, to);
    const bench::Stopwatch stopwatch(device);
    double forward = 1e30, inverse = 1e30;
    for (int tries = 0; tries < 5; ++tries) {
      forward = std::min(forward, time(plan, stopwatch, false));
      const Points sums = read(to);
      expect_near(sums.first(points), first, kToleranceOfSums, name + ", first batch,");
      expect_near(sums.last(points), last, kToleranceOfSums, name + ", last batch,");
      if (!in_place) {
        // The inverse has to write every point.
        expect_near(read(from), input, kTolerance, name + ", input,");
        std::fill(from.as<Point>().begin(), from.as<Point>().end(), Point(2, 2));
      }
      inverse = std::min(inverse, time(plan, stopwatch, true));
      expect_near(read(from), input, kTolerance, name + ", there and back,");
    }
    warm_up.report(output, name);
    std::fprintf(output, "%s\t%.3f\n%s, inverse\t%.3f\n", name.c_str(), forward, name.c_str(), inverse);
    std::fflush(output);
  }
};

int run(const std::vector<std::string>& arguments) {
  uint32_t log2 = 20, log2_points = kMostLog2Points;
  bool only_in_place = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--in-place")
      only_in_place = true;
    else if (arguments[i].starts_with("--log2="))
      log2 = static_cast<uint32_t>(std::stoul(arguments[i].substr(7)));
    else if (arguments[i].starts_with("--log2-points="))
      log2_points = static_cast<uint32_t>(std::stoul(arguments[i].substr(14)));
    else
      throw std::runtime_error("unknown: " + arguments[i]);
  }
  if (log2_points < kLeastLog2Points || log2_points > kMostLog2Points)
    throw std::runtime_error("--log2-points is " + std::to_string(kLeastLog2Points) + " to " +
                             std::to_string(kMostLog2Points));
  // Two words a point.
  if (log2 <= log2_points || log2 > 28)
    throw std::runtime_error("--log2 is " + std::to_string(log2_points + 1) + " to 28");
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_3;
  kit::Device device(options);
  FILE* output = std::fopen(arguments[0].c_str(), "w");
  if (output == nullptr) throw std::runtime_error("cannot write " + arguments[0]);
  std::fprintf(output, "# %s\n", device.properties.deviceName);
  bench::WarmUp warm_up(device);
  const Bench bench(device, warm_up, output, log2_points, 1u << (log2 - log2_points - 1));
  if (!only_in_place) bench.run(false);
  bench.run(true);
  std::fclose(output);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace fft_bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s OUT [--log2=N] [--log2-points=N] [--in-place]\n", argv[0]);
    return 2;
  }
  try {
    return fft_bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
