// SPDX-License-Identifier: Apache-2.0
#include "host/rescue/memory_files.h"

#include <linux/magic.h>
#include <sys/vfs.h>

namespace shaderqa {

bool lies_in_memory(int descriptor) {
  struct statfs info {};
  return ::fstatfs(descriptor, &info) == 0 && info.f_type == TMPFS_MAGIC;
}

}  // namespace shaderqa
