// SPDX-License-Identifier: Apache-2.0
#include "host/summary/verdict.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "host/findings/shader_subject.h"
#include "host/text/count_text.h"
#include "host/text/wrap.h"

namespace shaderqa {
namespace {

using Records = std::vector<ProcessRecord>;

uint64_t sum(const Records& records, Tally which) {
  uint64_t total = 0;
  for (const ProcessRecord& record : records) total += record.tally(which);
  return total;
}

std::string process_name(const ProcessRecord& record) {
  return "process " + std::to_string(record.process) + " (" + record.program + ")";
}

Concern concern_of(const std::string& name) {
  for (const Concern concern : {Concern::printf, Concern::values, Concern::sync})
    if (name == to_string(concern)) return concern;
  return Concern::everything;
}

// The check without which there are no findings of a kind.
Concern concern_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::printf:
      return Concern::printf;
    case FindingKind::assume:
    case FindingKind::nan:
    case FindingKind::uninit:
      return Concern::values;
    case FindingKind::hazard:
    case FindingKind::layout:
    case FindingKind::redundant:
      return Concern::sync;
    case FindingKind::trace:
    case FindingKind::note:
      break;
  }
  return Concern::nothing;
}

bool is_bug(const ReportLine& line) {
  return line.kind != FindingKind::printf && line.kind != FindingKind::note;
}

// Equal for findings that are the same bug.
std::string identity(const ReportLine& line) {
  return line.fingerprint.empty() ? std::string(to_string(line.kind)) + line.text : line.fingerprint;
}

// Adds a gap once, with the number of processes that say it, and of the shaders of which it is said.
class Gaps {
 public:
  void add(const std::string& text, Concern concern, uint32_t process) {
    add(text, text, "", concern, process);
  }
  void add(const ReportLine& note, uint32_t process) {
    const std::string shader = shader_text(note);
    const bool named = !shader.empty() && note.text.starts_with(shader);
    add(named ? note.text.substr(shader.size()) : note.text, note.text, named ? note.shader : "",
        concern_of(note.incomplete), process);
  }
  std::vector<Gap> take() {
    std::vector<Gap> all;
    for (auto& [gap, processes, shaders] : gaps_) {
      if (processes.size() > 1) gap.text += " (in " + std::to_string(processes.size()) + " processes)";
      if (shaders.size() > 1) gap.text += others(shaders);
      all.push_back(std::move(gap));
    }
    return all;
  }

 private:
  struct Said {
    Gap gap;
    std::set<uint32_t> processes;
    std::vector<std::string> shaders;  // hashes, each once
  };
  // text: what is said of the first shader.
  void add(const std::string& key, const std::string& text, const std::string& shader, Concern concern,
           uint32_t process) {
    const auto [known, is_new] = index_.try_emplace(key, gaps_.size());
    if (is_new) gaps_.push_back({{text, concern}, {}, {}});
    Said& said = gaps_[known->second];
    said.processes.insert(process);
    if (!shader.empty() && std::ranges::find(said.shaders, shader) == said.shaders.end())
      said.shaders.push_back(shader);
  }
  static std::string others(const std::vector<std::string>& shaders) {
    constexpr size_t kMostNamed = 5;
    std::string text =
        "; the same is true of " + counted(shaders.size() - 1, "other shader", "other shaders") + ": ";
    for (size_t i = 1; i < std::min(shaders.size(), kMostNamed + 1); ++i)
      text += (i == 1 ? "" : ", ") + shaders[i];
    return text + (shaders.size() > kMostNamed + 1 ? ", ..." : "");
  }
  std::map<std::string, size_t> index_;
  std::vector<Said> gaps_;
};

void add_end_gaps(const ProcessRecord& record, Gaps& gaps) {
  const auto add = [&](const std::string& text) {
    gaps.add(process_name(record) + " " + text, Concern::everything, record.process);
  };
  if (!record.damage.empty()) {
    gaps.add(record.damage + ": what that process checked is not known", Concern::everything, record.process);
    return;
  }
  if (record.running) {
    add("still runs: what it does from now on is not in this report");
  } else if (!record.ended) {
    add(record.tally(Tally::rescue_missing) != 0
            ? "ended without warning (a crash, a signal or _exit): what was found last is lost, because the "
              "driver cannot share memory with the layer"
            : "ended without warning (a crash, a signal or _exit): what ran last may not be checked");
    for (const CompiledShader& shader : record.unfinished) add(unfinished_text(shader));
    if (record.waits) add(waiting_text(record));
  }
  if (const uint64_t lost = record.tally(Tally::facts_lost))
    add("could not write down " + counted(lost, "fact", "facts") + " of its summary");
  for (const DeviceRecord& device : record.devices)
    if (!device.inert_reason.empty())
      gaps.add("nothing is checked on the device " + device.name + ": " + device.inert_reason,
               Concern::everything, record.process);
}

// checks: "printf, values (assume, nan), sync". Without a list, shaders have different checks of values.
bool may_find(const std::string& checks, FindingKind kind) {
  const std::string check = to_string(concern_of(kind));
  if (check.empty()) return true;
  if (checks.find(check) == std::string::npos) return false;
  const size_t list = checks.find(check + " (");
  if (concern_of(kind) != Concern::values || list == std::string::npos) return true;
  const std::string values = checks.substr(list, checks.find(')', list) - list);
  return values.find(to_string(kind)) != std::string::npos ||
         (kind == FindingKind::assume && values.find("expect") != std::string::npos);
}

void add_setting_gaps(const ProcessRecord& record, std::span<const FindingKind> wanted, Gaps& gaps) {
  if (!record.damage.empty() || record.tally(Tally::devices) == 0) return;
  for (const FindingKind kind : wanted) {
    if (!may_find(record.checks, kind))
      gaps.add(std::string(to_string(kind)) + " is not checked in " + process_name(record) +
                   ": its settings turn the check off",
               concern_of(kind), record.process);
  }
}

std::string parts_of(const Records& records) {
  std::set<std::string> parts;
  for (const ProcessRecord& record : records)
    if (!record.part.empty()) parts.insert(record.part);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

// What the user asked for and did not get. What is outside of the chosen part is no gap.
void add_part_gaps(const Records& records, Gaps& gaps) {
  const auto add = [&](const std::string& text) { gaps.add(text, Concern::everything, 0); };
  const std::string part = parts_of(records);
  const uint64_t submissions = sum(records, Tally::submissions);
  const uint64_t left_out = sum(records, Tally::actions_left_out);
  if (submissions != 0 && sum(records, Tally::submissions_checked) == 0) {
    const uint64_t frames = sum(records, Tally::frames);
    add("nothing was submitted while checks were on" + (part.empty() ? "" : " (" + part + ")") +
        ": the program made " + counted(submissions, "submission", "submissions") + " and presented " +
        counted(frames, "frame", "frames"));
  } else if (left_out != 0 && sum(records, Tally::actions_checked) == 0) {
    add("no action was checked: none of " + counted(left_out, "action", "actions") +
        " lies in the chosen part" + (part.empty() ? "" : " (" + part + ")"));
  }
  if (const uint64_t late = sum(records, Tally::actions_late))
    add(counted(late, "action was", "actions were") +
        " not checked: their command buffers were recorded before checks were switched on, and used again "
        "while they were on");
}

// What is missing in the run as a whole.
void add_run_gaps(const Records& records, Gaps& gaps) {
  const auto add = [&](const std::string& text) { gaps.add(text, Concern::everything, 0); };
  if (sum(records, Tally::devices) == 0) {
    add("the program made no Vulkan device under the layer: nothing was checked");
    return;
  }
  const uint64_t checked = sum(records, Tally::shaders_checked);
  const uint64_t excluded = sum(records, Tally::shaders_excluded);
  const uint64_t nothing = sum(records, Tally::shaders_nothing);
  const uint64_t refused = sum(records, Tally::shaders_refused);
  if (checked + excluded + nothing + refused == 0) {
    add("the program made no shader: nothing was checked");
  } else if (checked + nothing + refused == 0) {
    std::string only;
    for (const ProcessRecord& record : records)
      if (!record.only.empty()) only = record.only;
    add(only.empty() ? "no shader was checked: skip and hashes leave all of them alone"
                     : "no shader was checked: none matches only = " + only + " and is not skipped");
  }
  add_part_gaps(records, gaps);
  bool sync = false;
  for (const ProcessRecord& record : records) sync |= record.checks.find("sync") != std::string::npos;
  if (sync && checked != 0 && sum(records, Tally::actions) == 0)
    gaps.add("no draw, dispatch or trace was submitted: no access was checked", Concern::sync, 0);
}

// If several invocations accessed an element, the engine remembers that there were several and one of
// their places, which need not be the one that conflicts.
bool is_uncertain(const ReportLine& line) {
  return line.other && line.other->same_action && line.other->who.starts_with("several ");
}

bool shares_a_side(const ReportLine& uncertain, const ReportLine& line) {
  const auto is_own = [&](const LineSource& source, const std::string& access) {
    return source.known() && source.file == uncertain.source.file && source.line == uncertain.source.line &&
           access == uncertain.hazard->access;
  };
  return line.hazard && line.other && uncertain.hazard && line.other->same_action &&
         (is_own(line.source, line.hazard->access) || is_own(line.other->source, line.other->access));
}

// What is uncertain belongs to a bug that is not, if one has the same side.
void merge_uncertain(std::map<std::string, Bug>& bugs) {
  for (auto it = bugs.begin(); it != bugs.end();) {
    const auto sure = std::ranges::find_if(bugs, [&](const auto& other) {
      return is_uncertain(it->second.line) && !is_uncertain(other.second.line) &&
             shares_a_side(it->second.line, other.second.line);
    });
    if (sure == bugs.end()) {
      ++it;
      continue;
    }
    sure->second.occurrences += it->second.occurrences;
    it = bugs.erase(it);
  }
}

std::vector<Bug> find_bugs(const Records& records) {
  std::map<std::string, Bug> bugs;
  for (const ProcessRecord& record : records) {
    std::map<std::string, uint64_t> counts;  // in this process
    for (const ReportLine& line : record.lines) {
      if (line.kind == FindingKind::note && line.count && !line.fingerprint.empty()) {
        uint64_t& count = counts[line.fingerprint];
        count = std::max(count, *line.count);
      } else if (is_bug(line)) {
        const auto [known, is_new] = bugs.try_emplace(identity(line));
        if (is_new || (is_uncertain(known->second.line) && !is_uncertain(line))) known->second.line = line;
        if (is_new) known->second.occurrences = 0;
        if (counts.try_emplace(identity(line), 1).second) known->second.processes.push_back(record.process);
      }
    }
    for (const auto& [bug, count] : counts)
      if (const auto found = bugs.find(bug); found != bugs.end()) found->second.occurrences += count;
  }
  merge_uncertain(bugs);
  std::vector<Bug> sorted;
  for (auto& [key, bug] : bugs) sorted.push_back(std::move(bug));
  // The map's order, which is that of the fingerprints, decides the rest.
  std::ranges::stable_sort(sorted, [](const Bug& a, const Bug& b) {
    const auto key = [](const Bug& bug) {
      return std::tie(bug.line.kind, bug.line.source.file, bug.line.source.line, bug.line.shader);
    };
    return key(a) < key(b);
  });
  return sorted;
}

std::string joined(const std::set<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string seconds_text(uint64_t ns) {
  const uint64_t tenths = ns / 100'000'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

constexpr std::string_view kLead = "shaderqa: ";

void append_line(std::string& out, const std::string& text) { out.append(kLead) += text + "\n"; }

void append_processes(std::string& out, const Records& records) {
  std::set<uint32_t> processes;
  std::set<std::string> programs, devices, checks;
  for (const ProcessRecord& record : records) {
    processes.insert(record.process);
    if (!record.program.empty()) programs.insert(record.program);
    for (const DeviceRecord& device : record.devices) devices.insert(device.name);
    if (record.tally(Tally::devices) != 0) checks.insert(record.checks);
  }
  const uint64_t count = sum(records, Tally::devices);
  std::string line = "loaded in " + counted(processes.size(), "process", "processes");
  if (!programs.empty()) line += " (" + joined(programs) + ")";
  line += "; " + counted(count, "device", "devices");
  if (!devices.empty()) line += " (" + joined(devices) + ")";
  if (!checks.empty()) line += "; checks: " + joined(checks);
  append_line(out, line);
}

void append_shaders(std::string& out, const Records& records) {
  std::string line = "shaders: " + with_commas(sum(records, Tally::shaders_checked)) + " checked, " +
                     with_commas(sum(records, Tally::shaders_nothing)) + " with nothing to check";
  if (const uint64_t excluded = sum(records, Tally::shaders_excluded))
    line += ", " + with_commas(excluded) + " left alone by only, skip or hashes";
  if (const uint64_t refused = sum(records, Tally::shaders_refused))
    line += ", " + with_commas(refused) + " left alone (the reasons are below)";
  if (const uint64_t made = sum(records, Tally::pipelines_done))
    line += "; " + counted(made, "pipeline", "pipelines") + " made in " +
            seconds_text(sum(records, Tally::pipeline_ns));
  if (const uint64_t begun = sum(records, Tally::pipelines_begun), done = sum(records, Tally::pipelines_done);
      begun > done)
    line += ", " + with_commas(begun - done) + " not finished";
  append_line(out, line);
  if (const uint64_t images = sum(records, Tally::image_shaders))
    append_line(
        out, "images are not checked: " + counted(images, "shader reads or writes", "shaders read or write") +
                 " storage images");
}

void append_actions(std::string& out, const Records& records) {
  const uint64_t all = sum(records, Tally::actions);
  if (all == 0) return;
  const uint64_t checked = sum(records, Tally::actions_checked);
  const uint64_t late = sum(records, Tally::actions_late);
  const uint64_t unchecked = sum(records, Tally::actions_unchecked) + late;
  const uint64_t left_out = sum(records, Tally::actions_left_out);
  append_line(out, "actions submitted: " + with_commas(checked) + " checked, " + with_commas(unchecked) +
                       " not checked, " +
                       (left_out == 0 ? "" : with_commas(left_out) + " outside of the chosen part, ") +
                       with_commas(all - std::min(all, checked + unchecked + left_out)) +
                       " with nothing to check");
}

// What the chosen part has seen of what the run has.
void append_coverage(std::string& out, const Records& records) {
  const uint64_t used = sum(records, Tally::shaders_used);
  if (used == 0) return;
  std::string line = "the chosen part has " + with_commas(sum(records, Tally::shaders_in_part)) + " of " +
                     counted(used, "shader", "shaders") + " that draws and dispatches used";
  if (const uint64_t buffers = sum(records, Tally::buffers))
    line += ", and " + with_commas(std::min(buffers, sum(records, Tally::buffers_checked))) + " of " +
            counted(buffers, "buffer", "buffers") + " that the device can write";
  append_line(out, line);
  std::set<std::string> unseen;
  for (const ProcessRecord& record : records) unseen.insert(record.unseen.begin(), record.unseen.end());
  if (!unseen.empty()) append_line(out, "shaders that were never in the chosen part: " + joined(unseen));
}

// Nothing where all of the run was checked.
void append_part(std::string& out, const Records& records) {
  const std::string part = parts_of(records);
  const uint64_t submissions = sum(records, Tally::submissions);
  const uint64_t submissions_checked = sum(records, Tally::submissions_checked);
  if (part.empty() && submissions == submissions_checked) return;
  const uint64_t frames = sum(records, Tally::frames);
  append_line(out, "chosen part" + (part.empty() ? "" : " (" + part + ")") + ": " +
                       (frames == 0 ? ""
                                    : with_commas(sum(records, Tally::frames_checked)) + " of " +
                                          counted(frames, "frame", "frames") + ", ") +
                       with_commas(submissions_checked) + " of " +
                       counted(submissions, "submission", "submissions"));
  append_coverage(out, records);
}

// Where most of the time went, and what makes it less.
void append_slowest(std::string& out, const Records& records) {
  constexpr uint64_t kWorthSaying = 10'000'000'000;
  if (sum(records, Tally::pipeline_ns) < kWorthSaying) return;
  const ProcessRecord& record = *std::ranges::max_element(records, {}, &ProcessRecord::slowest_ns);
  const CompiledShader& shader = record.slowest;
  if (shader.hash == 0) return;
  append_line(out, "the slowest pipeline took " + seconds_text(record.slowest_ns) + ": shader " +
                       shader.name + ", " + counted(shader.words, "word", "words") + ", " +
                       counted(shader.sites, "checked place", "checked places") + "; it is made faster by " +
                       what_is_faster(record));
}

std::string kinds_text(const Verdict& verdict) {
  std::map<FindingKind, uint64_t> kinds;
  for (const Bug& bug : verdict.bugs) ++kinds[bug.line.kind];
  std::string text;
  for (const auto& [kind, count] : kinds) text += (text.empty() ? "" : ", ") + count_of_kind(count, kind);
  return text;
}

}  // namespace

std::string bug_blocks(std::span<const Bug> bugs, BlockStyle style) {
  std::string text;
  for (const Bug& bug : bugs) {
    text += bug_block(bug.line, bug.occurrences, style);
    style.advice = style.advice && !lacks_lines(bug.line);
  }
  return text;
}

std::string count_of_kind(uint64_t count, FindingKind kind) {
  const std::string name = to_string(kind);
  return counted(count, name, kind == FindingKind::hazard || kind == FindingKind::layout ? name + "s" : name);
}

bool Verdict::complete_for(std::span<const FindingKind> kinds) const {
  return std::ranges::none_of(gaps, [&](const Gap& gap) {
    return gap.concern == Concern::everything ||
           std::ranges::any_of(kinds, [&](FindingKind kind) { return concern_of(kind) == gap.concern; });
  });
}

uint64_t Verdict::findings_of(FindingKind kind) const {
  if (kind == FindingKind::printf) return messages;
  if (kind == FindingKind::note) return notes;
  return static_cast<uint64_t>(
      std::ranges::count_if(bugs, [&](const Bug& bug) { return bug.line.kind == kind; }));
}

bool checked_anything(const Records& records) {
  if (sum(records, Tally::shaders_checked) + sum(records, Tally::shaders_nothing) == 0) return false;
  if (sum(records, Tally::submissions) != 0 && sum(records, Tally::submissions_checked) == 0) return false;
  // Where accesses are checked, actions are counted: without one, no shader ran.
  const bool counted = std::ranges::any_of(records, [](const ProcessRecord& record) {
    return record.checks.find(to_string(Concern::sync)) != std::string::npos;
  });
  if (!counted || sum(records, Tally::actions_checked) != 0) return true;
  // Actions with nothing to check do not stand for those that should have been.
  const uint64_t missed = sum(records, Tally::actions_unchecked) + sum(records, Tally::actions_late) +
                          sum(records, Tally::actions_left_out);
  return missed == 0 && sum(records, Tally::actions) != 0;
}

Verdict judge(const Records& records, std::vector<Gap> others, std::span<const FindingKind> wanted) {
  Verdict verdict;
  verdict.bugs = find_bugs(records);
  verdict.messages = sum(records, Tally::messages);
  Gaps gaps;
  for (const ProcessRecord& record : records) {
    add_end_gaps(record, gaps);
    add_setting_gaps(record, wanted, gaps);
    for (const ReportLine& line : record.lines) {
      verdict.notes += line.kind == FindingKind::note ? 1 : 0;
      if (!line.incomplete.empty()) gaps.add(line, record.process);
    }
  }
  // Where the layer was not loaded at all, `others` says why.
  if (!records.empty()) add_run_gaps(records, gaps);
  verdict.gaps = gaps.take();
  for (Gap& gap : others) verdict.gaps.push_back(std::move(gap));
  return verdict;
}

std::string verdict_text(const Records& records, const Verdict& verdict, size_t width) {
  std::string text;
  if (!records.empty()) {
    append_processes(text, records);
    if (sum(records, Tally::devices) != 0) append_shaders(text, records);
    append_part(text, records);
    append_actions(text, records);
    append_slowest(text, records);
  }
  for (const Gap& gap : verdict.gaps) append_line(text, "not complete: " + gap.text);
  if (!verdict.suppressed.empty() || !verdict.in_baseline.empty())
    append_line(text, "known and not counted: " + counted(verdict.suppressed.size(), "bug", "bugs") +
                          " suppressed, " + counted(verdict.in_baseline.size(), "bug", "bugs") +
                          " of the baseline");
  uint64_t occurrences = 0;
  for (const Bug& bug : verdict.bugs) occurrences += bug.occurrences;
  std::string last = "verdict: ";
  if (!verdict.bugs.empty())
    last += counted(verdict.bugs.size(), "bug", "bugs") + " (" + kinds_text(verdict) + "), " +
            counted(occurrences, "occurrence", "occurrences");
  else
    last += verdict.suppressed.empty() && verdict.in_baseline.empty() ? "no bug found" : "no new bug found";
  if (verdict.messages != 0) last += ", " + counted(verdict.messages, "message", "messages") + " printed";
  if (!verdict.gaps.empty())
    last += verdict.bugs.empty() && !checked_anything(records) ? "; NOT CHECKED" : "; NOT COMPLETELY CHECKED";
  append_line(text, last);
  return wrapped_lines(text, kLead.size(), width);
}

}  // namespace shaderqa
