#include "fgnn/network/program.h"

#include <numeric>

namespace fgnn::network {

std::size_t Parameter::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1},
                         [](std::size_t a, std::int64_t b) { return a * b; });
}

std::size_t Program::trained_numbers() const {
  std::size_t sum = 0;
  for (const auto& p : parameters) sum += p.trained ? p.count() : 0;
  return sum;
}

std::vector<std::int64_t> Program::flat_offsets() const {
  constexpr std::int64_t line = 16;  // floats
  std::vector<std::int64_t> offsets;
  std::int64_t total = 0;
  for (const auto& p : parameters) {
    offsets.push_back(p.trained ? total : -1);
    if (p.trained) total += (static_cast<std::int64_t>(p.count()) + line - 1) / line * line;
  }
  offsets.push_back(total);
  return offsets;
}

std::size_t rows(const Structure& structure, std::size_t copies, Place place) {
  switch (place.rows) {
    case Place::variable:
      return copies * structure.variables();
    case Place::factor:
      return copies * structure.relations()[place.relation].factors;
    case Place::edge:
      return copies * structure.relations()[place.relation].edges();
    case Place::kind:
      return structure.relations()[place.relation].kinds *
             (structure.relations()[place.relation].own_kinds ? copies : 1);
    case Place::graph:
      return copies * structure.graphs();
  }
  return 0;
}

bool coefficients_by_copy(const Program& program, const Message& message,
                          const Structure& structure) {
  const Place place = program.registers[message.coefficients].place;
  return place.rows == Place::factor || structure.relations()[place.relation].own_kinds;
}

bool one_matrix_per_kind(const Program& program, const Message& message, const Structure& structure,
                         std::size_t copies) {
  if (coefficients_by_copy(program, message, structure) && copies > 1) return false;
  const Incidence& edges = structure.incidence(message.way, message.relation);
  return 2 * edges.kinds() <= edges.edges() * copies;
}

namespace {

struct Count {
  const Program& program;
  const Structure& structure;

  double rows_of(int reg) const {
    return static_cast<double>(rows(structure, 1, program.registers[reg].place));
  }
  double operator()(const Linear& o) const {
    return 2 * rows_of(o.output) * static_cast<double>(program.parameters[o.weight].count());
  }
  double operator()(const Convolution& o) const {
    return 2 * rows_of(o.output) * static_cast<double>(o.shape.pixels()) *
           static_cast<double>(program.parameters[o.weight].count());
  }
  double operator()(const Message& o) const {
    if (o.matrices < 0 || o.knn >= 0) return 0;
    const double edges = static_cast<double>(structure.incidence(o.way, o.relation).edges());
    double matrices = 1;
    if (o.coefficients >= 0) {
      const Register& c = program.registers[o.coefficients];
      const double kinds = rows_of(o.coefficients);
      if (one_matrix_per_kind(program, o, structure, 1)) {
        return 2 * static_cast<double>(o.options.hidden * o.options.out) *
               (edges + kinds * static_cast<double>(c.width));
      }
      matrices = static_cast<double>(c.width);
    }
    return 2 * edges * matrices * static_cast<double>(o.options.hidden * o.options.out);
  }
  template <class Other>
  double operator()(const Other&) const {
    return 0;  // pointwise
  }
};

}  // namespace

double arithmetic(const Program& program, const Structure& structure) {
  double sum = 0;
  for (const auto& o : program.operations) sum += std::visit(Count{program, structure}, o);
  return sum;
}

}  // namespace fgnn::network
