// SPDX-License-Identifier: Apache-2.0
#include "tools/offline.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <set>
#include <variant>

#include "host/findings/report.h"
#include "host/printf/printf_format.h"
#include "host/printf/printf_metadata.h"
#include "host/printf/printf_stream.h"
#include "host/printf/printf_table.h"
#include "host/text/text_escape.h"
#include "tools/files.h"
#include "tools/findings.h"

namespace shaderqa {
namespace {

constexpr int kExitRefused = 1, kExitUnusable = 2;

int fail(const std::string& what, int code = kExitUnusable) {
  std::fprintf(stderr, "shaderqa: error: %s\n", what.c_str());
  return code;
}

void say(const std::string& what) { std::fprintf(stderr, "shaderqa: note: %s\n", what.c_str()); }

int load(const std::string& path, std::vector<uint32_t>& words) {
  bool swapped = false;
  if (const std::string error = read_spirv(path, words, swapped); !error.empty()) return fail(error);
  if (swapped) say(path + ": has the other byte order; read with its words swapped");
  return 0;
}

// A stage as options have it, without blanks: "tessellation-control".
std::string stage_name(Stage stage) {
  std::string name = to_string(stage);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

constexpr uint32_t kOpEntryPoint = 15;

Stage stage_of_model(uint32_t model) {
  if (model <= 5) return static_cast<Stage>(model);  // vertex .. compute: the same order
  switch (model) {
    case 5267:  // TaskNV
    case 5364:
      return Stage::task;
    case 5268:  // MeshNV
    case 5365:
      return Stage::mesh;
    case 5313:
      return Stage::ray_generation;
    case 5314:
      return Stage::intersection;
    case 5315:
      return Stage::any_hit;
    case 5316:
      return Stage::closest_hit;
    case 5317:
      return Stage::miss;
    case 5318:
      return Stage::callable;
    default:
      return Stage::unknown;
  }
}

struct EntryPointName {
  std::string name;
  Stage stage;
};

// Appends entry points in the module's order. Returns an error sentence if the words are no instructions.
std::string scan_entry_points(const std::vector<uint32_t>& words, std::vector<EntryPointName>& result) {
  constexpr size_t header = 5;
  for (size_t at = header; at < words.size();) {
    const uint32_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at)
      return "the instruction at word " + std::to_string(at) + " says that it has " + std::to_string(count) +
             " words, " + std::to_string(words.size() - at) +
             " are left: the module is damaged or cut off; make it again";
    if ((words[at] & 0xffff) == kOpEntryPoint && count > 3) {
      std::string name;
      for (size_t byte = 0; byte < (count - 3) * size_t{4}; ++byte) {
        const char c = static_cast<char>(words[at + 3 + byte / 4] >> (byte % 4 * 8) & 0xff);
        if (c == 0) break;
        name += c;
      }
      result.push_back({name, stage_of_model(words[at + 1])});
    }
    at += count;
  }
  return {};
}

// Sets entry point and stage of the options. Returns an error sentence if the request does not name exactly
// one.
std::string choose_entry_point(const std::vector<EntryPointName>& all, InstrumentRequest& request) {
  std::vector<EntryPointName> matching;
  std::string list;
  for (const EntryPointName& one : all) {
    list += "\n  --entry " + to_utf8(one.name) + " --stage " + stage_name(one.stage);
    if ((request.entry.empty() || request.entry == one.name) &&
        (request.stage.empty() || request.stage == stage_name(one.stage)))
      matching.push_back(one);
  }
  if (all.empty())
    return request.input + ": has no entry point, so there is nothing that runs; is it a library?";
  if (matching.empty()) return request.input + ": has no entry point with that name and stage; it has" + list;
  if (matching.size() > 1) return request.input + ": has several entry points; choose one by" + list;
  request.options.entry_point = matching[0].name;
  request.options.stage = matching[0].stage;
  return {};
}

std::string bytes_of(const std::vector<uint32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * 4);
}

// Escapes the text so that it is one line. A newline at its end, as C programmers write it, is dropped.
std::string one_line(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::string result;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) result += "\\n";
    append_terminal(result, text.substr(begin, end - begin), "");
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (int stage = 0; stage < static_cast<int>(Stage::unknown); ++stage)
    names.push_back(stage_name(static_cast<Stage>(stage)));
  return names;
}

int instrument_file(InstrumentRequest request) {
  std::vector<uint32_t> words;
  if (const int code = load(request.input, words); code != 0) return code;
  std::vector<EntryPointName> entry_points;
  if (const std::string error = scan_entry_points(words, entry_points); !error.empty())
    return fail(request.input + ": " + error);
  if (const std::string error = choose_entry_point(entry_points, request); !error.empty()) return fail(error);

  InstrumentResult result = instrument(words, request.options);
  for (const ShaderNote& note : result.record.notes)
    say(request.input + " (" + to_string(request.options.stage) + ", " +
        to_utf8(request.options.entry_point) + "): " + note.text);
  switch (result.status) {
    case InstrumentStatus::refused:
      return fail(request.input + ": cannot be instrumented: " + result.message, kExitRefused);
    case InstrumentStatus::untouched:
      say(request.input + ": nothing in it prints or is checked; copied unchanged to " + request.output);
      result.words = words;
      break;
    case InstrumentStatus::instrumented:
      break;
  }
  std::vector<ShaderRecord> records;
  if (result.status == InstrumentStatus::instrumented) records.push_back(std::move(result.record));
  // Write the module last: if it exists, its strings do, too.
  if (!request.strings.empty()) {
    const std::string error = write_file(request.strings, write_printf_metadata(records) + "\n");
    if (!error.empty()) return fail(error);
  }
  if (const std::string error = write_file(request.output, bytes_of(result.words)); !error.empty())
    return fail(error);
  return 0;
}

int decode_file(const std::string& strings, const std::string& dump, bool json) {
  std::string text, content;
  if (const std::string error = read_file(strings, text); !error.empty()) return fail(error);
  if (text.empty())
    return fail(strings + ": is empty; give the file that shaderqa instrument --strings wrote");
  const auto records = read_printf_metadata(text);
  if (const auto* error = std::get_if<std::string>(&records)) return fail(strings + ": " + *error);
  if (const std::string error = read_file(dump, content); !error.empty()) return fail(error);
  if (content.empty()) return fail(dump + ": is empty; a printf buffer has a header of 16 bytes");

  PrintfTable table;
  for (const ShaderRecord& record : std::get<std::vector<ShaderRecord>>(records))
    for (const std::string& warning : table.add(record)) say(strings + ": " + warning);

  std::set<uint64_t> warned;
  std::string line;
  bool written = true;
  PrintfStream::Callbacks callbacks;
  callbacks.problem = [&](const std::string& problem) { say(dump + ": " + problem); };
  callbacks.message = [&](const PrintfMessage& message) {
    if (!message.site) return;  // said as a problem
    if (warned.insert(message.id).second)
      for (const std::string& warning : message.format->warnings()) say(strings + ": " + warning);
    line.clear();
    message.format->render(message.payload, line);
    line = json ? to_json_line(printf_finding(*message.site, message.payload, line)) : one_line(line) + "\n";
    written = written && std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
  };
  decode_printf_dump(std::as_bytes(std::span(content)), table, callbacks);
  if (std::fflush(stdout) != 0 || !written)
    return fail("standard output cannot be written to; is the disk full?");
  return 0;
}

int hash_files(const std::vector<std::string>& paths) {
  int code = 0;
  for (const std::string& path : paths) {
    std::vector<uint32_t> words;
    if (const int wrong = load(path, words); wrong != 0) {
      code = wrong;
      continue;
    }
    std::printf("%016" PRIx64, shader_hash(words));
    if (paths.size() > 1) std::printf("  %s", path.c_str());
    std::putchar('\n');
  }
  if (std::fflush(stdout) != 0) return fail("standard output cannot be written to; is the disk full?");
  return code;
}

}  // namespace shaderqa
