// SPDX-License-Identifier: Apache-2.0
// The addresses that images get, which no memory has (docs/internals/images.md).
#ifndef SHADERQA_LAYER_RESOURCES_IMAGE_ADDRESSES_H
#define SHADERQA_LAYER_RESOURCES_IMAGE_ADDRESSES_H

#include <cstdint>
#include <memory>

namespace shaderqa::layer {

// Gives out addresses for which abi::is_image_address holds. Small images share pages. A page is given out
// again when all images in it are gone, so that what its cells hold is known to be old. Thread-safe.
class ImageAddresses {
 public:
  // Images of more bytes have pages of their own.
  static constexpr uint64_t kSmallImage = 32768;

  ImageAddresses();
  // As long as anyone holds it, no other image has these addresses: the image itself, and recorded commands
  // that may still be executed when it is gone. It may outlive this object. Null: none are left.
  using Reservation = std::shared_ptr<const uint64_t>;  // the first address
  Reservation reserve(uint64_t bytes);

 private:
  struct Pages;
  struct Reserved;
  std::shared_ptr<Pages> pages_;
};

}  // namespace shaderqa::layer
#endif
