// SPDX-License-Identifier: Apache-2.0
// Feeds random and mutated formats, payloads, segments and dumps to the decoder. Usage: fuzz_decoder
// [ITERATIONS [SEED]]. A defect shows as a crash, a sanitizer's report, or an exit code of 1.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "host/printf/printf_metadata.h"
#include "host/printf/printf_stream.h"
#include "instrument/runtime/abi_printf.h"
#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

using Random = std::mt19937_64;

uint32_t below(Random& random, uint32_t limit) { return static_cast<uint32_t>(random() % limit); }

std::string random_format(Random& random) {
  static const char* const pieces[] = {
      "%",    "d",  "u",    "l",  "ul",  "v2",   "v4",   "f",    "g",         "a", "x",     "#",  "0",
      "-",    "+",  " ",    ".",  "*",   "12",   "99",   "s",    "c",         "p", "n",     "%%", "\xff",
      "text", "\n", "%v3f", "%d", "%lu", "%hhd", "%.3e", "4096", "999999999", "e", "%*.*f", "q",  "$"};
  std::string format;
  for (uint32_t i = below(random, 20); i > 0; --i) format += pieces[below(random, std::size(pieces))];
  return format;
}

PrintfSite random_site(Random& random, uint64_t id) {
  static const uint8_t widths[] = {1, 8, 16, 32, 64};
  PrintfSite site;
  site.id = id;
  site.format = random_format(random);
  for (uint32_t i = below(random, 6); i > 0; --i) {
    PrintfArgument argument;
    argument.shape = static_cast<ArgumentShape>(below(random, 6));
    const uint32_t count = argument.shape == ArgumentShape::scalar ? 1 : below(random, 6);
    for (uint32_t k = 0; k < count && argument.shape != ArgumentShape::string; ++k)
      argument.scalars.push_back({static_cast<ScalarKind>(below(random, 5)), widths[below(random, 5)]});
    if (argument.shape == ArgumentShape::string) argument.text = random_format(random);
    site.arguments.push_back(argument);
  }
  site.invocation = static_cast<InvocationKind>(below(random, 6));
  return site;
}

// Exactly as long as the allocation, so that a sanitizer sees any step beyond it.
std::vector<uint32_t> random_words(Random& random, uint32_t count) {
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) word = below(random, 3) == 0 ? 0 : static_cast<uint32_t>(random());
  words.shrink_to_fit();
  return words;
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_decoder: %s\n", what);
  std::exit(1);
}

void fuzz_renderer(Random& random) {
  const PrintfSite site = random_site(random, 1);
  const std::vector<uint32_t> payload = random_words(random, below(random, 16));
  const RenderedPrintf once = render_printf(site, payload);
  check(once.text.size() <= CompiledFormat::kMaxMessageChars + 3 * kMaxFieldChars, "a message is too long");
  check(once.text.find('\0') == std::string::npos, "a message holds NUL");
  check(render_printf(site, payload).text == once.text, "rendering is not repeatable");
  render_invocation(site, payload);
  // The metadata carries the site faithfully, but for kinds and widths that no shader has.
  ShaderRecord record = make_record({site});
  for (PrintfArgument& argument : record.printf_sites[0].arguments)
    for (Scalar& scalar : argument.scalars) scalar = {ScalarKind::floating, 32};
  const auto back = read_printf_metadata(write_printf_metadata({record}));
  const auto* records = std::get_if<std::vector<ShaderRecord>>(&back);
  check(records != nullptr, "metadata does not read back");
  check(render_printf((*records)[0].printf_sites[0], payload).text ==
            render_printf(record.printf_sites[0], payload).text,
        "metadata changes what is printed");
}

// Valid entries, then damage.
std::vector<uint32_t> random_buffer(Random& random, uint32_t capacity) {
  std::vector<uint32_t> words;
  while (words.size() + 20 < capacity) {
    const uint32_t kind = below(random, 12);
    std::vector<uint32_t> entry =
        make_entry(1 + below(random, kind == 0 ? 50 : 8), random_words(random, below(random, 10)));
    if (kind == 1) entry.assign(below(random, 12), 0);
    words.insert(words.end(), entry.begin(), entry.end());
    if (below(random, 40) == 0) break;
  }
  words.resize(capacity);
  words.shrink_to_fit();
  for (uint32_t i = below(random, 6); i > 0 && capacity > 0; --i)
    words[below(random, capacity)] = static_cast<uint32_t>(random());
  return words;
}

uint64_t random_offset(Random& random, uint32_t capacity) {
  switch (below(random, 4)) {
    case 0:
      return random();
    case 1:
      return capacity + below(random, 3);
    default:
      return below(random, capacity + 2);
  }
}

void fuzz_buffers(Random& random) {
  PrintfTable table;
  ShaderRecord record;
  for (uint64_t id = 1; id <= 8; ++id) record.printf_sites.push_back(random_site(random, id));
  table.add(record);
  std::string text;
  const PrintfStream::Callbacks callbacks{[&](const PrintfMessage& message) {
                                            text.clear();
                                            if (message.format != nullptr)
                                              message.format->render(message.payload, text);
                                          },
                                          [](const std::string&) {}};
  const uint32_t capacity = below(random, 400);
  std::vector<std::vector<uint32_t>> entries;
  std::vector<abi::PrintfBufferHeader> headers(3);
  std::vector<uint64_t> cursors(3);
  std::vector<PrintfSegmentView> views;
  for (size_t i = 0; i < 3; ++i) {
    entries.push_back(random_buffer(random, capacity));
    headers[i] = {random_offset(random, capacity), below(random, 9) == 0, 0};
    cursors[i] = below(random, 5) == 0 ? random() : 0;
  }
  for (size_t i = 0; i < 3; ++i) views.push_back({entries[i].data(), capacity, &headers[i], &cursors[i]});
  uint32_t active = below(random, 4);
  PrintfStream stream(views, &active, table);
  for (uint32_t pass = below(random, 5); pass > 0; --pass) {
    check(
        stream.drain(static_cast<PrintfStream::Mode>(below(random, 3)), callbacks) <= 3 * (capacity / 2 + 1),
        "more messages than the segments can hold");
    if (capacity > 0) entries[below(random, 3)][below(random, capacity)] = static_cast<uint32_t>(random());
    headers[below(random, 3)].buffer_offset = random_offset(random, capacity);
  }
  stream.drain(PrintfStream::Mode::finished, callbacks);
  for (const abi::PrintfBufferHeader& header : headers)
    check(header.buffer_offset == 0, "finished left a segment behind");

  std::vector<uint32_t> dump = random_buffer(random, 4 + below(random, 200));
  const uint64_t offset = random_offset(random, static_cast<uint32_t>(dump.size()));
  std::memcpy(dump.data(), &offset, sizeof offset);
  const size_t bytes = dump.size() * 4 - below(random, 8);
  std::vector<std::byte> exact(bytes);
  std::memcpy(exact.data(), dump.data(), bytes);
  decode_printf_dump(exact, table, callbacks);
}

}  // namespace
}  // namespace shaderqa::test

int main(int argc, char** argv) {
  const unsigned long iterations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100000;
  std::mt19937_64 random(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  for (unsigned long i = 0; i < iterations; ++i) {
    shaderqa::test::fuzz_renderer(random);
    shaderqa::test::fuzz_buffers(random);
  }
  std::printf("%lu iterations\n", iterations);
  return 0;
}
