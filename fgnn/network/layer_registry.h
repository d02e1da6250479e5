// Layers of your own, by name in the text of a network: after
//
//   add_layer("Square", [](LayerCall& call) {
//     const int x = call.variables;
//     …                                     // write operations by call.writer
//   });
//
// "2*FGNN(16) - Square() - Out(2)" is a network, can be trained, and is saved by its text: a
// program that loads it must have added the layer too. examples/09_custom_layer.cc is one. A step
// that no operation does is an operation of your own (operation.h), handed to Writer::push_own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fgnn/network/writer.h"

namespace fgnn::network {

// What a layer sees when it is written into a program. Registers are numbers; -1: none.
struct LayerCall {
  Writer& writer;                              // registers, parameters, operations, fail()
  std::string name;                            // begins the names of its parameters
  std::vector<std::string> arguments;          // "32" of Mine(32, norm=none)
  std::map<std::string, std::string> options;  // norm: none
  int& variables;                              // rows of variables; to be replaced
  int& graph;                                  // the row of the graph, after Pool
  std::vector<int>& factors;                   // by relation
};

using Layer = std::function<void(LayerCall&)>;

// Throws Error(usage) when there is a layer of that name, ours or one added before. From any
// thread.
void add_layer(const std::string& name, Layer layer);

// Null when nobody added it.
const Layer* find_layer(const std::string& name);
std::vector<std::string> added_layers();
// Those that the library itself has.
const std::vector<std::string>& own_layers();

}  // namespace fgnn::network
