// SPDX-License-Identifier: Apache-2.0
#include "pipeline_results.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace pipeline_bench {
namespace {

uint32_t number(uint32_t i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  return i ^ i >> 16;
}
float between(uint32_t i, float low, float high) {
  return low + (high - low) * static_cast<float>(number(i) >> 8) / 16777216.0f;
}
void fill_numbers(std::span<uint32_t> words, uint32_t seed) {
  for (uint32_t i = 0; i < words.size(); ++i)
    words[i] = std::bit_cast<uint32_t>(between(i * 2 + seed, -1.0f, 1.0f));
}
double real(uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); }

std::string differs(const char* what, size_t at, double found, double wanted) {
  return std::string(what) + " " + std::to_string(at) + " is " + std::to_string(found) + ", not " +
         std::to_string(wanted);
}
bool close(double found, double wanted, double tolerance) {
  return std::abs(found - wanted) <= tolerance * (1.0 + std::abs(wanted));
}

// --- Pairs, sorted by keys in blocks of 512. Keys differ within a block, so the order is one.
constexpr size_t kBlock = 512, kGroups = 256;

void fill_pairs(const Data& data) {
  for (uint32_t i = 0; i < data.first.size(); ++i) {
    data.first[i] = number(i) / kBlock * kBlock + i % kBlock;
    data.second[i] = i;
  }
}

std::string problem_of_pairs(const Data& data) {
  std::vector<std::pair<uint32_t, uint32_t>> block(kBlock);
  for (size_t group = 0; group < kGroups; ++group) {
    for (size_t i = 0; i < kBlock; ++i)
      block[i] = {data.first[group * kBlock + i], data.second[group * kBlock + i]};
    std::ranges::sort(block);
    for (size_t i = 0; i < kBlock; ++i) {
      const size_t at = (group * kBlock + i) * 2;
      if (data.results[at] != block[i].first) return differs("key", at / 2, data.results[at], block[i].first);
      if (data.results[at + 1] != block[i].second)
        return differs("value", at / 2, data.results[at + 1], block[i].second);
    }
  }
  return {};
}

// --- Transforms of 512 numbers, tested by the definition.
void fill_signal(const Data& data) { fill_numbers(data.first, 1); }

std::string problem_of_transform(const Data& data) {
  for (size_t group = 0; group < kGroups; group += 51) {
    const size_t first = group * kBlock * 2;
    for (size_t k = 0; k < kBlock; k += 7) {
      std::complex<double> sum = 0;
      for (size_t n = 0; n < kBlock; ++n) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k * n % kBlock) / kBlock;
        sum += std::complex(real(data.first[first + n * 2]), real(data.first[first + n * 2 + 1])) *
               std::polar(1.0, angle);
      }
      const size_t at = first + k * 2;
      if (!close(real(data.results[at]), sum.real(), 1e-2))
        return differs("real part", at / 2, real(data.results[at]), sum.real());
      if (!close(real(data.results[at + 1]), sum.imag(), 1e-2))
        return differs("imaginary part", at / 2, real(data.results[at + 1]), sum.imag());
    }
  }
  return {};
}

// --- Attention.
constexpr size_t kWidth = 64, kKeys = 128;

void fill_attention(const Data& data) {
  fill_numbers(data.first, 1);
  fill_numbers(data.second, 2);
}

std::string problem_of_attention(const Data& data) {
  for (size_t query = 0; query < 4096; query += 311) {
    std::vector<double> weights(kKeys), wanted(kWidth);
    double sum = 0;
    for (size_t key = 0; key < kKeys; ++key) {
      double score = 0;
      for (size_t d = 0; d < kWidth; ++d)
        score += real(data.first[query * kWidth + d]) * real(data.second[key * kWidth + d]);
      sum += weights[key] = std::exp(score / 8);
    }
    for (size_t key = 0; key < kKeys; ++key)
      for (size_t d = 0; d < kWidth; ++d)
        wanted[d] += weights[key] / sum * real(data.second[(kKeys + key) * kWidth + d]);
    for (size_t d = 0; d < kWidth; ++d) {
      const size_t at = query * kWidth + d;
      if (!close(real(data.results[at]), wanted[d], 1e-3))
        return differs("number", at, real(data.results[at]), wanted[d]);
    }
  }
  return {};
}

// --- Lighting. Lights are given in 12 words, points in 4.
constexpr size_t kEdge = 128, kLights = 64;

struct Vector {
  double x = 0, y = 0, z = 0;
  Vector operator+(const Vector& other) const { return {x + other.x, y + other.y, z + other.z}; }
  Vector operator-(const Vector& other) const { return {x - other.x, y - other.y, z - other.z}; }
  Vector operator*(double factor) const { return {x * factor, y * factor, z * factor}; }
  Vector operator*(const Vector& other) const { return {x * other.x, y * other.y, z * other.z}; }
};
double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
double length(const Vector& a) { return std::sqrt(dot(a, a)); }
Vector normalized(const Vector& a) { return a * (1 / length(a)); }

void fill_lighting(const Data& data) {
  for (uint32_t i = 0; i < kEdge * kEdge; ++i) {
    const std::span<uint32_t> surface = data.first.subspan(size_t{i} * 4, 4);
    surface[0] = std::bit_cast<uint32_t>(4.0f + static_cast<float>(i % kEdge) / 32.0f);
    surface[1] = number(i) & 0x3fff3fffu;
    surface[2] = number(i + 1);
    surface[3] = number(i + 2);
  }
  for (uint32_t i = 0; i < kLights; ++i) {
    const std::span<uint32_t> light = data.second.subspan(size_t{i} * 12, 12);
    const auto set = [&](size_t at, float value) { light[at] = std::bit_cast<uint32_t>(value); };
    const uint32_t seed = i * 16;
    set(0, between(seed, -6, 6));
    set(1, between(seed + 1, -6, 6));
    set(2, between(seed + 2, 1, 8));
    set(3, between(seed + 3, 2, 5));
    for (uint32_t k = 0; k < 3; ++k) set(4 + k, between(seed + 4 + k, 1, 20));
    set(7, i % 2 ? -1.0f : 0.3f);
    set(8, 0);
    set(9, 0);
    set(10, 1);
    set(11, 0.01f);
  }
}

double norm16(uint32_t bits) {
  return std::max(static_cast<double>(static_cast<int16_t>(bits)) / 32767.0, -1.0);
}
double norm8(uint32_t word, uint32_t byte) { return (word >> byte * 8 & 255) / 255.0; }

struct Point {
  Vector position, normal, view, albedo;
  double roughness = 0, metal = 0, occlusion = 0;
};

Point point_at(const Data& data, size_t x, size_t y) {
  const auto surface = data.first.subspan((y * kEdge + x) * 4, 4);
  Point point;
  const auto place = [](size_t at) { return (static_cast<double>(at) + 0.5) / 64.0 - 1.0; };
  point.position = Vector{place(x), place(y), 1} * real(surface[0]);
  Vector n{norm16(surface[1] & 0xffff), norm16(surface[1] >> 16), 0};
  n.z = 1 - std::abs(n.x) - std::abs(n.y);
  const double fold = std::max(-n.z, 0.0);
  n.x += n.x >= 0 ? -fold : fold;
  n.y += n.y >= 0 ? -fold : fold;
  point.normal = normalized(n);
  point.view = normalized(point.position * -1);
  point.albedo = {norm8(surface[2], 0), norm8(surface[2], 1), norm8(surface[2], 2)};
  point.occlusion = norm8(surface[2], 3);
  point.roughness = std::max(norm8(surface[3], 0), 0.05);
  point.metal = norm8(surface[3], 1);
  return point;
}

Vector shade(std::span<const uint32_t> light, const Point& point) {
  const auto vector = [&](size_t at) {
    return Vector{real(light[at]), real(light[at + 1]), real(light[at + 2])};
  };
  const Vector way = vector(0) - point.position;
  const double distance = length(way);
  const Vector l = way * (1 / std::max(distance, 1e-4));
  const double reach = std::clamp(1 - std::pow(distance / real(light[3]), 4), 0.0, 1.0);
  const double cone = real(light[7]);
  const double t = std::clamp((dot(l * -1, vector(8)) - cone) / 0.2, 0.0, 1.0);
  const double spot = cone < -0.5 ? 1 : t * t * (3 - 2 * t);
  const double facing = std::max(dot(point.normal, l) - real(light[11]), 0.0);
  const Vector h = normalized(l + point.view);
  const double nv = std::max(dot(point.normal, point.view), 1e-3);
  const double nh = std::max(dot(point.normal, h), 0.0), vh = std::max(dot(point.view, h), 0.0);
  const double a2 = std::pow(point.roughness, 4), spread = nh * nh * (a2 - 1) + 1;
  const double share = a2 / (std::numbers::pi * spread * spread);
  const double k = (point.roughness + 1) * (point.roughness + 1) / 8;
  const double shadowing = nv / (nv * (1 - k) + k) * facing / std::max(facing * (1 - k) + k, 1e-4);
  const Vector base = Vector{0.04, 0.04, 0.04} * (1 - point.metal) + point.albedo * point.metal;
  const Vector all{1, 1, 1};
  const Vector mirrored = base + (all - base) * std::pow(1 - vh, 5);
  const Vector specular = mirrored * (share * shadowing / std::max(4 * nv * facing, 1e-3));
  const Vector diffuse = (all - mirrored) * point.albedo * ((1 - point.metal) / std::numbers::pi);
  return (diffuse + specular) * vector(4) * (facing * spot * reach * reach / (distance * distance + 1));
}

// Whether a light reaches the tile, as the shader decides it; the tests leave out points where roundings
// decide.
bool reaches(const Data& data, std::span<const uint32_t> light, size_t tile_x, size_t tile_y, bool& unsure) {
  double nearest = 1e6, farthest = 0;
  for (size_t i = 0; i < 64; ++i) {
    const double depth = real(data.first[((tile_y * 8 + i / 8) * kEdge + tile_x * 8 + i % 8) * 4]);
    nearest = std::min(nearest, depth);
    farthest = std::max(farthest, depth);
  }
  const double middle = std::clamp(real(light[2]), nearest, farthest);
  const auto centre = [&](size_t tile) { return (static_cast<double>(tile) * 8 + 4) / 64 - 1; };
  const Vector to_tile{real(light[0]) - centre(tile_x) * middle, real(light[1]) - centre(tile_y) * middle,
                       real(light[2]) - middle};
  const double rest = real(light[3]) + middle * 0.2 - length(to_tile);
  unsure = unsure || std::abs(rest) < 1e-4;
  return rest > 0;
}

std::string problem_of_lighting(const Data& data) {
  for (size_t i = 0; i < kEdge * kEdge; i += 61) {
    const size_t x = i % kEdge, y = i / kEdge;
    const Point point = point_at(data, x, y);
    Vector sum = point.albedo * (0.03 * point.occlusion);
    bool unsure = false;
    for (size_t k = 0; k < kLights; ++k) {
      const auto light = data.second.subspan(k * 12, 12);
      if (reaches(data, light, x / 8, y / 8, unsure)) sum = sum + shade(light, point);
    }
    if (unsure) continue;
    const auto found = data.results.subspan(i * 4, 4);
    const double wanted[] = {sum.x, sum.y, sum.z, length(point.position)};
    for (size_t k = 0; k < 4; ++k)
      if (!close(real(found[k]), wanted[k], 1e-2)) return differs("point", i, real(found[k]), wanted[k]);
  }
  return {};
}

}  // namespace

const Test sort_test{fill_pairs, problem_of_pairs};
const Test transform_test{fill_signal, problem_of_transform};
const Test attention_test{fill_attention, problem_of_attention};
const Test lighting_test{fill_lighting, problem_of_lighting};

}  // namespace pipeline_bench
