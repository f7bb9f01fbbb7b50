// SPDX-License-Identifier: Apache-2.0
// Particles that attract each other, step by step between two buffers.
#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithm.h"
#include "program.h"

namespace algorithms {
namespace {

struct Particle {
  float x = 0, y = 0, speed_x = 0, speed_y = 0;
};

std::vector<Particle> step(const std::vector<Particle>& before) {
  std::vector<Particle> after = before;
  for (size_t i = 0; i < before.size(); ++i) {
    float force_x = 0, force_y = 0;
    for (size_t n = 1; n <= 8; ++n) {
      const Particle& other = before[(i + n * 29) % before.size()];
      const float x = other.x - before[i].x, y = other.y - before[i].y;
      const float weight = 1.0f + x * x + y * y;
      force_x += x / weight;
      force_y += y / weight;
    }
    Particle& particle = after[i];
    particle.speed_x = before[i].speed_x * 0.99f + force_x * 0.01f;
    particle.speed_y = before[i].speed_y * 0.99f + force_y * 0.01f;
    particle.x = before[i].x + particle.speed_x * 0.01f;
    particle.y = before[i].y + particle.speed_y * 0.01f;
  }
  return after;
}

bool run_particles(Program& program) {
  constexpr uint32_t kCount = 256, kSteps = 4;
  std::vector<Particle> particles(kCount);
  std::vector<uint32_t> words;
  const std::vector<uint32_t> numbers = some_numbers(2 * kCount, 1000);
  for (uint32_t i = 0; i < kCount; ++i) {
    particles[i] = {static_cast<float>(numbers[2 * i]) * 0.01f,
                    static_cast<float>(numbers[2 * i + 1]) * 0.01f};
    for (const float number : {particles[i].x, particles[i].y, 0.0f, 0.0f})
      words.push_back(std::bit_cast<uint32_t>(number));
  }
  const auto ping = program.buffer("ping", words), pong = program.zeroes("pong", words.size());
  const auto statistics = program.zeroes("statistics", 1);
  for (uint32_t n = 0; n < kSteps; ++n) {
    if (n != 0) program.barrier("step_" + std::to_string(n));
    program.dispatch(0, {n % 2 == 0 ? ping : pong, n % 2 == 0 ? pong : ping, statistics}, {kCount},
                     kCount / 64);
    particles = step(particles);
  }
  program.run();
  float fastest = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    const float x = std::bit_cast<float>(program.words(kSteps % 2 == 0 ? ping : pong)[4 * i]);
    const Particle& particle = particles[i];
    if (std::abs(x - particle.x) > 1e-3f) return false;
    fastest = std::max(fastest, std::hypot(particle.speed_x, particle.speed_y));
  }
  return std::abs(static_cast<float>(program.words(statistics)[0]) / 65536.0f - fastest) < 0.01f;
}

}  // namespace

Algorithm particles() {
  return {.name = "particles",
          .shaders = {"particles"},
          .barriers = {"step_1", "step_2", "step_3"},
          .run = run_particles};
}

}  // namespace algorithms
