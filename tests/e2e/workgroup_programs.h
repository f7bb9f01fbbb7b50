// SPDX-License-Identifier: Apache-2.0
// Programs in workgroup memory, as GLSL behind `buffer Io { uint io[]; }`: algorithms, each barrier() of
// which is needed, and two accesses of two invocations to the same cell.
#ifndef SHADERQA_TESTS_E2E_WORKGROUP_PROGRAMS_H
#define SHADERQA_TESTS_E2E_WORKGROUP_PROGRAMS_H

#include <string>
#include <vector>

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

// Accesses of a kind to a cell of a type.
struct Kind {
  const char* name;
  const char* access;  // as reports say it
  std::string code;    // on `cell`
};

struct Type {
  const char* name;
  std::string declaration, value;
  bool atomics = true;
};

inline std::vector<Kind> kinds_of(const Type& type) {
  std::vector<Kind> kinds{{"read", "load", "io[l] = uint(cell" + type.value + ");"},
                          {"write", "store", "cell" + type.value + " = KIND(1);"}};
  if (!type.atomics) return kinds;
  kinds.push_back({"atomic", "atomic", "atomicAdd(cell" + type.value + ", KIND(1));"});
  kinds.push_back(
      {"peek", "atomic",
       "io[l] = uint(atomicLoad(cell" + type.value + ", gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed));"});
  return kinds;
}

inline bool conflicts(const std::string& a, const std::string& b) {
  const bool a_writes = a == "write", b_writes = b == "write";
  if (a_writes || b_writes) return true;
  return (a == "atomic" && b == "read") || (a == "read" && b == "atomic");
}

inline const std::vector<Type> kTypes = {
    {"word", "#define KIND uint\nshared uint cell;", "", true},
    {"element", "#define KIND uint\nshared uint array[7];\n#define cell array[5]", "", true},
    {"byte", "#define KIND uint8_t\nshared uint8_t array[7];\n#define cell array[5]", "", false},
    {"half", "#define KIND float16_t\nshared float16_t array[7];\n#define cell array[5]", "", false},
    {"wide", "#define KIND uint64_t\nshared uint64_t array[3];\n#define cell array[2]", "", false},
    {"member",
     "#define KIND int\nstruct S { vec3 a; int b[2]; };\nshared S array[3];\n#define cell array[1].b[1]", "",
     true},
    {"component", "#define KIND float\nshared vec4 array[3];\n#define cell array[1]", ".y", false},
};

inline std::string body_of(const Type& type, const Kind& first, const Kind& second,
                           const std::string& between) {
  return "#extension GL_KHR_memory_scope_semantics : require\nlayout(local_size_x = 8) in;\n" +
         type.declaration + "\nvoid main() {\n  uint l = gl_LocalInvocationIndex;\n  if (l == 0u) cell" +
         type.value + " = KIND(7);\n  barrier();\n  if (l == 2u) " + first.code + "\n  " + between +
         "\n  if (l == 3u) " + second.code + "\n}\n";
}

}  // namespace shaderqa::testing::workgroup_programs
#endif
