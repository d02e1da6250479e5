// Options as text: the one way from "damping=0.5,iterations=50" to a struct and back.
//
//   const SettingList<BpOptions>& bp_settings() {
//     static const SettingList<BpOptions> kAll = [] {
//       SettingList<BpOptions> all("method 'sum-product'");
//       all.add("iterations", &BpOptions::iterations, "N", "Most passes over the graph");
//       all.add("damping", &BpOptions::damping, "SHARE", "Share of the old message", in(0, 1));
//       return all;
//     }();
//     return kAll;
//   }
//
// gives reading with messages that name the setting and suggest the nearest word, checks of ranges,
// lists for help, and printing of what was set.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fgnn/core/setting_value.h"

namespace fgnn {

using SettingTexts = std::map<std::string, std::string>;  // values by name

template <class Options>
struct Setting {
  std::string name;         // "damping"
  std::string value;        // "SHARE": stands for the value in help; empty for a flag
  std::string description;  // one line
  bool word = false;        // the value is text, not a number
  // Throws Error(usage) that does not name the setting: callers know it by their own names for it.
  std::function<void(Options&, std::string_view text)> read;
  std::function<void(const Options&)> check;  // of ranges; throws the same
  // What `read` reads back; empty for an option that is absent.
  std::function<std::string(const Options&)> text;
  std::function<void(Options& to, const Options& from)> copy;

  void set(Options& options, std::string_view from) const {
    read(options, from);
    check(options);
  }
  // Differs from the default.
  bool given(const Options& options) const { return text(options) != text(Options{}); }
  void clear(Options& options) const { copy(options, Options{}); }
};

template <class Options>
class SettingList {
 public:
  // `owner` is whose settings they are, for messages: "decoder 'osd'".
  explicit SettingList(std::string owner) : owner_(std::move(owner)) {}

  // `get` is a pointer to a member, or a function from options to a reference into them.
  template <class Get>
  SettingList& add(std::string name, Get get, std::string value, std::string description,
                   Rule rule = {}) {
    Setting<Options> s;
    s.name = std::move(name);
    s.value = std::move(value);
    s.description = std::move(description);
    s.word = kIsWord<std::remove_cvref_t<std::invoke_result_t<Get, Options&>>>;
    s.read = [get](Options& o, std::string_view text) { read_value(text, std::invoke(get, o)); };
    s.check = [get, rule](const Options& o) { check_value(std::invoke(get, o), rule); };
    s.text = [get](const Options& o) { return text_of(std::invoke(get, o)); };
    s.copy = [get](Options& to, const Options& from) {
      std::invoke(get, to) = std::invoke(get, from);
    };
    return add(std::move(s));
  }
  // The same for one of these words, where the value's type has no list of its own or a longer one.
  template <class Get, class Value>
  SettingList& add_words(std::string name, Get get, Words<Value> words, std::string value,
                         std::string description) {
    Setting<Options> s;
    s.name = std::move(name);
    s.value = std::move(value);
    s.description = std::move(description);
    s.word = true;
    s.read = [get, words](Options& o, std::string_view text) {
      std::invoke(get, o) = words.value(text);
    };
    s.check = [](const Options&) {};
    s.text = [get, words](const Options& o) {
      return std::string(words.name(std::invoke(get, o)));
    };
    s.copy = [get](Options& to, const Options& from) {
      std::invoke(get, to) = std::invoke(get, from);
    };
    return add(std::move(s));
  }
  SettingList& add(Setting<Options> setting) {
    all_.push_back(std::move(setting));
    return *this;
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  bool empty() const { return all_.empty(); }
  const std::string& owner() const { return owner_; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& setting : all_) names.push_back(setting.name);
    return names;
  }

  bool contains(std::string_view name) const {
    for (const auto& setting : all_) {
      if (setting.name == name) return true;
    }
    return false;
  }
  // Throws Error(usage) for an unknown name, with the nearest known one.
  const Setting<Options>& find(std::string_view name) const {
    for (const auto& setting : all_) {
      if (setting.name == name) return setting;
    }
    refuse_setting(name, owner_, names());
  }

  // Throws Error(usage) naming the setting.
  void set(Options& options, std::string_view name, std::string_view text) const {
    const Setting<Options>& setting = find(name);
    about(setting.name, [&] { setting.set(options, text); });
  }
  void set(Options& options, const SettingTexts& texts) const {
    for (const auto& [name, text] : texts) set(options, name, text);
  }
  // From NAME=VALUE. `example` tells how to write it.
  void set_piece(Options& options, std::string_view piece, const std::string& example) const {
    const auto [name, text] = split_setting(piece, example);
    set(options, name, text);
  }
  void check(const Options& options) const {
    for (const auto& setting : all_) about(setting.name, [&] { setting.check(options); });
  }

  // All, in their order.
  std::vector<std::pair<std::string, std::string>> texts(const Options& options) const {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& setting : all_) texts.emplace_back(setting.name, setting.text(options));
    return texts;
  }
  SettingTexts map(const Options& options) const {
    SettingTexts map;
    for (const auto& setting : all_) map[setting.name] = setting.text(options);
    return map;
  }
  // Those that differ from the defaults: "damping=0.5,iterations=50".
  std::string given(const Options& options) const {
    std::string text;
    for (const auto& setting : all_) {
      if (!setting.given(options)) continue;
      text += (text.empty() ? "" : ",") + setting.name + "=" + setting.text(options);
    }
    return text;
  }

  // Those with these names, of another owner.
  SettingList some(std::string owner, const std::vector<std::string>& names) const {
    SettingList list(std::move(owner));
    for (const std::string& name : names) list.add(find(name));
    return list;
  }

 private:
  std::string owner_;
  std::vector<Setting<Options>> all_;
};

// The setting of a struct as one of a struct that has it as a member.
template <class Whole, class Part>
Setting<Whole> part_of(const Setting<Part>& s, Part Whole::*part) {
  return {s.name,
          s.value,
          s.description,
          s.word,
          [=](Whole& o, std::string_view text) { s.read(o.*part, text); },
          [=](const Whole& o) { s.check(o.*part); },
          [=](const Whole& o) { return s.text(o.*part); },
          [=](Whole& to, const Whole& from) { s.copy(to.*part, from.*part); }};
}

// The setting of a struct as one of a struct that is derived from it.
template <class Derived, class Base>
Setting<Derived> inherited(const Setting<Base>& s) {
  return {s.name, s.value, s.description, s.word, s.read, s.check, s.text, s.copy};
}

}  // namespace fgnn
