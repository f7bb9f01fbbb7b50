// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "host/summary/run_summary.h"
#include "host/summary/verdict.h"
#include "host/text/count_text.h"

namespace shaderqa {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kLongWait = 10 * kSecond;

std::string seconds(uint64_t ns) { return std::to_string(ns / kSecond) + " s"; }

}  // namespace

std::string progress_text(const RunProgress& progress) {
  const bool compiles = progress.busy && progress.spent_ns >= 2 * kSecond;
  if (!compiles && progress.waiting_ns >= kLongWait) {
    const std::string text = "shaderqa: the program has waited " + seconds(progress.waiting_ns) +
                             " for the device: checked shaders take longer. ";
    if (progress.last_begun.empty()) return text + "If it never ends, --only and --skip tell which one it is";
    return text + "The last checked action to begin: " + progress.last_begun +
           ". If it never ends, try --skip with this shader";
  }
  if (!compiles) return {};
  std::string text = "shaderqa: pipelines: " + with_commas(progress.done) + " done, " +
                     with_commas(progress.begun - std::min(progress.begun, progress.done)) + " to be made, " +
                     seconds(progress.spent_ns) + " in all";
  if (progress.longest_ns < kSecond) return text;
  text += "; for " + seconds(progress.longest_ns);
  if (progress.longest.hash == 0) return text + " at one of them";
  return text + " at shader " + progress.longest.name + ", " +
         counted(progress.longest.words, "word", "words") + ", " +
         counted(progress.longest.sites, "checked place", "checked places");
}

ProgressLine::ProgressLine(std::string folder)
    : folder_(std::move(folder)), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

// The cursor is in the last row.
void ProgressLine::clear() {
  if (rows_ == 0) return;
  std::fputs("\r\033[K", stderr);
  for (; rows_ > 1; --rows_) std::fputs("\033[A\033[K", stderr);
  rows_ = 0;
}

void ProgressLine::show() {
  if (folder_.empty()) return;
  const uint64_t now = monotonic_ns();
  if (now < next_ns_) return;
  const std::string text = progress_text(read_progress(folder_, now));
  next_ns_ = now + kSecond / 2;
  if (text.empty()) return clear();
  if (terminal_) {
    clear();
    std::fputs(text.c_str(), stderr);
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    rows_ = known ? (text.size() + size.ws_col - 1) / size.ws_col : 1;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
    next_ns_ = now + 10 * kSecond;
  }
}

}  // namespace shaderqa
