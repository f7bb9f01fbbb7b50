// SPDX-License-Identifier: Apache-2.0
// The layer's own log: what it loads, rewrites and allocates, and what it decides to check less. Findings do
// not go here; they have a writer of their own (host/findings/report.h). The log is silent while there is no
// LogUse.
#ifndef SHADERQA_HOST_LOG_LOG_H
#define SHADERQA_HOST_LOG_LOG_H

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "host/text/rotated_file.h"

namespace shaderqa {

enum class LogLevel : int { off, error, warn, info, debug, trace };
// The setting log_level: empty means off.
LogLevel log_level_of(std::string_view name);

// Keeps the process's log open. Lines up to this level go to the file (appended, whole lines), or to stderr
// if its name is empty; the file is rotated. If several are alive, the latest with a level other than off
// decides; the log ends with the last of them.
class LogUse {
 public:
  LogUse(LogLevel level, const std::string& file, const Rotation& rotation = {});
  ~LogUse();
  LogUse(const LogUse&) = delete;
  LogUse& operator=(const LogUse&) = delete;
  // Says what is wrong with the file; the log then goes to stderr. Empty if all is well, or if the file was
  // tried before.
  const std::string& problem() const { return problem_; }

 private:
  const bool counts_;
  std::string problem_;
};

namespace log_internal {
inline std::atomic<LogLevel> current_level{LogLevel::off};
}  // namespace log_internal

inline bool log_wanted(LogLevel level) {
  return level <= log_internal::current_level.load(std::memory_order_relaxed);
}

// Appends one line. Thread-safe. In a forked child nothing is written until the child opens a log itself,
// because another thread of the parent may have held the lock. A log that cannot be written is given up,
// which stderr is told.
void write_log(LogLevel level, std::string_view text) noexcept;

template <typename MakeText>
void write_log_lazily(LogLevel level, const MakeText& make_text) noexcept {
  try {
    write_log(level, make_text());
  } catch (...) {  // no memory for the text: the line is lost, the program goes on
  }
}

// SHADERQA_LOG(info, "text" + ...): the text is only made if it is wanted. Costs one branch otherwise.
#define SHADERQA_LOG(level, ...)                                                                           \
  do {                                                                                                     \
    if (::shaderqa::log_wanted(::shaderqa::LogLevel::level)) [[unlikely]]                                  \
      ::shaderqa::write_log_lazily(::shaderqa::LogLevel::level, [&] { return std::string(__VA_ARGS__); }); \
  } while (false)

// Measures from its construction. Takes no time of day unless something is logged.
class LogTimer {
 public:
  LogTimer() {
    if (log_wanted(LogLevel::info)) begin_ = std::chrono::steady_clock::now();
  }
  std::string text() const;  // "1.25 ms"

 private:
  std::chrono::steady_clock::time_point begin_;
};
std::string milliseconds_text(std::chrono::nanoseconds time);
std::string hex_text(unsigned long long number);  // "0x1f"

}  // namespace shaderqa
#endif
