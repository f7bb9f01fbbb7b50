// SPDX-License-Identifier: Apache-2.0
#include "host/rescue/rescue_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "host/findings/check_metadata.h"
#include "host/printf/printf_metadata.h"
#include "host/rescue/memory_files.h"
#include "host/rescue/rescue_layout.h"

namespace shaderqa {
namespace {
constexpr size_t kMaxCheckSiteBytes = 64u << 20;
}  // namespace

struct RescueFile::Impl {
  std::string path, sites_path;
  int descriptor = -1, sites_descriptor = -1;
  std::byte* memory = nullptr;
  size_t bytes = 0, segments_end = 0;
  size_t sites_bytes = 0;
  Content content = Content::printf;

  RescueHeader& header() { return *reinterpret_cast<RescueHeader*>(memory); }
  std::string create(const std::string& directory, uint32_t segments, uint64_t segment_bytes);
  ~Impl() {
    if (memory != nullptr) ::munmap(memory, bytes);
    if (descriptor >= 0) ::unlink(path.c_str());
    if (sites_descriptor >= 0) ::unlink(sites_path.c_str());
    if (descriptor >= 0) ::close(descriptor);
    if (sites_descriptor >= 0) ::close(sites_descriptor);
  }
};

// Returns an error sentence or nothing.
std::string RescueFile::Impl::create(const std::string& directory, uint32_t segments,
                                     uint64_t segment_bytes) {
  const auto failed = [&](const std::string& what) {
    return what + " the rescue file " + path + ": " + std::strerror(errno) +
           "; messages of a program that crashes may be lost";
  };
  if (segments == 0 || segments > kRescueMaxSegments || segment_bytes == 0 ||
      segment_bytes % kRescuePage != 0)
    return "a rescue file cannot have " + std::to_string(segments) + " segments of " +
           std::to_string(segment_bytes) + " bytes";
  // Take the first free number: a process may have several devices, and two processes in different pid
  // namespaces may have the same pid.
  for (int n = 0; descriptor < 0; ++n) {
    const std::string stem = directory + "/" + std::to_string(::getpid()) + "-" + std::to_string(n);
    path = stem + (content == Content::checks ? ".checks" : ".printf");
    sites_path = stem + (content == Content::checks ? ".check-sites" : ".sites");
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0 && errno != EEXIST) return failed("cannot create");
  }
  if (!lies_in_memory(descriptor))
    return directory + " is not a folder in memory (/dev/shm is), so that the device cannot write there";
  // The lock is held until the process ends, whatever ends it: it tells the parent that the file is in use. A
  // forked child does not inherit it.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_SETLK, &whole) != 0) return failed("cannot lock");
  sites_descriptor = ::open(sites_path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (sites_descriptor < 0) return failed("cannot create the sites of");
  bytes = segments_end = kRescuePage + segments * segment_bytes;
  if (content == Content::checks) bytes += kRescueBufferSlots * sizeof(RescueBufferSlot);
  // Reserve the space now: with a full file system, the first message would end the program with SIGBUS.
  if (const int error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)); error != 0) {
    errno = error;
    return failed("cannot reserve " + std::to_string(bytes) + " bytes for");
  }
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) return failed("cannot map");
  memory = static_cast<std::byte*>(mapped);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  header().created_ns = static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
  header().segment_bytes = segment_bytes;
  header().segments = segments;
  header().magic = content == Content::checks ? kRescueChecksMagic : kRescueMagic;
  return {};
}

std::unique_ptr<RescueFile> RescueFile::create(const std::string& directory, uint32_t segments,
                                               uint64_t segment_bytes, std::string& error, Content content) {
  std::unique_ptr<RescueFile> file(new RescueFile);
  file->impl_ = std::make_unique<Impl>();
  file->impl_->content = content;
  error = file->impl_->create(directory, segments, segment_bytes);
  if (!error.empty()) return nullptr;
  return file;
}

RescueFile::~RescueFile() = default;

std::byte* RescueFile::segment_memory() { return impl_->memory + kRescuePage; }

uint64_t* RescueFile::cursor(uint32_t segment) { return &impl_->header().cursors[segment]; }

uint32_t* RescueFile::oldest() { return &impl_->header().oldest; }

std::span<RescueBufferSlot> RescueFile::buffer_slots() {
  if (impl_->content != Content::checks) return {};
  return {reinterpret_cast<RescueBufferSlot*>(impl_->memory + impl_->segments_end), kRescueBufferSlots};
}

void RescueFile::add_sites(const ShaderRecord& record) {
  const bool checks = impl_->content == Content::checks;
  const std::string line = checks ? write_check_metadata(record) : write_printf_metadata({record}) + "\n";
  // There are many check sites, and reports are usually read within milliseconds: a limit costs little.
  if (checks && impl_->sites_bytes + line.size() > kMaxCheckSiteBytes) return;
  impl_->sites_bytes += line.size();
  // One write for a line: if the process is killed, the last line is either whole or missing.
  ssize_t written;
  do {
    written = ::write(impl_->sites_descriptor, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
}

}  // namespace shaderqa
