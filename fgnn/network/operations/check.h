// Whether the registers and parameters of an operation fit it.
#pragma once

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

class Check {
 public:
  Check(std::string_view operation, const Program& program) : name_(operation), p_(program) {}

  void that(bool holds, const char* what) const {
    if (!holds) throw Error(ErrorCode::internal, std::string(name_), what);
  }
  const Register& at(int reg) const {
    that(reg >= 0 && static_cast<std::size_t>(reg) < p_.registers.size(), "lacks a register");
    return p_.registers[reg];
  }
  const Parameter& parameter(int number) const {
    that(number >= 0 && static_cast<std::size_t>(number) < p_.parameters.size(),
         "lacks a parameter");
    return p_.parameters[number];
  }
  void width(int reg, std::size_t want) const {
    that(at(reg).width == want, "has a register of the wrong width");
  }
  void place(int reg, Place want) const {
    that(at(reg).place == want, "has a register with the wrong rows");
  }
  // The same place and width.
  void like(int reg, int other) const {
    place(reg, at(other).place);
    width(reg, at(other).width);
  }
  // -1 in `want`: any number. No parameter fits always.
  void shape(int number, std::vector<std::int64_t> want) const {
    if (number < 0) return;
    const auto& have = parameter(number).shape;
    that(have.size() == want.size(), "has a misshapen parameter");
    for (std::size_t i = 0; i < want.size(); ++i) {
      that(want[i] < 0 || have[i] == want[i], "has a misshapen parameter");
    }
  }
  void shape(int number, std::size_t want) const {
    shape(number, std::vector<std::int64_t>{static_cast<std::int64_t>(want)});
  }

 private:
  std::string_view name_;
  const Program& p_;
};

// The places at both ends of the edges of a relation.
struct Ends {
  Place source, target;
};
Ends ends(Way way, int relation);

// The batch's mask where it takes edges out of messages along `way`, else null.
const std::uint8_t* mask_of(Way way, int relation, const Batch& batch);

// Throws Error(usage) unless a table of `rows` has one for every kind of edge.
void check_kinds(const Batch& batch, Way way, int relation, std::int64_t rows);

}  // namespace fgnn::network
