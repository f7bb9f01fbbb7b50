// SPDX-License-Identifier: Apache-2.0
// Feeds the readers of a mailbox and of messages with damaged bytes, and conditions with damaged texts.
// Usage: fuzz_debug [ITERATIONS [SEED]]. A defect shows as a crash, a sanitizer's report, or a stop that is
// outside of the trace.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "host/trace/debug_messages.h"
#include "replay/condition.h"

namespace {

using Random = std::mt19937_64;

template <typename Bytes>
void damage(Bytes& bytes, size_t size, Random& random) {
  for (uint64_t i = random() % 4; i != 0; --i) bytes[random() % size] = static_cast<char>(random());
}

bool mailbox(Random& random) {
  const shaderqa::SegmentRange range{random() % 2 == 0 ? 0x7000'0000'0000 : random(), random() % 3 * 65536,
                                     static_cast<uint32_t>(random() % 300)};
  shaderqa::abi::DebugControl control{};
  control.number = static_cast<uint32_t>(random() % 3);
  control.piece = static_cast<uint32_t>(random() % 100);
  const uint64_t address = range.address + random() % 310 * 65536 + (random() % 8 == 0 ? 4 : 0);
  control.segment_address[0] = static_cast<uint32_t>(address);
  control.segment_address[1] = static_cast<uint32_t>(address >> 32);
  control.check = shaderqa::abi::debug_check(control.number, control.piece, control.segment_address[0],
                                             control.segment_address[1], control.records);
  if (random() % 3 == 0) damage(reinterpret_cast<char(&)[sizeof control]>(control), sizeof control, random);
  std::string error;
  const auto stop = shaderqa::read_mailbox(control, range, error);
  return stop ? stop->segment < range.segments && stop->number != 0 : !error.empty();
}

bool message(Random& random) {
  const auto kind = static_cast<shaderqa::DebugMessageKind>(random() % 7);
  shaderqa::DebugMessage made = shaderqa::debug_message(kind, "text");
  std::string bytes(reinterpret_cast<const char*>(&made), sizeof made);
  damage(bytes, bytes.size(), random);
  if (random() % 8 == 0) bytes.resize(random() % (2 * bytes.size()));
  std::string error;
  const auto read = shaderqa::read_debug_message(std::as_bytes(std::span(bytes)), error);
  return read ? read->mode <= SQA_DEBUG_EVERYWHERE && std::strlen(read->text) < sizeof read->text
              : !error.empty();
}

bool condition(Random& random) {
  static const std::string parts[] = {"a", "1", "0x", "(", ")", "&&", "||", "==",  "<",     "%4",
                                      "%", "[", "]",  ".", "-", "!",  " ",  "1e9", "b[i].x"};
  std::string text;
  for (uint64_t i = random() % 12; i != 0; --i) text += parts[random() % std::size(parts)];
  if (random() % 50 == 0) text = std::string(100000, "(-!"[random() % 3]);
  shaderqa::check_condition(text);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const long iterations = argc > 1 ? std::atol(argv[1]) : 100000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Random random(seed);
  for (long i = 0; i < iterations; ++i)
    if (!mailbox(random) || !message(random) || !condition(random)) {
      std::fprintf(stderr, "seed %llu, iteration %ld: something wrong was taken\n",
                   static_cast<unsigned long long>(seed), i);
      return 1;
    }
  return 0;
}
