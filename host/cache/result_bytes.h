// SPDX-License-Identifier: Apache-2.0
// What instrument() was asked and what it answered, as bytes: keys and contents of the shader cache.
#ifndef SHADERQA_HOST_CACHE_RESULT_BYTES_H
#define SHADERQA_HOST_CACHE_RESULT_BYTES_H

#include <optional>
#include <string>
#include <string_view>

#include "instrument/instrument.h"

namespace shaderqa {

// Equal where the options are.
std::string to_bytes(const InstrumentOptions& options);

std::string to_bytes(const InstrumentResult& result);
// Nothing where the bytes are not such a result, or one that nobody could have written.
std::optional<InstrumentResult> result_from_bytes(std::string_view bytes);

}  // namespace shaderqa
#endif
