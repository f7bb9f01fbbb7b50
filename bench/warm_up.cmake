# SPDX-License-Identifier: Apache-2.0
# What the benchmarks of GPU work share: it raises the GPU's clocks before each measurement.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
shaderqa_glsl(${generated}/warm_up_spv.h ${CMAKE_CURRENT_SOURCE_DIR}/shaders/warm_up.comp)
add_library(bench_warm_up STATIC warm_up.cpp ${generated}/warm_up_spv.h)
target_include_directories(bench_warm_up PRIVATE ${generated})
target_link_libraries(bench_warm_up PUBLIC shaderqa_vulkan_kit PRIVATE shaderqa_flags)
