#include "fgnn/experiments/motion/graphs.h"

namespace fgnn::motion {
namespace {

void add_factor(const Body& body, std::span<const std::size_t> limbs, network::Relation& r) {
  for (const std::size_t l : limbs) {
    const Limb& limb = body.limbs()[l];
    for (std::size_t n = limb.first; n < limb.first + limb.count; ++n) {
      r.factor.push_back(static_cast<network::Index>(r.factors));
      r.variable.push_back(static_cast<network::Index>(n));
      r.kind.push_back(static_cast<network::Index>(r.kind.size()));
    }
  }
  ++r.factors;
  r.kinds = r.kind.size();
}

std::vector<network::Relation> relations_of(const Body& body) {
  std::vector<network::Relation> relations(2);
  for (std::size_t l = 0; l < body.limbs().size(); ++l) add_factor(body, {&l, 1}, relations[0]);
  for (const auto& pair : body.adjacent()) add_factor(body, pair, relations[1]);
  return relations;
}

}  // namespace

network::Schema schema_of(const Body& body, std::size_t coefficients) {
  const auto relations = relations_of(body);
  network::Schema schema{coefficients, {}, body.nodes()};
  schema.relations.push_back({"joint", 0, relations[0].kinds, 0});
  schema.relations.push_back({"pair", 0, relations[1].kinds, 0});
  return schema;
}

std::shared_ptr<const network::Structure> structure_of(const Body& body) {
  return std::make_shared<const network::Structure>(body.nodes(), relations_of(body));
}

}  // namespace fgnn::motion
