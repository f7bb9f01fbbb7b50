// SPDX-License-Identifier: Apache-2.0
#include "host/trace/trace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/rescue/memory_files.h"

namespace shaderqa {
namespace {

constexpr int kMostFiles = 64;

std::string failed(const std::string& what, const std::string& path) {
  return "cannot " + what + " the trace file " + path + ": " + std::strerror(errno);
}

}  // namespace

std::unique_ptr<TraceFile> TraceFile::create(const std::string& path, const std::string& folder,
                                             uint32_t segments, uint32_t segment_dwords,
                                             const TraceRequested& requested, std::string& error) {
  std::unique_ptr<TraceFile> file(new TraceFile);
  const size_t segment_bytes = size_t{segments} * segment_dwords * sizeof(uint32_t);
  if (segments == 0 || segment_bytes == 0 || segment_bytes % kTracePage != 0) {
    error = "a trace file cannot have " + std::to_string(segments) + " segments of " +
            std::to_string(segment_dwords) + " dwords";
    return nullptr;
  }
  for (int n = 1; file->descriptor_ < 0 && n <= kMostFiles; ++n) {
    file->path_ = n == 1 ? path : path + "." + std::to_string(n);
    const int descriptor = ::open(file->path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) break;
    // The lock is another device's, or another process's, that is about to fill the empty file.
    struct stat info {};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &info) == 0 && info.st_size == 0)
      file->descriptor_ = descriptor;
    else
      ::close(descriptor);
  }
  const auto fail = [&](const char* what) {
    error = failed(what, file->path_);
    return nullptr;
  };
  if (file->descriptor_ < 0) return fail("create");
  const size_t bytes = kTracePage + segment_bytes;
  // Reserve the space now: with a full file system, the first record would end the program with SIGBUS.
  if (const int problem = ::posix_fallocate(file->descriptor_, 0, static_cast<off_t>(bytes)); problem != 0) {
    errno = problem;
    return fail("reserve the space of");
  }
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor_, 0);
  if (mapped == MAP_FAILED) return fail("map");
  file->memory_ = static_cast<std::byte*>(mapped);
  file->bytes_ = bytes;
  auto* header = reinterpret_cast<TraceFileHeader*>(mapped);
  header->version = kTraceVersion;
  header->segments = segments;
  header->segment_dwords = segment_dwords;
  header->plans = static_cast<uint32_t>(requested.plans);
  requested.selectors.copy(header->selectors, sizeof header->selectors - 1);
  requested.code.copy(header->code, sizeof header->code - 1);
  header->magic = kTraceFileMagic;
  file->in_memory_ = lies_in_memory(file->descriptor_);
  // Without it the segments lie in memory of the device's, and what was not copied is lost in a crash.
  std::string unused;
  if (!file->in_memory_ && !folder.empty())
    file->shared_ = TraceMemory::create(folder, file->path_, segment_bytes, unused);
  return file;
}

TraceFile::~TraceFile() {
  if (memory_) ::munmap(memory_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TraceFile::store(const std::byte* from, size_t size) {
  if (from != segments()) std::memcpy(segments(), from, std::min(size, segment_bytes()));
}

bool TraceFile::add_shader(const TraceShader& shader) {
  const uint32_t words = static_cast<uint32_t>(shader.words.size());
  const uint32_t head[6] = {static_cast<uint32_t>(shader.hash),
                            static_cast<uint32_t>(shader.hash >> 32),
                            static_cast<uint32_t>(shader.stage),
                            words,
                            static_cast<uint32_t>(shader.entry_point.size()),
                            static_cast<uint32_t>(shader.name.size())};
  std::string body(reinterpret_cast<const char*>(head), sizeof head);
  body.append(reinterpret_cast<const char*>(shader.words.data()), shader.words.size() * 4);
  return append(TraceChunk::shader, body + shader.entry_point + shader.name);
}

bool TraceFile::add_submission(const TracedSubmission& submission) {
  return append(TraceChunk::submission, to_bytes(submission));
}

bool TraceFile::add_unlisted(uint64_t shader_hash) {
  return append(TraceChunk::unlisted, {reinterpret_cast<const char*>(&shader_hash), sizeof shader_hash});
}

// One write, so that a program that is killed leaves a chunk whole or recognisably short. Appending is atomic
// between threads; the mapped part stays as it is.
bool TraceFile::append(TraceChunk kind, const std::string& body) {
  const uint32_t head[2] = {static_cast<uint32_t>(sizeof head + body.size()), static_cast<uint32_t>(kind)};
  const std::string chunk = std::string(reinterpret_cast<const char*>(head), sizeof head) + body;
  const int flags = ::fcntl(descriptor_, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor_, F_SETFL, flags | O_APPEND) != 0) return false;
  ssize_t written;
  do {
    written = ::write(descriptor_, chunk.data(), chunk.size());
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(chunk.size());
}

}  // namespace shaderqa
