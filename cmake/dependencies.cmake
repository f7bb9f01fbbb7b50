# SPDX-License-Identifier: Apache-2.0
# Target shaderqa_vulkan: Vulkan headers (1.4.309 or newer). shaderqa_volk: volk, for tests and samples only.
if(NOT SHADERQA_VULKAN_INCLUDE)
  find_path(SHADERQA_VULKAN_INCLUDE vulkan/vulkan_core.h REQUIRED)
endif()
file(STRINGS ${SHADERQA_VULKAN_INCLUDE}/vulkan/vulkan_core.h SHADERQA_VULKAN_HEADER REGEX "define VK_HEADER_VERSION [0-9]+")
string(REGEX MATCH "[0-9]+$" SHADERQA_VULKAN_HEADER "${SHADERQA_VULKAN_HEADER}")
if(SHADERQA_VULKAN_HEADER LESS 309)
  message(FATAL_ERROR "Vulkan headers 1.4.309 or newer are needed, ${SHADERQA_VULKAN_INCLUDE} has "
    "${SHADERQA_VULKAN_HEADER}: run tools/setup.sh or give -DSHADERQA_VULKAN_INCLUDE=DIR")
endif()
add_library(shaderqa_vulkan INTERFACE)
target_include_directories(shaderqa_vulkan SYSTEM INTERFACE ${SHADERQA_VULKAN_INCLUDE})
target_compile_definitions(shaderqa_vulkan INTERFACE VK_NO_PROTOTYPES)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  target_compile_options(shaderqa_vulkan INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${CMAKE_SOURCE_DIR}/layer/vk/distinct_handles.h>")
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_package(spdlog REQUIRED)
find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)

add_library(shaderqa_xxhash INTERFACE)
target_include_directories(shaderqa_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE})
target_compile_definitions(shaderqa_xxhash INTERFACE XXH_INLINE_ALL)

# spdlog as headers only, and so is the formatting library that it was packaged with: the layer must not need their
# shared libraries, which the program may bring in other versions.
add_library(shaderqa_spdlog INTERFACE)
get_target_property(spdlog_include spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(spdlog_definitions spdlog::spdlog_header_only INTERFACE_COMPILE_DEFINITIONS)
target_include_directories(shaderqa_spdlog SYSTEM INTERFACE ${spdlog_include})
if(spdlog_definitions)
  target_compile_definitions(shaderqa_spdlog INTERFACE ${spdlog_definitions})
endif()
if(spdlog_definitions MATCHES SPDLOG_FMT_EXTERNAL)
  find_package(fmt REQUIRED)
  target_link_libraries(shaderqa_spdlog INTERFACE fmt::fmt-header-only)
endif()

if(SHADERQA_TESTS)
  find_program(SPIRV_AS spirv-as REQUIRED)
  find_path(VOLK_SOURCE volk.c HINTS ${SHADERQA_VULKAN_INCLUDE} REQUIRED)
  add_library(shaderqa_volk STATIC ${VOLK_SOURCE}/volk.c)
  target_include_directories(shaderqa_volk SYSTEM PUBLIC ${VOLK_SOURCE})
  target_link_libraries(shaderqa_volk PUBLIC shaderqa_vulkan ${CMAKE_DL_LIBS})
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()

# shaderqa_glsl(OUT SOURCE [FLAGS...]): compiles GLSL to SPIR-V at build time, as a file or, where OUT ends in .h, as a
# C array whose name is that of the file.
function(shaderqa_glsl out source)
  get_filename_component(name ${out} NAME_WE)
  get_filename_component(ext ${out} LAST_EXT)
  get_filename_component(dir ${out} DIRECTORY)
  file(MAKE_DIRECTORY ${dir})
  set(as_header)
  if(ext STREQUAL ".h")
    set(as_header --vn ${name})
  endif()
  add_custom_command(OUTPUT ${out}
    COMMAND ${GLSLANG_VALIDATOR} --quiet -V ${as_header} ${ARGN} -I${CMAKE_SOURCE_DIR}
      --depfile ${out}.d -o ${out} ${source}
    DEPENDS ${source} DEPFILE ${out}.d VERBATIM)
endfunction()

# The library of the system's glslang, behind find_package(glslang). Some of its exports name the libraries that it needs in
# an order in which static ones do not link.
function(shaderqa_link_glslang target)
  set(libraries glslang::SPIRV glslang::glslang)
  foreach(library SPIRV-Tools-opt SPIRV-Tools)
    find_library(glslang_${library} ${library})
    if(glslang_${library})
      list(APPEND libraries ${glslang_${library}})
    endif()
  endforeach()
  list(JOIN libraries "," libraries)
  target_link_libraries(${target} PRIVATE "$<LINK_GROUP:RESCAN,${libraries}>" glslang::glslang-default-resource-limits)
endfunction()
