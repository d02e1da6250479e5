// The clusters of a join graph and their messages (fgnn/infer/join_graph.h).
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/minibucket/model.h"
#include "fgnn/infer/minibucket/scheme.h"

namespace fgnn::minibucket {

class Clusters {
 public:
  Clusters(const Scheme& scheme, const std::vector<Function>& functions, const Budget& budget);
  static std::uint64_t bytes(const Scheme& scheme);

  // Messages along the order and back; false when the time was over on the way.
  bool propagate(double damping, const Deadline& deadline);
  double change() const { return change_; }            // largest of a message in the last pass
  bool contradicted() const { return contradicted_; }  // a cluster has no allowed joint state
  double log_partition();                              // without what is in no function
  std::vector<double> marginals();                     // by place and state, flat

 private:
  struct Arc {
    std::uint32_t early, late;  // clusters
    std::vector<Place> scope;
    std::vector<double> up, down;  // from early to late, and back
  };

  std::uint64_t work(std::uint32_t cluster) const;
  void join(std::uint32_t cluster);  // its belief, into joint_
  void send(std::uint32_t cluster, Arc& arc, double damping);
  std::vector<double> projected(std::uint32_t cluster, const std::vector<Place>& scope) const;

  const Scheme& scheme_;
  std::vector<std::vector<double>> own_;  // psi by cluster
  std::vector<Arc> arcs_;
  std::vector<std::vector<std::uint32_t>> at_;  // arcs by cluster
  std::vector<double> joint_;
  double change_ = 0;
  bool contradicted_ = false;
};

}  // namespace fgnn::minibucket
