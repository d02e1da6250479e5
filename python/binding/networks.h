// Graphs for networks, and networks, as Python holds them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"
#include "python/binding/arrays.h"

namespace fgnn::python {

// Copies of a structure with their features, and what a network must take that runs on them.
struct Graphs {
  network::Batch batch;
  network::Schema schema;
};
using SharedGraphs = std::shared_ptr<Graphs>;
using SharedModel = std::shared_ptr<network::Model>;

// From JSON, a preset's name, a file, or the text of layers.
network::Description description_of(const std::string& text);

// The shape of the output rows of a network: copies first where all are alike.
Lengths output_shape(const network::Program& program, const network::Batch& batch);

// Throws Error(usage) naming the relation in which they differ.
void check_schema(const network::Schema& takes, const network::Schema& given);

}  // namespace fgnn::python
