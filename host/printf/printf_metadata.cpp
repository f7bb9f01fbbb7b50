// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_metadata.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/printf/printf_spec.h"
#include "host/text/text_escape.h"
#include "instrument/runtime/abi_printf.h"

namespace shaderqa {
namespace {

using nlohmann::json;

constexpr std::array kShapes = {"scalar", "vector", "matrix", "array", "structure", "string"};
constexpr std::array kInvocations = {"none", "global_id", "vertex", "fragment", "primitive", "launch_id"};
constexpr uint64_t kIdMask = (uint64_t{1} << 48) - 1;

std::string scalar_name(const Scalar& scalar) {
  switch (scalar.kind) {
    case ScalarKind::signed_int:
      return "i" + std::to_string(scalar.width);
    case ScalarKind::unsigned_int:
      return "u" + std::to_string(scalar.width);
    case ScalarKind::floating:
      return "f" + std::to_string(scalar.width);
    case ScalarKind::pointer:
      return "p" + std::to_string(scalar.width);
    case ScalarKind::boolean:
      break;
  }
  return "b1";
}

std::optional<Scalar> scalar_of(const std::string& name) {
  constexpr struct {
    const char* name;
    Scalar scalar;
  } known[] = {
      {"i8", {ScalarKind::signed_int, 8}},     {"i16", {ScalarKind::signed_int, 16}},
      {"i32", {ScalarKind::signed_int, 32}},   {"i64", {ScalarKind::signed_int, 64}},
      {"u8", {ScalarKind::unsigned_int, 8}},   {"u16", {ScalarKind::unsigned_int, 16}},
      {"u32", {ScalarKind::unsigned_int, 32}}, {"u64", {ScalarKind::unsigned_int, 64}},
      {"f16", {ScalarKind::floating, 16}},     {"f32", {ScalarKind::floating, 32}},
      {"f64", {ScalarKind::floating, 64}},     {"p64", {ScalarKind::pointer, 64}},
      {"b1", {ScalarKind::boolean, 1}},
  };
  for (const auto& entry : known)
    if (name == entry.name) return entry.scalar;
  return std::nullopt;
}

std::string hash_text(uint64_t hash) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

json write_site(const PrintfSite& site) {
  json arguments = json::array();
  std::vector<uint64_t> wide(1, 0);
  size_t scalars = 0;
  for (const PrintfArgument& argument : site.arguments) {
    json names = json::array();
    for (const Scalar& scalar : argument.scalars) {
      if (scalars / 64 >= wide.size()) wide.push_back(0);
      if (scalar.payload_dwords() == 2) wide[scalars / 64] |= uint64_t{1} << (scalars % 64);
      ++scalars;
      names.push_back(scalar_name(scalar));
    }
    json entry = {{"shape", kShapes[static_cast<size_t>(argument.shape)]}, {"scalars", std::move(names)}};
    if (argument.shape == ArgumentShape::string) entry["text"] = to_utf8(argument.text);
    arguments.push_back(std::move(entry));
  }
  json own = {
      {"arguments", std::move(arguments)}, {"invocation", kInvocations[static_cast<size_t>(site.invocation)]},
      {"ordinal", site.ordinal},           {"shader", hash_text(site.shader_hash)},
      {"stage", to_string(site.stage)},    {"entry_point", to_utf8(site.entry_point)}};
  if (!site.source.file.empty() || site.source.line != 0) {
    own["source"] = {
        {"file", to_utf8(site.source.file)}, {"line", site.source.line}, {"column", site.source.column}};
    if (!site.source.text.empty()) own["source"]["text"] = to_utf8(site.source.text);
  }
  // Invalid UTF-8 has the form that a message would show it in, so that decoding prints the same.
  return {{".index", site.id},
          {".string", to_utf8(site.format)},
          {".argument_count", scalars},
          {".64bit_arguments", wide},
          {".shaderqa", std::move(own)}};
}

// The scalar kinds that a conversion asks for; used where the metadata names no types.
Scalar expected_scalar(char conversion, bool wide) {
  Scalar scalar{ScalarKind::unsigned_int, wide ? uint8_t{64} : uint8_t{32}};
  if (conversion == 'd' || conversion == 'i') scalar.kind = ScalarKind::signed_int;
  if (is_float_conversion(conversion)) scalar.kind = ScalarKind::floating;
  if (conversion == 'p' && wide) scalar.kind = ScalarKind::pointer;
  return scalar;
}

std::vector<PrintfArgument> infer_arguments(const std::string& format, size_t count,
                                            const std::vector<uint64_t>& wide) {
  std::vector<PrintfArgument> arguments;
  size_t taken = 0;
  const auto take = [&](size_t scalars, char conversion) {
    PrintfArgument argument;
    argument.shape = scalars > 1 ? ArgumentShape::vector : ArgumentShape::scalar;
    for (size_t i = 0; i < scalars && taken < count; ++i, ++taken) {
      const bool is_wide = taken / 64 < wide.size() && (wide[taken / 64] >> (taken % 64) & 1) != 0;
      argument.scalars.push_back(expected_scalar(conversion, is_wide));
    }
    if (!argument.scalars.empty()) arguments.push_back(std::move(argument));
  };
  for (size_t at = format.find('%'); at != std::string::npos && taken < count; at = format.find('%', at)) {
    const ParsedSpec parsed = parse_printf_spec(format, at);
    const bool isolated = parsed.spec.space && !parsed.space_is_flag;
    at = isolated ? at + 1 : parsed.end;
    if (isolated || parsed.status != SpecStatus::conversion) continue;
    if (parsed.spec.star_width) take(1, 'd');
    if (parsed.spec.star_precision) take(1, 'd');
    take(parsed.spec.vector == 0 ? 1 : parsed.spec.vector, parsed.spec.conversion);
  }
  while (taken < count) take(1, 'u');
  return arguments;
}

// Reads one document; any mismatch throws one of these, caught at the boundary.
struct BadMetadata {
  std::string what;
};

class Reader {
 public:
  std::vector<ShaderRecord> read(const json& document);

 private:
  const json& member(const json& object, const char* key, const std::string& place) const {
    if (!object.is_object()) throw BadMetadata{place + " is not an object"};
    const auto found = object.find(key);
    if (found == object.end()) throw BadMetadata{place + " has no " + key};
    return *found;
  }
  uint64_t number(const json& value, const std::string& place, uint64_t largest) const {
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<int64_t>() < 0) ||
        value.get<uint64_t>() > largest)
      throw BadMetadata{place + " is not an integer from 0 to " + std::to_string(largest)};
    return value.get<uint64_t>();
  }
  std::string text(const json& value, const std::string& place) const {
    if (!value.is_string()) throw BadMetadata{place + " is not a string"};
    return value.get<std::string>();
  }
  PrintfSite site(const json& entry, const std::string& place) const;
  void own_members(PrintfSite& site, const json& own, const std::string& place) const;
  PrintfArgument argument(const json& entry, const std::string& place) const;
  std::string optional_text(const json& object, const char* key, const std::string& place) const {
    return object.contains(key) ? text(object[key], place + "." + key) : std::string();
  }
};

PrintfArgument Reader::argument(const json& entry, const std::string& place) const {
  PrintfArgument result;
  const std::string shape = text(member(entry, "shape", place), place + ".shape");
  const auto found = std::find(kShapes.begin(), kShapes.end(), shape);
  if (found == kShapes.end()) throw BadMetadata{place + ".shape is unknown"};
  result.shape = static_cast<ArgumentShape>(found - kShapes.begin());
  const json& scalars = member(entry, "scalars", place);
  if (!scalars.is_array()) throw BadMetadata{place + ".scalars is not an array"};
  for (const json& name : scalars) {
    const std::optional<Scalar> scalar = scalar_of(text(name, place + ".scalars"));
    if (!scalar) throw BadMetadata{place + ".scalars has an unknown type"};
    result.scalars.push_back(*scalar);
  }
  result.text = optional_text(entry, "text", place);
  return result;
}

void Reader::own_members(PrintfSite& site, const json& own, const std::string& place) const {
  const json& arguments = member(own, "arguments", place);
  if (!arguments.is_array()) throw BadMetadata{place + ".arguments is not an array"};
  for (size_t i = 0; i < arguments.size(); ++i)
    site.arguments.push_back(argument(arguments[i], place + ".arguments[" + std::to_string(i) + "]"));
  const std::string invocation = optional_text(own, "invocation", place);
  const auto kind = std::find(kInvocations.begin(), kInvocations.end(), invocation);
  if (kind != kInvocations.end()) site.invocation = static_cast<InvocationKind>(kind - kInvocations.begin());
  if (own.contains("ordinal"))
    site.ordinal = static_cast<uint32_t>(number(own["ordinal"], place + ".ordinal", UINT32_MAX));
  site.shader_hash = std::strtoull(optional_text(own, "shader", place).c_str(), nullptr, 16);
  const std::string stage = optional_text(own, "stage", place);
  for (int i = 0; i < static_cast<int>(Stage::unknown); ++i)
    if (stage == to_string(static_cast<Stage>(i))) site.stage = static_cast<Stage>(i);
  site.entry_point = optional_text(own, "entry_point", place);
  if (!own.contains("source")) return;
  const json& source = own["source"];
  const std::string where = place + ".source";
  site.source.file = text(member(source, "file", where), where + ".file");
  site.source.line =
      static_cast<uint32_t>(number(member(source, "line", where), where + ".line", UINT32_MAX));
  if (source.contains("column"))
    site.source.column = static_cast<uint32_t>(number(source["column"], where + ".column", UINT32_MAX));
  site.source.text = optional_text(source, "text", where);
}

PrintfSite Reader::site(const json& entry, const std::string& place) const {
  PrintfSite result;
  // Wider ids happen in other writers' metadata; entries carry 48 bits.
  result.id = number(member(entry, ".index", place), place + "..index", UINT64_MAX) & kIdMask;
  result.format = text(member(entry, ".string", place), place + "..string");
  if (entry.contains(".shaderqa")) {
    own_members(result, entry[".shaderqa"], place + "..shaderqa");
    return result;
  }
  const uint64_t count = number(member(entry, ".argument_count", place), place + "..argument_count",
                                SQA_PRINTF_MAX_ENTRY_DWORDS);
  std::vector<uint64_t> wide;
  if (entry.contains(".64bit_arguments")) {
    if (!entry[".64bit_arguments"].is_array()) throw BadMetadata{place + "..64bit_arguments is not an array"};
    for (const json& word : entry[".64bit_arguments"])
      wide.push_back(number(word, place + "..64bit_arguments", UINT64_MAX));
  }
  result.arguments = infer_arguments(result.format, count, wide);
  return result;
}

std::vector<ShaderRecord> Reader::read(const json& document) {
  const json& map = member(document, "amdpal.format_strings", "the document");
  const uint64_t version = number(member(map, ".version", "amdpal.format_strings"), ".version", UINT32_MAX);
  if (version != 1) throw BadMetadata{".version is " + std::to_string(version) + "; only 1 is known"};
  const json& strings = member(map, ".strings", "amdpal.format_strings");
  if (!strings.is_array()) throw BadMetadata{".strings is not an array"};
  std::vector<ShaderRecord> records;
  for (size_t i = 0; i < strings.size(); ++i) {
    PrintfSite found = site(strings[i], ".strings[" + std::to_string(i) + "]");
    if (records.empty() || records.back().shader_hash != found.shader_hash ||
        records.back().stage != found.stage || records.back().entry_point != found.entry_point) {
      ShaderRecord& record = records.emplace_back();
      record.shader_hash = found.shader_hash;
      record.stage = found.stage;
      record.entry_point = found.entry_point;
    }
    records.back().printf_sites.push_back(std::move(found));
  }
  return records;
}

}  // namespace

std::string write_printf_metadata(const std::vector<ShaderRecord>& records) {
  json strings = json::array();
  for (const ShaderRecord& record : records)
    for (const PrintfSite& site : record.printf_sites) strings.push_back(write_site(site));
  const json document = {{"amdpal.format_strings", {{".version", 1}, {".strings", std::move(strings)}}}};
  return document.dump();
}

std::variant<std::vector<ShaderRecord>, std::string> read_printf_metadata(std::string_view text) {
  // The parser recurses in no way that depends on the text, but destroying a deeply nested value would.
  size_t depth = 0;
  const auto limit_depth = [&depth](int level, json::parse_event_t, json&) {
    depth = std::max(depth, static_cast<size_t>(level));
    return level <= 64;
  };
  const json document = json::parse(text, limit_depth, /*allow_exceptions=*/false);
  if (depth > 64) return std::string("printf metadata: nested more than 64 levels deep");
  if (document.is_discarded()) return std::string("printf metadata: not valid JSON");
  try {
    return Reader().read(document);
  } catch (const BadMetadata& error) {
    return "printf metadata: " + error.what;
  } catch (const json::exception& error) {
    return std::string("printf metadata: ") + error.what();
  }
}

}  // namespace shaderqa
