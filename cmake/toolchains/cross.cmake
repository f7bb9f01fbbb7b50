# SPDX-License-Identifier: Apache-2.0
# What the two toolchain files share. shaderqa_cross(TRIPLET CPU EMULATOR): Debian's cross compiler, the packages that
# tools/cross.sh unpacked for that architecture, and how its programs run here.
macro(shaderqa_cross triplet cpu emulator)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${cpu})
  set(CMAKE_C_COMPILER ${triplet}-gcc)
  set(CMAKE_CXX_COMPILER ${triplet}-g++)
  set(shaderqa_cross_root ${CMAKE_CURRENT_LIST_DIR}/../../build/deps/cross/${cpu})
  get_filename_component(shaderqa_cross_root ${shaderqa_cross_root} ABSOLUTE)
  list(PREPEND CMAKE_PREFIX_PATH ${shaderqa_cross_root}/usr)
  find_program(SHADERQA_EMULATOR ${emulator})
  if(SHADERQA_EMULATOR)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${SHADERQA_EMULATOR} -L /usr/${triplet})
  endif()
endmacro()
