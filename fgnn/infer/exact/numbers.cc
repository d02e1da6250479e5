#include "fgnn/infer/exact/numbers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"

namespace fgnn::exact {
namespace {

const Counting& counting_of(const FactorGraph& graph, FactorId c) {
  const Counting* counting = graph.potential(c).stored().counting;
  if (counting == nullptr) {
    throw Error(ErrorCode::model, graph.describe(c), "the plan was made for a count",
                "make a new plan");
  }
  return *counting;
}

}  // namespace

Numbers::Numbers(const FactorGraph& graph, const Problem& problem)
    : graph_(graph), problem_(problem) {
  std::vector<std::uint32_t> newest(graph.num_potentials(), kNone);  // array of each potential
  const Source* last = nullptr;
  array_of_.reserve(problem.sources.size());
  for (const Source& source : problem.sources) {
    const bool unary = source.kind == Source::Kind::unary;
    const bool table = source.kind == Source::Kind::table &&
                       graph.potential(source.subject).stored().table != nullptr;
    if (unary || table) {
      array_of_.push_back(kBorrowed);
      continue;
    }
    const bool again =
        last != nullptr && last->kind == source.kind && last->subject == source.subject;
    last = &source;
    if (again) {  // the next position of the same machine
      array_of_.push_back(array_of_.back());
      continue;
    }
    std::uint32_t& first = newest[graph.potential_index(source.subject)];
    std::uint32_t at = first;
    while (at != kNone && !serves(arrays_[at], source)) at = arrays_[at].next;
    if (at == kNone) {
      at = static_cast<std::uint32_t>(arrays_.size());
      arrays_.push_back(described(source));
      arrays_.back().next = std::exchange(first, at);
      bytes_ += sizeof(Array) + sizeof(double) * arrays_.back().entries;
    }
    array_of_.push_back(at);
  }
}

// Whether an array of the same potential is that of this source too. Values by count depend on the
// arity alone, all else on the whole shape.
bool Numbers::serves(const Array& array, const Source& source) const {
  const auto one = graph_.scope(array.factor), other = graph_.scope(source.subject);
  if (array.kind != source.kind || one.size() != other.size()) return false;
  if (graph_.potential(source.subject).stored().counting != nullptr) return true;
  return std::ranges::equal(
      one, other, [&](VariableId u, VariableId v) { return graph_.states(u) == graph_.states(v); });
}

Numbers::Array Numbers::described(const Source& source) const {
  const FactorId c = source.subject;
  Array array{.kind = source.kind, .factor = c};
  switch (source.kind) {
    case Source::Kind::unary:
      break;
    case Source::Kind::table:
      array.entries = configurations(graph_.shape(c));
      break;
    case Source::Kind::count:
      counting_of(graph_, c);
      array.entries = graph_.arity(c) + 1;
      break;
    case Source::Kind::machine:
      array.entries = machine(c)->entries();
      break;
  }
  return array;
}

std::unique_ptr<Machine> Numbers::machine(FactorId c) const {
  return graph_.potential(c).machine(graph_.shape(c), problem_.reduction);
}

void Numbers::fill(Array& array) {
  auto& values = array.values;
  if (array.kind == Source::Kind::table) {
    array.from = tables_.values(graph_, array.factor).data();
    return;
  }
  if (array.kind == Source::Kind::count) {
    const Counting& counting = counting_of(graph_, array.factor);
    for (std::size_t k = 0; k < array.entries; ++k) values.push_back(counting.value(k));
  } else {
    values = machine(array.factor)->numbers();
  }
  array.from = values.data();
}

void Numbers::make(const Budget& budget) {
  tables_ = TableStore(budget.deadline());
  for (Array& array : arrays_) {
    budget.check_time();
    fill(array);
  }
  of_source_.reserve(array_of_.size());
  for (std::size_t s = 0; s < array_of_.size(); ++s) {
    const Source& source = problem_.sources[s];
    if (array_of_[s] != kBorrowed) {
      of_source_.push_back(arrays_[array_of_[s]].from);
    } else if (source.kind == Source::Kind::unary) {
      of_source_.push_back(graph_.unary(source.subject).data());
    } else {
      of_source_.push_back(graph_.potential(source.subject).stored().table->data());
    }
  }
}

}  // namespace fgnn::exact
