// SPDX-License-Identifier: Apache-2.0
// Whether a module accesses storage images.
#ifndef SHADERQA_INSTRUMENT_IR_STORAGE_IMAGES_H
#define SHADERQA_INSTRUMENT_IR_STORAGE_IMAGES_H

#include <cstdint>
#include <span>

namespace shaderqa {

// Loads, stores and atomics of images. Storage texel buffers, which are checked as buffers are, and input
// attachments, which nothing in a pass can store to, are none.
bool accesses_storage_images(std::span<const uint32_t> words);

}  // namespace shaderqa
#endif
