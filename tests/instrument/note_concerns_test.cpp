// SPDX-License-Identifier: Apache-2.0
// Which checks a note says are not complete: `--fail-on` of other kinds passes in spite of it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support.h"

namespace shaderqa::test {
namespace {

std::vector<Concern> concerns(const Module& words, const InstrumentOptions& options) {
  std::vector<Concern> all;
  for (const ShaderNote& note : instrument(words, options).record.notes) all.push_back(note.incomplete);
  return all;
}
using Concerns = std::vector<Concern>;

InstrumentOptions picture_of(const std::string& expression) {
  InstrumentOptions options = default_options();
  options.printf = false;
  options.picture.kind = PictureKind::value;
  options.picture.expression = expression;
  return options;
}

TEST(NoteConcerns, ThatThereIsNoPictureLeavesNothingUnchecked) {
  const Module words = load_shader("control_flow.comp.g.vulkan1.2");
  EXPECT_EQ(concerns(words, picture_of("no_such_name")), Concerns{Concern::nothing});
  EXPECT_EQ(concerns(words, picture_of("gl_GlobalInvocationID.q")), Concerns{Concern::nothing});
}

TEST(NoteConcerns, PointersThatCannotBeFollowedConcernAccesses) {
  const Module words = assemble(fixture("selected_column", {{"ORDER", "RowMajor"}}));
  EXPECT_EQ(concerns(words, sync_options()), Concerns{Concern::sync});
}

TEST(NoteConcerns, AMessageThatIsLeftAloneConcernsMessages) {
  const Module words = assemble(compute_shader("", "%p = OpExtInst %void %printf 1 %void\n"));
  EXPECT_EQ(concerns(words, default_options()), Concerns{Concern::printf});
}

TEST(NoteConcerns, TooManySitesConcernEverything) {
  InstrumentOptions options = sync_options();
  options.max_sites = 1;
  EXPECT_EQ(concerns(assemble(fixture("selected_column", {{"ORDER", "ColMajor"}})), options),
            Concerns{Concern::everything});
}

}  // namespace
}  // namespace shaderqa::test
