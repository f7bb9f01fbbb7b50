// SPDX-License-Identifier: Apache-2.0
#include "host/trace/trace_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "host/rescue/memory_files.h"
#include "host/trace/trace_file.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".trace";
constexpr uint64_t kMemoryMagic = 0x4d4d434152545153;  // "SQTRACMM"

// The first page of the file.
struct MemoryHeader {
  uint64_t magic;
  uint64_t bytes;   // of the segments
  char path[2048];  // of the trace file, absolute, ends in 0
};
static_assert(sizeof(MemoryHeader) <= kTracePage);

// Returns false at the end of the input and at errors.
template <typename Transfer>
bool whole(const Transfer& transfer, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = transfer(done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

bool read_all(int file, void* to, size_t size, uint64_t offset) {
  return whole(
      [&](size_t done) {
        return ::pread(file, static_cast<char*>(to) + done, size - done, static_cast<off_t>(offset + done));
      },
      size);
}

bool write_all(int file, const void* from, size_t size, uint64_t offset) {
  return whole(
      [&](size_t done) {
        return ::pwrite(file, static_cast<const char*>(from) + done, size - done,
                        static_cast<off_t>(offset + done));
      },
      size);
}

bool is_in_use(int file) {
  struct flock all {};
  all.l_type = F_RDLCK;
  all.l_whence = SEEK_SET;
  return ::fcntl(file, F_GETLK, &all) != 0 || all.l_type != F_UNLCK;
}

// The trace file, if it is one of so many bytes of segments.
int open_trace(const std::string& path, uint64_t bytes) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  TraceFileHeader header{};
  if (file >= 0 && read_all(file, &header, sizeof header, 0) && header.magic == kTraceFileMagic &&
      header.version == kTraceVersion &&
      uint64_t{header.segments} * header.segment_dwords * sizeof(uint32_t) == bytes)
    return file;
  if (file >= 0) ::close(file);
  return -1;
}

// Nothing: it is done, or there is nothing to do; else an error sentence.
std::string copy_segments(int from, const fs::path& path) {
  if (is_in_use(from)) return "a process that is traced still runs: " + path.string();
  MemoryHeader header{};
  // A process that died while it made the file has traced nothing.
  if (!read_all(from, &header, sizeof header, 0) || header.magic != kMemoryMagic) return {};
  header.path[sizeof header.path - 1] = 0;
  const int to = open_trace(header.path, header.bytes);
  if (to < 0) return std::string("the trace file ") + header.path + " is not there any more";
  constexpr size_t kStep = 1u << 20;
  std::vector<std::byte> buffer(kStep);
  bool good = true;
  for (uint64_t done = 0; good && done < header.bytes; done += kStep) {
    const size_t size = std::min<uint64_t>(kStep, header.bytes - done);
    good = read_all(from, buffer.data(), size, kTracePage + done) &&
           write_all(to, buffer.data(), size, kTracePage + done);
  }
  ::close(to);
  return good ? std::string() : std::string("the trace file ") + header.path + " could not be completed";
}

}  // namespace

std::unique_ptr<TraceMemory> TraceMemory::create(const std::string& folder, const std::string& path,
                                                 size_t bytes, std::string& error) {
  std::unique_ptr<TraceMemory> made(new TraceMemory);
  const auto fail = [&](const std::string& what) {
    error = "cannot " + what + " " + made->path_ + ": " + std::strerror(errno);
    return nullptr;
  };
  MemoryHeader header{kMemoryMagic, bytes, {}};
  const std::string absolute = fs::absolute(path).string();
  if (absolute.size() >= sizeof header.path) {
    error = "the trace file's path is too long";
    return nullptr;
  }
  absolute.copy(header.path, absolute.size());
  for (int n = 0; made->descriptor_ < 0; ++n) {
    const std::string file = folder + "/" + std::to_string(::getpid()) + "-" + std::to_string(n) + kExtension;
    made->descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made->descriptor_ < 0 && errno == EEXIST) continue;
    made->path_ = file;
    if (made->descriptor_ < 0) return fail("create");
  }
  if (!lies_in_memory(made->descriptor_)) {
    error = folder + " is not a folder in memory";
    return nullptr;
  }
  // Held until the process ends, whatever ends it.
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  if (::fcntl(made->descriptor_, F_SETLK, &all) != 0) return fail("lock");
  const auto size = static_cast<off_t>(kTracePage + bytes);
  if (const int problem = ::posix_fallocate(made->descriptor_, 0, size); problem != 0) {
    errno = problem;
    return fail("reserve the space of");
  }
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made->descriptor_, kTracePage);
  if (mapped == MAP_FAILED) return fail("map");
  made->memory_ = static_cast<std::byte*>(mapped);
  made->bytes_ = bytes;
  if (!write_all(made->descriptor_, &header, sizeof header, 0)) return fail("write");
  return made;
}

TraceMemory::~TraceMemory() {
  if (memory_) ::munmap(memory_, bytes_);
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

void rescue_traces(const std::string& folder, const std::function<void(const std::string&)>& problem) {
  std::error_code error, ignored;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kExtension) files.push_back(it->path());
  for (const fs::path& path : files) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) continue;
    if (const std::string wrong = copy_segments(file, path); !wrong.empty()) problem(wrong);
    ::close(file);
    fs::remove(path, ignored);
  }
}

}  // namespace shaderqa
