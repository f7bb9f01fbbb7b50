// SPDX-License-Identifier: Apache-2.0
// Finds the control page of another process, and says why there is none.
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "host/switch/control_page.h"
#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPatience = 2s;

std::string folder_of(uint32_t process) { return "/proc/" + std::to_string(process); }

// A line of /proc/PID/status; empty: there is none.
std::string status_of(uint32_t process, const std::string& key) {
  std::ifstream in(folder_of(process) + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key + ":")) {
      const size_t begin = line.find_first_not_of(" \t", key.size() + 1);
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  return {};
}

uint32_t last_number(const std::string& text) {
  std::istringstream in(text);
  uint32_t last = 0;
  for (uint32_t number = 0; in >> number;) last = number;
  return last;
}

std::string described(uint32_t process) {
  const std::string name = to_utf8(status_of(process, "Name"));
  return "process " + std::to_string(process) + (name.empty() ? "" : " (" + name + ")");
}

std::string user_name(uid_t user) {
  const passwd* const entry = ::getpwuid(user);
  return entry ? entry->pw_name : "number " + std::to_string(user);
}

std::vector<uint32_t> processes_below(uint32_t parent) {
  std::vector<std::pair<uint32_t, uint32_t>> all;  // process, its parent
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    uint32_t process = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), process).ptr != name.data() + name.size())
      continue;
    all.emplace_back(process, last_number(status_of(process, "PPid")));
  }
  std::vector<uint32_t> below;
  std::vector<uint32_t> next{parent};
  while (!next.empty() && below.size() < all.size()) {
    const uint32_t current = next.back();
    next.pop_back();
    for (const auto& [process, its_parent] : all)
      if (its_parent == current && process != current) below.push_back(process), next.push_back(process);
  }
  return below;
}

}  // namespace

bool AttachedProcess::open(uint32_t process) {
  const std::string folder = folder_of(process) + "/fd";
  const std::string wanted = std::string("/memfd:") + kControlFile + " (deleted)";
  const uint32_t own_number = last_number(status_of(process, "NSpid"));
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code failed;
    if (fs::read_symlink(it->path(), failed) != wanted) continue;
    const int file = ::open(it->path().c_str(), O_RDWR | O_CLOEXEC);
    struct stat info {};
    const bool whole = file >= 0 && ::fstat(file, &info) == 0 && info.st_size >= off_t{sizeof(ControlPage)};
    void* const mapped =
        whole ? ::mmap(nullptr, sizeof(ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
              : MAP_FAILED;
    if (file >= 0) ::close(file);
    if (mapped == MAP_FAILED) continue;
    auto* const page = static_cast<ControlPage*>(mapped);
    // A forked process has the file of its parent.
    if (page->magic == kControlMagic && page->process == own_number) {
      page_ = page;
      process_ = process;
      return true;
    }
    ::munmap(mapped, sizeof(ControlPage));
  }
  return false;
}

AttachedProcess AttachedProcess::find(uint32_t process, std::string& problem) {
  AttachedProcess found;
  struct stat info {};
  if (process == 0 || ::stat(folder_of(process).c_str(), &info) != 0) {
    problem = "there is no process " + std::to_string(process);
    return found;
  }
  if (::geteuid() != 0 && info.st_uid != ::geteuid()) {
    problem = described(process) + " belongs to the user " + user_name(info.st_uid) +
              ", and only that user can switch its checks";
    return found;
  }
  if (status_of(process, "State").starts_with('Z')) {
    problem = described(process) + " has ended";
    return found;
  }
  if (::access((folder_of(process) + "/fd").c_str(), R_OK) != 0) {
    problem = described(process) + " cannot be looked at: " + std::strerror(errno) +
              "; programs with other rights than their user's cannot be switched";
    return found;
  }
  if (found.open(process)) return found;
  // `shaderqa run`, or a script that starts the program.
  std::vector<uint32_t> with_layer;
  for (const uint32_t below : processes_below(process))
    if (AttachedProcess child; child.open(below)) with_layer.push_back(below);
  if (with_layer.size() == 1 && found.open(with_layer.front())) return found;
  if (with_layer.size() > 1) {
    problem = "several processes that " + described(process) + " started have the layer; name one of them:";
    for (const uint32_t child : with_layer) problem += " " + std::to_string(child);
    return found;
  }
  problem = "the layer is not loaded in " + described(process) +
            ", or has nothing to check there; start the program with shaderqa run";
  return found;
}

AttachedProcess::AttachedProcess(AttachedProcess&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)), process_(other.process_) {}

AttachedProcess::~AttachedProcess() {
  if (page_) ::munmap(page_, sizeof(ControlPage));
}

void AttachedProcess::ask(bool on) {
  uint64_t before = page_->request.load();
  while (!page_->request.compare_exchange_weak(before, ((before >> 1) + 1) << 1 | (on ? 1 : 0))) {
  }
}

bool AttachedProcess::wait() const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  const uint64_t wanted = page_->request.load();
  while (page_->answered.load() < wanted) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

}  // namespace shaderqa
