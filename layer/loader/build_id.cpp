// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shaderqa::layer {
namespace {

std::string id_in_notes(const char* notes, size_t bytes) {
  const auto aligned = [](size_t size) { return (size + 3) & ~size_t{3}; };
  ElfW(Nhdr) note;
  while (bytes >= sizeof note) {
    std::memcpy(&note, notes, sizeof note);
    const size_t name_at = sizeof note;
    const size_t id_at = name_at + aligned(note.n_namesz);
    const size_t end = id_at + aligned(note.n_descsz);
    if (end > bytes) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name_at, "GNU", 4) == 0)
      return {notes + id_at, note.n_descsz};
    notes += end;
    bytes -= end;
  }
  return {};
}

struct Search {
  uintptr_t inside;  // an address in the library that is searched for
  std::string id;
};

int look_at(dl_phdr_info* library, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool is_it = false;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    is_it |= part.p_type == PT_LOAD && search.inside - (library->dlpi_addr + part.p_vaddr) < part.p_memsz;
  }
  if (!is_it) return 0;
  for (int i = 0; i < library->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      search.id = id_in_notes(reinterpret_cast<const char*>(library->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<uintptr_t>(&build_id), {}};
  dl_iterate_phdr(look_at, &search);
  return search.id;
}

}  // namespace shaderqa::layer
