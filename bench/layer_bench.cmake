# SPDX-License-Identifier: Apache-2.0
# layer_bench times a program under the layers that the environment switches on; run_layer_bench.py compares runs.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
foreach(shader plain printing)
  shaderqa_glsl(${generated}/${shader}_spv.h ${CMAKE_CURRENT_SOURCE_DIR}/shaders/${shader}.comp)
  list(APPEND bench_shaders ${generated}/${shader}_spv.h)
endforeach()
add_executable(layer_bench layer_bench.cpp ${bench_shaders})
target_include_directories(layer_bench PRIVATE ${generated})
target_link_libraries(layer_bench PRIVATE bench_warm_up shaderqa_vulkan_kit shaderqa_flags)
target_link_options(layer_bench PRIVATE -static-libstdc++ -static-libgcc)
