# SPDX-License-Identifier: Apache-2.0
# The flags of our own targets. Third-party code keeps its own.
add_library(shaderqa_flags INTERFACE)
target_compile_options(shaderqa_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual)
# For packagers: other compilers know other warnings.
if(SHADERQA_WERROR)
  target_compile_options(shaderqa_flags INTERFACE -Werror)
endif()
# GCC 12 sees overlaps in "literal" + std::string(...) that are not there (GCC bug 105651).
target_compile_options(shaderqa_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_include_directories(shaderqa_flags INTERFACE ${CMAKE_SOURCE_DIR})
# A library that every Vulkan program loads is to be small: CMake's own -O3 makes it 1.2 MB larger, and neither rewriting nor
# recording measurably faster. Sections are for the linker's --gc-sections.
target_compile_options(shaderqa_flags INTERFACE $<$<CONFIG:Release>:-O2> -ffunction-sections -fdata-sections)

# shaderqa_define(FILE... DEFINITIONS DEFINITION...): for the files that read them alone. A path in every command line would keep
# checkouts from sharing a compiler cache.
function(shaderqa_define)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "" DEFINITIONS)
  set_property(SOURCE ${ARG_UNPARSED_ARGUMENTS} APPEND PROPERTY COMPILE_DEFINITIONS ${ARG_DEFINITIONS})
endfunction()

if(SHADERQA_SANITIZE)
  add_compile_options(-fsanitize=${SHADERQA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SHADERQA_SANITIZE})
  # GCC warns without reason where it inlines less of the standard library.
  target_compile_options(shaderqa_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # The thread sanitizer does not see fences, and GCC says so at each: what stands behind one may be reported.
  if(SHADERQA_SANITIZE MATCHES thread)
    target_compile_options(shaderqa_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()
