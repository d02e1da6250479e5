// Whether the registers and parameters of an operation fit it.
#pragma once

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

class Check {
 public:
  Check(std::string_view operation, const Program& program) : name_(operation), p_(program) {}

  const Register& at(int reg) const { return p_.registers[reg]; }
  void that(bool holds, const char* what) const {
    if (!holds) throw Error(ErrorCode::internal, std::string(name_), what);
  }
  void width(int reg, std::size_t want) const {
    that(reg >= 0 && at(reg).width == want, "has a register of the wrong width");
  }
  void place(int reg, Place want) const {
    that(reg >= 0 && at(reg).place == want, "has a register with the wrong rows");
  }
  // The same place and width.
  void like(int reg, int other) const {
    place(reg, at(other).place);
    width(reg, at(other).width);
  }
  // -1 in `want`: any number. No parameter fits always.
  void shape(int parameter, std::vector<std::int64_t> want) const {
    if (parameter < 0) return;
    const auto& have = p_.parameters[parameter].shape;
    that(have.size() == want.size(), "has a misshapen parameter");
    for (std::size_t i = 0; i < want.size(); ++i) {
      that(want[i] < 0 || have[i] == want[i], "has a misshapen parameter");
    }
  }
  void shape(int parameter, std::size_t want) const {
    shape(parameter, std::vector<std::int64_t>{static_cast<std::int64_t>(want)});
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
