# SPDX-License-Identifier: Apache-2.0
add_executable(decode_bench decode_bench.cpp)
target_link_libraries(decode_bench PRIVATE shaderqa_flags shaderqa_host benchmark::benchmark_main)
