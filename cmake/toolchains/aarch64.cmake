# SPDX-License-Identifier: Apache-2.0
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
shaderqa_cross(aarch64-linux-gnu aarch64 qemu-aarch64)
