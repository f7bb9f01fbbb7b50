# SPDX-License-Identifier: Apache-2.0
# compare_programs writes the racy programs of tests/e2e for compare.py, which compares the layer with the Khronos layer.
add_executable(compare_programs compare_programs.cpp)
target_include_directories(compare_programs PRIVATE ${CMAKE_SOURCE_DIR}/tests/e2e)
target_link_libraries(compare_programs PRIVATE shaderqa_sync_cases shaderqa_test_support nlohmann_json::nlohmann_json shaderqa_flags)
