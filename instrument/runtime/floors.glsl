// SPDX-License-Identifier: Apache-2.0
// The exact engine's order between actions: floors (docs/internals/exact.md).

// Where to find what is ordered before an action.
struct SqaOrder {
  uvec2 sequences;   // address of SequenceInfo
  uvec2 submission;  // address of SubmissionState
  uvec2 floors;      // address of the action's floors
};

// The sequence number that a floor of a region (abi_order.h) stands for. leading: the header's, where it counts.
uint sqa_floor(const uvec2 submission, const uint floor, const uint kind, const uint producer, const uint leading) {
  uint highest = 0u;
  if ((floor & SQA_FLOOR_INHERITED) == 0u) {
    highest = SqaDwords(submission).dwords[SQA_SUBMISSION_FIRST_SEQUENCE] + floor - 1u;
  } else {
    // Only visible floors have the second and third sets of classes, whose floors of other kinds count.
    // One loop: drivers take long to compile deeper nests of loops, and many registers.
    uint bits = floor & ~SQA_FLOOR_INHERITED;
    uint last = leading;
    uint bit = 0u;
    [[dont_unroll]] while ((bits | last) != 0u) {
      if (bits == 0u) {
        bits = last;
        last = 0u;
        bit = 2u * SQA_FLOOR_AVAILABLE_SHIFT;
      }
      if ((bits & 1u) != 0u) {
        uint part = bit / SQA_FLOOR_AVAILABLE_SHIFT;
        uint from = part == 0u ? kind : part == 1u ? uint(SQA_FLOOR_AVAILABLE) : uint(SQA_FLOOR_VISIBLE_TO_ALL);
        uint consumer = bit % SQA_FLOOR_AVAILABLE_SHIFT;
        uint inherited = SqaDwords(submission).dwords[SQA_SUBMISSION_INHERITED + (from * SQA_CLASSES + producer) * SQA_CLASSES + consumer];
        highest = inherited > highest ? inherited : highest;
      }
      bits >>= 1u;
      ++bit;
    }
  }
  return highest;
}

// Whether the accesses of action `sequence`, in this epoch, are ordered before the action that `order` belongs to.
bool sqa_ordered_action(const SqaOrder order, const uint sequence, const uint floor_kind, const uint column,
                        const uvec2 address) {
  uint info = SqaDwords(order.sequences).dwords[sequence];
  uint producer = info & 0xffu;
  uint queue = info >> 8u;
  bool ordered = true;
  if (queue != SqaDwords(order.submission).dwords[SQA_SUBMISSION_QUEUE]) {
    ordered = queue >= SQA_MAX_QUEUES || sequence <= SqaDwords(order.submission).dwords[SQA_SUBMISSION_QUEUE_FLOORS + queue];
  } else if (producer < SQA_CLASSES) {
    SqaDwords floors = SqaDwords(order.floors);
    uint regions = floors.dwords[0];
    uint at = (column * SQA_FLOOR_KINDS + floor_kind) * SQA_CLASSES + producer + 4u;
    uint base = SQA_FLOOR_HEADER_DWORDS;
    uint leading = 0u;
    if (floor_kind >= SQA_FLOOR_VISIBLE) leading = (floors.dwords[2u + column / 2u] >> (column % 2u * 16u)) & 0xffffu;
    ordered = false;
    [[dont_unroll]] for (uint region = 0u; region < regions && region < SQA_MAX_REGIONS && !ordered; ++region) {
      bool inside = region == 0u;
      if (!inside) {
        uint begin_high = floors.dwords[base + 1u];
        uint end_high = floors.dwords[base + 3u];
        inside = (address.y > begin_high || (address.y == begin_high && address.x >= floors.dwords[base])) &&
                 (address.y < end_high || (address.y == end_high && address.x < floors.dwords[base + 2u]));
      }
      if (inside) ordered = sequence <= sqa_floor(order.submission, floors.dwords[base + at], floor_kind, producer, leading);
      base += SQA_REGION_DWORDS;
    }
  }
  return ordered;
}
