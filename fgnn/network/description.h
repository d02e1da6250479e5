// A network written down: the paper's notation, with what every layer has in common beside it.
//
//   {
//     "network": "FC(64) - 8*FGNN(64) - Out(2)",
//     "fgnn": {"q": "table", "aggregate": ["max", "sum"], "norm": "batch"}
//   }
//
// In the text, items follow one another by "-":
//   FC(w)        a fully connected layer on variables and on factors (MLP(w) is the same)
//   FGNN(w)      one layer of message passing (builder.h)
//   Res[...]     what is inside, plus its input;  Cat[...]: beside its input
//   n*X          X n times, each with its own weights;  n@X: n times with the same weights
//   Out(k)       the last linear map
//   Pool(a)      from variables to graphs, by an aggregator
//   Set2Set(t)   the same by attention: t steps of an LSTM, twice the width (Vinyals et al. 2016)
//   Global(a)    each variable also gets the aggregate of its graph (PointNet)
//   MPNN(w)      pairwise message passing: an edge network and a gated recurrent update
//   Pairs(w)     messages along arcs, whose matrix is diagonal or a mixture (Zhang and Lee 2019)
//   GraphConv(w) a trained matrix between the variables of graphs of one size (Mao et al. 2019)
//   Factors(w)   factors get w numbers from their variables, by a linear map for each kind of edge
//   Unit()       rows of length 1;  Times(s): times a trained number, which is s at the start
//   EdgeConv(w, k=8)   maximum over the k nearest variables in feature space (DGCNN)
//   Image(h, w)  the variables' features are an image, for the convolutions that follow
//   Conv(c, size=3, pool=1)   a convolution to c channels, then the largest of pool x pool pixels
//   Dropout(p, rows=no)       zeros with probability p in training, of numbers or of whole rows
//   Chain(k)     the last layer of a chain of variables with k states: their log-potentials, and
//                the table of pairs
//   SumProduct(t, ranks=…), MaxProduct(t, terms=…, …)   t iterations of belief propagation
//                (propagation.h)
// Options of one item stand after its width: FGNN(64, q=mixture, aggregate=max+sum).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/network/program.h"

namespace fgnn::network {

// An item of the text: a name with a width or word and options, or a group of items.
struct Item {
  std::string name;  // "" for a plain group
  std::vector<std::string> arguments;
  std::map<std::string, std::string> options;
  std::vector<Item> inside;
  std::size_t times = 1;
  bool tied = false;       // the same weights every time
  std::size_t column = 0;  // in the text, from 1
};

// Throws Error(format) with the column of what cannot be read.
std::vector<Item> parse_network(std::string_view text);

struct Description {
  std::string network;
  std::map<std::string, std::string> defaults;  // of FGNN layers
  Schema schema;

  // From JSON text (comments allowed) or one of the presets by name. The schema may be absent: it
  // is the task's to give.
  static Description parse(const std::string& json, const std::string& subject);
  std::string json() const;
};

struct Preset {
  std::string name, description, json;
};
const std::vector<Preset>& presets();

// The description of a preset, of a file, or of a network's own text, with the options of the
// preset `fgnn`.
Description describe(const std::string& network);

}  // namespace fgnn::network
