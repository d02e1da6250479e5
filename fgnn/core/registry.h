// Things by name that may be added while other threads look them up.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace fgnn
