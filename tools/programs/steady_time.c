// SPDX-License-Identifier: Apache-2.0
// Preloaded into programs that animate by the clock, so that they draw the same frames in every run: the program
// itself (not its libraries) sees a clock that goes on by 10 ms whenever it looks.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

struct Range {
  uintptr_t begin, end;
};

// The first object is the program.
static int take_first(struct dl_phdr_info* info, size_t size, void* out) {
  struct Range* range = out;
  (void)size;
  range->begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    if (begin < range->begin) range->begin = begin;
    if (begin + info->dlpi_phdr[i].p_memsz > range->end) range->end = begin + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

static int from_program(const void* caller) {
  static struct Range program;
  if (program.end == 0) dl_iterate_phdr(take_first, &program);
  return (uintptr_t)caller >= program.begin && (uintptr_t)caller < program.end;
}

static uint64_t next_microseconds(void) {
  static _Atomic uint64_t looks;
  return 1000000000ull + 10000 * atomic_fetch_add(&looks, 1);
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  if (!from_program(__builtin_return_address(0))) return real(clock, out);
  const uint64_t now = next_microseconds();
  out->tv_sec = (time_t)(now / 1000000);
  out->tv_nsec = (long)(now % 1000000 * 1000);
  return 0;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  static int (*real)(struct timeval*, void*);
  if (!real) real = (int (*)(struct timeval*, void*))dlsym(RTLD_NEXT, "gettimeofday");
  if (!from_program(__builtin_return_address(0))) return real(out, zone);
  const uint64_t now = next_microseconds();
  out->tv_sec = (time_t)(now / 1000000);
  out->tv_usec = (suseconds_t)(now % 1000000);
  return 0;
}
