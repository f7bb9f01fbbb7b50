// SPDX-License-Identifier: Apache-2.0
#include "host/settings/check_selection.h"

namespace shaderqa {
namespace {

NanCheck nan_check_of(const Settings& settings) {
  if (settings.nan == "full") return NanCheck::full;
  if (settings.nan == "flush-nan") return NanCheck::flush;
  // What vkd3d-proton's own switch does with a shader that it is allowed to check.
  if (settings.nan == "writes" || settings.instruction_qa_checks) return NanCheck::writes;
  return NanCheck::none;
}

}  // namespace

CheckSelection select_checks(const Settings& settings, uint32_t modes, Stage stage) {
  CheckSelection selection;
  if ((modes & kHashDisallow) != 0) return selection;
  selection.trace = !settings.trace_at.empty();
  selection.picture =
      (stage == Stage::fragment || (stage == Stage::compute && settings.show != "overdraw")) &&
      !settings.show.empty();
  selection.printf = (modes & kHashPrintf) != 0 || ((modes & kHashAllow) != 0 && settings.printf);
  if ((modes & kHashFull) != 0) {
    selection.nan = NanCheck::full;
  } else if ((modes & kHashFlushNan) != 0) {
    selection.nan = NanCheck::flush;
  } else if ((modes & kHashExpectAssume) != 0) {
    selection.assume = true;
    selection.expect = settings.expect;
  } else if ((modes & kHashSync) != 0) {
    selection.sync = true;
  } else if ((modes & kHashSyncCompute) != 0) {
    selection.sync = stage == Stage::compute;
  } else if ((modes & kHashAllow) != 0) {
    selection.assume = settings.assume;
    selection.expect = settings.expect;
    selection.nan = nan_check_of(settings);
    selection.uninit = settings.uninit;
    selection.sync = !settings.sync.empty();
  }
  selection.sync_shared = selection.sync && settings.sync_shared;
  return selection;
}

PossibleChecks possible_checks(const Settings& settings, const HashFilter& filter) {
  PossibleChecks possible;
  const uint32_t modes = filter.empty() ? uint32_t{kHashAllow} : filter.modes();
  for (uint32_t mode = kHashAllow; mode <= kHashPrintf; mode <<= 1) {
    if ((modes & mode) == 0) continue;
    // A compute shader gets at least what any other gets.
    const CheckSelection one = select_checks(settings, mode, Stage::compute);
    possible.printf = possible.printf || one.printf;
    possible.values = possible.values || one.values();
    possible.sync = possible.sync || one.sync;
    possible.trace = possible.trace || one.trace;
    possible.pictures = !settings.show.empty();
  }
  return possible;
}

}  // namespace shaderqa
