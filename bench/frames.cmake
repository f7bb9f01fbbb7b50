# SPDX-License-Identifier: Apache-2.0
# A program that renders for as long as is wanted; endurance.py --render runs it.
set(frames_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
foreach(shader frames_move.comp frames_draw.vert frames_draw.frag)
  string(REPLACE "." "_" name ${shader})
  string(REPLACE "_comp" "" name ${name})
  shaderqa_glsl(${frames_generated}/${name}_spv.h ${CMAKE_CURRENT_SOURCE_DIR}/shaders/${shader} -gVS)
  list(APPEND frames_shaders ${frames_generated}/${name}_spv.h)
endforeach()
add_executable(frames frames_main.cpp frames.cpp ${frames_shaders})
target_include_directories(frames PRIVATE ${frames_generated})
target_link_libraries(frames PRIVATE shaderqa_vulkan_kit shaderqa_flags)
