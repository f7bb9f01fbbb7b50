// What the sync check knows of its invocation, whatever the engine.

layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaDwords {
  uint dwords[];
};

uvec2 sqa_record;     // address of the action record
uint sqa_phase;       // barriers of the workgroup that this invocation passed
uint sqa_ordered;     // not 0: something that the engine cannot see orders what this invocation does

// From here on this invocation is ordered by what the engine cannot see (a fence of the device together with atomics, an
// interlock): it marks, but does not report; until `ordered` is false again.
void sqa_set_ordered(const bool ordered) { sqa_ordered = uint(ordered); }
