# SPDX-License-Identifier: Apache-2.0
add_executable(rewrite_bench ${CMAKE_CURRENT_LIST_DIR}/rewrite_bench.cpp)
target_compile_options(rewrite_bench PRIVATE -fno-rtti)
target_link_libraries(rewrite_bench PRIVATE shaderqa_flags shaderqa_instrument shaderqa_spirv_tools benchmark::benchmark)
