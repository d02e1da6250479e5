#include "fgnn/network/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/network/batch.h"

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

std::vector<std::size_t> graph_rows(const Structure& structure, std::size_t copies, Place place) {
  std::vector<std::size_t> offset{0};
  if (place.rows == Place::edge) {
    const Relation& r = structure.relations()[place.relation];
    const auto factors = structure.factor_offset(place.relation);
    for (std::size_t c = 0; c < copies; ++c) {
      for (std::size_t g = 1; g < factors.size(); ++g) {
        const auto end = std::lower_bound(r.factor.begin(), r.factor.end(), factors[g]);
        offset.push_back(c * r.edges() + static_cast<std::size_t>(end - r.factor.begin()));
      }
    }
    return offset;
  }
  if (place.rows == Place::kind) {
    throw Error(ErrorCode::internal, "kinds of edges", "are shared by the graphs of a batch");
  }
  if (place.rows == Place::graph) {
    offset.resize(rows(structure, copies, place) + 1);
    std::iota(offset.begin(), offset.end(), std::size_t{0});
    return offset;
  }
  const auto one = place.rows == Place::variable ? structure.variable_offset()
                                                 : structure.factor_offset(place.relation);
  for (std::size_t c = 0; c < copies; ++c) {
    for (std::size_t g = 1; g < one.size(); ++g) offset.push_back(c * one.back() + one[g]);
  }
  return offset;
}

namespace {

void check_sizes(std::size_t variables, std::span<const std::size_t> offset) {
  for (std::size_t g = 0; variables > 0 && g + 1 < offset.size(); ++g) {
    const std::size_t have = offset[g + 1] - offset[g];
    if (have == variables) continue;
    throw Error(ErrorCode::usage, fmt::format("graph {}", g),
                fmt::format("has {} variables where the network takes {}", have, variables));
  }
}

}  // namespace

void check_features(const Program& program, const Batch& batch) {
  const auto check = [&](int reg, std::size_t have, const std::string& what) {
    if (reg < 0) return;
    const Register& r = program.registers[reg];
    const std::size_t want = rows(*batch.structure, batch.copies, r.place) * r.width;
    if (have == want) return;
    throw Error(
        ErrorCode::usage, what,
        fmt::format("has {} numbers where the network takes {} ({} each)", have, want, r.width));
  };
  if (batch.structure->relations().size() != program.factor_input.size() ||
      batch.relations.size() != program.factor_input.size()) {
    throw Error(ErrorCode::usage, "batch",
                fmt::format("has {} factor types where the network takes {}",
                            batch.structure->relations().size(), program.factor_input.size()));
  }
  check_sizes(program.variables, batch.structure->variable_offset());
  check(program.variable_input, batch.variable.size(), "variable features");
  for (std::size_t r = 0; r < batch.relations.size(); ++r) {
    check(program.factor_input[r], batch.relations[r].factor.size(),
          fmt::format("factor features of relation {}", r));
    check(program.edge_input[r], batch.relations[r].edge.size(),
          fmt::format("edge features of relation {}", r));
    const std::size_t mask = batch.relations[r].mask.size();
    if (mask != 0 && mask != batch.copies * batch.structure->relations()[r].edges()) {
      throw Error(ErrorCode::usage, fmt::format("mask of relation {}", r),
                  "needs one entry per edge");
    }
  }
  for (const auto& o : program.operations) o->check(program, batch);
}

double arithmetic(const Program& program, const Structure& structure) {
  double sum = 0;
  for (const auto& o : program.operations) sum += o->arithmetic(program, structure);
  return sum;
}

}  // namespace fgnn::network
