# SPDX-License-Identifier: Apache-2.0
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
shaderqa_cross(i686-linux-gnu i686 qemu-i386)
# Results of floating-point operations as on other processors: without registers of 80 bits.
set(CMAKE_C_FLAGS_INIT "-msse2 -mfpmath=sse")
set(CMAKE_CXX_FLAGS_INIT "-msse2 -mfpmath=sse")
