// SPDX-License-Identifier: Apache-2.0
#include "host/summary/process_record.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "host/text/file_text.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// False: the line is no fact.
bool read_fact(std::string_view line, ProcessRecord& record) {
  if (std::optional<ReportLine> finding = read_report_line(line)) {
    record.lines.push_back(std::move(*finding));
    return true;
  }
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return false;
  const std::string fact = member(object, "fact");
  if (fact == "process") {
    record.program = member(object, "program");
    record.version = member(object, "version");
    record.checks = member(object, "checks");
    record.only = member(object, "only");
    record.part = member(object, "part");
    return true;
  }
  if (fact == "unseen") {
    record.unseen.push_back(member(object, "shader"));
    return true;
  }
  if (fact != "device") return false;
  record.devices.push_back({member(object, "name"), member(object, "driver"), member(object, "inert")});
  return true;
}

void end_name(CompiledShader& shader) { shader.name[sizeof shader.name - 1] = 0; }

// What began last, if it was told during the wait that began at wait_ns.
std::string last_begun(const BegunText& begun, uint64_t wait_ns) {
  const bool whole = begun.writes.load(std::memory_order_acquire) % 2 == 0;
  if (!whole || begun.told_ns.load(std::memory_order_relaxed) < wait_ns) return {};
  return std::string(begun.text, ::strnlen(begun.text, sizeof begun.text));
}

// The file is not mapped, because one that shrinks would raise SIGBUS.
class PageFile {
 public:
  explicit PageFile(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}
  ~PageFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;

  // Null: it is no such file.
  std::unique_ptr<RunPage> read() const {
    if (descriptor_ < 0) return nullptr;
    auto page = std::make_unique<RunPage>();
    ssize_t got;
    do got = ::pread(descriptor_, static_cast<void*>(page.get()), sizeof(RunPage), 0);
    while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(sizeof(RunPage)) || page->magic != kRunPageMagic) return nullptr;
    return page;
  }
  bool in_use() const {
    struct flock whole {};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    return descriptor_ >= 0 && ::fcntl(descriptor_, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  }

 private:
  int descriptor_;
};

std::vector<fs::path> run_files(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kRunPageSuffix) files.push_back(it->path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string unfinished_text(const CompiledShader& shader) {
  return std::string("ended while the driver made the checked pipeline of shader ") + shader.name +
         ": if the driver crashed there, sync_calls = never, or skip for this shader, lets the program run";
}

std::string waiting_text(const ProcessRecord& record) {
  return "ended while it waited for the device" +
         (record.last_begun.empty() ? std::string()
                                    : ". The last checked action to begin was " + record.last_begun);
}

std::string what_is_faster(const ProcessRecord& record) {
  // It inlines every call.
  const bool lavapipe = std::ranges::any_of(
      record.devices, [](const DeviceRecord& device) { return device.driver.starts_with("llvmpipe"); });
  // Checks of images are not called.
  const bool images = record.checks.find(kWithImages) != std::string::npos;
  const char* calls = images ? "sync_images = false if it accesses images, else by sync_calls = always"
                             : "sync_calls = always";
  // lavapipe has one lock for making pipelines and for what its queue executes, and compiles when a shader
  // first runs.
  return std::string(lavapipe ? "GALLIVM_PERF=nopt in the environment (lavapipe does not optimise then)"
                              : calls) +
         ", by a lower max_sites, or by skip, which leaves it alone" +
         (lavapipe
              ? ". This driver makes no pipeline while others of its shaders run or are compiled, so the "
                "time may be theirs"
              : "");
}

ProcessRecord read_process(const RunPage& page, std::string_view facts) {
  ProcessRecord record;
  record.process = page.process;
  record.created_ns = page.created_ns;
  record.ended = page.ended.load(std::memory_order_acquire) == 1;
  for (size_t i = 0; i < kTallies; ++i) record.tallies[i] = page.tallies[i].load(std::memory_order_relaxed);
  record.slowest_ns = page.slowest_ns;
  record.slowest = page.slowest;
  end_name(record.slowest);
  for (const CompileSlot& slot : page.compiling) {
    if (slot.began_ns.load(std::memory_order_acquire) == 0 || slot.largest.hash == 0) continue;
    record.unfinished.push_back(slot.largest);
    end_name(record.unfinished.back());
  }
  const uint64_t wait = first_wait_ns(page);
  record.waits = wait != 0;
  record.last_begun = last_begun(page.begun, wait);
  uint64_t damaged = 0;
  while (!facts.empty()) {
    const size_t end = std::min(facts.find('\n'), facts.size());
    if (end != 0 && !read_fact(facts.substr(0, end), record)) ++damaged;
    facts.remove_prefix(std::min(end + 1, facts.size()));
  }
  record.tallies[static_cast<size_t>(Tally::facts_lost)] += damaged;
  return record;
}

std::vector<ProcessRecord> read_processes(const std::string& directory) {
  std::vector<ProcessRecord> records;
  for (fs::path path : run_files(directory)) {
    const PageFile file(path);
    const std::unique_ptr<RunPage> page = file.read();
    const bool running = file.in_use();
    if (!page) {
      ProcessRecord& record = records.emplace_back();
      record.damage = path.string() + " is damaged, or cannot be read";
      continue;
    }
    std::string error;
    const auto facts = read_file_text(path.replace_extension(kFactsSuffix).string(), error);
    ProcessRecord& record = records.emplace_back(read_process(*page, facts.value_or("")));
    record.running = running;
    if (!facts || record.program.empty()) record.damage = path.string() + " is damaged, or cannot be read";
  }
  std::ranges::stable_sort(records, [](const ProcessRecord& a, const ProcessRecord& b) {
    return std::tie(a.created_ns, a.process) < std::tie(b.created_ns, b.process);
  });
  return records;
}

RunProgress read_progress(const std::string& directory, uint64_t now_ns) {
  RunProgress progress;
  for (const fs::path& path : run_files(directory)) {
    const std::unique_ptr<RunPage> page = PageFile(path).read();
    if (!page) continue;
    const auto tally = [&](Tally which) {
      return page->tallies[static_cast<size_t>(which)].load(std::memory_order_relaxed);
    };
    progress.done += tally(Tally::pipelines_done);
    progress.begun += tally(Tally::pipelines_begun);
    progress.spent_ns += tally(Tally::pipeline_ns);
    // The slots of a process that was killed stay as they were.
    if (::kill(static_cast<pid_t>(page->process), 0) != 0 && errno == ESRCH) continue;
    const uint64_t wait = first_wait_ns(*page);
    if (wait != 0 && wait < now_ns && now_ns - wait > progress.waiting_ns) {
      progress.waiting_ns = now_ns - wait;
      progress.last_begun = last_begun(page->begun, wait);
    }
    for (const CompileSlot& slot : page->compiling) {
      const uint64_t began = slot.began_ns.load(std::memory_order_acquire);
      if (began == 0 || began > now_ns) continue;
      progress.busy = true;
      progress.spent_ns += now_ns - began;
      if (now_ns - began < progress.longest_ns) continue;
      progress.longest_ns = now_ns - began;
      progress.longest = slot.largest;
      end_name(progress.longest);
    }
  }
  return progress;
}

}  // namespace shaderqa
