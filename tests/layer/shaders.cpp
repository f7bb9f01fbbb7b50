// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/shaders.h"

#include <iterator>
#include <stdexcept>

#include "instrument/instrument.h"

namespace compiled {
#include "accesses_address_comp.h"
#include "accesses_bytes_comp.h"
#include "accesses_comp.h"
#include "accesses_frag.h"
#include "accesses_rgen.h"
#include "accesses_twice_comp.h"
#include "assumes_comp.h"
#include "loads_frag.h"
#include "prints_comp.h"
#include "prints_frag.h"
#include "prints_rgen.h"
#include "prints_rmiss.h"
#include "prints_vert.h"
#include "shared_comp.h"
#include "silent_comp.h"
#include "silent_vert.h"
#include "steps_comp.h"
#include "vertices_vert.h"
}  // namespace compiled

namespace shaderqa::layer_tests {

namespace shaders {
#define SHADER(name) const Words name(std::begin(compiled::name), std::end(compiled::name));
SHADER(accesses_comp)
SHADER(accesses_frag)
SHADER(accesses_rgen)
SHADER(accesses_address_comp)
SHADER(accesses_bytes_comp)
SHADER(accesses_twice_comp)
SHADER(assumes_comp)
SHADER(loads_frag)
SHADER(prints_comp)
SHADER(shared_comp)
SHADER(silent_comp)
SHADER(steps_comp)
SHADER(prints_vert)
SHADER(silent_vert)
SHADER(prints_frag)
SHADER(prints_rgen)
SHADER(prints_rmiss)
SHADER(vertices_vert)
#undef SHADER
}  // namespace shaders

uint64_t site_id(const Words& words) {
  InstrumentOptions options;
  options.root_address = 4096;
  const InstrumentResult result = instrument(words, options);
  if (result.status != InstrumentStatus::instrumented)
    throw std::runtime_error("not instrumented: " + result.message);
  return result.record.printf_sites.at(0).id;
}

}  // namespace shaderqa::layer_tests
