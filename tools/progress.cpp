// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.h"

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
  if (!compiles && progress.waiting_ns >= kLongWait)
    return "shaderqa: the program has waited " + seconds(progress.waiting_ns) +
           " for the device: checked shaders take longer. If it never ends, --only and --skip tell which one "
           "it is";
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

void ProgressLine::clear() {
  if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show() {
  if (folder_.empty()) return;
  const uint64_t now = monotonic_ns();
  if (now < next_ns_) return;
  const std::string text = progress_text(read_progress(folder_, now));
  next_ns_ = now + kSecond / 2;
  if (text.empty()) return clear();
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
    next_ns_ = now + 10 * kSecond;
  }
}

}  // namespace shaderqa
