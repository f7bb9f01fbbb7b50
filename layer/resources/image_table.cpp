// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/image_table.h"

#include <algorithm>
#include <cstring>

#include "instrument/runtime/abi_exact.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

bool is_large(const VkExtent3D& level) { return uint64_t{level.width} * level.height >= SQA_IMAGE_LARGE; }

constexpr size_t kKeptDestroyed = 1024;
constexpr const char* kExposed = "have memory that was imported or exported";
constexpr const char* kSharesMemory = "share memory with images that are not followed";
constexpr const char* kSharesLate =
    "got memory of an image for which barriers had been recorded before, and were executed later";
// Numbers of views that are gone are not given out again at once: descriptors may still name them.
constexpr size_t kKeptNumbers = 4096;

// Words of other images that one transition is entered in, in as many ranges.
constexpr size_t kMostOverwritten = 48;

// Whether others may be given its memory.
bool is_external(const VkImageCreateInfo& info) {
  const auto external = find_in_chain<VkExternalMemoryImageCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
  return external && external->handleTypes;
}

// Whether its memory is a swapchain's, or written by commands that are not seen.
bool is_foreign(const VkImageCreateInfo& info) {
  constexpr VkImageUsageFlags video =
      VK_IMAGE_USAGE_VIDEO_DECODE_DST_BIT_KHR | VK_IMAGE_USAGE_VIDEO_DECODE_DPB_BIT_KHR |
      VK_IMAGE_USAGE_VIDEO_ENCODE_SRC_BIT_KHR | VK_IMAGE_USAGE_VIDEO_ENCODE_DPB_BIT_KHR;
  const auto swapchain = find_in_chain<VkImageSwapchainCreateInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
  return (info.usage & video) || (swapchain && swapchain->swapchain);
}

ImageTable::ViewedRange viewed_range(const VkImageViewCreateInfo& info, const ImageGrid& grid) {
  ImageTable::ViewedRange viewed{info.image, info.subresourceRange};
  viewed.range.levelCount = std::min(viewed.range.levelCount, grid.levels());
  viewed.range.layerCount = std::min(viewed.range.layerCount, grid.layers());
  return viewed;
}

}  // namespace

ImageTable::ImageTable(const DeviceContext& device) : device_(device) {}

ImageTable::~ImageTable() {
  if (!device_.instance->in_forked_child()) return;
  // The memory belongs to the parent.
  static_cast<void>(blocks_table_.release());
  for (auto& block : blocks_) static_cast<void>(block.release());
}

VkDeviceAddress ImageTable::require_views() {
  const std::lock_guard lock(mutex_);
  if (!tried_) {
    tried_ = true;
    DeviceBuffer::Request request;
    request.size = SQA_IMAGE_SAMPLERS * sizeof(uint64_t) + SQA_SAMPLERS_DWORDS * sizeof(uint32_t);
    request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    std::string problem;
    blocks_table_ = DeviceBuffer::create(device_, request, problem);
    if (!blocks_table_) device_.note("images", "images are not checked: " + problem, Concern::sync);
    write_samplers();
  }
  return blocks_table_ ? blocks_table_->address() : 0;
}

uint64_t ImageTable::most_bytes() const {
  uint64_t limit = device_.instance->settings.sync_memory_limit;
  const VkPhysicalDeviceMemoryProperties& memory = device_.facts.memory;
  uint64_t heap = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      heap = std::max<uint64_t>(heap, memory.memoryHeaps[i].size);
  if (limit == 0) limit = heap / 4;
  // Cells take twice as much, and one image should leave something for the others.
  return std::min<uint64_t>(limit, heap) / 8;
}

void ImageTable::note_unfollowed(const std::string& why) const {
  device_.note("images " + why, "some images are not checked for synchronisation: they " + why,
               Concern::sync);
}

void ImageTable::add(VkImage handle, const VkImageCreateInfo& info) {
  if (is_foreign(info)) return note_unfollowed("are for video coding, or have memory of a swapchain");
  const bool stored = info.usage & VK_IMAGE_USAGE_STORAGE_BIT;
  const std::optional<ImageGrid> grid = ImageGrid::make(info, stored, most_bytes());
  if (!grid)
    return note_unfollowed("have sparse or protected memory, or a format or size that is not followed");
  auto image = std::make_unique<Image>();
  image->handle = handle;
  image->number = made_.fetch_add(1, std::memory_order_relaxed) + 1;
  image->grid = *grid;
  image->initial = info.initialLayout;
  image->is_opaque = info.tiling != VK_IMAGE_TILING_LINEAR;
  image->external = is_external(info);
  images_.insert(handle, std::move(image));
}

void ImageTable::place(Image& image, uint64_t bytes) {
  image.reservation = addresses_.reserve(bytes);
  image.address = image.reservation ? *image.reservation : 0;
  if (image.address) living_[image.address] = image.handle;
}

void ImageTable::add_presentable(VkImage handle, const VkImageCreateInfo& info) {
  add(handle, info);
  Image* const image = images_.find(handle);
  if (!image) return;
  const std::lock_guard lock(mutex_);
  place(*image, std::max(image->grid.bytes(), ImageAddresses::kSmallImage + 1));
}

const ImageTable::Image* ImageTable::stop_following(VkImage handle) {
  std::vector<const Image*> shared;
  share(handle, shared, kSharesMemory);
  return shared.empty() ? nullptr : shared.front();
}

void ImageTable::share(VkImage handle, std::vector<const Image*>& shared, const char* why) {
  Image* const image = images_.find(handle);
  if (!image || image->shared.exchange(true, std::memory_order_acq_rel)) return;
  shared.push_back(image);
  note_unfollowed(why);
}

void ImageTable::alias(VkImage older, VkImage image, Sharing& shared) {
  shared.with_images = true;
  Image* const first = images_.find(older);
  Image* const second = images_.find(image);
  if (!first || !second) {
    // What orders the one orders the other as well, and is not seen.
    share(older, shared.images, kSharesMemory);
    share(image, shared.images, kSharesMemory);
    return;
  }
  device_.note(
      "images alias",
      "some images share memory with each other: what is done to one of them is compared with where "
      "the content of another begins (a transition from VK_IMAGE_LAYOUT_UNDEFINED), and with nothing "
      "else that is done to that one",
      Concern::sync);
  const auto may_overwrite = [](const Image& one) { return one.is_opaque && one.grid.planes() == 1; };
  if (may_overwrite(*first) && may_overwrite(*second)) {
    overlaps_[older].push_back(image);
    overlaps_[image].push_back(older);
  }
  // Barriers are recorded meanwhile: Image::order_alone() stores before it loads, as this does.
  for (Image* const each : {first, second}) each->aliased.store(true);
  if (first->ordered_alone.load())
    late_.push_back({late_count_.fetch_add(1, std::memory_order_acq_rel) + 1, image, false});
  if (first->is_followed()) shared.aliases.push_back(first);
}

ImageTable::Overwritten ImageTable::overwritten_by(const Image& image) const {
  Overwritten found;
  if (!image.aliased.load()) return found;
  const std::lock_guard lock(mutex_);
  const auto others = overlaps_.find(image.handle);
  if (others == overlaps_.end()) return found;
  for (const VkImage handle : others->second) {
    const Image* const other = images_.find(handle);
    if (!other || !other->is_followed()) continue;
    const std::vector<MemoryRange> ranges = other->grid.some_texels();
    if (found.ranges.size() + ranges.size() > kMostOverwritten) break;
    for (MemoryRange range : ranges) {
      range.address += other->address;
      range.writes = true;
      found.ranges.push_back(range);
    }
    found.held.push_back(other->reservation);
  }
  return found;
}

std::vector<const ImageTable::Image*> ImageTable::see_submission(const LateAliases& recorded, bool ordering) {
  std::vector<const Image*> stopped;
  const std::lock_guard lock(mutex_);
  std::erase_if(late_, [&](const LateAlias& one) {
    const bool stops = ordering && one.used && one.number > recorded.begin;
    if (stops) share(one.image, stopped, kSharesLate);
    return stops;
  });
  for (LateAlias& one : late_) one.used = one.used || one.number <= recorded.end;
  return stopped;
}

std::vector<const ImageTable::Image*> ImageTable::expose(VkDeviceMemory memory) {
  std::vector<const Image*> shared;
  const std::lock_guard lock(mutex_);
  exposed_.insert(memory);
  if (const auto known = memory_.find(memory); known != memory_.end())
    for (const auto& [begin, binding] : known->second.bindings)
      if (binding.image) share(binding.image, shared, kExposed);
  return shared;
}

void ImageTable::add_memory(VkDeviceMemory memory, uint64_t size) {
  const std::lock_guard lock(mutex_);
  sizes_[memory] = size;
}

void ImageTable::free_memory(VkDeviceMemory memory) {
  const std::lock_guard lock(mutex_);
  exposed_.erase(memory);
  sizes_.erase(memory);
}

ImageTable::Sharing ImageTable::bind(VkDeviceMemory memory, uint64_t offset, uint64_t size, uint64_t owner,
                                     VkImage image) {
  Sharing shared;
  Image* const bound = image ? images_.find(image) : nullptr;
  const std::lock_guard lock(mutex_);
  if (bound && bound->external && exposed_.contains(memory)) share(image, shared.images, kExposed);
  Memory& known = memory_[memory];
  const uint64_t end = offset + size;
  const uint64_t reach = std::min(known.largest, offset);
  for (auto at = known.bindings.lower_bound(offset - reach); at != known.bindings.end() && at->first < end;
       ++at) {
    const Binding& other = at->second;
    if (other.end <= offset) continue;
    if (other.image && image) {
      alias(other.image, image, shared);
    } else if (other.image || image) {
      shared.buffers.push_back(handle_of<VkBuffer>((image ? other.owner : owner) >> 1));
      // A buffer of all the memory (but for its alignment) is an allocator's, which puts other things beside
      // the image.
      const uint64_t bytes = image ? other.end - at->first : size;
      Image* const beside = image ? bound : images_.find(other.image);
      if (beside && bytes + 4096 <= sizes_[memory]) beside->aliased.store(true);
    }
  }
  known.largest = std::max(known.largest, size);
  known.bindings.emplace(offset, Binding{end, owner, image});
  bound_.emplace(owner, std::pair(memory, offset));
  if (bound && bound->address == 0) {
    place(*bound, bound->grid.bytes());
  }
  return shared;
}

void ImageTable::unbind(uint64_t owner) {
  const std::lock_guard lock(mutex_);
  const auto [place, end] = bound_.equal_range(owner);
  for (auto each = place; each != end; ++each) {
    const auto known = memory_.find(each->second.first);
    if (known == memory_.end()) continue;
    auto& bindings = known->second.bindings;
    const auto [first, last] = bindings.equal_range(each->second.second);
    for (auto at = first; at != last; ++at) {
      if (at->second.owner != owner) continue;
      bindings.erase(at);
      break;
    }
    if (bindings.empty()) memory_.erase(known);
  }
  bound_.erase(place, end);
}

void ImageTable::remove(VkImage handle) {
  const std::unique_ptr<Image> image = images_.erase(handle);
  const std::lock_guard lock(mutex_);
  std::erase_if(late_, [&](const LateAlias& one) { return one.image == handle; });
  if (const auto others = overlaps_.extract(handle))
    for (const VkImage other : others.mapped()) std::erase(overlaps_[other], handle);
  Found gone;
  if (const auto name = names_.find(handle); name != names_.end()) {
    gone.name = std::move(name->second);
    names_.erase(name);
  }
  if (const auto views = described_.extract(handle))
    for (const auto& [record, view] : views.mapped()) free_numbers_.push_back(view.number);
  if (!image || image->address == 0) return;
  living_.erase(image->address);
  gone.handle = handle;
  gone.number = image->number;
  gone.grid = image->grid;
  gone.address = image->address;
  gone.destroyed = true;
  destroyed_.push_front(std::move(gone));
  if (destroyed_.size() > kKeptDestroyed) destroyed_.pop_back();
}

void ImageTable::set_name(VkImage handle, const std::string& name) {
  const std::lock_guard lock(mutex_);
  names_[handle] = name;
}

std::string ImageTable::text_of(VkImage image) const {
  const std::lock_guard lock(mutex_);
  const auto name = names_.find(image);
  return name == names_.end() ? "an image" : "image \"" + name->second + '"';
}

ImageTable::Found ImageTable::found(const Image& image) const {
  const auto name = names_.find(image.handle);
  return {image.handle, image.number, image.grid, image.address, name == names_.end() ? "" : name->second,
          false};
}

std::vector<ImageTable::Found> ImageTable::living() const {
  const std::lock_guard lock(mutex_);
  std::vector<Found> all;
  for (const auto& [address, handle] : living_)
    if (const Image* const image = images_.find(handle)) all.push_back(found(*image));
  return all;
}

std::optional<ImageTable::Found> ImageTable::find_address(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  auto behind = living_.upper_bound(address);
  if (behind != living_.begin()) {
    --behind;
    const Image* const image = images_.find(behind->second);
    if (image && address - image->address < image->grid.bytes()) return found(*image);
  }
  const auto gone = std::ranges::find_if(destroyed_, [&](const Found& one) {
    return address >= one.address && address - one.address < one.grid.bytes();
  });
  if (gone == destroyed_.end()) return std::nullopt;
  return *gone;
}

bool ImageTable::add_block(uint32_t number) {
  if (number >= SQA_IMAGE_BLOCKS || !blocks_table_) return false;
  DeviceBuffer::Request request;
  request.size = uint64_t{SQA_IMAGE_BLOCK_VIEWS} * SQA_IMAGE_VIEW_DWORDS * sizeof(uint32_t);
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  std::string problem;
  auto block = DeviceBuffer::create(device_, request, problem);
  if (!block) {
    device_.note("image views", "some images are not checked: " + problem, Concern::sync);
    return false;
  }
  const uint64_t address = block->address();
  std::memcpy(blocks_table_->mapped() + number * sizeof address, &address, sizeof address);
  blocks_.push_back(std::move(block));
  return true;
}

std::optional<uint32_t> ImageTable::take_number() {
  if (free_numbers_.size() > kKeptNumbers) {
    const uint32_t number = free_numbers_.front();
    free_numbers_.pop_front();
    return number;
  }
  const uint32_t block = next_number_ >> SQA_IMAGE_BLOCK_VIEWS_LOG2;
  if (block >= blocks_.size() && !add_block(block)) return std::nullopt;
  return next_number_++;
}

std::byte* ImageTable::record_of(uint32_t number) {
  constexpr size_t bytes = SQA_IMAGE_VIEW_DWORDS * sizeof(uint32_t);
  return blocks_[number >> SQA_IMAGE_BLOCK_VIEWS_LOG2]->mapped() +
         (number & (SQA_IMAGE_BLOCK_VIEWS - 1)) * bytes;
}

std::optional<ImageTable::View> ImageTable::make_view(const Image& image, const ImageGrid::ViewRecord& record,
                                                      const ViewedRange& viewed) {
  const std::optional<uint32_t> number = take_number();
  if (!number) return std::nullopt;
  std::memcpy(record_of(*number), record.data(), sizeof record);
  if (viewed_.size() <= *number) viewed_.resize(*number + 1);
  viewed_[*number] = viewed;
  View view;
  view.number = *number;
  view.entry.address = image.address;
  view.entry.range = static_cast<uint32_t>(std::min<uint64_t>(image.grid.bytes(), UINT32_MAX));
  view.entry.meta = SQA_TABLE_IMAGE | *number << SQA_TABLE_VIEW_SHIFT |
                    (image.grid.step() >= SQA_IMAGE_COARSE_STEP ? SQA_TABLE_COARSE : 0u) |
                    (is_large(image.grid.extent(0)) ? SQA_TABLE_LARGE : 0u);
  return view;
}

void ImageTable::add_view(VkImageView handle, const VkImageViewCreateInfo& info) {
  const Image* const image = find(info.image);
  if (!image || !image->is_followed() || require_views() == 0) return;
  const ViewedRange viewed = viewed_range(info, image->grid);
  ranges_.emplace(handle, viewed);
  const auto record = image->grid.record(info, image->address);
  if (!record) return;
  const std::lock_guard lock(mutex_);
  if (const auto view = make_view(*image, *record, viewed)) views_.emplace(handle, *view);
}

TableEntry ImageTable::describe_view(const VkImageViewCreateInfo& info) {
  const Image* const image = find(info.image);
  if (!image || !image->is_followed() || require_views() == 0) return {};
  const auto record = image->grid.record(info, image->address);
  if (!record) return {};
  const std::lock_guard lock(mutex_);
  auto& views = described_[info.image];
  if (const auto known = views.find(*record); known != views.end()) return known->second.entry;
  const auto view = make_view(*image, *record, viewed_range(info, image->grid));
  if (!view) return {};
  views.emplace(*record, *view);
  return view->entry;
}

std::vector<TableEntry> ImageTable::described_views(VkImage image) const {
  const std::lock_guard lock(mutex_);
  std::vector<TableEntry> entries;
  if (const auto views = described_.find(image); views != described_.end())
    for (const auto& [record, view] : views->second) entries.push_back(view.entry);
  return entries;
}

VkDeviceAddress ImageTable::record_address(const TableEntry& entry) const {
  const std::lock_guard lock(mutex_);
  const uint32_t number = entry.meta >> SQA_TABLE_VIEW_SHIFT;
  const uint32_t block = number >> SQA_IMAGE_BLOCK_VIEWS_LOG2;
  if (!(entry.meta & SQA_TABLE_IMAGE) || block >= blocks_.size()) return 0;
  return blocks_[block]->address() +
         uint64_t{number & (SQA_IMAGE_BLOCK_VIEWS - 1)} * SQA_IMAGE_VIEW_QUADS * 16;
}

ImageTable::ViewedRange ImageTable::range_of(const TableEntry& entry) const {
  const std::lock_guard lock(mutex_);
  const uint32_t number = entry.meta >> SQA_TABLE_VIEW_SHIFT;
  return number < viewed_.size() ? viewed_[number] : ViewedRange();
}

void ImageTable::remove_view(VkImageView handle) {
  ranges_.erase(handle);
  const auto view = views_.erase(handle);
  if (!view) return;
  const std::lock_guard lock(mutex_);
  free_numbers_.push_back(view->number);
}

void ImageTable::write_samplers() {
  static_assert(sizeof samplers_ == SQA_SAMPLERS_DWORDS * sizeof(uint32_t));
  if (blocks_table_)
    std::memcpy(blocks_table_->mapped() + SQA_IMAGE_SAMPLERS * sizeof(uint64_t), &samplers_,
                sizeof samplers_);
}

void ImageTable::see_sampler(const VkSamplerCreateInfo& info) {
  const std::lock_guard lock(mutex_);
  Samplers seen = samplers_;
  seen.flags |= (info.unnormalizedCoordinates ? SQA_SAMPLERS_ODD : 0u) |
                (info.anisotropyEnable ? SQA_SAMPLERS_ANISOTROPIC : 0u) |
                (info.mipLodBias != 0.0f ? SQA_SAMPLERS_BIASED : 0u);
  seen.lowest_lod = std::max(seen.lowest_lod, info.minLod);
  seen.highest_lod = std::min(seen.highest_lod, info.maxLod);
  if (seen == samplers_) return;
  samplers_ = seen;
  write_samplers();
}

}  // namespace shaderqa::layer
