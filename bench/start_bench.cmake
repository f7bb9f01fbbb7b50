# SPDX-License-Identifier: Apache-2.0
# start_bench creates many pipelines and uses some; run_start_bench.py compares values of the setting `start`.
set(start_spv ${CMAKE_CURRENT_BINARY_DIR}/generated/start.spv)
set(start_header ${CMAKE_CURRENT_BINARY_DIR}/generated/start_spv.h)
shaderqa_glsl(${start_spv} ${CMAKE_CURRENT_SOURCE_DIR}/shaders/start.comp --target-env vulkan1.2)
add_custom_command(OUTPUT ${start_header}
  COMMAND ${CMAKE_COMMAND} -DIN=${start_spv} -DOUT=${start_header} -DNAME=start_spv
    -P ${CMAKE_SOURCE_DIR}/instrument/runtime/embed.cmake
  DEPENDS ${start_spv} ${CMAKE_SOURCE_DIR}/instrument/runtime/embed.cmake VERBATIM)
add_executable(start_bench start_bench.cpp ${start_header})
target_include_directories(start_bench PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
target_link_libraries(start_bench PRIVATE shaderqa_vulkan_kit shaderqa_flags)
target_link_options(start_bench PRIVATE -static-libstdc++ -static-libgcc)
