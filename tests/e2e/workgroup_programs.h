// SPDX-License-Identifier: Apache-2.0
// Algorithms in workgroup memory, as GLSL behind `buffer Io { uint io[]; }`. Each barrier() of theirs is needed.
#ifndef SHADERQA_TESTS_E2E_WORKGROUP_PROGRAMS_H
#define SHADERQA_TESTS_E2E_WORKGROUP_PROGRAMS_H

namespace shaderqa::testing::workgroup_programs {

struct Algorithm {
  const char* name;
  const char* text;
};

inline const Algorithm kAlgorithms[] = {
    {"TiledMatrixProduct", R"(layout(local_size_x = 8, local_size_y = 8) in;
shared float a[8][8], b[8][8];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  float sum = 0.0;
  for (uint t = 0u; t < 3u; ++t) {
    a[y][x] = float((x + y * t) % 5u);
    b[y][x] = float((x * t + y) % 7u);
    barrier();
    for (uint k = 0u; k < 8u; ++k) sum += a[y][k] * b[k][x];
    barrier();
  }
  io[y * 8u + x] = uint(sum);
}
)"},
    {"TreeReduction", R"(layout(local_size_x = 64) in;
shared uint sums[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  sums[l] = l * l;
  barrier();
  for (uint step = 32u; step != 0u; step >>= 1u) {
    if (l < step) sums[l] += sums[l + step];
    barrier();
  }
  io[l] = sums[0];
}
)"},
    {"Scan", R"(layout(local_size_x = 64) in;
shared uint sums[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  sums[l] = l + 1u;
  for (uint step = 1u; step < 64u; step *= 2u) {
    barrier();
    uint before = l >= step ? sums[l - step] : 0u;
    barrier();
    sums[l] += before;
  }
  barrier();
  io[l] = sums[63u - l];
}
)"},
    {"BitonicSort", R"(layout(local_size_x = 32) in;
shared uint keys[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  keys[l] = l * 37u % 64u;
  keys[l + 32u] = (l + 32u) * 37u % 64u;
  for (uint block = 2u; block <= 64u; block *= 2u)
    for (uint stride = block / 2u; stride != 0u; stride /= 2u) {
      barrier();
      uint i = l / stride * stride * 2u + l % stride, j = i + stride;
      uint x = keys[i], y = keys[j];
      if ((x > y) == ((i & block) == 0u)) {
        keys[i] = y;
        keys[j] = x;
      }
    }
  barrier();
  io[l] = keys[63u - l * 2u];
}
)"},
    {"FourierTransform", R"(layout(local_size_x = 32) in;
shared vec2 points[64];
vec2 turned(const vec2 a, const float angle) {
  float c = cos(angle), s = sin(angle);
  return vec2(a.x * c - a.y * s, a.x * s + a.y * c);
}
void main() {
  uint l = gl_LocalInvocationIndex;
  for (uint i = l; i < 64u; i += 32u) points[bitfieldReverse(i) >> 26u] = vec2(float(i % 9u), 0.0);
  barrier();
  for (uint half_size = 1u; half_size < 64u; half_size *= 2u) {
    uint k = l % half_size, i = l / half_size * half_size * 2u + k;
    vec2 a = points[i], b = turned(points[i + half_size], -3.14159265 * float(k) / float(half_size));
    points[i] = a + b;
    points[i + half_size] = a - b;
    barrier();
  }
  io[l] = uint(abs(points[63u - l].x) * 16.0 + 0.5);
}
)"},
    {"Histogram", R"(layout(local_size_x = 64) in;
shared uint bins[16];
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l < 16u) bins[l] = 0u;
  barrier();
  for (uint i = 0u; i < 8u; ++i) atomicAdd(bins[(l * 7u + i * 3u) % 16u], 1u);
  barrier();
  if (l < 16u) io[l] = bins[15u - l];
}
)"},
    {"Transpose", R"(layout(local_size_x = 16, local_size_y = 4) in;
shared float tile[16][17];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint j = y; j < 16u; j += 4u) tile[j][x] = float(j * 16u + x);
  barrier();
  for (uint j = y; j < 16u; j += 4u) io[j * 16u + x] = uint(tile[x][j]);
}
)"},
};

}  // namespace shaderqa::testing::workgroup_programs
#endif
