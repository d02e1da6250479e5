// A molecule as the graph that a network sees. Atoms are the variables.
//
//   "pair"    every two atoms (or, on the sparse graph, every bond): order of the bond as one of
//             three, and their distance: what the MPNN reads
//   "atom"    a factor at every atom, over the atom and its bonded neighbours; the kind of an edge
//             says which factors share weights (Zhang et al. 2023, section 5.5):
//               CAT    central atom              5 kinds
//               BT     bond, or the centre       4
//               CABT   both                      20
//               CABTA  and the neighbour         80
//   "bond"    (form=positions) two factors per bond, one each way, whose numbers the network makes
//             of the places of its two atoms
//   "angle"   (form=invariant) the factors of "atom" again, with numbers on every edge: kind as
//             above, distance from the centre, and cosines of the angles at the centre to the other
//             neighbours (least, mean, greatest)
//
// Forms: `paper` has the eleven features of atom_features.h; `positions` also coordinates, so that
// what a network says depends on how the molecule is turned; `invariant` has distances in Gaussians
// and the squared distance from the middle, and coordinates that only Pool(…, moments=k) reads,
// which takes lengths of sums of them: turning and moving a molecule changes nothing.
#pragma once

#include <string>

#include "fgnn/experiments/molecules/molecule_set.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/program.h"

namespace fgnn::molecules {

enum class Form { paper, positions, invariant };
enum class Sharing { cat, bt, cabt, cabta };
enum class Pairs { complete, sparse, sparse_without_distance };

struct GraphOptions {
  Form form = Form::paper;
  Sharing sharing = Sharing::cabt;
  Pairs pairs = Pairs::complete;
};

// By their names in settings; throw Error(usage) about the key.
Form form_of(const std::string& text);
Sharing sharing_of(const std::string& text);
Pairs pairs_of(const std::string& text);
std::string name(Form form);
std::string name(Sharing sharing);
std::string name(Pairs pairs);

network::Schema schema(const GraphOptions& options);

// Throws Error(usage) for an element that networks do not know.
network::Batch graph(const MoleculeView& molecule, const GraphOptions& options);

}  // namespace fgnn::molecules
