# SPDX-License-Identifier: Apache-2.0
# sync_bench times programs under the layers that the environment switches on; run_sync_bench.py compares runs.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
foreach(shader copy.comp arithmetic.comp stencil.comp rows.comp transform.comp reduction.comp matrix.comp sort.comp scan.comp constants.comp fill.comp draw.vert plain.frag reading.frag
        image_copy.comp image_stencil.comp triangles.vert picture.vert scene.frag light.frag half.frag compose.frag)
  get_filename_component(name ${shader} NAME_WE)
  shaderqa_glsl(${generated}/sync_${name}_spv.h ${CMAKE_CURRENT_SOURCE_DIR}/shaders/sync_${shader})
  list(APPEND sync_bench_shaders ${generated}/sync_${name}_spv.h)
endforeach()
add_executable(sync_bench sync_bench.cpp sync_bench_buffered.cpp sync_bench_draws.cpp sync_bench_images.cpp ${sync_bench_shaders})
target_include_directories(sync_bench PRIVATE ${generated})
target_link_libraries(sync_bench PRIVATE bench_warm_up shaderqa_vulkan_kit shaderqa_flags)
target_link_options(sync_bench PRIVATE -static-libstdc++ -static-libgcc)
