// SPDX-License-Identifier: Apache-2.0
#include "layer/output/race_pictures.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/resources/race_map.h"
#include "layer/vk/guarded.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostPictures = 256;
constexpr uint64_t kMostPixels = uint64_t{1} << 28;
constexpr int kMostFiles = 10000;  // of one name
constexpr size_t kLongestName = 80;
constexpr std::chrono::seconds kPause(1);
// By the bits of the race map: nothing, between actions, within an action, both.
constexpr std::array<Colour, 4> kColours = {{{0, 0, 0}, {255, 160, 0}, {0, 140, 255}, {255, 255, 255}}};
static_assert(SQA_RACE_BETWEEN_ACTIONS == 1 && SQA_RACE_WITHIN_ACTION == 2);

std::string in_file_name(const std::string& name) {
  std::string clean = name.substr(0, kLongestName);
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  std::ranges::replace_if(
      clean, [&](char c) { return !fits(c); }, '-');
  return clean.empty() ? "image" : clean;
}

// False, with errno, where it cannot be written. Readers find the old bytes or the new ones.
bool replace_file(const std::string& file, const std::string& bytes) {
  const std::string part = file + ".part";
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out && std::rename(part.c_str(), file.c_str()) == 0) return true;
  const int why = errno;
  ::unlink(part.c_str());
  errno = why;
  return false;
}

std::string squares(uint32_t step) { return std::to_string(step) + " x " + std::to_string(step); }

}  // namespace

bool RacePictures::wanted() const {
  return device_.instance->needs_race_map() && !device_.instance->in_forked_child();
}

std::string RacePictures::note_of(const ImageGrid& grid, uint64_t byte, bool of_transition) {
  std::string note;
  const auto add = [&](const std::string& text) { note += (note.empty() ? "" : "; ") + text; };
  if (grid.step() != 1)
    add("one texel in " + squares(grid.step()) + " is checked, and stands for its square in the picture");
  if (grid.step() >= SQA_IMAGE_COARSE_STEP) add("reads are checked at some of these only");
  if (of_transition && grid.is_spread())
    add("changes of layouts are compared, and reads beside them checked, at some texels only");
  if (const uint32_t step = grid.step_of_last(byte))
    add("this hazard was found behind another access, which is looked for at one texel in " + squares(step));
  return note;
}

std::string RacePictures::reserve(const ImageTable::Found& image, const Key& key) {
  const ImageGrid& grid = image.grid;
  const std::filesystem::path folder = std::filesystem::absolute(device_.instance->settings.sync_pictures);
  std::string name = in_file_name(image.name);
  if (grid.planes() > 1) name += "-plane" + std::to_string(key.plane);
  if (grid.levels() > 1) name += "-mip" + std::to_string(key.level);
  if (grid.layers() > 1) name += "-layer" + std::to_string(key.layer);
  if (grid.is_3d()) name += "-z" + std::to_string(key.slice);
  std::error_code none;
  std::filesystem::create_directories(folder, none);
  std::string file;
  for (int n = 1; n <= kMostFiles; ++n) {
    file = (folder / (name + (n > 1 ? "-" + std::to_string(n) : "") + ".png")).string();
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      ::close(descriptor);
      return file;
    }
    if (errno != EEXIST) break;
  }
  device_.note("race picture file",
               "there is no picture of some hazards: cannot create " + file + ": " + std::strerror(errno),
               Concern::nothing);
  return {};
}

void RacePictures::write(const ImageTable::Found& image, const Key& key, const FourColours& pixels,
                         uint64_t marks) {
  const auto [at, is_new] = pictures_.try_emplace(key);
  Picture& picture = at->second;
  if (is_new) picture.file = reserve(image, key);
  if (picture.file.empty() || picture.marks == marks) return;
  const std::string plane = image.grid.planes() > 1 ? ", plane " + std::to_string(key.plane) : "";
  std::string text = "Texels of image \"" + image.name + "\" (" + format_name(image.grid.format()) + ")" +
                     plane + ", mip level " + std::to_string(key.level) + ", layer " +
                     std::to_string(key.layer) + ", slice " + std::to_string(key.slice) +
                     ", on which accesses raced. Orange: with another action; blue: within an action; white: "
                     "both.";
  if (image.grid.step() != 1)
    text += " One texel in " + squares(image.grid.step()) + " is checked, and stands for its square.";
  if (replace_file(picture.file, png_of(pixels, text))) {
    picture.marks = marks;
    return;
  }
  device_.note(
      "race picture file",
      "there is no picture of some hazards: cannot write " + picture.file + ": " + std::strerror(errno),
      Concern::nothing);
  if (picture.marks == 0) ::unlink(picture.file.c_str());
  if (picture.marks == 0) picture.file.clear();
}

// Words come in the order of levels, layers and slices.
void RacePictures::draw(const ImageTable::Found& image) {
  const ImageGrid& grid = image.grid;
  Key key;
  std::optional<FourColours> pixels;
  uint64_t marks = 0;
  const auto finish_one = [&] {
    if (pixels) write(image, key, *pixels, marks);
    pixels.reset();
    marks = 0;
  };
  const auto begin_one = [&](const Key& next) {
    finish_one();
    key = next;
    const VkExtent3D extent = grid.extent(key.level, key.plane);
    const bool fits = uint64_t{extent.width} * extent.height <= kMostPixels;
    if (fits && (pictures_.contains(key) || pictures_.size() < kMostPictures)) {
      pixels.emplace(extent.width, extent.height, kColours);
      return;
    }
    device_.note(
        fits ? "race pictures" : "race picture of a large image",
        fits ? "there are no pictures of further hazards: there are already " + std::to_string(kMostPictures)
             : "there are no pictures of hazards on images of more than " + std::to_string(kMostPixels) +
                   " texels",
        Concern::nothing);
  };
  map_.visit(image.address, grid.bytes(), [&](uint64_t address, uint32_t kinds) {
    const TexelPlace texel = grid.locate(address - image.address);
    const Key place{image.number, texel.plane, texel.level, texel.layer, texel.z};
    if (key != place) begin_one(place);
    if (!pixels) return;
    marks += kinds == 3 ? 2 : 1;
    const uint32_t right = std::min(texel.x + grid.step(), pixels->width());
    const uint32_t bottom = std::min(texel.y + grid.step(), pixels->height());
    for (uint32_t y = texel.y; y < bottom; ++y)
      for (uint32_t x = texel.x; x < right; ++x) pixels->add(x, y, kinds);
  });
  finish_one();
}

std::string RacePictures::file_of(const ImageTable::Found& image, uint64_t address) {
  if (!wanted()) return {};
  const TexelPlace texel = image.grid.locate(address - image.address);
  const Key key{image.number, texel.plane, texel.level, texel.layer, texel.z};
  const std::lock_guard lock(mutex_);
  if (!image.destroyed && map_.kinds_at(address) == 0) return {};
  auto found = pictures_.find(key);
  if (found == pictures_.end() && !image.destroyed) {
    draw(image);
    found = pictures_.find(key);
  }
  if (found == pictures_.end()) return {};
  found->second.named = true;
  return found->second.file;
}

void RacePictures::draw_known() {
  if (pictures_.empty()) return;
  for (const ImageTable::Found& image : images_.living()) {
    const auto first = pictures_.lower_bound(Key{image.number});
    if (first != pictures_.end() && first->first.image == image.number) draw(image);
  }
  saved_ = std::chrono::steady_clock::now();
}

void RacePictures::save() noexcept {
  if (!wanted()) return;
  guarded([&] {
    const std::lock_guard lock(mutex_);
    draw_known();
  });
}

void RacePictures::save_soon() noexcept {
  if (!wanted()) return;
  guarded([&] {
    const std::lock_guard lock(mutex_);
    if (std::chrono::steady_clock::now() - saved_ >= kPause) draw_known();
  });
}

void RacePictures::image_gone(const ImageTable::Found& image) {
  if (!wanted()) return;
  const std::lock_guard lock(mutex_);
  draw(image);
  map_.forget(image.address, image.grid.bytes());
}

void RacePictures::finish() noexcept {
  if (!wanted()) return;
  guarded([&] {
    const std::lock_guard lock(mutex_);
    for (const ImageTable::Found& image : images_.living()) draw(image);
    note_unnamed();
  });
}

void RacePictures::note_unnamed() {
  constexpr size_t kMostNamed = 8;
  std::string files;
  size_t count = 0;
  for (const auto& [key, picture] : pictures_)
    if (!picture.named && !picture.file.empty() && count++ < kMostNamed)
      files += (files.empty() ? "" : ", ") + picture.file;
  if (count == 0) return;
  if (count > kMostNamed) files += ", and " + std::to_string(count - kMostNamed) + " more";
  const std::string text =
      "accesses also raced on levels, layers or images that no finding names; their pictures are " + files;
  device_.note(text, text, Concern::nothing);
}

}  // namespace shaderqa::layer
