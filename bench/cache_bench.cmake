# SPDX-License-Identifier: Apache-2.0
# cache_bench creates the same pipelines again and again; run_cache_bench.py runs it with caches empty and full.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
foreach(stage vert frag)
  shaderqa_glsl(${generated}/cache_draw_${stage}_spv.h ${CMAKE_CURRENT_SOURCE_DIR}/shaders/cache_draw.${stage})
endforeach()
add_executable(cache_bench cache_bench.cpp ${generated}/printing_spv.h ${generated}/sync_sort_spv.h ${generated}/cache_draw_vert_spv.h
  ${generated}/cache_draw_frag_spv.h)
target_include_directories(cache_bench PRIVATE ${generated})
target_link_libraries(cache_bench PRIVATE shaderqa_vulkan_kit shaderqa_flags)
target_link_options(cache_bench PRIVATE -static-libstdc++ -static-libgcc)
