# SPDX-License-Identifier: Apache-2.0
# fft_bench runs Fourier transforms as VkFFT generates them, with glslang's library: not every system has the two.
find_path(VKFFT_INCLUDE vkFFT.h)
find_package(glslang QUIET)
if(SHADERQA_SPIRV_TOOLS_SOURCE)
  # The system's glslang wants the system's SPIRV-Tools, and one program cannot have both.
  message(STATUS "No fft_bench: SPIRV-Tools is built here")
elseif(NOT VKFFT_INCLUDE OR NOT TARGET glslang::SPIRV)
  message(STATUS "No fft_bench: it needs VkFFT's header and glslang's library (libvkfft-dev, glslang-dev)")
else()
  add_executable(fft_bench fft_bench.cpp fft_plan.cpp)
  target_include_directories(fft_bench SYSTEM PRIVATE ${VKFFT_INCLUDE})
  target_link_libraries(fft_bench PRIVATE shaderqa_vulkan_kit shaderqa_flags glslang::SPIRV
    glslang::glslang-default-resource-limits)
  target_link_options(fft_bench PRIVATE -static-libstdc++ -static-libgcc)
  # VkFFT is one large header that makes a shader's text, once: optimising it takes a minute and gains nothing, and
  # shows GCC values of version 1.3 that are not set.
  set_source_files_properties(fft_plan.cpp PROPERTIES COMPILE_OPTIONS "-O0;-Wno-maybe-uninitialized")
endif()
