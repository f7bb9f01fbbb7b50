// SPDX-License-Identifier: Apache-2.0
#include "host/findings/finding_types.h"

namespace shaderqa {

const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::printf:
      return "printf";
    case FindingKind::assume:
      return "assume";
    case FindingKind::nan:
      return "nan";
    case FindingKind::uninit:
      return "uninit";
    case FindingKind::hazard:
      return "hazard";
    case FindingKind::layout:
      return "layout";
    case FindingKind::redundant:
      return "redundant";
    case FindingKind::trace:
      return "trace";
    case FindingKind::note:
      break;
  }
  return "note";
}

std::optional<FindingKind> finding_kind(std::string_view name) {
  for (const FindingKind kind : kFindingKinds)
    if (name == to_string(kind)) return kind;
  return std::nullopt;
}

const char* to_string(Concern concern) {
  switch (concern) {
    case Concern::everything:
      return "everything";
    case Concern::printf:
      return "printf";
    case Concern::values:
      return "values";
    case Concern::sync:
      return "sync";
    case Concern::nothing:
      break;
  }
  return "";
}

const char* to_string(Check check) {
  switch (check) {
    case Check::assume:
      return "assume";
    case Check::expect:
      return "expect";
    case Check::breakpoint:
      return "breakpoint";
    case Check::nan:
      return "nan";
    case Check::uninitialised:
      return "uninitialised";
    case Check::layout:
      return "layout";
    case Check::hazard:
    case Check::workgroup:
      break;
  }
  return "hazard";
}

FindingKind kind_of(Check check) {
  if (check == Check::hazard || check == Check::workgroup) return FindingKind::hazard;
  if (check == Check::uninitialised) return FindingKind::uninit;
  if (check == Check::layout) return FindingKind::layout;
  return check == Check::nan ? FindingKind::nan : FindingKind::assume;
}

const char* to_string(Access access) {
  switch (access) {
    case Access::load:
      return "load";
    case Access::store:
      return "store";
    case Access::atomic:
      return "atomic";
    case Access::indirect:
      break;
  }
  return "indirect";
}

const char* to_string(EarlierAccess access) {
  switch (access) {
    case EarlierAccess::load:
      return "load";
    case EarlierAccess::store:
      return "store";
    case EarlierAccess::atomic:
      return "atomic";
    case EarlierAccess::store_or_atomic:
      return "store or atomic";
    case EarlierAccess::load_or_store:
      return "load or store";
    case EarlierAccess::unknown:
      break;
  }
  return "";
}

const char* to_string(HazardClass hazard_class) {
  switch (hazard_class) {
    case HazardClass::read_after_write:
      return "read after write";
    case HazardClass::write_after_read:
      return "write after read";
    case HazardClass::write_after_write:
      return "write after write";
    case HazardClass::atomic_against_plain:
      return "atomic against plain";
    case HazardClass::workgroup_atomics:
      return "atomics of workgroup scope";
    case HazardClass::execution_only:
      return "ordered only by execution";
    case HazardClass::unknown:
      break;
  }
  return "";
}

}  // namespace shaderqa
