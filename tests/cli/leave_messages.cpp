// SPDX-License-Identifier: Apache-2.0
// Stands for a program under the layer that dies before its messages are printed: leave_messages HOW COUNT
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "host/rescue/rescue_file.h"

int main(int argc, char** argv) {
  const char* folder = std::getenv("SHADERQA_RESCUE_DIR");
  if (argc != 3 || !folder) return 64;
  const std::string how = argv[1];
  const uint32_t count = static_cast<uint32_t>(std::atoi(argv[2]));

  std::string error;
  auto file = shaderqa::RescueFile::create(folder, 1, 65536, error);
  if (!file) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 65;
  }
  shaderqa::PrintfSite site;
  site.id = 0x123456789abc;
  site.format = "left %u";
  site.arguments = {{shaderqa::ArgumentShape::scalar, {{shaderqa::ScalarKind::unsigned_int, 32}}, ""}};
  site.shader_hash = 0x0123456789abcdef;
  site.stage = shaderqa::Stage::compute;
  site.entry_point = "main";
  shaderqa::ShaderRecord record;
  record.shader_hash = site.shader_hash;
  record.stage = site.stage;
  record.entry_point = site.entry_point;
  record.printf_sites = {site};
  file->add_sites(record);

  const uint32_t entry_dwords = 3;
  const uint64_t reserved = uint64_t{count} * entry_dwords;
  std::byte* at = file->segment_memory();
  std::memcpy(at, &reserved, sizeof reserved);
  at += 16;
  for (uint32_t i = 0; i < count; ++i, at += entry_dwords * 4) {
    const uint32_t words[] = {entry_dwords | static_cast<uint32_t>(site.id) << 16,
                              static_cast<uint32_t>(site.id >> 16), i};
    std::memcpy(at, words, sizeof words);
  }
  if (how == "delivered") *file->cursor(0) = reserved;

  if (how == "abort") std::abort();
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "orderly") return 0;
  _exit(5);
}
