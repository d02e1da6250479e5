// Things by name that may be added while other threads look them up. Registries are made, with what
// the library itself has, when somebody asks first: nobody needs to call anything before.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fgnn/core/error.h"

namespace fgnn {

template <class Value>
class Registry {
 public:
  // In place of what had the name before.
  void add(std::string name, Value value) {
    const std::lock_guard lock(mutex_);
    by_name_.insert_or_assign(std::move(name), std::move(value));
  }

  // A copy, so that it may be used, and even replaced, without holding anybody up.
  std::optional<Value> find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional<Value>(found->second);
  }

  std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [name, value] : by_name_) all.push_back(name);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Value, std::less<>> by_name_;
};

// The same in the order in which they were added. None is ever replaced or moved, so that what was
// found stays.
template <class Value>
class OrderedRegistry {
 public:
  // `what` they are ("method"), for messages.
  explicit OrderedRegistry(std::string what) : what_(std::move(what)) {}

  // Throws Error(usage) when the name is taken, empty, or holds a colon or comma.
  const Value& add(const std::string& name, Value value) {
    const std::string subject = what_ + " '" + name + "'";
    if (name.empty() || name.find_first_of(":,") != name.npos) {
      throw Error(ErrorCode::usage, subject, "a name is not empty and has no colon or comma");
    }
    const std::lock_guard lock(mutex_);
    for (const auto& [known, entry] : all_) {
      if (known == name) throw Error(ErrorCode::usage, subject, "there is one of that name");
    }
    return all_.emplace_back(name, std::move(value)).second;
  }

  // Null when there is none.
  const Value* find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, value] : all_) {
      if (known == name) return &value;
    }
    return nullptr;
  }

  std::vector<Value> values() const {
    const std::lock_guard lock(mutex_);
    std::vector<Value> result;
    for (const auto& [name, value] : all_) result.push_back(value);
    return result;
  }

  std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> result;
    for (const auto& [name, value] : all_) result.push_back(name);
    return result;
  }

 private:
  std::string what_;
  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, Value>> all_;
};

}  // namespace fgnn
