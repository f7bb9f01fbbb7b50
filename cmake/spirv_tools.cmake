# SPDX-License-Identifier: Apache-2.0
# Target shaderqa_spirv_tools: SPIRV-Tools' optimizer with its internal IR headers (source/opt), which no package
# installs. Two ways: packaged static libraries with the headers of the matching source package (tools/setup.sh
# unpacks both), or a source tree given by SHADERQA_SPIRV_TOOLS_SOURCE, which is then built.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_library(shaderqa_spirv_tools INTERFACE)

if(SHADERQA_SPIRV_TOOLS_SOURCE)
  set(SPIRV_SKIP_TESTS ON)
  set(SPIRV_SKIP_EXECUTABLES ON)
  set(SPIRV_WERROR OFF)
  set(SKIP_SPIRV_TOOLS_INSTALL ON)
  set(SPIRV_TOOLS_BUILD_STATIC ON)
  add_subdirectory(${SHADERQA_SPIRV_TOOLS_SOURCE} ${CMAKE_BINARY_DIR}/spirv-tools EXCLUDE_FROM_ALL)
  target_link_libraries(shaderqa_spirv_tools INTERFACE SPIRV-Tools-opt SPIRV-Tools-static)
  target_include_directories(shaderqa_spirv_tools SYSTEM INTERFACE
    ${SHADERQA_SPIRV_TOOLS_SOURCE} ${SHADERQA_SPIRV_TOOLS_SOURCE}/include
    ${SPIRV-Headers_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/spirv-tools)
else()
  if(NOT EXISTS ${SHADERQA_SPIRV_TOOLS_HEADERS}/source/opt/ir_context.h)
    message(FATAL_ERROR "SPIRV-Tools' source headers are missing: run tools/setup.sh, or give "
      "-DSHADERQA_SPIRV_TOOLS_SOURCE=DIR (a SPIRV-Tools source tree with external/spirv-headers)")
  endif()
  # Libraries, headers and grammar must be of one version: never a mixture of setup.sh's and the system's.
  foreach(library SPIRV-Tools-opt SPIRV-Tools)
    find_library(${library}_LIBRARY lib${library}.a HINTS ${SHADERQA_SPIRV_TOOLS_LIBRARIES} REQUIRED)
  endforeach()
  find_path(SPIRV_HEADERS_INCLUDE spirv/unified1/spirv.core.grammar.json HINTS ${SHADERQA_SPIRV_HEADERS} REQUIRED)
  set(grammar ${SPIRV_HEADERS_INCLUDE}/spirv/unified1)
  set(generated ${CMAKE_BINARY_DIR}/generated/spirv-tools)
  file(MAKE_DIRECTORY ${generated})
  # The IR's headers include these three; upstream's own scripts make them from the grammar.
  if(NOT EXISTS ${generated}/extension_enum.inc)
    execute_process(COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET
      COMMAND ${Python3_EXECUTABLE} ${SHADERQA_SPIRV_TOOLS_HEADERS}/utils/generate_grammar_tables.py
        --spirv-core-grammar=${grammar}/spirv.core.grammar.json
        --extinst-debuginfo-grammar=${grammar}/extinst.debuginfo.grammar.json
        --extinst-cldebuginfo100-grammar=${grammar}/extinst.opencl.debuginfo.100.grammar.json
        --extension-enum-output=${generated}/extension_enum.inc
        --enum-string-mapping-output=${generated}/enum_string_mapping.inc --output-language=c++)
  endif()
  foreach(pair NonSemanticShaderDebugInfo100=extinst.nonsemantic.shader.debuginfo.100.grammar.json
               OpenCLDebugInfo100=extinst.opencl.debuginfo.100.grammar.json)
    string(REGEX MATCH "^([^=]+)=(.*)$" _ ${pair})
    if(NOT EXISTS ${generated}/${CMAKE_MATCH_1}.h)
      execute_process(COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET
        COMMAND ${Python3_EXECUTABLE} ${SHADERQA_SPIRV_TOOLS_HEADERS}/utils/generate_language_headers.py
          --extinst-grammar=${grammar}/${CMAKE_MATCH_2} --extinst-output-path=${generated}/${CMAKE_MATCH_1}.h)
    endif()
  endforeach()
  # A library built against a newer C library names functions that an older one lacks.
  add_library(shaderqa_libc_shim STATIC ${CMAKE_CURRENT_LIST_DIR}/libc_shim.c)
  target_link_libraries(shaderqa_spirv_tools INTERFACE
    ${SPIRV-Tools-opt_LIBRARY} ${SPIRV-Tools_LIBRARY} shaderqa_libc_shim)
  target_include_directories(shaderqa_spirv_tools SYSTEM INTERFACE
    ${SHADERQA_SPIRV_TOOLS_HEADERS} ${SHADERQA_SPIRV_TOOLS_HEADERS}/include ${SPIRV_HEADERS_INCLUDE} ${generated})
endif()
