// The numbers behind the sources of a problem, taken from a graph: borrowed where the graph has
// them as they are read (unaries, tables), otherwise made, once for all factors that share a
// potential.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fgnn/infer/exact/problem.h"
#include "fgnn/infer/table_store.h"

namespace fgnn::exact {

class Numbers {
 public:
  // Finds out what has to be made. Throws Error(model) when a factor is of another kind than the
  // one that the problem was made for. Graph and problem must outlive this.
  Numbers(const FactorGraph& graph, const Problem& problem);

  // Memory of what make() makes.
  std::uint64_t bytes() const { return bytes_; }
  void make(const Budget& budget);

  // By source; after make().
  const std::vector<const double*>& of_source() const { return of_source_; }
  double at(std::uint32_t source, std::size_t place) const { return of_source_[source][place]; }

 private:
  static constexpr std::uint32_t kBorrowed = ~0u, kNone = ~0u;
  struct Array {
    Source::Kind kind;
    FactorId factor;
    std::uint64_t entries = 0;
    std::vector<double> values = {};  // unless they are in tables_
    const double* from = nullptr;
    std::uint32_t next = kNone;  // another array of the same potential, for another shape or kind
  };

  bool serves(const Array& array, const Source& source) const;
  Array described(const Source& source) const;
  std::unique_ptr<Machine> machine(FactorId c) const;
  void fill(Array& array);

  const FactorGraph& graph_;
  const Problem& problem_;
  TableStore tables_;
  std::vector<Array> arrays_;
  std::vector<std::uint32_t> array_of_;  // by source; kBorrowed: none
  std::vector<const double*> of_source_;
  std::uint64_t bytes_ = 0;
};

}  // namespace fgnn::exact
