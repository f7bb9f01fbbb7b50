// SPDX-License-Identifier: Apache-2.0
// Which checks a shader gets: what the settings switch on, and what the hash file says about it.
#ifndef SHADERQA_HOST_SETTINGS_CHECK_SELECTION_H
#define SHADERQA_HOST_SETTINGS_CHECK_SELECTION_H

#include "host/settings/hash_filter.h"
#include "host/settings/possible_checks.h"
#include "host/settings/settings.h"
#include "instrument/nan_check.h"
#include "instrument/shader_record.h"

namespace shaderqa {

struct CheckSelection {
  bool printf = false;
  bool assume = false;
  bool expect = false;
  NanCheck nan = NanCheck::none;
  bool uninit = false;  // reads of workgroup memory
  bool sync = false;
  bool sync_shared = false;  // also workgroup memory
  bool trace = false;        // code that a selected invocation writes its trace by
  bool picture = false;      // code that makes a picture

  bool workgroup() const { return uninit || sync_shared; }
  bool values() const { return assume || expect || uninit || nan != NanCheck::none; }
  bool any() const { return printf || sync || trace || picture || values(); }
  bool operator==(const CheckSelection&) const = default;
};

// modes: HashFilter::match of the shader. If there are several modes, vkd3d-proton's order chooses one: full,
// flush-nan, expect-assume, sync, sync-compute, allow; disallow means none whatever else is there. A keyword
// switches its check on for its shaders, whatever the settings say, and others off; allow means all that are
// switched on.
CheckSelection select_checks(const Settings& settings, uint32_t modes, Stage stage);

}  // namespace shaderqa
#endif
