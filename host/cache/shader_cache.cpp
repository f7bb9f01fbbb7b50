// SPDX-License-Identifier: Apache-2.0
#include "host/cache/shader_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "host/cache/cache_directory.h"
#include "host/cache/result_bytes.h"
#include "xxhash.h"

namespace shaderqa {
namespace {

constexpr uint64_t kMagic = 0x31454843'41415153;  // "SQAACHE1"
// Rewritten shaders have a few megabytes at most: a larger file is not from the layer.
constexpr uint64_t kMaxFile = uint64_t{256} << 20;

struct Digest {
  uint64_t low = 0, high = 0;
  bool operator==(const Digest&) const = default;
};

struct Header {
  uint64_t magic = kMagic;
  Digest build;
  Digest key;
  uint64_t payload_bytes = 0;
  Digest checksum;  // of the payload
};

Digest digest_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

Digest key_of(const Digest& build, std::span<const uint32_t> words, const InstrumentOptions& options) {
  const Digest shader = digest_of({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
  std::string all = to_bytes(options);
  all.append(reinterpret_cast<const char*>(&shader), sizeof shader);
  all.append(reinterpret_cast<const char*>(&build), sizeof build);
  return digest_of(all);
}

std::string name_of(const Digest& key) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(key.high),
                static_cast<unsigned long long>(key.low));
  return text;
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return value_; }
  bool close() {
    if (value_ < 0) return true;
    const int value = value_;
    value_ = -1;
    return ::close(value) == 0;
  }

 private:
  int value_;
};

// Returns why the file could not be read, or nothing.
std::string read_file(int descriptor, std::string& bytes) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "it is not a file";
  // The driver gets these words without another check.
  if (status.st_uid != ::geteuid() && status.st_uid != 0) return "it belongs to another user";
  if (static_cast<uint64_t>(status.st_size) > kMaxFile) return "it is too large";
  bytes.resize(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::strerror(errno);
    if (count == 0) return "it ends too early";
    done += static_cast<size_t>(count);
  }
  return {};
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

struct ShaderCache::Impl {
  Impl(std::string directory_name, uint64_t max_bytes, std::string_view build_name, Note say)
      : directory(std::move(directory_name), max_bytes), build(digest_of(build_name)), note(std::move(say)) {}

  CacheDirectory directory;
  const Digest build;
  const Note note;
  std::atomic<bool> writable = true;

  std::optional<InstrumentResult> read(const Digest& key);
  bool write(const std::string& temporary, const Header& header, const std::string& payload) const;
  void damaged(const std::string& file, const std::string& why) const {
    note("shader cache damaged", "the shader cache's file " + file + " is not used, because " + why +
                                     "; it is made anew, as others like it are");
  }
  void give_up(const std::string& why) {
    if (writable.exchange(false))
      note("shader cache not written",
           "rewritten shaders are not kept in the cache directory " + directory.path() + ": " + why);
  }
};

ShaderCache::ShaderCache(std::string directory, uint64_t max_bytes, std::string_view build, Note note)
    : impl_(std::make_unique<Impl>(std::move(directory), max_bytes, build, std::move(note))) {
  if (const std::string problem = impl_->directory.create(); !problem.empty()) impl_->give_up(problem);
}

ShaderCache::~ShaderCache() = default;

std::optional<InstrumentResult> ShaderCache::Impl::read(const Digest& key) {
  const std::string file = directory.file_of(name_of(key));
  // O_NOFOLLOW and O_NONBLOCK: somebody may have put a link or a pipe there.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (descriptor < 0) {
    if (errno != ENOENT && errno != ENOTDIR) damaged(file, std::strerror(errno));
    return {};
  }
  std::string bytes;
  if (const std::string why = read_file(descriptor, bytes); !why.empty()) {
    damaged(file, why);
    return {};
  }
  Header header;
  std::string_view payload;
  if (bytes.size() >= sizeof header) {
    std::memcpy(&header, bytes.data(), sizeof header);
    payload = std::string_view(bytes).substr(sizeof header);
  }
  if (payload.empty() || header.magic != kMagic || header.build != build || header.key != key ||
      header.payload_bytes != payload.size() || header.checksum != digest_of(payload)) {
    damaged(file, "it is damaged");
    return {};
  }
  std::optional<InstrumentResult> result = result_from_bytes(payload);
  if (!result) damaged(file, "its contents make no sense");
  if (result) directory.mark_used(descriptor);
  return result;
}

bool ShaderCache::Impl::write(const std::string& temporary, const Header& header,
                              const std::string& payload) const {
  Descriptor descriptor(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (descriptor < 0) return false;
  return write_all(descriptor, {reinterpret_cast<const char*>(&header), sizeof header}) &&
         write_all(descriptor, payload) && descriptor.close();
}

std::optional<InstrumentResult> ShaderCache::load(std::span<const uint32_t> words,
                                                  const InstrumentOptions& options) {
  return impl_->read(key_of(impl_->build, words, options));
}

void ShaderCache::store(std::span<const uint32_t> words, const InstrumentOptions& options,
                        const InstrumentResult& result) {
  if (!impl_->writable.load(std::memory_order_relaxed)) return;
  const std::string payload = to_bytes(result);
  if (!impl_->directory.make_room(sizeof(Header) + payload.size())) return;
  Header header;
  header.build = impl_->build;
  header.key = key_of(impl_->build, words, options);
  header.payload_bytes = payload.size();
  header.checksum = digest_of(payload);
  const std::string file = impl_->directory.file_of(name_of(header.key));
  const std::string temporary = impl_->directory.temporary_of(name_of(header.key));
  // No fsync is needed: after a crash of the machine, the checksum shows whether the file is whole.
  if (impl_->write(temporary, header, payload) && ::rename(temporary.c_str(), file.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  ::unlink(temporary.c_str());
  impl_->give_up(why);
}

}  // namespace shaderqa
