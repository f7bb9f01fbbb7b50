// SPDX-License-Identifier: Apache-2.0
// Reads that were logged are checked when later actions of their render pass have run. Included by exact.glsl.
#ifdef SQA_READ_LOG
// Whether an action behind this one has accessed the word since the read was logged: what it left there is worth more.
bool sqa_is_overtaken(const uint found_high, const uint own_high) {
  uint later = sqa_cell_sequence(found_high), sequence = sqa_cell_sequence(own_high);
  return later > sequence && ((later ^ sequence) & SQA_EPOCH_BIT) == 0u;
}
// As sqa_fast_path. A cell that says so is kept.
uint sqa_path(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const uint ordered_before,
              const bool grouped, const uint since, out uint next_low) {
  uint path = sqa_fast_path(found_low, found_high, own_low, own_high, ordered_before, grouped, since, next_low);
  return sqa_is_overtaken(found_high, own_high) ? SQA_PATH_KEEP : path;
}
#else
#define sqa_is_overtaken(found_high, own_high) false
#define sqa_path sqa_fast_path
#endif
