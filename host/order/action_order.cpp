// SPDX-License-Identifier: Apache-2.0
#include "host/order/action_order.h"

#include <algorithm>
#include <cstring>

#include "instrument/runtime/abi_image.h"

namespace shaderqa {
namespace {

using Matrix = ClassMatrix<Floor>;

constexpr uint32_t kAllClasses = (1u << SQA_CLASSES) - 1;
// Semaphores and waits make nothing visible to the host.
constexpr uint32_t kDeviceClasses = kAllClasses & ~(1u << SQA_CLASS_HOST);

constexpr Matrix no_floors() {
  Matrix matrix{};
  for (auto& row : matrix) row.fill(kNoFloor);
  return matrix;
}

constexpr Matrix inherited_floors() {
  Matrix matrix = no_floors();
  for (auto& row : matrix) {
    for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) row[consumer] |= 1u << consumer;
  }
  return matrix;
}

static_assert(SQA_CLASSES <= kAvailableShift && 2 * kAvailableShift < 32);

void raise(Floor& floor, Floor to) { floor = higher(floor, to); }

void raise(Matrix& matrix, const Matrix& to) {
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
      raise(matrix[producer][consumer], to[producer][consumer]);
    }
  }
}

// The visible floor that a read gets of what is available.
Floor as_visible(Floor floor) {
  if (!(floor & SQA_FLOOR_INHERITED)) return floor;
  return SQA_FLOOR_INHERITED | (floor & kAllClasses) << kAvailableShift;
}

template <typename Visit>
void for_each_class(uint32_t classes, const Visit& visit) {
  for (uint32_t one = 0; one < SQA_CLASSES; ++one) {
    if (classes >> one & 1) visit(one);
  }
}

uint32_t joined(const std::array<uint32_t, SQA_CLASSES>& masks, uint32_t classes) {
  uint32_t all = 0;
  for_each_class(classes, [&](uint32_t one) { all |= masks[one]; });
  return all;
}

Floor highest_of(const std::array<Floor, SQA_CLASSES>& row, uint32_t classes) {
  Floor highest = kNoFloor;
  for_each_class(classes, [&](uint32_t one) { raise(highest, row[one]); });
  return highest;
}

// A floor at the end of a secondary command buffer, as a floor of the primary one, which executes it after
// the first `position` sequence numbers. row, available: the primary one's floors there, for the same
// producer.
Floor composed(Floor floor, uint32_t position, const std::array<Floor, SQA_CLASSES>& row,
               const std::array<Floor, SQA_CLASSES>& available) {
  if (!(floor & SQA_FLOOR_INHERITED)) return position + floor;
  return higher(highest_of(row, floor & kAllClasses),
                as_visible(highest_of(available, floor >> kAvailableShift & kAllClasses)));
}

// The same for all floors of a kind. outer: the primary one's floors of this kind.
Matrix composed(const Matrix& inner, uint32_t position, const Matrix& outer, const Matrix& available) {
  Matrix result;
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
      result[producer][consumer] =
          composed(inner[producer][consumer], position, outer[producer], available[producer]);
    }
  }
  return result;
}

// The same for what is visible to each kind of reads.
template <typename Visible>
Visible composed_visible(const Visible& inner, uint32_t position, const Visible& outer,
                         const Matrix& available) {
  Visible result;
  for (size_t i = 0; i < inner.size(); ++i) result[i] = composed(inner[i], position, outer[i], available);
  return result;
}

template <typename Visible>
void raise_all(Visible& visible, const Visible& to) {
  for (size_t i = 0; i < visible.size(); ++i) raise(visible[i], to[i]);
}

bool is_covered(const Matrix& matrix, const Matrix& by) {
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
      const Floor floor = by[producer][consumer];
      if (higher(floor, matrix[producer][consumer]) != floor) return false;
    }
  }
  return true;
}

}  // namespace

OrderState::OrderState() : executed_(inherited_floors()), available_(inherited_floors()) {
  visible_.fill(inherited_floors());
  for (uint32_t one = 0; one < SQA_CLASSES; ++one) reached_[one] = 1u << one;
}

void OrderState::apply(std::span<const OrderDependency> dependencies, uint32_t position) {
  if (!dependencies.empty()) apply(dependencies, position, OrderState(*this));
}

void OrderState::apply(std::span<const OrderDependency> dependencies, uint32_t position,
                       const OrderState& set) {
  for (const OrderDependency& dependency : dependencies) {
    apply_global(dependency, position, set);
    apply_to_regions(dependency, set);
    if (!dependency.is_global()) apply_to_range(dependency, position, set);
  }
  drop_covered_regions();
}

void OrderState::raise_visible(Visible& visible, const OrderDependency& dependency, uint32_t producer,
                               uint32_t consumer, Floor available) {
  const uint32_t reads[] = {dependency.reads, dependency.uniform_reads};
  for (size_t i = 0; i < visible.size(); ++i) {
    if (reads[i] >> consumer & 1) raise(visible[i][producer][consumer], as_visible(available));
  }
}

// An execution dependency is about all memory, and what was available before it is still available after it.
void OrderState::apply_global(const OrderDependency& dependency, uint32_t position,
                              const OrderState& before) {
  const bool global = dependency.is_global();
  const uint32_t reached = joined(before.reached_, dependency.source);
  for_each_class(dependency.destination & kDeviceClasses,
                 [&](uint32_t consumer) { reached_[consumer] |= reached; });
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    Floor executed = highest_of(before.executed_[producer], dependency.source);
    if (dependency.source >> producer & 1) raise(executed, position);
    Floor available = highest_of(before.available_[producer], dependency.source);
    if (global && (dependency.source & dependency.writes) >> producer & 1) raise(available, position);
    for_each_class(dependency.destination, [&](uint32_t consumer) {
      raise(executed_[producer][consumer], executed);
      raise(available_[producer][consumer], available);
      if (global) raise_visible(visible_, dependency, producer, consumer, available);
    });
  }
}

// Floors that only a region has chain in the same way as those of all memory.
void OrderState::apply_to_regions(const OrderDependency& dependency, const OrderState& before) {
  const bool global = dependency.is_global();
  for (const Region& from : before.regions_) {
    Region& region = region_for(from.begin, from.end);
    for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
      const Floor available = highest_of(from.available[producer], dependency.source);
      for_each_class(dependency.destination, [&](uint32_t consumer) {
        raise(region.available[producer][consumer], available);
        if (global) raise_visible(region.visible, dependency, producer, consumer, available);
      });
    }
  }
}

void OrderState::apply_to_range(const OrderDependency& dependency, uint32_t position,
                                const OrderState& before) {
  const Matrix earlier = before.available_in(dependency.begin, dependency.end);
  Region& region = region_for(dependency.begin, dependency.end);
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    Floor available = highest_of(earlier[producer], dependency.source);
    if ((dependency.source & dependency.writes) >> producer & 1) raise(available, position);
    for_each_class(dependency.destination, [&](uint32_t consumer) {
      raise(region.available[producer][consumer], available);
      raise_visible(region.visible, dependency, producer, consumer, available);
    });
  }
}

OrderState OrderState::within(uint32_t own, std::span<const OrderDependency> dependencies,
                              uint32_t position) const {
  OrderState inner = *this;
  inner.regions_.clear();
  inner.reached_[own] = kDeviceClasses;
  Matrix earlier = available_;
  for (const OrderDependency& dependency : dependencies)
    raise(earlier, available_in(dependency.begin, dependency.end));
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    Floor executed = kNoFloor | kAllClasses, available = executed;
    for (const OrderDependency& dependency : dependencies) {
      const bool is_source = dependency.source >> producer & 1;
      // Many programs name no stage behind a barrier for everything.
      const uint32_t leading = dependency.source ? dependency.source : kAllClasses;
      raise(executed, highest_of(executed_[producer], leading));
      raise(available, highest_of(earlier[producer], leading));
      if (is_source) raise(executed, position);
      if (is_source && dependency.writes >> producer & 1) raise(available, position);
    }
    inner.executed_[producer][own] = executed;
    inner.available_[producer][own] = available;
    for (Matrix& visible : inner.visible_) visible[producer][own] = as_visible(available);
  }
  return inner;
}

void OrderState::order_behind(uint32_t own, std::span<const OrderDependency> dependencies,
                              uint32_t position) {
  for (const OrderDependency& dependency : dependencies) {
    Region& region = region_for(dependency.begin, dependency.end);
    for_each_class(dependency.destination, [&](uint32_t consumer) {
      raise(executed_[own][consumer], position);
      raise(region.available[own][consumer], position);
      raise_visible(region.visible, dependency, own, consumer, position);
    });
  }
}

OrderState::Matrix OrderState::available_in(uint64_t begin, uint64_t end) const {
  Matrix all = available_;
  for (const Region& region : regions_) {
    if (region.begin < end && begin < region.end) raise(all, region.available);
  }
  return all;
}

OrderState::Region& OrderState::region_for(uint64_t begin, uint64_t end) {
  for (Region& region : regions_) {
    if (region.begin == begin && region.end == end) return region;
  }
  // Addresses of images lie far from those of buffers: a region of both would cover nearly everything.
  const bool of_images = abi::is_image_address(begin);
  const auto in_space = [&](const Region& region) {
    return abi::is_image_address(region.begin) == of_images;
  };
  if (std::ranges::count_if(regions_, in_space) < SQA_SPACE_REGIONS)
    return regions_.emplace_back(Region{begin, end, no_floors(), {no_floors(), no_floors()}});
  // Widen the region that grows least. More memory than the dependencies name counts as ordered then, so that
  // hazards there are missed.
  const auto growth = [&](const Region& region) {
    if (!in_space(region)) return UINT64_MAX;
    return (std::max(end, region.end) - std::min(begin, region.begin)) - (region.end - region.begin);
  };
  Region& grown = *std::ranges::min_element(regions_, {}, growth);
  grown.begin = std::min(begin, grown.begin);
  grown.end = std::max(end, grown.end);
  return grown;
}

void OrderState::drop_covered_regions() {
  std::erase_if(regions_, [this](const Region& region) {
    return is_covered(region.available, available_) && is_covered(region.visible[0], visible_[0]) &&
           is_covered(region.visible[1], visible_[1]);
  });
}

void OrderState::execute(const OrderState& inner, uint32_t position) {
  const OrderState before = *this;
  for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
    reached_[consumer] = joined(before.reached_, inner.reached_[consumer]);
  }
  const Matrix none = no_floors();
  executed_ = composed(inner.executed_, position, before.executed_, none);
  available_ = composed(inner.available_, position, before.available_, none);
  visible_ = composed_visible(inner.visible_, position, before.visible_, before.available_);
  regions_.clear();
  for (const Region& region : before.regions_) {
    Region& after = region_for(region.begin, region.end);
    raise(after.available, composed(inner.available_, position, region.available, none));
    raise_all(after.visible, composed_visible(inner.visible_, position, region.visible, region.available));
  }
  for (const Region& region : inner.regions_) {
    const Matrix available = before.available_in(region.begin, region.end);
    Visible visible = before.visible_;
    for (const Region& outer : before.regions_) {
      if (outer.begin < region.end && region.begin < outer.end) raise_all(visible, outer.visible);
    }
    Region& after = region_for(region.begin, region.end);
    raise(after.available, composed(region.available, position, available, none));
    raise_all(after.visible, composed_visible(region.visible, position, visible, available));
  }
  drop_covered_regions();
}

AbsoluteFloors OrderState::evaluate(uint64_t first, const AbsoluteFloors& inherited) const {
  std::array<Matrix, SQA_FLOOR_KINDS> all{executed_, available_, visible_[0], visible_[1]};
  for (const Region& region : regions_) {
    raise(all[SQA_FLOOR_AVAILABLE], region.available);
    raise(all[SQA_FLOOR_VISIBLE], region.visible[0]);
    raise(all[SQA_FLOOR_VISIBLE_UNIFORM], region.visible[1]);
  }
  AbsoluteFloors result{};
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
      result[SQA_FLOOR_VISIBLE_TO_ALL][producer][consumer] =
          inherited_floor(inherited, SQA_FLOOR_VISIBLE_TO_ALL, producer, kNoFloor, reached_[consumer]);
    }
  }
  for (uint32_t kind = 0; kind < SQA_FLOOR_KINDS; ++kind) {
    for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
      for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
        const Floor floor = all[kind][producer][consumer];
        uint64_t& number = result[kind][producer][consumer];
        number = floor & SQA_FLOOR_INHERITED
                     ? inherited_floor(inherited, kind, producer, floor, reached_[consumer])
                     : first + floor - 1;
      }
    }
  }
  return result;
}

uint32_t OrderState::ordered_for(uint32_t consumer, uint32_t producers, uint32_t position) const {
  uint32_t ordered = position;
  for (const Matrix* matrix : {&executed_, &available_, &visible_[0]}) {
    for_each_class(producers, [&](uint32_t producer) {
      const Floor floor = (*matrix)[producer][consumer];
      ordered = std::min(ordered, floor & SQA_FLOOR_INHERITED ? 0 : floor);
    });
  }
  return ordered;
}

void OrderState::write_block(uint32_t main_class, InheritedFloors& inherited, uint32_t* block) const {
  const uint32_t columns[SQA_FLOOR_COLUMNS] = {main_class, SQA_CLASS_FRAGMENT, SQA_CLASS_INDIRECT,
                                               SQA_CLASS_VERTEX_INPUT};
  const bool draws = main_class == SQA_CLASS_PRE_RASTERIZATION;
  block[0] = static_cast<uint32_t>(1 + regions_.size());
  block[1] = main_class;
  block[2] = block[3] = 0;
  uint32_t* out = block + SQA_FLOOR_HEADER_DWORDS;
  const auto write_region = [&](uint64_t begin, uint64_t end, const Matrix& available,
                                const Visible& visible) {
    std::memcpy(out, &begin, sizeof begin);
    std::memcpy(out + 2, &end, sizeof end);
    out += 4;
    for (uint32_t column = 0; column < SQA_FLOOR_COLUMNS; ++column) {
      const uint32_t consumer = columns[column];
      const bool used = draws || column == SQA_COLUMN_MAIN || column == SQA_COLUMN_INDIRECT;
      uint32_t kind = 0;
      for (const Matrix* matrix : {&executed_, &available, &visible[0], &visible[1]}) {
        for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
          Floor floor = used ? (*matrix)[producer][consumer] : 0;
          if (floor & SQA_FLOOR_INHERITED)
            floor = SQA_FLOOR_INHERITED | inherited.number(kind, producer, floor, reached_[consumer]);
          *out++ = floor;
        }
        ++kind;
      }
    }
  };
  write_region(0, UINT64_MAX, available_, visible_);
  // A region's floors are the highest of its own and those of all memory.
  for (const Region& region : regions_) {
    Matrix available = available_;
    Visible visible = visible_;
    raise(available, region.available);
    raise_all(visible, region.visible);
    write_region(region.begin, region.end, available, visible);
  }
}

std::optional<uint32_t> OrderState::region_of(uint64_t begin, uint64_t end) const {
  std::optional<uint32_t> found = 0;
  for (size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    if (begin >= region.end || region.begin >= end) continue;
    // A second one, or the memory sticks out.
    if (*found != 0 || begin < region.begin || region.end < end) return std::nullopt;
    found = static_cast<uint32_t>(i + 1) * SQA_REGION_DWORDS;
  }
  return found;
}

Floor OrderState::floor(uint32_t kind, uint32_t producer, uint32_t consumer, uint64_t address) const {
  if (kind == SQA_FLOOR_EXECUTED) return executed_[producer][consumer];
  const auto of = [&](const Matrix& available, const Visible& visible) {
    return (kind == SQA_FLOOR_AVAILABLE ? available : visible[kind - SQA_FLOOR_VISIBLE])[producer][consumer];
  };
  Floor highest = of(available_, visible_);
  for (const Region& region : regions_) {
    if (address >= region.begin && address < region.end) raise(highest, of(region.available, region.visible));
  }
  return highest;
}

}  // namespace shaderqa
