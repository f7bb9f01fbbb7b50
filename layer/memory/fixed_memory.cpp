// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/fixed_memory.h"

#include <sys/mman.h>

#include <cstdint>

namespace shaderqa::layer {
namespace {

// Within 47 bits, and far from programs, libraries, heaps and the sanitizers' shadows. The thread sanitizer
// ends programs that map memory outside its regions: its address here lies in its lowest region.
#ifdef __SANITIZE_THREAD__
constexpr uintptr_t kFirst = 0x40'0000'0000;
#elif UINTPTR_MAX == UINT32_MAX
// Between where a program may lie and where its heap may.
constexpr uintptr_t kFirst = 0x2000'0000;
#else
constexpr uintptr_t kFirst = 0x2000'0000'0000;
#endif
constexpr uintptr_t kStep = 0x10'0000;
constexpr uintptr_t kTries = 64;

}  // namespace

std::unique_ptr<FixedMemory> FixedMemory::create(size_t bytes) {
#ifdef MAP_FIXED_NOREPLACE
  for (uintptr_t i = 0; i < kTries && bytes <= kStep; ++i) {
    const auto wanted = reinterpret_cast<void*>(kFirst + i * kStep);
    void* const got = ::mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted) return std::unique_ptr<FixedMemory>(new FixedMemory(got, bytes));
    // Kernels that do not know the flag take the address as a hint.
    if (got != MAP_FAILED) ::munmap(got, bytes);
  }
#endif
  return nullptr;
}

FixedMemory::~FixedMemory() { ::munmap(address_, bytes_); }

}  // namespace shaderqa::layer
