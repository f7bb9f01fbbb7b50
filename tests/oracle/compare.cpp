// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <algorithm>
#include <cstdio>

#include "device.h"
#include "known.h"
#include "loops.h"

namespace oracle {
namespace {

struct Placed {
  size_t program = 0;
  Site site;
};

Placed place_of_line(uint32_t line) {
  const uint32_t within = line % kLinesPerProgram;
  return {
      line / kLinesPerProgram - 1,
      {static_cast<int>((within - 1) / kLinesPerCommand), static_cast<int>((within - 1) % kLinesPerCommand)}};
}

// ":123" or "file:123:4"
std::optional<Placed> place_of(const std::string& place) {
  const size_t colon = place.find(':');
  if (colon == std::string::npos || colon + 1 == place.size()) return std::nullopt;
  const auto line = static_cast<uint32_t>(std::strtoul(place.c_str() + colon + 1, nullptr, 10));
  return line < kLinesPerProgram ? std::nullopt : std::optional(place_of_line(line));
}

std::string word_for(Kind kind) {
  if (is_atomic(kind)) return "atomic";
  return kind == Kind::read ? "load" : "store";
}
bool is_access(const std::string& word, Kind kind) {
  if (word == "store or atomic") return kind != Kind::read;
  if (word == "load or store") return !is_atomic(kind);
  return word == word_for(kind) || (kind == Kind::read && word.find("indirect") != std::string::npos);
}

bool is_in_workgroup_memory(const Program& program, const Site& site) {
  if (site.statement < 0) return false;
  const Statement& statement =
      program.commands[static_cast<size_t>(site.command)].shader[static_cast<size_t>(site.statement)];
  return is_access(statement.what) && program.views[statement.view].is_shared();
}

bool share_memory(const Program& program, uint32_t a, uint32_t b) {
  const View &one = program.views[a], &other = program.views[b];
  return !one.is_shared() && !other.is_shared() &&
         program.buffers[one.buffer].memory == program.buffers[other.buffer].memory;
}

// Draws of one render pass run at the same time.
bool in_one_pass(const Program& program, const RacePair& pair) {
  const int pass = pass_of(program, pair.first.command);
  return pass >= 0 && pass == pass_of(program, pair.second.command);
}
bool on_two_queues(const Program& program, const RacePair& pair) {
  return queue_of(program, pair.first.command) != queue_of(program, pair.second.command);
}

// As reports name it: the lines of a loop stand once, and a pass's attachment and edges are accessed by all
// of its commands.
Site said(const Program& program, const Site& site) {
  if (site.statement < 0) {
    const int pass = attached_pass_of(program, site.command);
    return pass < 0 ? site : Site{pass, -1};
  }
  const Command& command = program.commands[static_cast<size_t>(site.command)];
  return {site.command, static_cast<int>(said_at(command, static_cast<uint32_t>(site.statement)))};
}

bool fits(const Program& program, const RacePair& pair, const Finding& finding, const Run& run,
          bool swapped) {
  const Site earlier = said(program, swapped ? pair.second : pair.first),
             later = said(program, swapped ? pair.first : pair.second);
  const Kind earlier_kind = swapped ? pair.second_kind : pair.first_kind,
             later_kind = swapped ? pair.first_kind : pair.second_kind;
  // Commands of one queue have an order, accesses of one command have none.
  if (swapped && pair.first.command != pair.second.command && !on_two_queues(program, pair) &&
      !in_one_pass(program, pair))
    return false;
  const Site named = finding.later.statement < 0 ? said(program, finding.later) : finding.later;
  if (later != named || !is_access(finding.access, later_kind)) return false;
  if (!is_access(finding.earlier_access, earlier_kind)) return false;
  if (finding.precedes) return true;
  // In workgroup memory the place of the other side is not always known, only its kind.
  if (finding.earlier.empty())
    return run.filter || earlier.statement < 0 || is_in_workgroup_memory(program, later);
  return std::ranges::find(finding.earlier, earlier) != finding.earlier.end();
}

bool is_true(const Program& program, const std::map<RacePair, Words>& pairs, const Finding& finding,
             const Run& run) {
  return std::ranges::any_of(pairs, [&](const auto& entry) {
    return fits(program, entry.first, finding, run, false) || fits(program, entry.first, finding, run, true);
  });
}

// Where several have read, a report names the loads through one binding; the race may be with one through
// another binding of the same memory (docs/internals/exact.md, Which site a cell names): the report would be
// true if it named the shader's loads through other bindings.
bool names_another_binding(const Program& program, const std::map<RacePair, Words>& pairs,
                           const Finding& finding, const Run& run) {
  Finding named = finding;
  named.earlier.clear();
  for (const Site& site : finding.earlier) {
    if (site.statement < 0 || is_in_workgroup_memory(program, site)) continue;
    const std::vector<Statement>& shader = program.commands[static_cast<size_t>(site.command)].shader;
    const uint32_t view = shader[static_cast<size_t>(site.statement)].view;
    for (int i = 0; i < static_cast<int>(shader.size()); ++i) {
      const Statement& other = shader[static_cast<size_t>(i)];
      if (other.what == Statement::What::load && other.view != view &&
          share_memory(program, other.view, view))
        named.earlier.push_back(said(program, {site.command, i}));
    }
  }
  return !named.earlier.empty() && is_true(program, pairs, named, run);
}

bool class_fits(const Finding& finding) {
  const bool atomic = finding.access == "atomic", was_atomic = finding.earlier_access == "atomic";
  if (finding.hazard_class == "ordered only by execution") return true;
  if (atomic && was_atomic) return finding.hazard_class == "atomics of workgroup scope";
  if (atomic || was_atomic) return finding.hazard_class == "atomic against plain";
  if (finding.access != "store") return finding.hazard_class == "read after write";
  return finding.hazard_class ==
         (finding.earlier_access == "load" ? "write after read" : "write after write");
}

}  // namespace

std::optional<Finding> finding_of(const nlohmann::json& line) {
  if (line.value("kind", "") != "hazard") return std::nullopt;
  Finding finding;
  const auto source = line.find("source");
  if (source != line.end() && source->value("line", 0u) >= kLinesPerProgram) {
    const Placed placed = place_of_line(source->value("line", 0u));
    finding.program = placed.program;
    finding.later = placed.site;
  } else {
    const std::string label = line.at("action").at("labels").at(0);
    unsigned command = 0;
    unsigned long program = 0;
    if (std::sscanf(label.c_str(), "program %lu command %u", &program, &command) != 2) return std::nullopt;
    finding.program = program;
    finding.later = {static_cast<int>(command), -1};
  }
  const auto& hazard = line.at("hazard");
  finding.hazard_class = hazard.value("class", "");
  finding.access = hazard.value("access", "");
  finding.earlier_access = hazard.value("earlier", "");
  if (line.contains("other"))
    for (const std::string& place : line["other"].value("places", std::vector<std::string>{}))
      if (const auto placed = place_of(place); placed && placed->program == finding.program)
        finding.earlier.push_back(placed->site);
  finding.precedes = line.contains("other") && line["other"].value("precedes", false);
  finding.text = line.value("text", "") + "; other side: " + hazard.value("scope", "");
  return finding;
}

const char* name_of(Problem problem) {
  switch (problem) {
    case Problem::false_report:
      return "false report";
    case Problem::missed:
      return "missed";
    case Problem::wrong_sides:
      return "wrong sides";
    case Problem::wrong_class:
      return "wrong class";
    case Problem::did_not_run:
      return "did not run";
  }
  return "";
}

std::vector<Disagreement> compare(const Program& program, const Truth& truth,
                                  const std::vector<Finding>& findings, const Run& run) {
  std::vector<Disagreement> all;
  const auto add = [&](Problem problem, const std::string& detail, const char* known = "") {
    const bool there = std::ranges::any_of(
        all, [&](const Disagreement& other) { return other.problem == problem && other.known == known; });
    if (!there) all.push_back({problem, detail, known});
  };
  if (truth.verdict == Verdict::race && findings.empty())
    all.push_back({Problem::missed, describe_races(program, truth),
                   run.filter ? "misses of the filter" : known_class(program, truth, run.lenient)});
  for (const Finding& finding : findings) {
    if (truth.verdict == Verdict::none) {
      add(Problem::false_report, finding.text);
    } else if (!is_true(program, truth.races, finding, run) &&
               !is_true(program, truth.unsure, finding, run)) {
      const bool is_known = names_another_binding(program, truth.races, finding, run);
      add(Problem::wrong_sides, finding.text + "\n" + describe_races(program, truth),
          is_known ? "a reader through another binding" : "");
    } else if (!class_fits(finding)) {
      add(Problem::wrong_class, finding.hazard_class + ": " + finding.text);
    }
  }
  return all;
}

std::string describe_races(const Program& program, const Truth& truth) {
  std::string text;
  for (const auto* pairs : {&truth.races, &truth.unsure})
    for (const auto& [pair, words] : *pairs) {
      text += pairs == &truth.races ? "race: " : "unsure: ";
      text += describe_site(program, pair.first.command, pair.first.statement) + "  against  " +
              describe_site(program, pair.second.command, pair.second.statement) + ", " +
              std::to_string(words.size()) + " words, the first memory " +
              std::to_string(words.begin()->first) + " + " + std::to_string(words.begin()->second * 4) + "\n";
    }
  return text;
}

}  // namespace oracle
