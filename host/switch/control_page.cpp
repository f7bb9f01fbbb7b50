// SPDX-License-Identifier: Apache-2.0
#include "host/switch/control_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>

namespace shaderqa {
namespace {

// Trivial: threads of the application may use the layer while the process exits.
struct Own {
  std::mutex mutex;
  ControlPage* page = nullptr;
  int file = -1;
  uint32_t users = 0;
  ControlPage in_memory{};
};
constinit Own own;

}  // namespace

ControlPage* use_control_page() {
  const std::lock_guard lock(own.mutex);
  if (own.users++ != 0) return own.page;
  own.page = &own.in_memory;
  own.file = ::memfd_create(kControlFile, MFD_CLOEXEC);
  if (own.file >= 0 && ::ftruncate(own.file, sizeof(ControlPage)) == 0) {
    void* const mapped =
        ::mmap(nullptr, sizeof(ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, own.file, 0);
    if (mapped != MAP_FAILED) own.page = static_cast<ControlPage*>(mapped);
  }
  own.page->process = static_cast<uint32_t>(::getpid());
  std::atomic_thread_fence(std::memory_order_release);
  own.page->magic = kControlMagic;
  return own.page;
}

void release_control_page() {
  const std::lock_guard lock(own.mutex);
  if (--own.users != 0) return;
  if (own.page != &own.in_memory) ::munmap(own.page, sizeof(ControlPage));
  if (own.file >= 0) ::close(own.file);
  own.file = -1;
  own.page = nullptr;
}

}  // namespace shaderqa
