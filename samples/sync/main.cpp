// SPDX-License-Identifier: Apache-2.0
// Moves particles on a ring, faster where it is crowded, in four passes for each frame, and compares the
// result with the same computation on the CPU. With --bug it makes a common mistake, for `shaderqa run
// --sync` to find (docs/manual/races.md):
//   barrier    no barrier between the pass that sorts and the pass that moves
//   scan       the prefix sum lacks the barriers of its workgroup
//   neighbour  particles read their neighbour's position while that one moves
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "count_spv.h"
#include "move_spv.h"
#include "scan_spv.h"
#include "scatter_spv.h"
#include "vulkan_kit.h"

namespace {

constexpr uint32_t kParticles = 4096, kCells = 256, kFrames = 4, kRing = 65536, kReach = 64;

enum Bug : uint32_t { kNone, kBarrier, kScan, kNeighbour };

struct Particle {
  uint32_t position, velocity;
  bool operator==(const Particle&) const = default;
};

std::vector<Particle> first_particles() {
  std::vector<Particle> particles(kParticles);
  for (uint32_t i = 0; i < kParticles; ++i) particles[i] = {i * i * 7 % kRing, i % 97};
  return particles;
}

std::vector<Particle> expected() {
  std::vector<Particle> particles = first_particles();
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    std::array<std::vector<uint32_t>, kCells> cells;
    for (const Particle& particle : particles) cells[particle.position / kCells].push_back(particle.position);
    for (Particle& me : particles) {
      const auto& cell = cells[me.position / kCells];
      const auto near = static_cast<uint32_t>(std::count_if(cell.begin(), cell.end(), [&](uint32_t other) {
        return other + kReach >= me.position && other <= me.position + kReach;
      }));
      me.position = (me.position + me.velocity + near) % kRing;
      me.velocity = (me.velocity * 5 + near) % 97;
    }
  }
  return particles;
}

void between_passes(VkCommandBuffer commands) {
  kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void dispatch(VkCommandBuffer commands, const kit::Compute& pass, uint32_t bug, uint32_t groups) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.layout, 0, 1, &pass.set, 0, nullptr);
  vkCmdPushConstants(commands, pass.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof bug, &bug);
  vkCmdDispatch(commands, groups, 1, 1);
}

int run(uint32_t device_index, Bug bug) {
  kit::DeviceOptions options;
  options.device_index = device_index;
  // With --bug=scan the sums are wrong, and places of particles may lie behind the end of their buffer.
  options.features.robustBufferAccess = VK_TRUE;
  options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  kit::Device device(options);
  std::printf("device: %s\n", device.properties.deviceName);
  const auto buffer = [&](const char* name, VkDeviceSize bytes) {
    const kit::Buffer made =
        device.buffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    device.name(made, name);
    return made;
  };
  const std::vector<kit::Buffer> buffers = {buffer("particles", kParticles * sizeof(Particle)),
                                            buffer("counts", kCells * 4), buffer("ends", kCells * 4),
                                            buffer("sorted", kParticles * 4)};
  std::ranges::copy(first_particles(), buffers[0].as<Particle>().begin());
  const auto count = device.compute(count_spv, buffers, 4), scan = device.compute(scan_spv, buffers, 4);
  const auto scatter = device.compute(scatter_spv, buffers, 4), move = device.compute(move_spv, buffers, 4);

  VkCommandBuffer commands = device.begin();
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    vkCmdFillBuffer(commands, buffers[1].handle, 0, VK_WHOLE_SIZE, 0);
    kit::memory_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    dispatch(commands, count, bug, kParticles / 256);
    between_passes(commands);
    dispatch(commands, scan, bug, 1);
    between_passes(commands);
    dispatch(commands, scatter, bug, kParticles / 256);
    if (bug != kBarrier) between_passes(commands);
    dispatch(commands, move, bug, kParticles / 256);
    kit::memory_barrier(
        commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
            VK_ACCESS_HOST_READ_BIT);
  }
  device.run(commands);

  if (bug != kNone) {
    std::printf("%u particles moved %u times, with a mistake\n", kParticles, kFrames);
    return EXIT_SUCCESS;
  }
  const bool right = std::ranges::equal(buffers[0].as<Particle>(), expected());
  std::printf("%u particles moved %u times: %s\n", kParticles, kFrames, right ? "right" : "WRONG");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t device_index = 0;
  Bug bug = kNone;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--bug=barrier") {
      bug = kBarrier;
    } else if (argument == "--bug=scan") {
      bug = kScan;
    } else if (argument == "--bug=neighbour") {
      bug = kNeighbour;
    } else if (argument == "--device" && i + 1 < argc) {
      device_index = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else {
      std::fprintf(stderr, "usage: %s [--device N] [--bug=barrier|scan|neighbour]\n", argv[0]);
      return 2;
    }
  }
  try {
    return run(device_index, bug);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
