// SPDX-License-Identifier: Apache-2.0
// Pictures of images, with the texels on which accesses raced (docs/internals/images.md#pictures): one PNG
// for each level and layer, or slice, with a hazard.
#ifndef SHADERQA_LAYER_OUTPUT_RACE_PICTURES_H
#define SHADERQA_LAYER_OUTPUT_RACE_PICTURES_H

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "host/pictures/png.h"
#include "layer/resources/image_table.h"

namespace shaderqa::layer {

class DeviceContext;
class RaceMap;

// Does nothing without the setting sync_pictures. Thread-safe.
class RacePictures {
 public:
  RacePictures(const DeviceContext& device, const ImageTable& images, RaceMap& map)
      : device_(device), images_(images), map_(map) {}
  RacePictures(const RacePictures&) = delete;
  RacePictures& operator=(const RacePictures&) = delete;

  // For a finding: the picture with the texel for which this address stands. It is written if it is not there
  // yet. Empty: there is none.
  std::string file_of(const ImageTable::Found& image, uint64_t address);
  // What the picture with this word does not show, as a sentence; empty: nothing. of_transition: one of the
  // two accesses is a change of a layout.
  static std::string note_of(const ImageGrid& grid, uint64_t byte, bool of_transition);

  // Writes what has changed of the pictures of images that findings have named.
  void save() noexcept;
  // The same, unless that was done a moment ago.
  void save_soon() noexcept;
  // The image is being destroyed: its pictures are written for the last time, and its addresses are free.
  void image_gone(const ImageTable::Found& image);
  // Writes all pictures, and says which ones no finding has named.
  void finish() noexcept;

 private:
  // One level and layer, or slice, of an image.
  struct Key {
    uint64_t image = 0;
    uint32_t plane = 0, level = 0, layer = 0, slice = 0;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy's error
  };
  struct Picture {
    std::string file;    // empty: it could not be written
    uint64_t marks = 0;  // hazards that it shows
    bool named = false;  // by a finding
  };

  bool wanted() const;
  // With mutex_.
  void draw_known();
  void draw(const ImageTable::Found& image);
  void write(const ImageTable::Found& image, const Key& key, const FourColours& pixels, uint64_t marks);
  std::string reserve(const ImageTable::Found& image, const Key& key);
  void note_unnamed();

  const DeviceContext& device_;
  const ImageTable& images_;
  RaceMap& map_;
  std::mutex mutex_;  // guards all members below
  std::map<Key, Picture> pictures_;
  std::chrono::steady_clock::time_point saved_{};
};

}  // namespace shaderqa::layer
#endif
