// SPDX-License-Identifier: Apache-2.0
#include "instrument/instrument.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <stdexcept>

#include "instrument/accesses/buffered_descriptors.h"
#include "instrument/ir/atomics.h"
#include "instrument/ir/builtins.h"
#include "instrument/ir/function_scan.h"
#include "instrument/ir/module_editor.h"
#include "instrument/ir/module_loader.h"
#include "instrument/ir/number_of.h"
#include "instrument/ir/placed_instructions.h"
#include "instrument/ir/remove_if.h"
#include "instrument/passes/call_limits.h"
#include "instrument/passes/check_calls.h"
#include "instrument/passes/nan_pass.h"
#include "instrument/passes/picture_pass.h"
#include "instrument/passes/printf_pass.h"
#include "instrument/passes/subgroup_operations.h"
#include "instrument/passes/sync_pass.h"
#include "instrument/passes/trace_pass.h"
#include "instrument/passes/unwatched_version.h"
#include "instrument/passes/value_pass.h"
#include "instrument/passes/varying_zero.h"
#include "instrument/passes/workgroup_pass.h"
#include "instrument/runtime/runtime_import.h"
#include "source/opt/instruction.h"
#include "xxhash.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

InstrumentResult refused(std::string why) {
  InstrumentResult result;
  result.status = InstrumentStatus::refused;
  result.message = std::move(why);
  return result;
}

const EntryPoint* find_entry_point(const ModuleView& module, const InstrumentOptions& options) {
  for (const EntryPoint& entry : module.entry_points())
    if (entry.name == options.entry_point &&
        (options.stage == Stage::unknown || options.stage == entry.stage))
      return &entry;
  return nullptr;
}

// Functions may be shared by entry points of several stages, but a built-in is an input of one stage only. So
// only the entry point that the pipeline uses is kept.
void remove_other_entry_points(spvtools::opt::Module& module, const ModuleView& view,
                               const EntryPoint& kept) {
  const size_t kept_index = static_cast<size_t>(&kept - view.entry_points().data());
  size_t index = 0;
  remove_instructions_if(module.entry_points(), [&](const Instruction&) { return index++ != kept_index; });
  remove_instructions_if(module.execution_modes(), [&](const Instruction& mode) {
    return mode.GetSingleWordInOperand(0) != kept.function;
  });
}

const RuntimeModule& printf_runtime(const InstrumentOptions& options, const ModuleView& view) {
  constexpr uint32_t spirv_1_3 = 0x00010300;
  return RuntimeModule::printf(options.int64_atomics, options.subgroup_ballot && view.version() >= spirv_1_3);
}

// What the module has that accesses cannot be followed beside; empty: nothing. Where an untyped pointer
// leads, how many bytes it accesses, and what atomics through it order is said in other places than for typed
// ones. A split barrier (SPV_EXT_split_barrier, which has the numbers of SPV_INTEL_split_barrier) orders what
// lies before its first half against what lies behind its second one.
std::string_view obstacle_to_sync(Words words) {
  std::string_view found;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpTypeUntypedPointerKHR) found = "untyped pointers";
    if (i.op() == spv::Op::OpCapability &&
        static_cast<spv::Capability>(i.word(1)) == spv::Capability::SplitBarrierINTEL)
      found = "split barriers";
    return found.empty() && i.op() != spv::Op::OpFunction;
  });
  return found;
}

// What the options ask for and the module may have.
struct Wanted {
  bool printf, sync, workgroup, assumptions, nan, trace, picture;
  bool checks() const { return sync || workgroup || assumptions || nan; }
  bool any() const { return printf || checks() || trace || picture; }
};

Wanted find_wanted(Words words, const InstrumentOptions& options) {
  return {options.printf && has_debug_printf(words),
          options.sync.enabled && has_watched_accesses(words, options.sync.images),
          options.workgroup.any() && has_workgroup_memory(words),
          (options.assume || options.expect || !options.keep_assume) && has_assumptions(words),
          options.nan != NanCheck::none,
          options.trace,
          options.picture.kind != PictureKind::none};
}

// Why a module that was loaded cannot be instrumented; empty: it can.
std::string find_obstacle(const LoadedModule& loaded, const InstrumentOptions& options) {
  const spv::AddressingModel model = loaded.view.addressing_model();
  if (model != spv::AddressingModel::Logical && model != spv::AddressingModel::PhysicalStorageBuffer64)
    return "its addressing model is not one of Vulkan's";
  // Integers of kernels have no sign, so none of the types that the runtime needs can be added. Other
  // capabilities may imply Kernel.
  if (loaded.context->get_feature_mgr()->HasCapability(spv::Capability::Kernel))
    return "it is a kernel of OpenCL's";
  if (!find_entry_point(loaded.view, options))
    return "it has no entry point \"" + options.entry_point + "\" of stage " + to_string(options.stage);
  return {};
}

const RuntimeModule& checks_runtime(const Wanted& wanted, const InstrumentOptions& options) {
  if (!wanted.sync) return RuntimeModule::checks();
  if (options.sync.engine != SyncEngine::exact) return RuntimeModule::bloom(options.int64_atomics);
  return options.sync.footprints ? RuntimeModule::exact_with_footprints()
                                 : RuntimeModule::exact(has_buffered_descriptors(options.sync));
}

void note_sites_beyond_limit(const InstrumentOptions& options, ShaderRecord& record) {
  if (record.sites_beyond_limit == 0) return;
  record.notes.push_back(
      {"It has more printfs, checked instructions and accesses than max_sites (" +
       std::to_string(options.max_sites) +
       "): " + number_of(record.sites_beyond_limit, "is left as it is.", "are left as they are.")});
}

InstrumentOptions options_of_trace(const InstrumentOptions& options) {
  InstrumentOptions result = options;
  if (options.debug == DebugStops::unordered) result.memory_barrier = false;
  return result;
}

// The passes over the module of one entry point, and what they share.
class Passes {
 public:
  Passes(Words words, const LoadedModule& loaded, const EntryPoint& entry_point,
         const std::vector<PlacedInstruction>& placed, const Wanted& wanted, const InstrumentOptions& options,
         ShaderRecord& record)
      : loaded_(loaded),
        entry_point_(entry_point),
        placed_(placed),
        wanted_(wanted),
        options_(options),
        record_(record),
        words_aside_(static_cast<uint32_t>(words.size() - loaded.view.words().size())),
        editor_(*loaded.context, loaded.view),
        builtins_(editor_, entry_point),
        printf_import_(options, editor_, printf_runtime(options, loaded.view)),
        checks_import_(options, editor_, checks_runtime(wanted, options)),
        workgroup_import_(options, editor_, RuntimeModule::workgroup(false)),
        trace_options_(options_of_trace(options)),
        trace_import_(trace_options_, editor_, RuntimeModule::trace()),
        picture_import_(options, editor_,
                        RuntimeModule::picture(options.picture.kind == PictureKind::divergence)),
        checks_(options, entry_point, words_aside_, editor_, builtins_, checks_import_, record),
        workgroup_checks_(options, entry_point, words_aside_, editor_, builtins_, workgroup_import_, record),
        unwatched_(checks_) {}

  void run();
  // The functions of the runtime that the changed module calls; they belong behind its own.
  std::vector<uint32_t> finish();
  bool changed() const { return changed_; }
  bool used_up_ids() const { return failed_ || editor_.exhausted(); }

 private:
  void choose_forms();
  void run(spvtools::opt::Pass&& pass);

  const LoadedModule& loaded_;
  const EntryPoint& entry_point_;
  const std::vector<PlacedInstruction>& placed_;
  const Wanted& wanted_;
  const InstrumentOptions& options_;
  ShaderRecord& record_;
  const uint32_t words_aside_;
  ModuleEditor editor_;
  Builtins builtins_;  // of all passes, since a module may declare a built-in input only once
  RuntimeImport printf_import_;
  RuntimeImport checks_import_;  // of all checks, since they share what the invocation knows about itself
  RuntimeImport workgroup_import_;
  const InstrumentOptions trace_options_;
  RuntimeImport trace_import_, picture_import_;
  CheckCalls checks_, workgroup_checks_;
  UnwatchedVersion unwatched_;
  TraceAdditions trace_additions_;
  bool changed_ = false, failed_ = false;
  bool calls_workgroup_ = false;  // checks of workgroup memory
};

void Passes::run(spvtools::opt::Pass&& pass) {
  if (failed_) return;
  const auto status = pass.Run(loaded_.context.get());
  changed_ = changed_ || status == spvtools::opt::Pass::Status::SuccessWithChange;
  failed_ = status == spvtools::opt::Pass::Status::Failure;
}

void Passes::run() {
  if (wanted_.trace)
    run(TracePass(options_, entry_point_, placed_, editor_, builtins_, trace_import_, record_,
                  trace_additions_));
  if (wanted_.picture)
    run(PicturePass(options_, entry_point_, placed_, editor_, builtins_, picture_import_, record_));
  if (wanted_.printf)
    run(PrintfPass(options_, entry_point_, record_.shader_hash, editor_, builtins_, printf_import_, record_));
  if (record_.printf_sites.size() > printing_in_line && has_safe_calls(entry_point_.stage)) {
    checks_.set_calls_beside();
    workgroup_checks_.set_calls_beside();
  }
  // Before the passes that replace values, since it takes indices and conditions from the words.
  std::optional<WorkgroupPass> workgroup;
  if (wanted_.workgroup) workgroup.emplace(placed_, workgroup_checks_, record_).find();
  if (wanted_.sync) run(SyncPass(placed_, checks_, unwatched_, record_, workgroup ? workgroup->copies() : 0));
  if (workgroup) {
    // Its beginning comes before that of the other checks, which know the action.
    workgroup->set_buffers(checks_.form(), unwatched_.begin());
    run(std::move(*workgroup));
    calls_workgroup_ = workgroup->is_called();
  }
  if (wanted_.assumptions) run(ValuePass(options_, placed_, checks_));
  // Last, since it replaces values that the other passes refer to.
  if (wanted_.nan) run(NanPass(options_.nan, placed_, checks_));
}

// Either all code of the layer is called or none (call_limits.h).
void Passes::choose_forms() {
  const std::optional<CheckForm> form = checks_.form();
  const bool calls = form == CheckForm::called || calls_workgroup_;
  const bool inlines = (form || wanted_.workgroup) && !calls;
  if (inlines) printf_import_.inline_all();
  const bool prints = !inlines && calls_code_of(record_.printf_sites.size(), entry_point_.stage);
  checks_.finish(inlines, calls || prints, unwatched_.begin());
}

std::vector<uint32_t> Passes::finish() {
  note_sites_beyond_limit(options_, record_);
  choose_forms();
  if (checks_.calls() != 0 && !checks_.begun()) checks_.begin();
  // Decorations that were set aside may apply to what the copy would contain.
  const auto annotates = [](const SetAside& each) { return each.section == ModuleSection::annotations; };
  if (std::ranges::none_of(loaded_.aside, annotates)) {
    unwatched_.make();
    make_untraced_version(trace_additions_, editor_, checks_.decorations(), entry_point_);
  }
  const uint32_t zero =
      options_.varying_addresses ? make_varying_zero(editor_, builtins_, entry_point_.function) : 0;
  std::vector<uint32_t> functions;
  const auto add = [&](RuntimeImport& import) {
    import.vary_addresses(zero);
    const std::vector<uint32_t> more = import.finish(entry_point_.function);
    functions.insert(functions.end(), more.begin(), more.end());
  };
  add(printf_import_);
  add(checks_import_);
  if (const uint32_t action = checks_import_.variable("sqa_action"))
    workgroup_import_.replace_variable("sqa_action", action);
  add(workgroup_import_);
  add(trace_import_);
  add(picture_import_);
  const std::vector<uint32_t> operations = move_subgroup_operations(editor_, functions);
  functions.insert(functions.end(), operations.begin(), operations.end());
  return functions;
}

InstrumentResult instrument_words(Words words, const InstrumentOptions& options) {
  InstrumentResult result;
  Wanted wanted = find_wanted(words, options);
  if (!wanted.any()) return result;
  const std::string_view not_followed =
      wanted.sync || wanted.workgroup ? obstacle_to_sync(words) : std::string_view();
  if (!not_followed.empty()) {
    wanted.sync = wanted.workgroup = false;
    const std::string why = "it has " + std::string(not_followed) + ", which are not followed";
    if (!wanted.any()) return refused(why);
    result.record.notes.push_back(
        {"Its accesses are not checked for synchronisation, because " + why + ".", Concern::sync});
  }
  LoadedModule loaded = load_module(words);
  if (!loaded.context) return refused(std::move(loaded.error));
  if (std::string obstacle = find_obstacle(loaded, options); !obstacle.empty())
    return refused(std::move(obstacle));
  const EntryPoint* entry_point = find_entry_point(loaded.view, options);
  ShaderRecord& record = result.record;
  record.shader_hash = shader_hash(words);
  record.stage = entry_point->stage;
  record.entry_point = entry_point->name;

  spvtools::opt::Module& module = *loaded.context->module();
  remove_other_entry_points(module, loaded.view, *entry_point);
  // Offsets of the instructions, found before any pass moves them.
  std::vector<PlacedInstruction> placed;
  if (wanted.checks() || wanted.trace || wanted.picture) {
    auto found = place_instructions(*loaded.context, loaded.view, entry_point->function);
    if (!found) return refused("its functions are not in the order of their words");
    placed = std::move(*found);
  }
  Passes passes(words, loaded, *entry_point, placed, wanted, options, record);
  passes.run();
  if (passes.used_up_ids()) return refused("it uses up all ids");
  if (!passes.changed()) return result;
  const std::vector<uint32_t> functions = passes.finish();
  if (passes.used_up_ids()) return refused("it uses up all ids");
  result.words.reserve(words.size() * 2 + functions.size());
  module.ToBinary(&result.words, false);
  result.words.insert(result.words.end(), functions.begin(), functions.end());
  put_back(loaded.aside, entry_point->function, result.words);
  result.status = InstrumentStatus::instrumented;
  return result;
}

}  // namespace

uint64_t shader_hash(std::span<const uint32_t> words) {
  return XXH3_64bits(words.data(), words.size_bytes());
}

bool has_debug_printf(std::span<const uint32_t> words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return false;
  uint32_t sets[4] = {};
  size_t set_count = 0;
  bool found = false;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    switch (i.op()) {
      case spv::Op::OpExtInstImport:
        if (set_count < std::size(sets) && literal_string(i, 2) == debug_printf_set)
          sets[set_count++] = i.word(1);
        break;
      case spv::Op::OpMemoryModel:
        return set_count != 0;  // imports come before it
      case spv::Op::OpExtInst:
        found = i.word(4) == debug_printf_instruction && i.size() > 4 &&
                std::find(sets, sets + set_count, i.word(3)) != sets + set_count;
        break;
      default:
        break;
    }
    return !found;
  });
  return found;
}

bool has_assumptions(std::span<const uint32_t> words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return false;
  bool found = false;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpMemoryModel) return false;  // both come before it
    found = (i.op() == spv::Op::OpCapability &&
             static_cast<spv::Capability>(i.word(1)) == spv::Capability::ExpectAssumeKHR) ||
            (i.op() == spv::Op::OpExtInstImport && literal_string(i, 2) == "NonSemantic.DebugBreak");
    return !found;
  });
  return found;
}

bool has_workgroup_memory(std::span<const uint32_t> words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return false;
  bool found = false;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) return false;
    found = i.op() == spv::Op::OpVariable &&
            static_cast<spv::StorageClass>(i.word(3)) == spv::StorageClass::Workgroup;
    return !found;
  });
  return found;
}

bool has_ordering_instructions(std::span<const uint32_t> words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return false;
  bool found = false;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    found = is_atomic(i.op()) || i.op() == spv::Op::OpMemoryBarrier;
    return !found;
  });
  return found;
}

std::vector<uint32_t> integer_constants(std::span<const uint32_t> words) {
  std::vector<uint32_t> found;
  if (words.size() < header_words || words[0] != spv::MagicNumber) return found;
  std::map<uint32_t, uint32_t> spec_ids;  // by result
  std::set<uint32_t> integers;            // types of 32 bits
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) return false;
    if (i.op() == spv::Op::OpDecorate && i.word(2) == static_cast<uint32_t>(spv::Decoration::SpecId))
      spec_ids.emplace(i.word(1), i.word(3));
    if (i.op() == spv::Op::OpTypeInt && i.word(2) == 32) integers.insert(i.word(1));
    const bool integer = i.op() == spv::Op::OpSpecConstant && integers.contains(i.word(1));
    if (integer || i.op() == spv::Op::OpSpecConstantTrue || i.op() == spv::Op::OpSpecConstantFalse)
      if (const auto spec = spec_ids.find(i.word(2)); spec != spec_ids.end()) found.push_back(spec->second);
    return true;
  });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool has_watched_accesses(std::span<const uint32_t> words, bool images) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return false;
  bool found = false;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    switch (i.op()) {
      case spv::Op::OpTypePointer: {
        const auto storage = static_cast<spv::StorageClass>(i.word(2));
        found = storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Uniform ||
                storage == spv::StorageClass::PhysicalStorageBuffer;
        break;
      }
      case spv::Op::OpTypeUntypedPointerKHR:
        found = true;  // perhaps to a heap of descriptors of buffers
        break;
      case spv::Op::OpTypeImage:
        found = images || static_cast<spv::Dim>(i.word(3)) == spv::Dim::Buffer;
        break;
      case spv::Op::OpFunction:
        return false;
      default:
        break;
    }
    return !found;
  });
  return found;
}

InstrumentResult instrument(std::span<const uint32_t> words, const InstrumentOptions& options) {
  try {
    return instrument_words(words, options);
  } catch (const std::bad_alloc&) {
    return refused("out of memory");
  } catch (const std::out_of_range&) {
    return refused("it names blocks or ids that it does not have, so it is not valid SPIR-V");
  }
}

}  // namespace shaderqa
