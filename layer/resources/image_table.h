// SPDX-License-Identifier: Apache-2.0
// Images whose texels are followed (docs/internals/images.md): their addresses, which no memory has, and the
// records of their views.
#ifndef SHADERQA_LAYER_RESOURCES_IMAGE_TABLE_H
#define SHADERQA_LAYER_RESOURCES_IMAGE_TABLE_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "layer/accesses/image_grid.h"
#include "layer/memory/device_buffer.h"
#include "layer/memory/table_entry.h"
#include "layer/resources/image_addresses.h"
#include "layer/resources/image_memory.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

class DeviceContext;

// Thread-safe.
class ImageTable {
 public:
  struct Image {
    VkImage handle = VK_NULL_HANDLE;
    uint64_t number = 0;  // no other image of the device has it
    ImageGrid grid;
    VkImageLayout initial = VK_IMAGE_LAYOUT_UNDEFINED;
    bool external = false;  // others may be given its memory
    uint64_t address = 0;   // 0: no memory is bound to it
    ImageAddresses::Reservation reservation;
    // Where its texels lie in its memory is not known, so that no part of it can be used beside another
    // image that has some of its memory.
    bool is_opaque = false;
    // Others may access its memory: it is not followed.
    std::atomic<bool> shared = false;
    // Other images, or buffers, have the same memory: who orders accesses to that may name any of them.
    std::atomic<bool> aliased = false;
    // A barrier has been recorded that orders accesses to this image alone.
    mutable std::atomic<bool> ordered_alone = false;
    bool is_followed() const { return address != 0 && !shared.load(std::memory_order_acquire); }
    // Whether a barrier for it that is recorded now is for its own texels alone.
    bool order_alone() const {
      if (!ordered_alone.load(std::memory_order_acquire)) ordered_alone.store(true);
      return !aliased.load();
    }
  };
  // What a view shows, with all counts known.
  struct ViewedRange {
    VkImage image = VK_NULL_HANDLE;
    VkImageSubresourceRange range{};
  };
  // What an address belongs to.
  struct Found {
    VkImage handle = VK_NULL_HANDLE;
    uint64_t number = 0;
    ImageGrid grid;
    uint64_t address = 0;
    std::string name;  // as the application gave it
    bool destroyed = false;
  };

  explicit ImageTable(const DeviceContext& device);
  ~ImageTable();  // before the next layer's vkDestroyDevice
  ImageTable(const ImageTable&) = delete;
  ImageTable& operator=(const ImageTable&) = delete;

  // Makes the memory of the records. 0, with a note, where there is none: no image is checked.
  VkDeviceAddress require_views();

  void add(VkImage handle, const VkImageCreateInfo& info);
  // The same for one of a swapchain, which has memory at once, and no page in common with others.
  void add_presentable(VkImage handle, const VkImageCreateInfo& info);
  // A swapchain's image, which has the same memory as another one from now on. Null: it was not followed.
  const Image* stop_following(VkImage handle);
  // What has the same memory from now on.
  struct Sharing {
    std::vector<const Image*> images;   // they are followed no longer
    bool with_images = false;           // the image that it is bound to
    std::vector<const Image*> aliases;  // other images that are followed
    std::vector<VkBuffer> buffers;      // with images
  };
  void add_memory(VkDeviceMemory memory, uint64_t size);
  // Others may access this memory from now on. Images whose memory it is are followed no longer; returns
  // those that were.
  std::vector<const Image*> expose(VkDeviceMemory memory);
  void free_memory(VkDeviceMemory memory);
  // Memory is bound to something; image: VK_NULL_HANDLE for a buffer, whose handle `owner` has then above its
  // first bit.
  Sharing bind(VkDeviceMemory memory, uint64_t offset, uint64_t size, uint64_t owner, VkImage image);
  // What becomes undefined where the content of an image begins anew: some words of each image that has
  // memory of it, as accesses of its own have them, and what keeps these addresses from being given out
  // again.
  struct Overwritten {
    std::vector<MemoryRange> ranges;  // that are written
    std::vector<ImageAddresses::Reservation> held;
  };
  Overwritten overwritten_by(const Image& image) const;
  // "image "shadows"", or "an image" where the application has given it no name.
  std::string text_of(VkImage image) const;
  // How many images have got memory of one for which barriers had been recorded. Those barriers say nothing
  // of them.
  uint32_t late_aliases() const { return late_count_.load(std::memory_order_acquire); }
  // A command buffer is submitted. ordering: it has barriers for images. Stops to follow those late aliases
  // that work submitted before may have accessed, and of which a barrier in this one says nothing; returns
  // them.
  std::vector<const Image*> see_submission(const LateAliases& recorded, bool ordering);
  // What was bound under this handle is destroyed.
  void unbind(uint64_t owner);
  // Followed or not; null: it is not of a kind that is.
  const Image* find(VkImage handle) const { return images_.find(handle); }
  void remove(VkImage handle);
  void set_name(VkImage handle, const std::string& name);
  std::optional<Found> find_address(uint64_t address) const;
  // All that have addresses.
  std::vector<Found> living() const;

  void add_view(VkImageView handle, const VkImageViewCreateInfo& info);
  void remove_view(VkImageView handle);
  // What a descriptor table has for the view.
  TableEntry entry(VkImageView handle) const {
    const View* const view = views_.find(handle);
    return view ? view->entry : TableEntry();
  }
  // Null: of an image that is not followed.
  const ViewedRange* range_of(VkImageView handle) const { return ranges_.find(handle); }
  // The device address of the view's record, by what a descriptor table has for it; 0: it has none.
  VkDeviceAddress record_address(const TableEntry& entry) const;
  // By what a descriptor table has for the view.
  ViewedRange range_of(const TableEntry& entry) const;
  // The same of a view that is only described (docs/internals/descriptor-heaps.md). It has a record as long
  // as its image lives, with whatever else shows the same texels.
  TableEntry describe_view(const VkImageViewCreateInfo& info);
  // The entries of all that were described of this image.
  std::vector<TableEntry> described_views(VkImage image) const;
  void see_sampler(const VkSamplerCreateInfo& info);

 private:
  struct View {
    TableEntry entry{};
    uint32_t number = 0;
  };
  struct Binding {
    uint64_t end = 0, owner = 0;
    VkImage image = VK_NULL_HANDLE;
  };
  struct Memory {
    std::multimap<uint64_t, Binding> bindings;  // by begin
    uint64_t largest = 0;
  };

  // A number for a record; nothing where there is no room. mutex_ is held.
  std::optional<uint32_t> take_number();
  // A record of its own; nothing as above. mutex_ is held.
  std::optional<View> make_view(const Image& image, const ImageGrid::ViewRecord& record,
                                const ViewedRange& viewed);
  bool add_block(uint32_t number);
  std::byte* record_of(uint32_t number);
  uint64_t most_bytes() const;
  void note_unfollowed(const std::string& why) const;
  void place(Image& image, uint64_t bytes);  // mutex_ is held
  void share(VkImage handle, std::vector<const Image*>& shared, const char* why);
  // Two images share memory from now on; `image` is the newer one. mutex_ is held.
  void alias(VkImage older, VkImage image, Sharing& shared);
  Found found(const Image& image) const;  // mutex_ is held

  const DeviceContext& device_;
  std::atomic<uint64_t> made_ = 0;
  HandleTable<VkImage, Image> images_;
  HandleTable<VkImageView, View> views_;  // those that descriptors can have
  HandleTable<VkImageView, ViewedRange> ranges_;

  mutable std::mutex mutex_;  // guards all members below
  ImageAddresses addresses_;
  std::map<uint64_t, VkImage> living_;  // by address
  std::deque<Found> destroyed_;
  std::unordered_map<VkImage, std::string> names_;
  std::unordered_map<VkDeviceMemory, Memory> memory_;
  std::unordered_map<VkDeviceMemory, uint64_t> sizes_;  // of all memory
  // Owner -> memory, begin: several for a disjoint image.
  std::unordered_multimap<uint64_t, std::pair<VkDeviceMemory, uint64_t>> bound_;
  std::unordered_set<VkDeviceMemory> exposed_;
  // Opaque images of one plane that have memory of each other.
  std::unordered_map<VkImage, std::vector<VkImage>> overlaps_;
  std::atomic<uint32_t> late_count_ = 0;
  struct LateAlias {
    uint32_t number = 0;  // late_count_ with it
    VkImage image = VK_NULL_HANDLE;
    bool used = false;  // work that was submitted may have accessed it
  };
  std::vector<LateAlias> late_;
  bool tried_ = false;
  std::unique_ptr<DeviceBuffer> blocks_table_;
  std::vector<std::unique_ptr<DeviceBuffer>> blocks_;
  std::vector<ViewedRange> viewed_;  // by number
  uint32_t next_number_ = 0;
  std::deque<uint32_t> free_numbers_;
  std::unordered_map<VkImage, std::map<ImageGrid::ViewRecord, View>> described_;
  // As SQA_IMAGE_SAMPLERS has it.
  struct Samplers {
    uint32_t flags = 0, padding = 0;
    float lowest_lod = std::numeric_limits<float>::lowest(), highest_lod = std::numeric_limits<float>::max();
    bool operator==(const Samplers&) const = default;
  };
  void write_samplers();  // mutex_ is held
  Samplers samplers_;
};

}  // namespace shaderqa::layer
#endif
