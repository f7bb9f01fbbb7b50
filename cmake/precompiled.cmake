# SPDX-License-Identifier: Apache-2.0
# Headers that most files of a target include are parsed once for the target, which shortens a build from nothing, as
# continuous integration does it. Files still include what they use: tests/structure/check_standard_includes.py looks for
# what one forgot of the standard library, and the sanitizers' builds, which do without this, find the rest.
option(SHADERQA_PRECOMPILE "Parse the headers that most files of a target include once" ON)
# In 32-bit builds distinct_handles.h comes first in every file (dependencies.cmake), and GCC takes no precompiled header
# after another one.
if(NOT SHADERQA_PRECOMPILE OR CMAKE_SIZEOF_VOID_P EQUAL 4)
  return()
endif()

set(standard_headers <algorithm> <array> <atomic> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex>
  <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <vector>)
set(optimizer_headers ${standard_headers} <source/opt/ir_context.h> <source/opt/pass.h>)
set(test_headers ${standard_headers} <fstream> <random> <gtest/gtest.h> <gmock/gmock.h>)

function(shaderqa_precompile target)
  if(NOT TARGET ${target})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  # ccache(1), "Precompiled headers": what GCC must write for the cache to know what the header holds. GCC 12 no longer
  # knows the standard library for a system's header there, and warns of overflows in it that are not there (bug 105651).
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# A project's header is here where most files of the target include it, and much comes with it. (In <>, which CMake leaves as
# it is: with a path in it, no other checkout would find it in the cache.)
shaderqa_precompile(shaderqa_host ${standard_headers})
shaderqa_precompile(shaderqa_layer_objects ${standard_headers} <chrono> <deque> <sstream> <variant>
  <vulkan/vulkan_core.h> <layer/loader/device.h>)
shaderqa_precompile(shaderqa_instrument ${optimizer_headers} <instrument/ir/module_view.h>)
shaderqa_precompile(shaderqa_replay ${optimizer_headers} <replay/traced_shader.h>)
shaderqa_precompile(shaderqa ${standard_headers} <nlohmann/json.hpp>)
shaderqa_precompile(shaderqa_sync_cases ${standard_headers} <tests/e2e/sync_steps.h>)
shaderqa_precompile(cli_tests ${test_headers} <nlohmann/json.hpp> <tests/cli/cli_test.h>)
shaderqa_precompile(e2e_tests ${test_headers} <tests/e2e/e2e_test.h>)
shaderqa_precompile(layer_tests ${test_headers} <tests/layer/layer_test.h>)
shaderqa_precompile(instrument_tests ${test_headers} ${optimizer_headers}
  <tests/instrument/support.h>)
shaderqa_precompile(trace_tests ${test_headers} ${optimizer_headers})
foreach(tests endurance_tests host_tests)
  shaderqa_precompile(${tests} ${test_headers})
endforeach()
