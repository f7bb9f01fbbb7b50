// SPDX-License-Identifier: Apache-2.0
#include "host/settings/hash_filter.h"

#include "host/text/file_text.h"
#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

struct Keyword {
  const char* name;
  uint32_t mode;
};
constexpr Keyword kKeywords[] = {
    {"allow", kHashAllow},
    {"disallow", kHashDisallow},
    {"full", kHashFull},
    {"flush-nan", kHashFlushNan},
    {"expect-assume", kHashExpectAssume},
    {"sync", kHashSync},
    {"sync-compute", kHashSyncCompute},
    {"printf", kHashPrintf},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alnum(char c) { return is_digit(c) || is_alpha(c); }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A hash at `at`, "0x" allowed; false if there is none. overflow: more than 64 bits.
bool parse_hash(std::string_view line, size_t& at, uint64_t& hash, bool& overflow) {
  size_t end = at;
  if (end + 2 < line.size() && line[end] == '0' && (line[end + 1] | 0x20) == 'x' &&
      hex_value(line[end + 2]) >= 0)
    end += 2;
  const size_t digits = end;
  hash = 0;
  overflow = false;
  for (; end < line.size() && hex_value(line[end]) >= 0; ++end) {
    overflow |= hash >> 60 != 0;
    hash = hash << 4 | static_cast<uint64_t>(hex_value(line[end]));
  }
  if (end == digits) return false;
  at = end;
  return true;
}

// Characters that end a second hash: anything else means that it was the beginning of a keyword ("disallow",
// "allow").
bool ends_hash(std::string_view line, size_t at) { return at == line.size() || !is_alnum(line[at]); }

std::string keyword_names() {
  std::string names;
  for (const Keyword& keyword : kKeywords) names += std::string(names.empty() ? "" : ", ") + keyword.name;
  return names;
}

}  // namespace

HashFilter HashFilter::parse(std::string_view text, const std::string& file_name,
                             std::vector<std::string>& problems) {
  HashFilter filter;
  const size_t problems_before = problems.size();
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
      line.remove_suffix(1);
    // As in the format's first user: a line that does not begin with a letter or digit is a comment.
    if (line.empty() || !is_alnum(line[0])) continue;
    const auto complain = [&](const std::string& what) {
      problems.push_back(file_name + ":" + std::to_string(number) + ": " + what + "; the line is ignored");
    };

    size_t at = 0;
    Range range{};
    bool overflow = false;
    if (!parse_hash(line, at, range.low, overflow) || !ends_hash(line, at)) {
      complain("\"" + to_utf8(line.substr(0, 64)) + "\" does not begin with a shader hash in hexadecimal");
      continue;
    }
    bool second_overflow = false;
    size_t next = at;
    while (next < line.size() && !is_alnum(line[next])) ++next;
    size_t after = next;
    const bool has_high = parse_hash(line, after, range.high, second_overflow) && ends_hash(line, after);
    if (has_high) {
      at = after;
    } else {
      range.high = range.low;
      at = next;
    }
    if (overflow || (has_high && second_overflow)) {
      complain("a hash has more than 64 bits");
      continue;
    }
    // Zero as the upper bound means none was given, as in the format's first user.
    if (range.high == 0) range.high = range.low;
    if (range.high < range.low) {
      complain("the range is empty: its end lies below its beginning");
      continue;
    }
    while (at < line.size() && !is_alnum(line[at])) ++at;
    const std::string_view word = line.substr(at);
    range.modes = word.empty() ? uint32_t{kHashAllow} : 0u;
    for (const Keyword& keyword : kKeywords)
      if (word == keyword.name) range.modes = keyword.mode;
    if (range.modes == 0) {
      complain("\"" + to_utf8(word.substr(0, 64)) + "\" is not one of " + keyword_names());
      continue;
    }
    if (range.low == 0 && range.high == 0) {
      complain("the hash 0 names no shader");
      continue;
    }
    filter.ranges_.push_back(range);
  }
  // A file in which every line was wrong still asked for a selection; one without any line did not.
  filter.restricts_ = !filter.ranges_.empty() || problems.size() > problems_before;
  return filter;
}

HashFilter HashFilter::load(const std::string& path, std::vector<std::string>& problems) {
  HashFilter nothing;
  nothing.restricts_ = true;
  std::string error;
  const std::optional<std::string> text = read_file_text(path, error);
  if (!text) {
    problems.push_back("cannot read the hash file " + path + ": " + error + "; no shader is selected");
    return nothing;
  }
  return parse(*text, path, problems);
}

uint32_t HashFilter::match(uint64_t shader_hash) const {
  if (empty()) return kHashAllow;
  uint32_t modes = 0;
  for (const Range& range : ranges_)
    if (range.low <= shader_hash && shader_hash <= range.high) modes |= range.modes;
  return (modes & kHashDisallow) != 0 ? uint32_t{kHashDisallow} : modes;
}

uint32_t HashFilter::modes() const {
  uint32_t modes = 0;
  for (const Range& range : ranges_) modes |= range.modes;
  return modes;
}

}  // namespace shaderqa
