# SPDX-License-Identifier: Apache-2.0
# fft_bench runs Fourier transforms that VkFFT generates. It needs VkFFT and glslang's library, which not every system has.
find_path(VKFFT_INCLUDE vkFFT.h)
find_package(glslang QUIET)
if(SHADERQA_SPIRV_TOOLS_SOURCE)
  # The system's glslang needs the system's SPIRV-Tools, and one program cannot link two.
  message(STATUS "No fft_bench: SPIRV-Tools is built here")
elseif(NOT VKFFT_INCLUDE OR NOT TARGET glslang::SPIRV)
  message(STATUS "No fft_bench: it needs VkFFT's header and glslang's library (libvkfft-dev, glslang-dev)")
else()
  add_executable(fft_bench fft_bench.cpp fft_plan.cpp)
  target_include_directories(fft_bench SYSTEM PRIVATE ${VKFFT_INCLUDE})
  target_link_libraries(fft_bench PRIVATE bench_warm_up shaderqa_vulkan_kit shaderqa_flags)
  shaderqa_link_glslang(fft_bench)
  target_link_options(fft_bench PRIVATE -static-libstdc++ -static-libgcc)
  # VkFFT is one large header that makes a shader's text once. Optimising it takes a minute and gains nothing, and GCC
  # then warns about values that VkFFT 1.3 does not set.
  set_source_files_properties(fft_plan.cpp PROPERTIES COMPILE_OPTIONS "-O0;-Wno-maybe-uninitialized")
endif()
