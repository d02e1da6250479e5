#include "fgnn/core/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "fgnn/core/types.h"

namespace fgnn {

Fields& Fields::add(std::string name, std::string value) {
  all_.push_back({std::move(name), std::move(value)});
  return *this;
}

Fields& Fields::add(std::string name, bool value) {
  return add(std::move(name), std::string(value ? "yes" : "no"));
}

Fields& Fields::add(std::string name, double value) {
  return add(std::move(name),
             value == kInfinity ? std::string("none") : fmt::format("{:g}", value));
}

Fields& Fields::add_part(const std::string& prefix, const Fields& part) {
  for (const Field& field : part) add(prefix + "." + field.name, field.value);
  return *this;
}

const Field* Fields::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Field::name);
  return found == all_.end() ? nullptr : &*found;
}

std::ostream& operator<<(std::ostream& out, const Fields& fields) {
  const char* between = "";
  for (const Field& field : fields) {
    out << between << field.name << ' ' << field.value;
    between = ", ";
  }
  return out;
}

}  // namespace fgnn
