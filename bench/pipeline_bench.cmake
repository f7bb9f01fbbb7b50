# SPDX-License-Identifier: Apache-2.0
# pipeline_bench times how long pipelines of small and large compute shaders take to make; run_pipeline_bench.py compares ways to
# check them. The shaders are simplified as compilers of games and of runtimes for machine learning do it, which keep the loops.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
function(shaderqa_pipeline_shader name source)
  cmake_parse_arguments(PARSE_ARGV 2 shader "WRITTEN_OUT" "" "")
  set(loops)
  if(shader_WRITTEN_OUT)
    set(loops --loop-unroll --ccp --eliminate-dead-branches)
  endif()
  set(spv ${generated}/${name}.spv)
  set(header ${generated}/${name}_spv.h)
  shaderqa_glsl(${spv} ${CMAKE_CURRENT_SOURCE_DIR}/shaders/${source} --target-env vulkan1.2
    ${shader_UNPARSED_ARGUMENTS})
  add_custom_command(OUTPUT ${header}
    COMMAND ${SPIRV_OPT} --target-env=vulkan1.2 --inline-entry-points-exhaustive --convert-local-access-chains
      --eliminate-local-single-block --eliminate-local-single-store --ssa-rewrite --ccp ${loops} --simplify-instructions
      --eliminate-dead-code-aggressive --compact-ids ${spv} -o ${spv}.opt
    COMMAND ${CMAKE_COMMAND} -DIN=${spv}.opt -DOUT=${header} -DNAME=${name}_spv
      -P ${CMAKE_SOURCE_DIR}/instrument/runtime/embed.cmake
    DEPENDS ${spv} ${CMAKE_SOURCE_DIR}/instrument/runtime/embed.cmake VERBATIM)
  set(pipeline_shaders ${pipeline_shaders} ${header} PARENT_SCOPE)
endfunction()
set(pipeline_shaders)
foreach(name copy stencil matrix)
  shaderqa_pipeline_shader(pipeline_${name} sync_${name}.comp)
endforeach()
foreach(sites 10 50 200)
  shaderqa_pipeline_shader(pipeline_sites${sites} pipeline_sites.comp -DSITES=${sites})
endforeach()
# The longest one, with lines, of which a trace can choose some.
shaderqa_pipeline_shader(pipeline_sites500 pipeline_sites.comp -DSITES=500 -gVS)
foreach(tile 2 3 8)
  shaderqa_pipeline_shader(pipeline_tiles${tile} pipeline_tiles.comp -DTILE=${tile}u)
endforeach()
foreach(name unrolled quantised softmax normalisation returns)
  shaderqa_pipeline_shader(pipeline_${name} pipeline_${name}.comp)
endforeach()
# Generators of transforms write their loops out.
shaderqa_pipeline_shader(pipeline_fft pipeline_fft.comp WRITTEN_OUT)
foreach(name attention lighting sort)
  shaderqa_pipeline_shader(pipeline_${name} pipeline_${name}.comp)
endforeach()
add_executable(pipeline_bench pipeline_bench.cpp pipeline_results.cpp ${pipeline_shaders})
target_include_directories(pipeline_bench PRIVATE ${generated})
target_link_libraries(pipeline_bench PRIVATE bench_warm_up shaderqa_vulkan_kit shaderqa_flags)
target_link_options(pipeline_bench PRIVATE -static-libstdc++ -static-libgcc)
# check_length prints how long the same shaders are with checks.
add_executable(check_length check_length.cpp ${pipeline_shaders})
target_include_directories(check_length PRIVATE ${generated})
target_compile_options(check_length PRIVATE -fno-rtti)
target_link_libraries(check_length PRIVATE shaderqa_flags shaderqa_instrument shaderqa_spirv_tools)
# shader_bench makes pipelines of any program's shaders.
add_executable(shader_bench shader_bench.cpp shader_bench_draw.cpp)
target_compile_options(shader_bench PRIVATE -fno-rtti)
target_link_libraries(shader_bench PRIVATE shaderqa_instrument shaderqa_vulkan_kit shaderqa_flags shaderqa_spirv_tools)
target_link_options(shader_bench PRIVATE -static-libstdc++ -static-libgcc)
