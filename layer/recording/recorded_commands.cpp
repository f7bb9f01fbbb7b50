// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/recorded_commands.h"

#include <algorithm>
#include <cstdio>

namespace shaderqa::layer {
namespace {

const RecordedAction* find_in(const RecordedCommands& recording, uint32_t number) {
  // Numbers rise within a recording, unless they wrapped.
  const auto& actions = recording.actions;
  const auto found = std::ranges::find(actions, number, &RecordedAction::number);
  return found == actions.end() ? nullptr : &*found;
}

std::string hexadecimal(const void* handle) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", handle);
  return text;
}

}  // namespace

std::string command_text(const RecordedAction& action) {
  std::string text = action.command;
  text += '(';
  const CommandArguments& arguments = action.arguments;
  for (uint8_t i = 0; i < arguments.count; ++i) {
    const uint64_t value = arguments.values[i];
    if (i) text += ", ";
    text += arguments.handles >> i & 1 ? hexadecimal(reinterpret_cast<const void*>(value))
                                       : std::to_string(static_cast<int64_t>(value));
  }
  text += ')';
  return action.about ? text + ' ' + *action.about : text;
}

bool RecordedCommands::submit() {
  const uint32_t before = submissions.fetch_add(1, std::memory_order_relaxed);
  if (use && before == 0) use->first_submissions.fetch_add(1, std::memory_order_relaxed);
  if (use && before == 1) use->again.fetch_add(1, std::memory_order_relaxed);
  return before > 0;
}

void RecordedCommands::add(const RecordedCommands& executed) {
  traceable.insert(traceable.end(), executed.traceable.begin(), executed.traceable.end());
  traceable_left_out = traceable_left_out || executed.traceable_left_out;
  left_out_actions += executed.left_out_actions;
  late_actions += executed.late_actions;
  if (!executed.needed_labels.empty()) needed_labels = executed.needed_labels;
  action_count += executed.action_count;
  checked_actions += executed.checked_actions;
  unchecked_actions += executed.unchecked_actions;
  checked = checked || executed.checked;
  orders_images = orders_images || executed.orders_images;
  late_aliases.begin = std::min(late_aliases.begin, executed.late_aliases.begin);
}

void CommandHistory::finish(const std::shared_ptr<RecordedCommands>& recording) {
  if (recording->actions.empty()) return;
  const std::lock_guard lock(mutex_);
  if (const auto named = names_.find(recording->command_buffer); named != names_.end()) {
    recording->name = named->second;
  }
  finished_[recording->command_buffer] = recording;
}

void CommandHistory::retire(const std::shared_ptr<RecordedCommands>& recording) {
  // Its arena goes.
  recording->submission = {};
  if (recording->actions.empty()) return;
  const std::lock_guard lock(mutex_);
  if (recording->engine) recording->engine->release_records();
  finished_.erase(recording->command_buffer);
  retired_.push_back(recording);
  retired_actions_ += recording->actions.size();
  while (retired_actions_ > kKeptActions && retired_.size() > 1) {
    retired_actions_ -= retired_.front()->actions.size();
    retired_.pop_front();
  }
}

void CommandHistory::name(VkCommandBuffer command_buffer, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (name.empty()) {
    names_.erase(command_buffer);
  } else {
    names_[command_buffer] = name;
  }
  if (const auto found = finished_.find(command_buffer); found != finished_.end()) found->second->name = name;
}

void CommandHistory::submitted(RecordedCommands& recording, const std::string& queue,
                               const std::vector<std::string>& labels) {
  const std::lock_guard lock(mutex_);
  recording.queue = queue;
  recording.queue_labels = labels;
}

std::string CommandHistory::name_of(const RecordedCommands& recording) const {
  const std::lock_guard lock(mutex_);
  return recording.name;
}

CommandHistory::Found CommandHistory::look_up(uint32_t number) const {
  Found found;
  const auto look_in = [&](const std::shared_ptr<RecordedCommands>& candidate) {
    if (found.action) return;
    found = {candidate.get(), find_in(*candidate, number)};
  };
  for (const auto& [handle, candidate] : finished_) look_in(candidate);
  for (auto it = retired_.rbegin(); it != retired_.rend(); ++it) look_in(*it);
  return found;
}

std::vector<std::string> CommandHistory::around(uint32_t number) const {
  constexpr size_t kBefore = 5, kAfter = 3;
  const std::lock_guard lock(mutex_);
  const auto [recording, action] = look_up(number);
  if (!action) return {};
  const auto& actions = recording->actions;
  const auto at = static_cast<size_t>(action - actions.data());
  const size_t first = at - std::min(at, kBefore), last = std::min(actions.size() - 1, at + kAfter);
  std::vector<std::string> commands;
  auto crumb =
      std::ranges::lower_bound(recording->crumbs, actions[first].index, {}, &RecordedCommands::Crumb::behind);
  for (size_t i = first; i <= last; ++i) {
    for (; crumb != recording->crumbs.end() && crumb->behind < actions[i].index; ++crumb)
      commands.push_back(crumb->text);
    commands.push_back(std::to_string(actions[i].number) + ": " + command_text(actions[i]));
  }
  return commands;
}

std::optional<ActionOrigin> CommandHistory::find(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const auto [recording, action] = look_up(number);
  if (!action) return std::nullopt;

  ActionOrigin place;
  place.number = number;
  place.kind = action->kind;
  place.workgroups = action->workgroups;
  place.name = action->command;
  place.command = recording->of_host ? action->command : command_text(*action);
  for (uint32_t label = action->label; label; label = recording->labels[label - 1].parent) {
    place.labels.push_back(recording->labels[label - 1].name);
  }
  place.labels.insert(place.labels.end(), recording->queue_labels.rbegin(), recording->queue_labels.rend());
  std::ranges::reverse(place.labels);
  if (recording->of_host) return place;
  place.command_buffer = recording->name.empty() ? hexadecimal(recording->command_buffer) : recording->name;
  place.queue = recording->queue;
  place.index = action->index;
  if (recording->engine) recording->engine->describe(number, place);
  return place;
}

}  // namespace shaderqa::layer
