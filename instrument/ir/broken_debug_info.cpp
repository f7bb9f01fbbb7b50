// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/broken_debug_info.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "source/opcode.h"

namespace shaderqa {
namespace {

constexpr uint32_t nop = 1u << 16 | static_cast<uint32_t>(spv::Op::OpNop);
constexpr size_t first_operand = 5;  // of OpExtInst

class DebugInfoRepair {
 public:
  explicit DebugInfoRepair(Words words) : words_(words) {
    for_each_instruction(words, header_words, [&](InstructionView i, uint32_t offset) {
      read(i, offset);
      return true;
    });
  }

  std::vector<uint32_t> run() {
    for (size_t n = 0; n < broken_.size(); ++n) drop_users(broken_[n]);
    if (broken_.empty()) return {};
    std::vector<uint32_t> words(words_.begin(), words_.end());
    for (const uint32_t offset : broken_) std::fill_n(words.begin() + offset, words_[offset] >> 16, nop);
    return words;
  }

 private:
  void read(InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpExtInstImport && literal_string(i, 2).starts_with("NonSemantic."))
      sets_.push_back(i.word(1));
    if (i.op() == spv::Op::OpFunction) in_functions_ = true;
    if (i.op() == spv::Op::OpLabel) in_block_ = true;
    if (spvOpcodeIsBlockTerminator(i.op())) in_block_ = false;
    // What has a name is dropped together with it.
    if (i.op() == spv::Op::OpName) users_.emplace(i.word(1), offset);
    if (i.op() != spv::Op::OpExtInst || i.size() < first_operand) return;
    if (std::ranges::find(sets_, i.word(3)) == sets_.end()) return;
    results_.emplace(offset, i.word(2));
    bool broken = !exists(i.word(2)) || (in_functions_ && !in_block_);
    for (size_t n = first_operand; n < i.size(); ++n) {
      broken = broken || !exists(i.word(n));
      users_.emplace(i.word(n), offset);
    }
    if (broken) drop(offset);
  }
  bool exists(uint32_t id) const { return id != 0 && id < words_[3]; }

  void drop(uint32_t offset) {
    if (dropped_.insert(offset).second) broken_.push_back(offset);
  }
  void drop_users(uint32_t offset) {
    const auto result = results_.find(offset);
    if (result == results_.end() || !exists(result->second)) return;
    const auto [begin, end] = users_.equal_range(result->second);
    for (auto user = begin; user != end; ++user) drop(user->second);
  }

  Words words_;
  bool in_functions_ = false, in_block_ = false;
  std::vector<uint32_t> sets_;  // ids of the imports
  // Offsets of non-semantic instructions and names by the ids that they refer to.
  std::unordered_multimap<uint32_t, uint32_t> users_;
  std::unordered_map<uint32_t, uint32_t> results_;  // of non-semantic instructions, by their offsets
  std::unordered_set<uint32_t> dropped_;
  std::vector<uint32_t> broken_;  // offsets; those up to the current one have been followed
};

}  // namespace

std::vector<uint32_t> without_broken_debug_info(Words words) { return DebugInfoRepair(words).run(); }

}  // namespace shaderqa
