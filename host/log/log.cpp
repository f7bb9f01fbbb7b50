// SPDX-License-Identifier: Apache-2.0
// The only file that includes spdlog. Its loggers are used directly and never registered, so that nothing is
// shared with a program that uses spdlog itself.
#include "host/log/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

constexpr std::array kLevelNames = {"off", "error", "warn", "info", "debug", "trace"};
constexpr const char* kPattern = "%Y-%m-%d %H:%M:%S.%e shaderqa[%P:%t] %l: %v";

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::off:
      return spdlog::level::off;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::trace:
      return spdlog::level::trace;
  }
  return spdlog::level::off;
}

struct OpenLog {
  LogLevel level;
  std::string file;
  pid_t process;
  std::unique_ptr<spdlog::logger> logger;
};
std::atomic<const OpenLog*> current_log = nullptr;

std::mutex mutex;  // of what follows
size_t uses = 0;
// The current log is the last one. Threads may still use those that it replaced.
std::vector<std::unique_ptr<const OpenLog>> open_logs;

// A file that several processes may append to.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // Returns what is wrong with the file, or nothing.
  std::string open(const std::string& path, const Rotation& rotation) { return file_.open(path, rotation); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (const auto renewal = file_.renew(); !renewal.error.empty()) throw spdlog::spdlog_ex(renewal.error);
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    file_.lines().buffer().append(line.data(), line.size());
    if (const std::string error = file_.lines().flush(); !error.empty()) throw spdlog::spdlog_ex(error);
  }
  void flush_() override {}  // every line is written at once: a crash loses none

 private:
  RotatedFile file_;
};

void give_up(const std::string& why) {
  if (log_internal::current_level.exchange(LogLevel::off) == LogLevel::off) return;
  std::fprintf(stderr, "shaderqa: note: the log cannot be written: %s; nothing more is logged\n",
               why.c_str());
}

std::unique_ptr<spdlog::logger> make_logger(spdlog::sink_ptr sink, LogLevel level) {
  auto logger = std::make_unique<spdlog::logger>("shaderqa", std::move(sink));
  logger->set_pattern(kPattern);
  logger->set_level(spdlog_level(level));
  logger->flush_on(spdlog::level::trace);
  logger->set_error_handler(give_up);
  return logger;
}

}  // namespace

LogLevel log_level_of(std::string_view name) {
  for (size_t i = 0; i < kLevelNames.size(); ++i)
    if (name == kLevelNames[i]) return static_cast<LogLevel>(i);
  return LogLevel::off;
}

LogUse::LogUse(LogLevel level, const std::string& file, const Rotation& rotation)
    : counts_(level != LogLevel::off) {
  if (!counts_) return;
  const std::lock_guard lock(mutex);
  ++uses;
  const OpenLog* const before = current_log.load();
  if (!before || before->process != getpid() || before->level != level || before->file != file) {
    spdlog::sink_ptr sink;
    if (!file.empty()) {
      auto opened = std::make_shared<FileSink>();
      if (const std::string error = opened->open(file, rotation); error.empty())
        sink = std::move(opened);
      else
        problem_ = "cannot open the log file " + file + ": " + error + "; the log goes to stderr";
    }
    if (!sink) sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    open_logs.push_back(
        std::make_unique<const OpenLog>(OpenLog{level, file, getpid(), make_logger(std::move(sink), level)}));
    current_log.store(open_logs.back().get());
  }
  log_internal::current_level.store(level);
}

LogUse::~LogUse() {
  if (!counts_) return;
  const std::lock_guard lock(mutex);
  if (--uses != 0) return;
  log_internal::current_level.store(LogLevel::off);
  current_log.store(nullptr);
  open_logs.clear();
}

void write_log(LogLevel level, std::string_view text) noexcept {
  try {
    const OpenLog* const log = current_log.load();
    if (!log || log->process != getpid()) return;
    std::string line;
    append_terminal(line, text, "    ");
    log->logger->log(spdlog_level(level), spdlog::string_view_t(line));
  } catch (...) {  // no memory: the line is lost, the program goes on
  }
}

std::string LogTimer::text() const {
  // The log was opened in between.
  if (begin_ == std::chrono::steady_clock::time_point()) return "an unknown time";
  return milliseconds_text(std::chrono::steady_clock::now() - begin_);
}

std::string milliseconds_text(std::chrono::nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f ms", static_cast<double>(time.count()) / 1e6);
  return text.data();
}

std::string hex_text(unsigned long long number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", number);
  return text.data();
}

}  // namespace shaderqa
