#include "fgnn/infer/exact/numbers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/exact/counter.h"
#include "fgnn/infer/expand_in_time.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn::exact {
namespace {

[[noreturn]] void refuse(const FactorGraph& graph, FactorId c, const char* why) {
  throw Error(ErrorCode::model, graph.describe(c), why, "make a new plan");
}

template <class Kind>
const Kind& expect(const FactorGraph& graph, FactorId c, const char* why) {
  const auto* potential = dynamic_cast<const Kind*>(&graph.potential(c));
  if (potential == nullptr) refuse(graph, c, why);
  return *potential;
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
                       dynamic_cast<const Table*>(&graph.potential(source.subject));
    if (unary || table) {
      array_of_.push_back(kBorrowed);
      continue;
    }
    const bool again =
        last != nullptr && last->kind == source.kind && last->subject == source.subject;
    last = &source;
    if (again) {  // the next position of the same counter
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
  const bool by_shape =
      source.kind == Source::Kind::table ||
      dynamic_cast<const AllDifferent*>(&graph_.potential(source.subject)) != nullptr;
  return !by_shape || std::ranges::equal(one, other, [&](VariableId u, VariableId v) {
    return graph_.states(u) == graph_.states(v);
  });
}

Numbers::Array Numbers::described(const Source& source) const {
  const FactorId c = source.subject;
  Array array{source.kind, c, 0, {}, kNone};
  switch (source.kind) {
    case Source::Kind::unary:
      break;
    case Source::Kind::table:
      array.entries = configurations(graph_.shape(c));
      break;
    case Source::Kind::count:
      expect<Count>(graph_, c, "the plan was made for a count");
      array.entries = graph_.arity(c) + 1;
      break;
    case Source::Kind::parity:
      expect<Parity>(graph_, c, "the plan was made for a parity check");
      array.entries = graph_.arity(c) + 1;
      break;
    case Source::Kind::automaton:
      array.entries = automaton(graph_.potential(c), graph_.shape(c))->entries();
      break;
    case Source::Kind::star: {
      const auto shape = graph_.shape(c);
      const auto states = std::accumulate(shape.begin(), shape.end(), std::uint64_t{1});
      array.entries = star_size(graph_.potential(c)) * states;
      break;
    }
  }
  return array;
}

void Numbers::fill(Array& array, const Deadline& deadline) const {
  const Potential& potential = graph_.potential(array.factor);
  auto& values = array.values;
  switch (array.kind) {
    case Source::Kind::unary:
      break;
    case Source::Kind::table:
      values = expand_in_time(graph_, array.factor, deadline).values();
      break;
    case Source::Kind::count: {
      const auto& count = dynamic_cast<const Count&>(potential);
      values.resize(array.entries);
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = count.value(k);
      break;
    }
    case Source::Kind::parity: {
      const bool odd = dynamic_cast<const Parity&>(potential).odd();
      values.resize(array.entries);
      for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = (k % 2 == 1) == odd ? 0.0 : kForbidden;
      }
      break;
    }
    case Source::Kind::automaton:
      values = automaton(potential, graph_.shape(array.factor))->numbers();
      break;
    case Source::Kind::star:
      values = star_numbers(potential);
      break;
  }
}

void Numbers::make(const Budget& budget) {
  for (Array& array : arrays_) {
    budget.check_time();
    fill(array, budget.deadline());
  }
  of_source_.reserve(array_of_.size());
  for (std::size_t s = 0; s < array_of_.size(); ++s) {
    const Source& source = problem_.sources[s];
    if (array_of_[s] != kBorrowed) {
      of_source_.push_back(arrays_[array_of_[s]].values.data());
    } else if (source.kind == Source::Kind::unary) {
      of_source_.push_back(graph_.unary(source.subject).data());
    } else {
      of_source_.push_back(
          dynamic_cast<const Table&>(graph_.potential(source.subject)).values().data());
    }
  }
}

}  // namespace fgnn::exact
