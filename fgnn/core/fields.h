// Options as names and values: what reports show and `<<` prints. A struct of options takes part by
// a function Fields fields(const Options&) beside it.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fgnn {

struct Field {
  std::string name, value;

  bool operator==(const Field&) const = default;
};

class Fields {
 public:
  Fields& add(std::string name, std::string value);
  Fields& add(std::string name, const char* value) {
    return add(std::move(name), std::string(value));
  }
  Fields& add(std::string name, bool value);
  Fields& add(std::string name, double value);  // infinity: "none"
  template <class Number>
  requires(std::is_integral_v<Number> &&
           !std::is_same_v<Number, bool>) Fields& add(std::string name, Number value) {
    return add(std::move(name), std::to_string(value));
  }
  // Nothing where there is no value.
  template <class Value>
  Fields& add(std::string name, const std::optional<Value>& value) {
    return value ? add(std::move(name), *value) : *this;
  }
  // The fields of a part, behind "prefix.".
  Fields& add_part(const std::string& prefix, const Fields& part);

  const Field* find(std::string_view name) const;
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  bool empty() const { return all_.empty(); }
  bool operator==(const Fields&) const = default;

 private:
  std::vector<Field> all_;
};

std::ostream& operator<<(std::ostream& out, const Fields& fields);  // "damping 0.3, threads 2"

template <class Options>
concept HasFields = requires(const Options& options) {
  { fields(options) } -> std::same_as<Fields>;
};

template <HasFields Options>
std::ostream& operator<<(std::ostream& out, const Options& options) {
  return out << fields(options);
}

}  // namespace fgnn
