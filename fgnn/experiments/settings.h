// Settings of a task, from the one list that its options have (core/settings.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgnn/core/settings.h"
#include "fgnn/experiments/task_info.h"

namespace fgnn::experiments {

// Their names, defaults and descriptions, for TaskInfo::settings.
template <class Options>
std::vector<Setting> settings_of(const SettingList<Options>& list) {
  std::vector<Setting> all;
  for (const auto& s : list) all.push_back({s.name, s.text(Options{}), s.description});
  return all;
}

// The options that these settings stand for. Throws Error(usage) naming the setting.
template <class Options>
Options options_of(const SettingList<Options>& list, const Settings& settings) {
  Options options;
  list.set(options, settings);
  return options;
}

// One setting on its own. All throw Error(usage) naming it.
template <class Value>
Value setting_value(const Settings& settings, const std::string& key) {
  Value value{};
  about(key, [&] { read_value(settings.at(key), value); });
  return value;
}
template <class Whole = std::uint64_t>
Whole whole(const Settings& settings, const std::string& key) {
  return setting_value<Whole>(settings, key);
}
inline double number(const Settings& settings, const std::string& key) {
  return setting_value<double>(settings, key);
}
inline bool yes(const Settings& settings, const std::string& key) {
  return setting_value<bool>(settings, key);
}

}  // namespace fgnn::experiments
