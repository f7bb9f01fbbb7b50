// SPDX-License-Identifier: Apache-2.0
#include "layer/output/wait_page.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "layer/context/device_context.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kPage = 4096;  // as in sqa_debug_look

}  // namespace

std::unique_ptr<WaitPages> WaitPages::create(const DeviceContext& device) {
  if (!device.facts.is_cpu || sysconf(_SC_PAGESIZE) != kPage) return nullptr;
  if (device.facts.host_import_alignment == 0 || kPage % device.facts.host_import_alignment != 0)
    return nullptr;
  std::unique_ptr<WaitPages> pages(new WaitPages);
  pages->descriptor_ =
      static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
  if (pages->descriptor_ < 0) return nullptr;
  uffdio_api api{};
  api.api = UFFD_API;
  if (ioctl(pages->descriptor_, UFFDIO_API, &api) != 0) return nullptr;
  void* const memory = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  pages->memory_ = static_cast<std::byte*>(memory);
  DeviceBuffer::Request request;
  request.size = 2 * kPage;
  request.import = memory;
  std::string unused;
  pages->buffer_ = DeviceBuffer::create(device, request, unused);
  if (!pages->buffer_) return nullptr;
  uffdio_register range{};
  range.range.start = reinterpret_cast<uintptr_t>(memory);
  range.range.len = 2 * kPage;
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  // Whoever made the buffer may have touched them.
  if (madvise(memory, 2 * kPage, MADV_DONTNEED) != 0 ||
      ioctl(pages->descriptor_, UFFDIO_REGISTER, &range) != 0)
    return nullptr;
  return pages;
}

WaitPages::~WaitPages() {
  // Those who still sleep wake up with the descriptor's end.
  if (descriptor_ >= 0) close(descriptor_);
  buffer_.reset();
  if (memory_) munmap(memory_, 2 * kPage);
}

std::byte* WaitPages::page(uint32_t number) const { return memory_ + (number & 1) * kPage; }

void WaitPages::supply(uint32_t number) {
  if (!missing_[number & 1]) return;
  missing_[number & 1] = false;
  alignas(kPage) static const std::byte kNothing[kPage] = {};
  uffdio_copy copy{};
  copy.dst = reinterpret_cast<uintptr_t>(page(number));
  copy.src = reinterpret_cast<uintptr_t>(kNothing);
  copy.len = kPage;
  // Without the page they would sleep for ever; with it unregistered they get one from the kernel.
  if (ioctl(descriptor_, UFFDIO_COPY, &copy) == 0) return;
  uffdio_range range{};
  range.start = copy.dst;
  range.len = kPage;
  ioctl(descriptor_, UFFDIO_UNREGISTER, &range);
}

void WaitPages::take_away(uint32_t number) {
  if (missing_[number & 1]) return;
  missing_[number & 1] = madvise(page(number), kPage, MADV_DONTNEED) == 0;
}

}  // namespace shaderqa::layer
