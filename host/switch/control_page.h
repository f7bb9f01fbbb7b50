// SPDX-License-Identifier: Apache-2.0
// The page by which `shaderqa attach` talks to the layer in a running process. It lies in an anonymous file
// of that process, which others reach by /proc/PID/fd: so only its own user (and root) can, and nothing stays
// behind when it ends.
#ifndef SHADERQA_HOST_SWITCH_CONTROL_PAGE_H
#define SHADERQA_HOST_SWITCH_CONTROL_PAGE_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace shaderqa {

inline constexpr const char* kControlFile = "shaderqa-control";
inline constexpr uint64_t kControlMagic = 0x316c747241515153;  // another one for each change of the page

struct ControlPage {
  uint64_t magic;
  uint32_t process;  // as the process itself calls it
  std::atomic<uint32_t> open;
  std::atomic<uint32_t> counts_submissions;
  std::atomic<uint32_t> fixed;  // checks need the whole run: they are not switched
  // count << 1 | on, the count from 1 on; 0: there was none. answered: the last one that has taken effect.
  std::atomic<uint64_t> request, answered;
  // Since the process began. Frames and submissions that have begun.
  std::atomic<uint64_t> frames, frames_checked, submissions, submissions_checked;
  std::atomic<uint64_t> actions, actions_checked, actions_left_out;
  char selection[512];  // by the settings; empty: everything
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// In the process that is controlled: one page for all users. Never null: without a file it is in memory
// alone.
ControlPage* use_control_page();
void release_control_page();

// In another process.
class AttachedProcess {
 public:
  // problem: why there is no page; one sentence.
  static AttachedProcess find(uint32_t process, std::string& problem);
  AttachedProcess() = default;
  ~AttachedProcess();
  AttachedProcess(AttachedProcess&& other) noexcept;
  AttachedProcess& operator=(AttachedProcess&&) = delete;

  explicit operator bool() const { return page_ != nullptr; }
  uint32_t process() const { return process_; }  // maybe a child of the one that was asked for
  const ControlPage& page() const { return *page_; }
  void ask(bool on);
  // Waits a while until the request has taken effect. False: it has not.
  bool wait() const;

 private:
  bool open(uint32_t process);

  ControlPage* page_ = nullptr;
  uint32_t process_ = 0;
};

}  // namespace shaderqa
#endif
