// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_HOST_RESCUE_MEMORY_FILES_H
#define SHADERQA_HOST_RESCUE_MEMORY_FILES_H

namespace shaderqa {

// Whether the pages of an open file lie in memory alone (tmpfs), so that Vulkan may import a shared mapping
// of it. Since Linux 6.5 the kernel does not let a driver hold pages of a file on disk for long, and after an
// import that fails for that reason NVIDIA's driver 580 refuses every later allocation of the device, the
// application's too.
bool lies_in_memory(int descriptor);

}  // namespace shaderqa
#endif
