// SPDX-License-Identifier: Apache-2.0
#include "host/summary/run_summary.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <unordered_map>

#include "host/findings/report.h"
#include "host/summary/process_record.h"
#include "host/text/shader_hash_text.h"
#include "host/text/text_escape.h"
#include "host/version.h"

namespace shaderqa {
namespace {

constexpr size_t kMostUnseen = 32;
constexpr size_t kMostFactBytes = 32u << 20;

uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void append_text(std::string& line, const char* key, const std::string& value) {
  line += ",\"" + std::string(key) + "\":\"";
  append_json(line, value);
  line += '"';
}

Tally tally_of(ShaderFate fate) {
  switch (fate) {
    case ShaderFate::excluded:
      return Tally::shaders_excluded;
    case ShaderFate::checked:
      return Tally::shaders_checked;
    case ShaderFate::refused:
      return Tally::shaders_refused;
    case ShaderFate::nothing:
      break;
  }
  return Tally::shaders_nothing;
}

bool is_larger(const CompiledShader& one, const CompiledShader& than) {
  return one.sites != than.sites ? one.sites > than.sites : one.words > than.words;
}

}  // namespace

uint64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

struct RunSummary::Impl {
  std::string open(const std::string& directory, RunPage*& page);
  void append(RunSummary& summary, const std::string& line);

  const pid_t process = ::getpid();
  std::mutex mutex;  // around what follows
  int page_file = -1, facts_file = -1;
  size_t fact_bytes = 0;
  std::string facts;  // in memory, where there is no file
  std::unordered_map<uint64_t, ShaderFate> fates;
  std::unordered_map<uint64_t, CompiledShader> shaders;
  std::map<uint64_t, bool> used;  // whether it was checked
};

// Returns an error sentence or nothing.
std::string RunSummary::Impl::open(const std::string& directory, RunPage*& page) {
  std::string path;
  const auto failed = [&] { return "cannot write " + path + ": " + std::strerror(errno); };
  // Another process of another pid namespace may have the same number.
  for (int n = 0; page_file < 0; ++n) {
    const std::string stem = directory + "/" + std::to_string(process) + "-" + std::to_string(n);
    path = stem + kRunPageSuffix;
    page_file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (page_file < 0 && errno != EEXIST) return failed();
    path = stem + kFactsSuffix;
  }
  // Held until the process ends: it tells the parent that the process still runs.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(page_file, F_SETLK, &whole) != 0) return failed();
  // Reserved now: on a full file system, the first number would end the program with SIGBUS.
  if (const int error = ::posix_fallocate(page_file, 0, sizeof(RunPage)); error != 0) {
    errno = error;
    return failed();
  }
  facts_file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (facts_file < 0) return failed();
  void* const mapped = ::mmap(nullptr, sizeof(RunPage), PROT_READ | PROT_WRITE, MAP_SHARED, page_file, 0);
  if (mapped == MAP_FAILED) return failed();
  page = static_cast<RunPage*>(mapped);
  return {};
}

// One write for a line: if the process is killed, the last line is either whole or missing.
void RunSummary::Impl::append(RunSummary& summary, const std::string& line) {
  const std::lock_guard lock(mutex);
  if (fact_bytes + line.size() > kMostFactBytes) return summary.add(Tally::facts_lost);
  fact_bytes += line.size();
  if (facts_file < 0) {
    facts += line;
    return;
  }
  ssize_t written;
  do written = ::write(facts_file, line.data(), line.size());
  while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(line.size())) summary.add(Tally::facts_lost);
}

RunSummary::RunSummary(const std::string& directory, std::string& problem) : impl_(std::make_unique<Impl>()) {
  if (!directory.empty()) problem = impl_->open(directory, page_);
  if (!page_) {
    if (impl_->facts_file >= 0) ::close(std::exchange(impl_->facts_file, -1));
    page_ = new RunPage{};
  }
  page_->process = static_cast<uint32_t>(impl_->process);
  page_->created_ns = clock_ns(CLOCK_REALTIME);
  page_->magic = kRunPageMagic;
}

RunSummary::~RunSummary() {
  end();
  if (impl_->facts_file >= 0) {
    ::munmap(page_, sizeof(RunPage));
    ::close(impl_->facts_file);
  } else {
    delete page_;
  }
  if (impl_->page_file >= 0) ::close(impl_->page_file);
}

void RunSummary::begin(const std::vector<std::string>& checks, const std::string& only,
                       const std::string& part) {
  std::string line = R"({"fact":"process")";
  append_text(line, "program", program_invocation_short_name);
  append_text(line, "version", version());
  std::string names;
  for (const std::string& check : checks) names += (names.empty() ? "" : ", ") + check;
  append_text(line, "checks", names);
  append_text(line, "only", only);
  append_text(line, "part", part);
  impl_->append(*this, line + "}\n");
}

void RunSummary::device(const std::string& name, const std::string& driver, const std::string& inert_reason) {
  add(Tally::devices);
  if (!inert_reason.empty()) add(Tally::inert_devices);
  std::string line = R"({"fact":"device")";
  append_text(line, "name", name);
  append_text(line, "driver", driver);
  append_text(line, "inert", inert_reason);
  impl_->append(*this, line + "}\n");
}

void RunSummary::shader(uint64_t hash, ShaderFate fate) {
  const std::lock_guard lock(impl_->mutex);
  const auto [known, is_new] = impl_->fates.try_emplace(hash, fate);
  if (!is_new) {
    if (known->second >= fate) return;
    page().tallies[static_cast<size_t>(tally_of(known->second))].fetch_sub(1, std::memory_order_relaxed);
    known->second = fate;
  }
  add(tally_of(fate));
}

void RunSummary::shader_used(uint64_t hash, bool checked) {
  const std::lock_guard lock(impl_->mutex);
  const auto [known, is_new] = impl_->used.try_emplace(hash, checked);
  if (is_new) add(Tally::shaders_used);
  if (checked && (is_new || !known->second)) add(Tally::shaders_in_part);
  known->second = known->second || checked;
}

void RunSummary::describe_shader(const CompiledShader& shader) {
  const std::lock_guard lock(impl_->mutex);
  CompiledShader& known = impl_->shaders[shader.hash];
  if (known.hash == 0 || is_larger(shader, known)) known = shader;
}

std::string RunSummary::shader_name(uint64_t hash) const {
  const std::lock_guard lock(impl_->mutex);
  const auto found = impl_->shaders.find(hash);
  return found == impl_->shaders.end() ? "" : found->second.name;
}

void RunSummary::tell_begun(const std::string& action, uint64_t now_ns) {
  const std::lock_guard lock(impl_->mutex);
  BegunText& begun = page().begun;
  begun.writes.fetch_add(1, std::memory_order_acq_rel);
  const size_t length = action.copy(begun.text, sizeof begun.text - 1);
  begun.text[length] = 0;
  begun.told_ns.store(now_ns, std::memory_order_relaxed);
  begun.writes.fetch_add(1, std::memory_order_release);
}

void RunSummary::finding(const Finding& finding) { impl_->append(*this, to_json_line(finding)); }

// Shaders that were used, but never in the chosen part.
void RunSummary::name_unseen() {
  std::vector<std::string> lines;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& [hash, checked] : impl_->used) {
      if (checked || lines.size() >= kMostUnseen) continue;
      const auto found = impl_->shaders.find(hash);
      std::string name = found == impl_->shaders.end() ? "" : found->second.name;
      if (name.empty()) append_hash(name, hash);
      std::string& line = lines.emplace_back(R"({"fact":"unseen")");
      append_text(line, "shader", name);
      line += "}\n";
    }
    impl_->used.clear();
  }
  for (const std::string& line : lines) impl_->append(*this, line);
}

void RunSummary::end() {
  if (::getpid() != impl_->process) return;
  name_unseen();
  page().ended.store(1, std::memory_order_release);
}

ProcessRecord RunSummary::record() const {
  const std::lock_guard lock(impl_->mutex);
  return read_process(page(), impl_->facts);
}

CompileSlot* RunSummary::begin_compiling() {
  const uint64_t now = monotonic_ns();
  for (CompileSlot& slot : page().compiling) {
    uint64_t free = 0;
    if (slot.began_ns.load(std::memory_order_relaxed) == 0 &&
        slot.began_ns.compare_exchange_strong(free, now, std::memory_order_acq_rel))
      return &slot;
  }
  return nullptr;
}

void RunSummary::end_compiling(CompileSlot* slot, uint64_t began_ns, const CompiledShader& largest,
                               uint32_t pipelines) {
  const uint64_t took = monotonic_ns() - began_ns;
  add(Tally::pipeline_ns, took);
  add(Tally::pipelines_done, pipelines);
  if (slot) {
    slot->largest = {};
    slot->began_ns.store(0, std::memory_order_release);
  }
  const std::lock_guard lock(impl_->mutex);
  if (took <= page().slowest_ns) return;
  page().slowest_ns = took;
  page().slowest = largest;
}

CompileTimer::CompileTimer(RunSummary& summary, uint32_t pipelines, bool announced)
    : summary_(summary), pipelines_(pipelines), began_ns_(monotonic_ns()), slot_(summary.begin_compiling()) {
  if (!announced) summary_.pipelines_wait(pipelines);
}

CompileTimer::~CompileTimer() { summary_.end_compiling(slot_, began_ns_, largest_, pipelines_); }

void CompileTimer::shaders(std::span<const uint64_t> hashes) {
  const std::lock_guard lock(summary_.impl_->mutex);
  for (const uint64_t hash : hashes) {
    const auto found = summary_.impl_->shaders.find(hash);
    if (found != summary_.impl_->shaders.end() && (largest_.hash == 0 || is_larger(found->second, largest_)))
      largest_ = found->second;
  }
  if (slot_) slot_->largest = largest_;
}

namespace {

constexpr uint64_t soon_ns = 1'000'000'000;
// The last wait of this thread that ended with a timeout.
thread_local uint64_t timed_out_began_ns = 0, timed_out_ended_ns = 0;

}  // namespace

DeviceWait::DeviceWait(RunSummary& summary, uint64_t now_ns) : began_ns_(now_ns) {
  if (timed_out_ended_ns != 0 && now_ns - timed_out_ended_ns < soon_ns) began_ns_ = timed_out_began_ns;
  for (std::atomic<uint64_t>& slot : summary.page().waiting) {
    uint64_t free = 0;
    if (!slot.compare_exchange_strong(free, began_ns_, std::memory_order_relaxed)) continue;
    slot_ = &slot;
    return;
  }
}

DeviceWait::~DeviceWait() {
  timed_out_began_ns = began_ns_;
  timed_out_ended_ns = timed_out_ ? monotonic_ns() : 0;
  if (slot_) slot_->store(0, std::memory_order_relaxed);
}

}  // namespace shaderqa
