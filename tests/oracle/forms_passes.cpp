// SPDX-License-Identifier: Apache-2.0
// Render passes with an attachment, and images that are sampled.
#include <initializer_list>

#include "form_parts.h"

namespace oracle {
namespace {

using namespace parts;

constexpr VkPipelineStageFlags2 kColour = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                kGraphics = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT,
                                kNone = VK_PIPELINE_STAGE_2_NONE;
constexpr VkAccessFlags2 kColourRead = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT,
                         kColourWrite = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                         kSampled = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
// Views of the forms' programs: storage and sampled ones of image 0, a storage one of image 1.
constexpr uint32_t kStorage = 0, kOther = 1, kFetched = 2, kFetchedReadOnly = 3;

using Commands = std::vector<Command>;

Command barrier_to(Layout layout, VkPipelineStageFlags2 from, VkAccessFlags2 written,
                   VkPipelineStageFlags2 to, VkAccessFlags2 read, uint32_t image = 0) {
  Command barrier = with(Command::What::barrier, {from, written, to, read, true, image, 0, kMemoryBytes});
  barrier.barrier.layout = layout;
  return barrier;
}
Command edge(Command::Edge edge, Command barrier) {
  barrier.edge = edge;
  barrier.barrier.ranged = false;
  return barrier;
}

// A pass over the first rows of image 0, with draws in it.
Commands pass(Command::Load load, uint32_t rows = kRowTexels, Commands draws = {}, uint32_t image = 0) {
  Command begin, end;
  begin.what = Command::What::begin_pass;
  begin.buffer = image;
  begin.bytes = rows * kRowTexels * 4;
  begin.load = load;
  end.what = Command::What::end_pass;
  end.continues = true;
  Commands all{begin};
  for (Command& one : draws) {
    one.continues = true;
    all.push_back(one);
  }
  all.push_back(end);
  return all;
}

Commands together(std::initializer_list<Commands> parts) {
  Commands all;
  for (const Commands& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

class Forms {
 public:
  Forms(std::vector<ExpectedForm>& all, bool objects) : all_(all), objects_(objects) {}

  void add(const std::string& name, Verdict verdict, Commands commands) {
    ExpectedForm form = of((objects_ ? "pass_object_" : "pass_") + name, verdict, std::move(commands));
    Program& program = form.program;
    program.images = true;
    program.pass_objects = objects_;
    program.memories = 3;
    program.buffers = {{0, 0, kMemoryBytes}, {1, 0, kMemoryBytes}, {2, 0, kMemoryBytes}};
    View sampled{0, 0, View::Reach::sampled, true}, read_only = sampled;
    read_only.read_only = true;
    program.views = {
        {0, 0, View::Reach::binding, true}, {1, 0, View::Reach::binding, true}, sampled, read_only};
    all_.push_back(std::move(form));
  }

 private:
  std::vector<ExpectedForm>& all_;
  const bool objects_;
};

void add_loads_and_stores(Forms& forms) {
  const Command writer = dispatch({store(kStorage)}), reader = dispatch({load(kStorage)}),
                fetcher = dispatch({load(kFetched)}),
                behind_area = dispatch({store(kStorage, {Form::plus, 256})});
  const auto to_colour = [](VkAccessFlags2 access) { return api(kCompute, kWrite, kColour, access); };
  const Commands keeping = pass(Command::Load::keep), clearing = pass(Command::Load::clear);
  forms.add("that_keeps_what_was_written", Verdict::none,
            together({{writer, to_colour(kColourRead | kColourWrite)}, keeping}));
  forms.add("that_keeps_what_is_available_alone", Verdict::race,
            together({{writer, to_colour(kColourWrite)}, keeping}));
  forms.add("that_clears_what_is_available_alone", Verdict::none,
            together({{writer, to_colour(kColourWrite)}, clearing}));
  forms.add("that_keeps_what_another_one_made_available", Verdict::race,
            together({clearing, {api(kColour, kColourWrite, kColour, kColourWrite)}, keeping}));
  forms.add("that_clears_behind_execution", Verdict::race,
            together({{writer, api(kCompute, 0, kColour, kColourWrite)}, clearing}));
  forms.add("that_clears_what_was_read", Verdict::none,
            together({{reader, api(kCompute, 0, kColour, 0)}, clearing}));
  forms.add("behind_another_one", Verdict::race, together({clearing, clearing}));
  forms.add("beside_other_rows", Verdict::none, together({{behind_area}, pass(Command::Load::clear, 8)}));
  forms.add("over_rows_that_were_written", Verdict::race,
            together({{behind_area}, pass(Command::Load::clear, 16)}));
  forms.add("then_fetched", Verdict::none,
            together({clearing, {api(kColour, kColourWrite, kCompute, kSampled), fetcher}}));
  forms.add(
      "then_fetched_as_a_storage_image_is_read", Verdict::race,
      together({clearing, {api(kColour, kColourWrite, kCompute, VK_ACCESS_2_UNIFORM_READ_BIT), fetcher}}));
  forms.add("then_fetched_behind_its_shaders", Verdict::race,
            together({clearing, {api(kFragment, kColourWrite, kCompute, kSampled), fetcher}}));
  forms.add("whose_draw_fetches_what_was_written", Verdict::none,
            together({{dispatch({store(kOther)}), api(kCompute, kWrite, kFragment, kRead)},
                      pass(Command::Load::clear, 8, {draw(Command::Stage::fragment, {load(kOther)})})}));
  forms.add("whose_draw_reads_what_is_written", Verdict::race,
            together({{dispatch({store(kOther)})},
                      pass(Command::Load::clear, 8, {draw(Command::Stage::fragment, {load(kOther)})})}));
  const Command fetches_read_only = dispatch({load(kFetchedReadOnly)});
  const auto to_read_only = [](VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
    return barrier_to(Layout::read_only, kColour, kColourWrite, stages, access);
  };
  const Command back = barrier_to(Layout::general, kCompute, 0, kCompute, kRead | kWrite);
  forms.add("whose_image_becomes_read_only", Verdict::none,
            together({clearing, {to_read_only(kCompute, kSampled), fetches_read_only, back, writer}}));
  forms.add("whose_image_becomes_read_only_for_others", Verdict::race,
            together({clearing, {to_read_only(kFragment, kSampled), fetches_read_only, back}}));
}

void add_edges(Forms& forms) {
  using Edge = Command::Edge;
  const Command writer = dispatch({store(kStorage)}), reader = dispatch({load(kStorage)});
  const Commands clearing = pass(Command::Load::clear);
  const auto enters = [](VkPipelineStageFlags2 from, VkAccessFlags2 written, VkPipelineStageFlags2 to,
                         VkAccessFlags2 read) {
    return edge(Edge::enters, barrier_to(Layout::colour_attachment, from, written, to, read));
  };
  const auto leaves = [](VkPipelineStageFlags2 from, VkAccessFlags2 written, VkPipelineStageFlags2 to,
                         VkAccessFlags2 read) {
    return edge(Edge::leaves, barrier_to(Layout::general, from, written, to, read));
  };
  const Command into = enters(kCompute, kWrite, kColour, kColourRead | kColourWrite),
                out = leaves(kColour, kColourWrite, kCompute, kRead | kWrite);
  forms.add("with_dependencies", Verdict::none, together({{writer, into}, clearing, {out, reader}}));
  forms.add("without_a_source", Verdict::race,
            together({{writer, enters(kNone, 0, kColour, kColourWrite)}, clearing, {out}}));
  // Stages that are logically later wait for the transition, too, and what it has written is available.
  forms.add("whose_clear_is_behind_its_transition", Verdict::none,
            together({{enters(kCompute, kWrite, kVertex, kRead)}, clearing, {out}}));
  forms.add("whose_clear_is_beside_its_transition", Verdict::race,
            together({{enters(kCompute, kWrite, kNone, 0)}, clearing, {out}}));
  forms.add(
      "that_keeps_what_its_transition_does_not_show", Verdict::race,
      together(
          {{writer, enters(kCompute, kWrite, kColour, kColourWrite)}, pass(Command::Load::keep), {out}}));
  forms.add("read_by_others_than_it_says", Verdict::race,
            together({{into}, clearing, {leaves(kColour, kColourWrite, kFragment, kRead), reader}}));
  forms.add("whose_last_transition_does_not_wait", Verdict::race,
            together({{into}, clearing, {leaves(kFragment, kColourWrite, kCompute, kRead)}}));
  const auto reads_other = [&](const Command& first) {
    return together({{dispatch({store(kOther)}), first},
                     pass(Command::Load::clear, 8, {draw(Command::Stage::fragment, {load(kOther)})}),
                     {out}});
  };
  forms.add("whose_draw_reads_behind_its_dependency", Verdict::none,
            reads_other(enters(kCompute, kWrite, kGraphics, kColourWrite | kRead)));
  forms.add("whose_draw_reads_beside_its_dependency", Verdict::race,
            reads_other(enters(kCompute, kWrite, kColour, kColourWrite)));
  const Command discards_other = [] {
    Command one = barrier_to(Layout::general, kNone, 0, kCopy, 0, 1);
    one.barrier.discards = true;
    return one;
  }();
  forms.add("whose_draw_reads_behind_two_transitions", Verdict::none,
            together({{discards_other, enters(kCopy, 0, kGraphics, kColourWrite | kRead)},
                      pass(Command::Load::clear, 8, {draw(Command::Stage::fragment, {load(kOther)})}),
                      {out}}));
}

}  // namespace

void add_pass_forms(std::vector<ExpectedForm>& all) {
  for (const bool objects : {false, true}) {
    Forms forms(all, objects);
    add_loads_and_stores(forms);
    if (objects) add_edges(forms);
  }
}

}  // namespace oracle
