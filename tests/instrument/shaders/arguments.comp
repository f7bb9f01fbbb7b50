#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 8) in;
struct Inner { bvec2 flags; f16vec3 halves; };
struct Outer { vec2 position; float weights[3]; mat2x3 matrix; Inner inner[2]; };
layout(buffer_reference, std430) buffer Pointer { uint value; };
layout(push_constant) uniform Constants { Pointer pointer; };
void main() {
  uvec3 id = gl_GlobalInvocationID;
  debugPrintfEXT("none");
  debugPrintfEXT("%u", id.x > 2u);
  debugPrintfEXT("%v3u", greaterThan(id, uvec3(1)));
  debugPrintfEXT("%d %d %d %ld", int8_t(id.x), int16_t(id.x), int(id.x), int64_t(id.x));
  debugPrintfEXT("%u %u %u %lu", uint8_t(id.x), uint16_t(id.x), id.x, uint64_t(id.x));
  debugPrintfEXT("%v2d %v3d %v4d %v2ld", i8vec2(id.xy), i16vec3(id), ivec4(id.xyzx), i64vec2(id.xy));
  debugPrintfEXT("%v2u %v3u %v4u %v2lu", u8vec2(id.xy), u16vec3(id), id.xyzx, u64vec2(id.xy));
  debugPrintfEXT("%f %f %f", float16_t(id.x), float(id.x), double(id.x));
  debugPrintfEXT("%v2f %v3f %v4f", f16vec2(id.xy), vec3(id), dvec4(id.xyzx));
  debugPrintfEXT("%p", pointer);
  debugPrintfEXT("%v3f", mat3(id.x));
  Outer outer;
  outer.position = vec2(id.xy);
  outer.weights = float[3](1.0, 2.0, float(id.z));
  outer.matrix = mat2x3(float(id.x));
  outer.inner[0] = Inner(bvec2(true, id.x > 1u), f16vec3(id));
  outer.inner[1] = outer.inner[0];
  debugPrintfEXT("%f", outer);
  debugPrintfEXT("%d %s", id.x, "text");
}
// SPDX-License-Identifier: Apache-2.0
