// SPDX-License-Identifier: Apache-2.0
// Feeds random and mutated text to whatever host/ reads as text: hash files, settings files, metadata.
// Usage: fuzz_text_inputs [ITERATIONS [SEED]]. A defect shows as a crash, a sanitizer's report, or an exit
// code of 1.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "host/printf/printf_metadata.h"
#include "host/settings/hash_filter.h"
#include "host/settings/settings.h"
#include "host/text/text_escape.h"

namespace {

using Random = std::mt19937_64;

size_t below(Random& random, size_t limit) { return static_cast<size_t>(random() % limit); }

constexpr const char* kHashFile =
    "# comment\n0011223344556677\n10-1f full\n2000 - 0x2fff flush-nan\r\n30,3f sync-compute\n40 disallow\n50 "
    "printf\n";
constexpr const char* kSettingsFile =
    "# comment\nshaderqa_instrument.printf = true\nshaderqa_instrument.printf_buffer_size = 1M\r\n"
    "shaderqa_instrument.nan=full\nkhronos_validation.x = 1\nshaderqa_instrument.report = /tmp/x\n";
constexpr const char* kMetadata =
    R"({"amdpal.format_strings":{".version":1,".strings":[{".index":1,".string":"%d %v2f","
    R"(".argument_count":3,".64bit_arguments":[0,1]},{".index":2,".string":"x",".argument_count":1,".shaderqa":)"
    R"({"arguments":[{"shape":"vector","scalars":["f32","i8"]},{"shape":"string","scalars":[],"text":"t"}],)"
    R"("invocation":"vertex","ordinal":1,"shader":"00ff","stage":"compute","entry_point":"main",)"
    R"("source":{"file":"a","line":1,"column":2,"text":"t"}}}]}})";

std::string mutate(Random& random, std::string text) {
  static const char* const tokens[] = {
      "-",    "0x", "\n",   "\r",   "=",   "shaderqa_instrument.", "\"",   "{",    "}",       "[",
      "]",    ":",  ",",    "-1",   "1e9", "18446744073709551616", "null", "\xff", "\\u0000", "%v",
      "full", "\t", "true", "\x00x"};
  for (size_t edits = below(random, 8); edits > 0; --edits) {
    const size_t at = below(random, text.size() + 1);
    switch (below(random, 5)) {
      case 0:
        text.insert(at, tokens[below(random, std::size(tokens))]);
        break;
      case 1:
        text.erase(at, below(random, 10));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(random()));
        break;
      case 3:
        text.insert(at, text.substr(below(random, text.size() + 1), below(random, 40)));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random());
    }
  }
  return text;
}

void check(bool holds, const char* what, const std::string& input) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_text_inputs: %s:\n%s\n", what, shaderqa::to_utf8(input).c_str());
  std::exit(1);
}

bool is_clean(const std::string& text) { return shaderqa::to_utf8(text) == text; }

}  // namespace

int main(int argc, char** argv) {
  const unsigned long iterations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100000;
  Random random(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  for (unsigned long i = 0; i < iterations; ++i) {
    const std::string hashes = mutate(random, kHashFile);
    std::vector<std::string> problems;
    const shaderqa::HashFilter filter = shaderqa::HashFilter::parse(hashes, "file", problems);
    for (const std::string& problem : problems)
      check(is_clean(problem), "a problem is not valid UTF-8", hashes);
    const uint32_t modes = filter.match(random());
    check((modes & shaderqa::kHashDisallow) == 0 || modes == shaderqa::kHashDisallow, "disallow did not win",
          hashes);
    check(problems.empty() || !filter.empty(), "a file with errors selects every shader", hashes);

    shaderqa::SettingsSources sources;
    sources.file_text = mutate(random, kSettingsFile);
    sources.file_name = "file";
    const shaderqa::LoadedSettings loaded = shaderqa::load_settings(sources);
    for (const std::string& problem : loaded.problems)
      check(is_clean(problem), "a problem is not valid UTF-8", *sources.file_text);
    const uint64_t size = loaded.settings.printf_buffer_size;
    check(size >= 65536 && size <= uint64_t{2} << 30, "a buffer size is out of range", *sources.file_text);

    const std::string metadata = mutate(random, kMetadata);
    const auto records = shaderqa::read_printf_metadata(metadata);
    if (const auto* known = std::get_if<std::vector<shaderqa::ShaderRecord>>(&records)) {
      // What was read can be written, and reads back the same.
      const std::string written = shaderqa::write_printf_metadata(*known);
      const auto again = shaderqa::read_printf_metadata(written);
      const auto* second = std::get_if<std::vector<shaderqa::ShaderRecord>>(&again);
      check(second != nullptr && shaderqa::write_printf_metadata(*second) == written,
            "metadata is not stable", metadata);
    } else {
      check(!std::get<std::string>(records).empty(), "an error without a sentence", metadata);
    }
  }
  std::printf("%lu iterations\n", iterations);
  return 0;
}
