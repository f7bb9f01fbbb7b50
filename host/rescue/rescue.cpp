// SPDX-License-Identifier: Apache-2.0
// The parent's side of rescue files: delivers what the processes of a run left behind.
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "host/findings/check_collector.h"
#include "host/findings/check_metadata.h"
#include "host/findings/check_reader.h"
#include "host/printf/printf_metadata.h"
#include "host/rescue/rescue_buffers.h"
#include "host/rescue/rescue_file.h"
#include "host/rescue/rescue_layout.h"
#include "instrument/runtime/abi_printf.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;
using Problem = std::function<void(const std::string&)>;

constexpr const char* kPrintf = ".printf";
constexpr const char* kChecks = ".checks";

fs::path sites_of(fs::path path) {
  return path.replace_extension(path.extension() == kChecks ? ".check-sites" : ".sites");
}

class Descriptor {
 public:
  explicit Descriptor(const fs::path& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

  // Reads up to `size` bytes. The file is not mapped, because a file that shrinks would raise SIGBUS.
  size_t read(void* to, size_t size, uint64_t offset) const {
    size_t done = 0;
    while (done < size) {
      const ssize_t got =
          ::pread(number_, static_cast<char*>(to) + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

 private:
  int number_;
};

// read: called with each line; false if the line is damaged.
void read_sites(const fs::path& path, const Problem& problem,
                const std::function<bool(const std::string&)>& read) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  bool bad = false;
  while (std::getline(file, line)) bad |= !read(line);
  if (bad) problem("a line of " + path.string() + " is damaged; messages of its shader cannot be shown");
}

void read_printf_sites(const fs::path& path, PrintfTable& table, const Problem& problem) {
  read_sites(path, problem, [&](const std::string& line) {
    const auto records = read_printf_metadata(line);
    const auto* known = std::get_if<std::vector<ShaderRecord>>(&records);
    if (known == nullptr) return false;
    for (const ShaderRecord& record : *known) table.add(record);
    return true;
  });
}

// Without a device, only the file's list of buffers says something beyond the reports.
class RescueClient : public CheckClient {
 public:
  RescueClient(const RescueCallbacks& callbacks, std::span<const RescueBufferSlot> buffers)
      : callbacks_(callbacks), buffers_(buffers) {}

  FindingContext context(const CheckReport& report) override {
    FindingContext known;
    if (report.address != 0) known.buffer = find_rescued_buffer(buffers_, report.address);
    return known;
  }
  void finding(const Finding& finding) override { callbacks_.finding(finding); }
  void note(const std::string& key, const std::string& text) override {
    if (said_.insert(key).second) callbacks_.problem(text);
  }

 private:
  const RescueCallbacks& callbacks_;
  const std::span<const RescueBufferSlot> buffers_;
  std::set<std::string> said_;
};

void deliver_checks(const Descriptor& file, const fs::path& sites, const RescueCallbacks& callbacks) {
  constexpr uint64_t records_bytes = SQA_REPORT_SLOTS * sizeof(abi::Report);
  CheckTable table;
  read_sites(sites, callbacks.problem, [&](const std::string& line) {
    const std::optional<ShaderRecord> record = read_check_metadata(line);
    if (record) table.add(*record);
    return record.has_value();
  });
  std::vector<abi::Report> records(SQA_REPORT_SLOTS);
  file.read(records.data(), records_bytes, kRescuePage);
  std::vector<RescueBufferSlot> buffers(kRescueBufferSlots);
  file.read(buffers.data(), buffers.size() * sizeof(RescueBufferSlot), kRescuePage + records_bytes);
  const auto control = std::make_unique<abi::ReportControl>();
  RescueClient client(callbacks, buffers);
  CheckCollector collector(table, std::nullopt, client);
  CheckReader(control.get(), records.data())
      .drain(CheckReader::Mode::finished, [&](const abi::Report& record) { collector.take(record); });
}

// Reads one segment at a time, because a buffer may be large.
void deliver_segments(const Descriptor& file, const RescueHeader& header, uint64_t file_bytes,
                      const PrintfTable& table, const std::function<void(const RescuedMessage&)>& message,
                      const Problem& problem) {
  const PrintfStream::Callbacks callbacks{
      [&](const PrintfMessage& found) {
        if (found.site != nullptr)
          message({found.site, std::vector<uint32_t>(found.payload.begin(), found.payload.end())});
      },
      problem};
  std::vector<uint32_t> words;
  for (uint32_t n = 0; n < header.segments; ++n) {
    const uint32_t i = (header.oldest % header.segments + n) % header.segments;
    const uint64_t offset = kRescuePage + i * header.segment_bytes;
    if (offset >= file_bytes) continue;
    const uint64_t bytes = std::min(header.segment_bytes, file_bytes - offset);
    if (bytes <= sizeof(abi::PrintfBufferHeader)) continue;
    words.assign(bytes / 4, 0);
    file.read(words.data(), words.size() * 4, offset);
    abi::PrintfBufferHeader segment_header;
    std::memcpy(&segment_header, words.data(), sizeof segment_header);
    uint64_t cursor = header.cursors[i];
    uint32_t active = 0;
    PrintfSegmentView view;
    view.entries = words.data() + sizeof segment_header / 4;
    view.capacity = static_cast<uint32_t>(
        std::min<uint64_t>(words.size() - sizeof segment_header / 4, SQA_PRINTF_CLAMP_DWORDS));
    view.header = &segment_header;
    view.cursor = &cursor;
    PrintfStream({view}, &active, table).drain(PrintfStream::Mode::dead, callbacks);
  }
}

struct Found {
  uint64_t created_ns;
  fs::path path;
};

// Returns whether the file can be removed.
bool deliver_file(const fs::path& path, const RescueCallbacks& callbacks) {
  const Problem& problem = callbacks.problem;
  const bool checks = path.extension() == kChecks;
  const Descriptor file(path);
  if (file.get() < 0) {
    problem("cannot read " + path.string() + ": " + std::strerror(errno));
    return false;
  }
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK) {
    problem("a process that uses " + path.string() + " still runs; its messages are its own to print");
    return false;
  }
  RescueHeader header{};
  std::error_code ignored;
  const uint64_t bytes = fs::file_size(path, ignored);
  if (file.read(&header, sizeof header, 0) != sizeof header ||
      header.magic != (checks ? kRescueChecksMagic : kRescueMagic)) {
    // A process that died while it created the file had not printed anything yet.
    if (header.magic != 0 || header.segments != 0)
      problem(path.string() + " is damaged: it does not begin as a rescue file");
    return true;
  }
  if (header.segments > kRescueMaxSegments || header.segment_bytes == 0 ||
      header.segment_bytes > uint64_t{SQA_PRINTF_CLAMP_DWORDS} * 4 + kRescuePage) {
    problem(path.string() + " is damaged: " + std::to_string(header.segments) + " segments of " +
            std::to_string(header.segment_bytes) + " bytes");
    return true;
  }
  if (kRescuePage + header.segments * header.segment_bytes > bytes)
    problem(path.string() + " is shorter than its header says; messages at its end are lost");
  if (checks) {
    deliver_checks(file, sites_of(path), callbacks);
    return true;
  }
  PrintfTable table;
  read_printf_sites(sites_of(path), table, problem);
  deliver_segments(file, header, bytes, table, callbacks.message, problem);
  return true;
}

}  // namespace

void rescue(const std::string& directory, const RescueCallbacks& callbacks) {
  std::vector<Found> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const fs::path extension = it->path().extension();
    if (extension != kPrintf && extension != kChecks) continue;
    RescueHeader header{};
    const Descriptor file(it->path());
    if (file.get() >= 0) file.read(&header, sizeof header, 0);
    files.push_back({header.created_ns, it->path()});
  }
  if (error) callbacks.problem("cannot read the rescue directory " + directory + ": " + error.message());
  std::sort(files.begin(), files.end(), [](const Found& a, const Found& b) {
    return std::tie(a.created_ns, a.path) < std::tie(b.created_ns, b.path);
  });
  for (const Found& found : files) {
    if (!deliver_file(found.path, callbacks)) continue;
    fs::remove(found.path, error);
    fs::remove(sites_of(found.path), error);
  }
}

}  // namespace shaderqa
