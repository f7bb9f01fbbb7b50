// SPDX-License-Identifier: Apache-2.0
#include "replay/watchpoint.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "replay/expression.h"
#include "replay/scopes.h"

namespace shaderqa {
namespace {

constexpr uint64_t kUsualBytes = 4;

bool read_number(std::string_view text, uint64_t& number) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  return problem == std::errc() && end == text.data() + text.size();
}

std::string shown(const TracedShader& shader, uint32_t type,
                  const std::optional<std::vector<uint32_t>>& dwords) {
  std::vector<std::optional<uint32_t>> values(shader.size_of(type));
  if (dwords) std::copy_n(dwords->begin(), std::min(dwords->size(), values.size()), values.begin());
  return shader.format(type, values);
}

void add_line(std::string& text, const std::string& line) { text += (text.empty() ? "" : "\n") + line; }

std::string change_at_address(const Invocation& invocation, const Watched& watched, size_t at) {
  std::string text;
  const auto& all = invocation.address_accesses();
  const auto [first, last] = std::ranges::equal_range(all, at - 1, {}, &AddressAccess::step);
  for (auto access = first; access != last; ++access) {
    const uint64_t bytes = std::max<uint64_t>(access->bytes, 1);
    const bool meets = access->address <= watched.address ? watched.address - access->address < bytes
                                                          : access->address - watched.address < watched.bytes;
    if (!access->writes || !meets) continue;
    char place[64];
    std::snprintf(place, sizeof place,
                  "0x%llx (%llu bytes): ", static_cast<unsigned long long>(access->address),
                  static_cast<unsigned long long>(access->bytes));
    add_line(text, place + shown(invocation.shader(), access->type, access->before) + " -> " +
                       shown(invocation.shader(), access->type, access->dwords));
  }
  return text;
}

// It lies in no variable. What was before a call is compared with what is behind it.
std::string change_of_value(const Invocation& invocation, const std::string& name, size_t at) {
  const TraceStep& here = invocation.steps()[at];
  const auto is_here = [&](const TraceStep& step) {
    return step.frame == here.frame && step.scope.inlined_at == here.scope.inlined_at;
  };
  std::string error;
  const auto after = resolve(invocation, frame_at(invocation, at), name, error);
  size_t earlier = at - 1;
  while (earlier > 0 && !is_here(invocation.steps()[earlier])) --earlier;
  if (!after || !is_here(invocation.steps()[earlier])) return {};
  const auto value = resolve(invocation, frame_at(invocation, earlier), name, error);
  const std::string before = value ? text_of(invocation, *value, earlier) : std::string("?");
  const std::string now = text_of(invocation, *after, at);
  return value && before == now ? std::string() : name + ": " + before + " -> " + now;
}

struct Target {
  Named first;
  uint64_t end = 0;  // dword behind the last one
};

std::optional<Target> find_target(const Invocation& invocation, const Watched& watched, size_t at) {
  std::string error;
  const StackFrame frame = frame_at(invocation, at);
  const auto element = [&](uint64_t index) {
    return resolve(invocation, frame, watched.name + "[" + std::to_string(index) + "]", error);
  };
  const auto first = watched.range ? element(watched.first) : resolve(invocation, frame, watched.name, error);
  if (!first || first->type == 0 || first->is_value || !first->parts.empty()) return std::nullopt;
  uint64_t end = first->dword + invocation.shader().size_of(first->type);
  if (watched.range) {
    const auto last = element(watched.last);
    if (!last || last->variable != first->variable) return std::nullopt;
    end = last->dword + invocation.shader().size_of(last->type);
  }
  return Target{*first, end};
}

}  // namespace

std::optional<Watched> parse_watched(const std::string& text, std::string& error) {
  Watched watched;
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    const size_t comma = text.find(',');
    watched.bytes = kUsualBytes;
    const bool read =
        read_number(std::string_view(text).substr(0, comma), watched.address) &&
        (comma == std::string::npos || read_number(std::string_view(text).substr(comma + 1), watched.bytes));
    if (read && watched.bytes != 0) return watched;
    error = "an address and a number of bytes look like this: 0x7f0012340000,16";
    return std::nullopt;
  }
  watched.name = text;
  const size_t dots = text.rfind(".."), open = text.rfind('[');
  if (dots == std::string::npos) {
    if (text.empty()) error = "a name, NAME[FIRST..LAST] or ADDRESS[,BYTES] should be here";
    return text.empty() ? std::nullopt : std::optional(watched);
  }
  watched.range = open != std::string::npos && open < dots && text.ends_with(']') &&
                  read_number(std::string_view(text).substr(open + 1, dots - open - 1), watched.first) &&
                  read_number(std::string_view(text).substr(dots + 2, text.size() - dots - 3), watched.last);
  if (!watched.range || watched.first > watched.last || watched.last > UINT32_MAX) {
    error = "a range of elements looks like this: io[4..9]";
    return std::nullopt;
  }
  watched.name = text.substr(0, open);
  return watched;
}

std::string change_of(const Invocation& invocation, const Watched& watched, size_t at) {
  if (at == 0) return {};
  if (watched.name.empty()) return change_at_address(invocation, watched, at);
  const auto target = find_target(invocation, watched, at - 1);
  if (!target) return watched.range ? std::string() : change_of_value(invocation, watched.name, at);
  const auto* accesses = invocation.accesses(target->first.variable);
  if (!accesses) return {};
  const TracedShader& shader = invocation.shader();
  const uint64_t size = std::max<uint64_t>(shader.size_of(target->first.type), 1);
  std::string text;
  const auto [first, last] = std::ranges::equal_range(*accesses, at - 1, {}, &TraceAccess::step);
  for (auto access = first; access != last; ++access) {
    if (!access->writes || access->dword >= target->end ||
        target->first.dword >= access->dword + access->count)
      continue;
    const uint64_t begin = std::max(access->dword, target->first.dword);
    const uint64_t end = std::min(access->dword + access->count, target->end);
    for (uint64_t element = (begin - target->first.dword) / size; target->first.dword + element * size < end;
         ++element) {
      Named named = target->first;
      named.dword += element * size;
      const std::string name =
          watched.range ? watched.name + "[" + std::to_string(watched.first + element) + "]" : watched.name;
      add_line(text,
               name + ": " + text_of(invocation, named, at - 1) + " -> " + text_of(invocation, named, at));
    }
  }
  return text;
}

}  // namespace shaderqa
