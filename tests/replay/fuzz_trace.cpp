// SPDX-License-Identifier: Apache-2.0
// Feeds mutated traces and selectors to their readers, and walks through what they accept.
// Usage: fuzz_trace [ITERATIONS [SEED]]. A defect shows as a crash or a sanitizer's report.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "host/trace/trace_selector.h"
#include "replay/debugger.h"
#include "trace_builder.h"

namespace {

using Random = std::mt19937_64;

std::string mutate(Random& random, std::string bytes) {
  for (size_t edits = 1 + random() % 6; edits > 0; --edits) {
    // Headers and the shader are what is read most.
    const size_t ranges[][2] = {{0, 40}, {shaderqa::kTracePage, 4 * 32}, {2 * shaderqa::kTracePage, 400}};
    const auto& [begin, size] = ranges[random() % 3];
    const size_t at = begin + random() % size;
    if (at >= bytes.size()) continue;
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] + 1);
        break;
      case 2:
        for (size_t i = at & ~size_t{3}; i < (at & ~size_t{3}) + 4 && i < bytes.size(); ++i)
          bytes[i] = static_cast<char>(random() % 2 != 0 ? 0xff : 0);
        break;
      default:
        if (random() % 8 == 0) bytes.resize(at);
    }
  }
  return bytes;
}

void walk(const std::string& bytes) {
  shaderqa::TraceContents contents;
  std::string error;
  if (!shaderqa::read_trace(std::as_bytes(std::span(bytes)), contents, error)) return;
  shaderqa::Debugger debugger(std::move(contents));
  debugger.greeting();
  for (const char* command : {"print %6", "stepi", "print %6", "next",   "info locals", "x %4", "who %6",
                              "bt",       "list",  "dis",      "c",      "rn",          "rs",   "rc",
                              "b main",   "c",     "p a[3].x", "goto 1", "info shader", "rfin", "watch %6"}) {
    const shaderqa::Reply reply = debugger.command(command);
    debugger.to_json(command, reply);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long iterations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 3000;
  Random random(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  const std::string trace = shaderqa::small_trace_with_action();
  const std::string selector = "compute:GlobalInvocationID=5,0,*;match=2|vertex:VertexIndex=1";
  walk(trace);
  for (unsigned long i = 0; i < iterations; ++i) {
    walk(mutate(random, trace));
    std::string text = selector, error;
    for (int edits = 0; edits < 3; ++edits) text[random() % text.size()] = static_cast<char>(random());
    shaderqa::parse_trace_selectors(text, error);
  }
  std::puts("ok");
  return 0;
}
