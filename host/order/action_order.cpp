// SPDX-License-Identifier: Apache-2.0
#include "host/order/action_order.h"

#include <algorithm>
#include <cstring>

#include "instrument/runtime/abi_image.h"

namespace shaderqa {
namespace {

using FloorRow = std::array<Floor, SQA_CLASSES>;
using Matrix = ClassMatrix<Floor>;

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

void raise(FloorRow& row, const FloorRow& to) {
  for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) raise(row[consumer], to[consumer]);
}

void raise(Matrix& matrix, const Matrix& to) {
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) raise(matrix[producer], to[producer]);
}

// The visible floor that a read gets of what is available.
Floor as_visible(Floor floor) {
  if (!(floor & SQA_FLOOR_INHERITED)) return floor;
  return SQA_FLOOR_INHERITED | (floor & kAllClasses) << kAvailableShift;
}

uint32_t joined(const std::array<uint32_t, SQA_CLASSES>& masks, uint32_t classes) {
  uint32_t all = 0;
  for_each_class(classes, [&](uint32_t one) { all |= masks[one]; });
  return all;
}

// The next two go through whole rows: compilers turn that into few instructions without branches.
constexpr FloorRow class_bits() {
  FloorRow bits{};
  for (uint32_t one = 0; one < SQA_CLASSES; ++one) bits[one] = 1u << one;
  return bits;
}
constexpr FloorRow kBits = class_bits();

// What the classes have of the row, and nothing for the others.
Floor highest_of(const FloorRow& row, uint32_t classes) {
  int32_t own = -1;
  uint32_t inherited = kNoFloor;
  for (uint32_t one = 0; one < SQA_CLASSES; ++one) {
    const Floor floor = (classes & kBits[one]) == kBits[one] ? row[one] : kNoFloor;
    own = std::max(own, static_cast<int32_t>(floor));
    inherited |= floor;
  }
  return own < 0 ? inherited : static_cast<Floor>(own);
}

void raise_some(FloorRow& row, uint32_t classes, Floor to) {
  for (uint32_t one = 0; one < SQA_CLASSES; ++one)
    raise(row[one], (classes & kBits[one]) == kBits[one] ? to : kNoFloor);
}

// A floor at the end of a secondary command buffer, as a floor of the primary one, which executes it after
// the first `position` sequence numbers. row, available: the primary one's floors there, for the same
// producer.
Floor composed(Floor floor, uint32_t position, const FloorRow& row, const FloorRow& available) {
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

// Whether all memory learns nothing from the second one. Images are mostly in another layout in groups, and
// their barriers then differ in nothing but the range.
bool is_repeated(const OrderDependency& before, const OrderDependency& dependency) {
  const auto is_execution_alone = [](const OrderDependency& one) {
    return !one.is_global() || !(one.writes | one.reads | one.uniform_reads);
  };
  return before.source == dependency.source && before.destination == dependency.destination &&
         is_execution_alone(before) && is_execution_alone(dependency);
}

void write_range(uint64_t begin, uint64_t end, uint32_t* out) {
  std::memcpy(out, &begin, sizeof begin);
  std::memcpy(out + 2, &end, sizeof end);
}

}  // namespace

// The columns of a block that its actions have, and the classes that they are of.
struct OrderState::BlockColumns {
  explicit BlockColumns(uint32_t main_class)
      : consumers{main_class, SQA_CLASS_FRAGMENT, SQA_CLASS_INDIRECT, SQA_CLASS_VERTEX_INPUT},
        draws(main_class == SQA_CLASS_PRE_RASTERIZATION) {}
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (uint32_t column = 0; column < SQA_FLOOR_COLUMNS; ++column)
      if (draws || column == SQA_COLUMN_MAIN || column == SQA_COLUMN_INDIRECT)
        visit(column, consumers[column]);
  }

  const std::array<uint32_t, SQA_FLOOR_COLUMNS> consumers;
  const bool draws;
};

OrderState::OrderState() : executed_(inherited_floors()), available_(inherited_floors()) {
  visible_.fill(inherited_floors());
  for (uint32_t one = 0; one < SQA_CLASSES; ++one) reached_[one] = 1u << one;
}

void OrderState::apply(std::span<const OrderDependency> dependencies, uint32_t position) {
  apply(dependencies, position, *this);
}

// `set` may be this state. Each row of a matrix is changed by that row alone, so a copy of one row is enough
// for dependencies not to chain with each other.
void OrderState::apply(std::span<const OrderDependency> dependencies, uint32_t position,
                       const OrderState& set) {
  if (dependencies.empty()) return;
  std::vector<Earlier> earlier;
  for (const OrderDependency& dependency : dependencies)
    if (!dependency.is_global()) earlier.push_back(set.available_in(dependency.begin, dependency.end));
  std::vector<OrderDependency> different;
  different.reserve(dependencies.size());
  for (const OrderDependency& dependency : dependencies)
    if (different.empty() || !is_repeated(different.back(), dependency)) different.push_back(dependency);
  reach(different, set);
  apply_to_regions(different, set);
  apply_global(different, position, set);
  auto before = earlier.begin();
  for (const OrderDependency& dependency : dependencies)
    if (!dependency.is_global()) apply_to_range(dependency, position, *before++);
  drop_covered_regions();
}

void OrderState::reach(std::span<const OrderDependency> dependencies, const OrderState& set) {
  const std::array<uint32_t, SQA_CLASSES> before = set.reached_;
  for (const OrderDependency& dependency : dependencies) {
    const uint32_t reached = joined(before, dependency.source);
    for_each_class(dependency.destination & kDeviceClasses,
                   [&](uint32_t consumer) { reached_[consumer] |= reached; });
  }
}

void OrderState::raise_visible(Visible& visible, const OrderDependency& dependency, uint32_t producer,
                               Floor available) {
  const Floor floor = as_visible(available);
  raise_some(visible[0][producer], dependency.destination & dependency.reads, floor);
  raise_some(visible[1][producer], dependency.destination & dependency.uniform_reads, floor);
}

// An execution dependency is about all memory, and what was available before it is still available after it.
void OrderState::apply_global(std::span<const OrderDependency> dependencies, uint32_t position,
                              const OrderState& set) {
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    const FloorRow executed_before = set.executed_[producer], available_before = set.available_[producer];
    for (const OrderDependency& dependency : dependencies) {
      const bool global = dependency.is_global();
      Floor executed = highest_of(executed_before, dependency.source);
      if (dependency.source >> producer & 1) raise(executed, position);
      Floor available = highest_of(available_before, dependency.source);
      if (global && (dependency.source & dependency.writes) >> producer & 1) raise(available, position);
      raise_some(executed_[producer], dependency.destination, executed);
      raise_some(available_[producer], dependency.destination, available);
      if (global) raise_visible(visible_, dependency, producer, available);
    }
  }
}

// Floors that only a region has chain in the same way as those of all memory.
void OrderState::apply_to_regions(std::span<const OrderDependency> dependencies, const OrderState& set) {
  const size_t count = set.regions_.size();  // none is added to them where that is this state
  for (size_t i = 0; i < count; ++i) {
    Region& region = &set == this ? regions_[i] : region_for(set.regions_[i].begin, set.regions_[i].end);
    region.producers |= set.regions_[i].producers;
    for_each_class(set.regions_[i].producers, [&](uint32_t producer) {
      const FloorRow before = set.regions_[i].available[producer];
      for (const OrderDependency& dependency : dependencies) {
        const Floor available = highest_of(before, dependency.source);
        raise_some(region.available[producer], dependency.destination, available);
        if (dependency.is_global()) raise_visible(region.visible, dependency, producer, available);
      }
    });
  }
}

// earlier: what was available in the range.
void OrderState::apply_to_range(const OrderDependency& dependency, uint32_t position,
                                const Earlier& earlier) {
  Region& region = region_for(dependency.begin, dependency.end);
  const uint32_t written = dependency.source & dependency.writes;
  const uint32_t own = earlier.producers | written;
  region.producers |= own;
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    Floor available = highest_of(earlier.available[producer], dependency.source);
    if (written >> producer & 1) raise(available, position);
    // That of other producers is available in all memory.
    if (own >> producer & 1) raise_some(region.available[producer], dependency.destination, available);
    raise_visible(region.visible, dependency, producer, available);
  }
}

OrderState OrderState::within(uint32_t own, std::span<const OrderDependency> dependencies, uint32_t position,
                              uint32_t now, bool behind_anything) const {
  OrderState inner;  // without regions
  inner.executed_ = executed_;
  inner.available_ = available_;
  inner.visible_ = visible_;
  inner.reached_ = reached_;
  inner.reached_[own] = kDeviceClasses;
  Matrix earlier = available_;
  for (const OrderDependency& dependency : dependencies)
    raise(earlier, available_in(dependency.begin, dependency.end).available);
  const bool has_sources =
      !dependencies.empty() && std::ranges::all_of(dependencies, &OrderDependency::source);
  const Floor begin = has_sources && !behind_anything ? kNoFloor : kNoFloor | kAllClasses;
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    Floor executed = begin, available = begin;
    raise(executed, producer == own ? now : executed_[producer][own]);
    raise(available, producer == own ? now : earlier[producer][own]);
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
  for (const OrderDependency& one : dependencies) {
    raise_some(executed_[own], one.destination, position);
    raise_some(available_[own], one.destination, position);  // earlier transitions elsewhere, too
    Region* const region = one.is_global() ? nullptr : &region_for(one.begin, one.end);
    raise_visible(region ? region->visible : visible_, one, own, position);
    if (!region) continue;
    region->producers |= 1u << own;
    raise_some(region->available[own], one.destination, position);
  }
}

OrderState::Earlier OrderState::available_in(uint64_t begin, uint64_t end) const {
  Earlier all{available_, 0};
  for (const Region& region : regions_) {
    if (region.begin >= end || begin >= region.end) continue;
    all.producers |= region.producers;
    for_each_class(region.producers,
                   [&](uint32_t producer) { raise(all.available[producer], region.available[producer]); });
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
    return regions_.emplace_back(Region{begin, end, 0, no_floors(), {no_floors(), no_floors()}});
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
    after.producers = kAllClasses;
    raise(after.available, composed(inner.available_, position, region.available, none));
    raise_all(after.visible, composed_visible(inner.visible_, position, region.visible, region.available));
  }
  for (const Region& region : inner.regions_) {
    const Matrix available = before.available_in(region.begin, region.end).available;
    Visible visible = before.visible_;
    for (const Region& outer : before.regions_) {
      if (outer.begin < region.end && region.begin < outer.end) raise_all(visible, outer.visible);
    }
    Region& after = region_for(region.begin, region.end);
    after.producers = kAllClasses;
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

uint32_t OrderState::least_floor(const Matrix& matrix, uint32_t consumer, uint32_t producers,
                                 uint32_t position) {
  uint32_t least = position;
  for_each_class(producers, [&](uint32_t producer) {
    const Floor floor = matrix[producer][consumer];
    least = std::min(least, floor & SQA_FLOOR_INHERITED ? 0 : floor);
  });
  return least;
}

uint32_t OrderState::ordered_for(uint32_t consumer, uint32_t producers, uint32_t position) const {
  for (const Matrix* matrix : {&executed_, &available_, &visible_[0]})
    position = least_floor(*matrix, consumer, producers, position);
  return position;
}

uint32_t OrderState::executed_for(uint32_t consumer, uint32_t producers, uint32_t position) const {
  return least_floor(executed_, consumer, producers, position);
}

void OrderState::write_block(uint32_t main_class, InheritedFloors& inherited, uint32_t* block) const {
  block[0] = static_cast<uint32_t>(1 + regions_.size());
  block[1] = main_class;
  block[2] = block[3] = 0;
  uint32_t* const first = block + SQA_FLOOR_HEADER_DWORDS;
  const BlockColumns columns(main_class);
  write_range(0, UINT64_MAX, first);
  write_first(columns, inherited, first + 4);
  uint32_t* out = first + SQA_REGION_DWORDS;
  for (const Region& region : regions_) {
    write_range(region.begin, region.end, out);
    std::copy_n(first + 4, SQA_REGION_DWORDS - 4, out + 4);
    write_higher(region, columns, inherited, out + 4);
    out += SQA_REGION_DWORDS;
  }
}

void OrderState::write_first(const BlockColumns& columns, InheritedFloors& inherited, uint32_t* out) const {
  const Matrix* const kinds[SQA_FLOOR_KINDS] = {&executed_, &available_, &visible_[0], &visible_[1]};
  std::fill_n(out, SQA_REGION_DWORDS - 4, 0u);
  columns.for_each([&](uint32_t column, uint32_t consumer) {
    uint32_t* floors = out + column * SQA_FLOOR_KINDS * SQA_CLASSES;
    for (uint32_t kind = 0; kind < SQA_FLOOR_KINDS; ++kind)
      for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer)
        *floors++ = in_block(kind, producer, consumer, (*kinds[kind])[producer][consumer], inherited);
  });
}

// A region's floors are the highest of its own and those of all memory, which are there already.
void OrderState::write_higher(const Region& region, const BlockColumns& columns, InheritedFloors& inherited,
                              uint32_t* out) const {
  const auto write = [&](uint32_t kind, uint32_t producer, const Matrix& all, const Matrix& own) {
    columns.for_each([&](uint32_t column, uint32_t consumer) {
      const Floor before = all[producer][consumer], floor = higher(before, own[producer][consumer]);
      if (floor != before)
        out[(column * SQA_FLOOR_KINDS + kind) * SQA_CLASSES + producer] =
            in_block(kind, producer, consumer, floor, inherited);
    });
  };
  for_each_class(region.producers, [&](uint32_t producer) {
    write(SQA_FLOOR_AVAILABLE, producer, available_, region.available);
  });
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    write(SQA_FLOOR_VISIBLE, producer, visible_[0], region.visible[0]);
    write(SQA_FLOOR_VISIBLE_UNIFORM, producer, visible_[1], region.visible[1]);
  }
}

uint32_t OrderState::in_block(uint32_t kind, uint32_t producer, uint32_t consumer, Floor floor,
                              InheritedFloors& inherited) const {
  if (!(floor & SQA_FLOOR_INHERITED)) return floor;
  return SQA_FLOOR_INHERITED | inherited.number(kind, producer, floor, reached_[consumer]);
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
