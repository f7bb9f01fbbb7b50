// SPDX-License-Identifier: Apache-2.0
// SPIRV-Tools' packaged libraries are built against glibc 2.38 or newer, whose headers rename strtol and its
// relatives. Where the C library is older, these stand in for the renamed ones; a newer one has its own. (The renamed
// ones also read "0b" as binary in base 0 and 2, which SPIRV-Tools does not ask for.)
#include <stdlib.h>

long shaderqa_strtol(const char* text, char** end, int base) __asm__("__isoc23_strtol");
unsigned long shaderqa_strtoul(const char* text, char** end, int base) __asm__("__isoc23_strtoul");
long long shaderqa_strtoll(const char* text, char** end, int base) __asm__("__isoc23_strtoll");
unsigned long long shaderqa_strtoull(const char* text, char** end, int base) __asm__("__isoc23_strtoull");

#include <features.h>
#if !defined(__GLIBC__) || __GLIBC__ < 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ < 38)
long shaderqa_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }
unsigned long shaderqa_strtoul(const char* text, char** end, int base) { return strtoul(text, end, base); }
long long shaderqa_strtoll(const char* text, char** end, int base) { return strtoll(text, end, base); }
unsigned long long shaderqa_strtoull(const char* text, char** end, int base) {
  return strtoull(text, end, base);
}
#endif
