// SPDX-License-Identifier: Apache-2.0
// Inserts a call of the synchronisation check's runtime before each access to a texel. Part of SyncPass.
#ifndef SHADERQA_INSTRUMENT_PASSES_IMAGE_CHECKS_H
#define SHADERQA_INSTRUMENT_PASSES_IMAGE_CHECKS_H

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "instrument/accesses/image_accesses.h"
#include "instrument/accesses/pointer_places.h"
#include "instrument/passes/check_calls.h"

namespace shaderqa {

class CheckQueue;
class UnwatchedVersion;

class ImageChecks {
 public:
  ImageChecks(CheckCalls& checks, PointerPlaces& places) : checks_(checks), places_(places) {}

  // Whether its coordinates are of a kind that is followed.
  bool is_followed(const ImageAccess& access) const;
  // flags: as CheckCalls::site_constant takes them. queue: where it is noted, to be checked later, if it can
  // be; null: it is checked where it is. skips: which says whether the check is needed; null: it is. Returns
  // the result of the call.
  uint32_t instrument(const ImageAccess& access, uint32_t flags, CheckQueue* queue, UnwatchedVersion* skips);
  // The same for a read that is logged, to be checked behind the render pass.
  uint32_t log(const ImageAccess& access, uint32_t flags, CheckQueue* queue, UnwatchedVersion* skips);

 private:
  // Three numbers of an image's texel: x, y, and z or the layer; and how many of them are no layer.
  struct Shape {
    uint32_t spatial = 0;
    bool layered = false;
    uint32_t components() const { return spatial + (layered ? 1 : 0); }
  };
  Shape shape_of(const ImageAccess& access) const;
  void describe(const ImageAccess& access);
  // The arguments of the function that checks or logs it, between `site` and `live`.
  std::vector<uint32_t> arguments(SiteBuilder& site, const ImageAccess& access);
  // Inserts the call of this function, or lets the queue note it.
  uint32_t emit(const ImageAccess& access, std::string_view function, uint32_t flags, CheckQueue* queue,
                UnwatchedVersion* skips);
  uint32_t component(SiteBuilder& site, uint32_t vector, uint32_t number, uint32_t type);
  uint32_t texel(SiteBuilder& site, const ImageAccess& access);
  // The normalised coordinates of a sample.
  std::array<uint32_t, 3> coordinates(SiteBuilder& site, const ImageAccess& access);
  // uvec3: the given offset in texels, 0 beyond the image's dimensions.
  uint32_t offset(SiteBuilder& site, const ImageAccess& access, uint32_t dimensions);
  void add_sample(SiteBuilder& site, const ImageAccess& access, std::vector<uint32_t>& arguments);
  uint32_t asked_level(SiteBuilder& site, const ImageAccess& access, const std::array<uint32_t, 3>& at);
  uint32_t number(SiteBuilder& site, uint32_t value);

  CheckCalls& checks_;
  PointerPlaces& places_;
};

}  // namespace shaderqa
#endif
