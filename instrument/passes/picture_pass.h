// SPDX-License-Identifier: Apache-2.0
// Lets a fragment or compute shader write what a picture shows (docs/internals/pictures.md).
#ifndef SHADERQA_INSTRUMENT_PASSES_PICTURE_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_PICTURE_PASS_H

#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/builtins.h"
#include "instrument/ir/placed_instructions.h"
#include "instrument/passes/picture_value.h"
#include "instrument/runtime/runtime_import.h"
#include "source/opt/pass.h"

namespace shaderqa {

// Before the passes that replace values, as TracePass. It adds no blocks.
class PicturePass : public spvtools::opt::Pass {
 public:
  PicturePass(const InstrumentOptions& options, const EntryPoint& entry_point,
              const std::vector<PlacedInstruction>& placed, ModuleEditor& module, Builtins& builtins,
              RuntimeImport& runtime, ShaderRecord& record)
      : options_(options),
        entry_point_(entry_point),
        placed_(placed),
        module_(module),
        builtins_(builtins),
        runtime_(runtime),
        record_(record) {}

  const char* name() const override { return "shaderqa-picture"; }
  Status Process() override;

 private:
  struct ColourOutput {
    uint32_t variable = 0;  // 0: there is none
    uint32_t type = 0;      // of the value
    PictureType numeric;
  };
  void note(std::string text, bool common = false);
  Status leave(std::string why);
  bool begin();
  // The ids of x, y and z of the dispatch, in invocations. Empty: a block holds an input that they need.
  std::vector<uint32_t> extent(SiteBuilder& site);
  std::vector<uint32_t> workgroup_size(SiteBuilder& site);
  Status show_value();
  // Lets no value come from a fragment that its tests leave out, where nothing else changes by that.
  void test_early();
  Status show_overdraw();
  Status show_divergence();
  // Where the value is taken: before these instructions.
  std::vector<spvtools::opt::Instruction*> places(uint32_t function) const;
  std::vector<spvtools::opt::Instruction*> returns(uint32_t function) const;
  void put(SiteBuilder& site, uint32_t known, const PictureType& type, PictureValue& value, uint32_t id);
  ColourOutput find_output() const;
  void keep_colour(SiteBuilder& site, uint32_t known, const PictureType& type, PictureValue& value,
                   uint32_t id);
  uint32_t scaled(SiteBuilder& site, uint32_t number);
  void write_colour(SiteBuilder& site, const ColourOutput& output, PictureValue& value);
  uint32_t as_output(SiteBuilder& site, const ColourOutput& output, PictureValue& value, uint32_t number);

  const InstrumentOptions& options_;
  const EntryPoint& entry_point_;
  const std::vector<PlacedInstruction>& placed_;
  ModuleEditor& module_;
  Builtins& builtins_;
  RuntimeImport& runtime_;
  ShaderRecord& record_;
  uint32_t colour_ = 0;  // variable of a vec4, whose last component says whether there is a colour
};

}  // namespace shaderqa
#endif
