// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/covered_reads.h"

#include <map>
#include <unordered_map>

#include "instrument/accesses/merged_accesses.h"
#include "instrument/ir/local_values.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

class CoveredReads {
 public:
  CoveredReads(const WorkgroupAccesses& found, const ModuleView& module, const Decorations& decorations)
      : found_(found), module_(module), values_(module, decorations), covered_(found.accesses.size()) {
    for (size_t n = 0; n < found.accesses.size(); ++n) by_offset_[found.accesses[n].at.offset].push_back(n);
  }

  void step(const PlacedInstruction& at) {
    const InstructionView instruction = module_.at(at.offset);
    // An atomic is both an access and an end: what it touches counts for neither side.
    if (separates_accesses(instruction.op())) {
      places_.clear();
      values_.forget();
      return;
    }
    if (const auto accesses = by_offset_.find(at.offset); accesses != by_offset_.end())
      for (const size_t access : accesses->second) enter(access);
    values_.enter(instruction);
  }

  std::vector<bool> take() { return std::move(covered_); }

 private:
  // What the stretch of code has done so far to one place.
  struct Place {
    std::vector<size_t> reads;
    bool written = false;
    bool read = false;            // by a check that holds for any other read,
    bool read_passed_on = false;  // or only for those whose value a subgroup operation passes on as well
  };

  void enter(size_t number) {
    const WorkgroupAccess& access = found_.accesses[number];
    Place& place = places_[key_of(access.place)];
    if (access.access == SQA_ACCESS_LOAD) {
      covered_[number] = place.written || place.read || (access.passed_on && place.read_passed_on);
      (access.passed_on ? place.read_passed_on : place.read) = true;
      place.reads.push_back(number);
    } else if (access.access == SQA_ACCESS_STORE) {
      for (const size_t read : place.reads) covered_[read] = true;
      place.written = true;
    }
  }

  std::vector<uint32_t> key_of(const WorkgroupPlace& place) const {
    std::vector<uint32_t> key{place.start, place.is_parameter ? 1U : 0U, place.offset, place.type};
    for (const ScaledIndex& index : place.indices)
      key.insert(key.end(), {values_.number(index.id), index.stride});
    return key;
  }

  const WorkgroupAccesses& found_;
  const ModuleView& module_;
  LocalValues values_;
  std::unordered_map<uint32_t, std::vector<size_t>> by_offset_;
  std::map<std::vector<uint32_t>, Place> places_;
  std::vector<bool> covered_;
};

}  // namespace

std::vector<bool> find_covered_reads(const WorkgroupAccesses& found,
                                     std::span<const PlacedInstruction> placed, const ModuleView& module,
                                     const Decorations& decorations) {
  CoveredReads covered(found, module, decorations);
  for (const PlacedInstruction& at : placed) covered.step(at);
  return covered.take();
}

}  // namespace shaderqa
