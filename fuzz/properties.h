// What must hold for every input of a reader, however broken: it throws nothing but an Error of one
// line, and what was read survives being written and read again. The fuzzers look for inputs that
// break this; a test runs the same checks on the corpus.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/experiments/graphfile/graph_lines.h"
#include "fgnn/experiments/handwriting/letter_pictures.h"
#include "fgnn/experiments/handwriting/letters.h"
#include "fgnn/experiments/matching/keypoints.h"
#include "fgnn/experiments/matching/tracks.h"
#include "fgnn/experiments/molecules/bonds.h"
#include "fgnn/experiments/molecules/sdf.h"
#include "fgnn/experiments/molecules/target_table.h"
#include "fgnn/experiments/molecules/xyz.h"
#include "fgnn/experiments/motion/bvh.h"
#include "fgnn/experiments/motion/frames.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/alist.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/libdai.h"
#include "fgnn/io/qc.h"
#include "fgnn/io/safetensors.h"
#include "fgnn/io/uai.h"
#include "fgnn/io/uai_answers.h"
#include "fgnn/network/builder.h"

namespace fgnn::fuzzing {

// Small, so that an input costs microseconds.
inline constexpr ReadLimits kLimits{
    .variables = 1 << 12, .states = 1 << 14, .implied = 1 << 12, .implied_per_byte = 1};
// Tables up to this many entries in all are also written as tables.
inline constexpr std::uint64_t kMostEntries = 4096;

inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

// Runs the action; an Error must be of one line and, when a code is asked for, about the file.
template <class Action>
bool succeeds(bool about_file, Action&& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    const std::string line = error.what();
    require(!line.empty() && line.find('\n') == std::string::npos, "not one line: " + line);
    const bool fitting = error.code() == ErrorCode::format || error.code() == ErrorCode::too_large;
    require(!about_file || (fitting && error.subject().starts_with("file:")),
            "wrong code: " + line);
    return false;
  }
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  }
  return true;
}

inline std::optional<double> score(const FactorGraph& graph, std::uint32_t seed) {
  std::vector<State> x;
  for (State states : graph.states()) {
    seed = seed * 1664525u + (seed ? 1013904223u : 0u);  // seed 0: all in state 0
    x.push_back((seed >> 8) % states);
  }
  std::optional<double> result;
  succeeds(false, [&] { result = graph.score(x); });  // a low-rank sum may be negative
  return result;
}

inline void require_equal(const FactorGraph& a, const FactorGraph& b) {
  require(a.same_structure(b), "structure");
  require(same_bits(a.unaries(), b.unaries()), "unaries");
  require(a.constant() == b.constant(), "constant");
  for (VariableId v = 0; v < a.num_variables(); ++v) require(a.name(v) == b.name(v), "names");
  for (FactorId c = 0; c < a.num_factors(); ++c) {
    require(a.potential(c).equals(b.potential(c)), "potentials");
    require(c == 0 || (a.potential_index(c) == a.potential_index(c - 1)) ==
                          (b.potential_index(c) == b.potential_index(c - 1)),
            "sharing");
  }
  for (std::uint32_t seed : {0u, 1u, 2u}) {
    const auto before = score(a, seed), after = score(b, seed);
    require(before.has_value() == after.has_value(), "score throws");
    require(!before || same_bits(std::span(&*before, 1), std::span(&*after, 1)), "score");
  }
}

template <class Read>
FactorGraph read_text(const std::string& text, Read read) {
  std::istringstream in(text);
  return read(in, "file", ReadLimits{});
}

inline void check_round_trips(const FactorGraph& graph) {
  std::ostringstream text;
  write_fgt(text, graph);
  require_equal(graph, read_text(text.str(), read_fgt));

  std::uint64_t entries = graph.total_states();
  for (FactorId c = 0; c < graph.num_factors() && entries <= kMostEntries; ++c) {
    const std::uint64_t more = configurations(graph.shape(c));
    entries += std::min(more, kMostEntries + 1);
  }
  if (entries > kMostEntries) return;
  // The formats of tables may refuse; what they write must be readable.
  std::ostringstream uai, fg;
  if (succeeds(false, [&] { write_uai(uai, graph); })) {
    require(read_text(uai.str(), read_uai).num_variables() == graph.num_variables(), "uai");
  }
  if (succeeds(false, [&] { write_fg(fg, graph); })) {
    require(read_text(fg.str(), read_fg).num_variables() == graph.num_variables(), "fg");
  }
}

template <class Read>
void check_graph(std::string_view bytes, Read read) {
  std::istringstream in{std::string(bytes)};
  FactorGraph graph;
  if (succeeds(true, [&] { graph = read(in, "file", kLimits); })) check_round_trips(graph);
}

inline void check_uai(std::string_view bytes) { check_graph(bytes, read_uai); }
inline void check_fg(std::string_view bytes) { check_graph(bytes, read_fg); }
inline void check_fgt(std::string_view bytes) { check_graph(bytes, read_fgt); }

inline void check_alist(std::string_view bytes) {
  std::istringstream in{std::string(bytes)};
  SparseParityMatrix matrix;
  if (!succeeds(true, [&] { matrix = read_alist(in, "file"); })) return;
  for (const bool padded : {false, true}) {
    if (padded && std::uint64_t{matrix.num_columns()} * matrix.num_rows() > 1 << 20) continue;
    std::ostringstream text;
    write_alist(text, matrix, padded);
    std::istringstream again(text.str());
    require(read_alist(again, "file") == matrix, "alist");
  }
  check_round_trips(parity_graph(matrix));
}

inline void check_qc(std::string_view bytes) {
  std::istringstream in{std::string(bytes)};
  BaseMatrix base;
  if (!succeeds(true, [&] { base = read_qc(in, "file", kLimits); })) return;
  std::ostringstream text;
  write_qc(text, base);
  std::istringstream again(text.str());
  require(read_qc(again, "file") == base, "qc");
  if (base.rows > 0 && base.columns > 0) {
    BaseMatrix blocks = base_matrix(expand(base), base.size);
    puncture(blocks, punctured_columns(base));
    require(blocks == base, "blocks");
  }
}

// Packed by gzip or not.
inline void check_letters(std::string_view bytes) {
  std::vector<handwriting::HandwrittenWord> words;
  std::string text;
  const bool whole = succeeds(false, [&] { text = unpacked(std::string(bytes), "file", 1 << 20); });
  if (!whole || !succeeds(true, [&] { words = handwriting::parse_letters(text, "file"); })) return;
  require(handwriting::parse_letters(handwriting::letters_text(words), "file") == words, "letters");
}

// Packed or not.
inline void check_keypoints(std::string_view bytes) {
  matching::KeypointTable table;
  std::string text;
  const bool whole = succeeds(false, [&] { text = unpacked(std::string(bytes), "file", 1 << 20); });
  if (!whole || !succeeds(true, [&] { table = matching::parse_keypoints(text, "file"); })) return;
  require(matching::parse_keypoints(table.text(), "file") == table, "keypoints");
}

inline void check_tracks(std::string_view text) {
  std::vector<std::vector<matching::Point>> frames;
  if (!succeeds(true, [&] { frames = matching::parse_tracks(text, "file"); })) return;
  for (const auto& frame : frames) require(frame.size() == frames[0].size(), "tracks");
}

inline void check_graphs(std::string_view text) {
  graphfile::GraphLines all;
  const auto read = [&] {
    std::istringstream in{std::string(text)};
    Budget budget("file: memory", 1 << 20);
    all = graphfile::read_graph_lines(in, "file", budget);
  };
  if (!succeeds(true, read)) return;
  for (const auto& line : all.lines) {
    const network::Batch& b = line.graph.batch;
    require(b.variable.size() == b.structure->variables() * all.schema.variable_features, "rows");
    require(b.relations.size() == all.schema.relations.size(), "relations");
    for (const auto& r : b.structure->relations()) {
      for (const auto kind : r.kind) require(kind < r.kinds, "kinds");
    }
    const std::size_t rows = all.of_graphs ? 1 : b.structure->variables();
    require(all.of_classes ? line.graph.classes.size() == rows
                           : line.graph.targets.size() == rows * all.outputs,
            "what is wanted");
  }
}

inline void check_frames(std::string_view text) {
  std::vector<motion::Frames> all;
  if (!succeeds(true, [&] { all = motion::parse_frames(text, "file"); })) return;
  for (const auto& f : all) {
    require(f.columns == all[0].columns && f.numbers.size() == f.size() * f.columns, "columns");
    if (f.size() == 0) continue;
    const std::string written = motion::frames_text(f);
    require(motion::frames_text(motion::parse_frames(written, "file")[0]) == written, "frames");
  }
}

inline void check_bvh(std::string_view text) {
  motion::Bvh bvh;
  if (!succeeds(true, [&] { bvh = motion::parse_bvh(text, "file"); })) return;
  const std::string written = motion::bvh_text(bvh);
  const motion::Bvh again = motion::parse_bvh(written, "file");
  require(again.channels == bvh.channels && again.skeleton.same_tree(bvh.skeleton), "hierarchy");
  require(motion::bvh_text(again) == written, "motion");
  if (bvh.numbers.size() > kMostEntries) return;
  require(motion::exponential_maps(bvh, 1).size() == bvh.frames, "frames");
}

inline void check_skeleton(std::string_view text) {
  motion::Skeleton skeleton;
  if (!succeeds(true, [&] { skeleton = motion::parse_skeleton(text, "file"); })) return;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    require(skeleton.joints[j].parent < static_cast<int>(j), "parents");
  }
}

inline void check_picture(std::string_view bytes) {
  handwriting::HandwrittenWord word;
  if (!succeeds(false, [&] { word = handwriting::parse_picture(bytes, "file"); })) return;
  require(!word.images.empty() && word.text.empty(), "picture");
}

inline void check_xyz(std::string_view bytes) {
  std::vector<molecules::Molecule> all;
  if (!succeeds(true, [&] { all = molecules::parse_xyz(bytes, "file"); })) return;
  require(molecules::parse_xyz(molecules::xyz_text(all), "file") == all, "xyz");
  for (const auto& m : all) {
    if (m.atoms() > 24) continue;
    for (const auto& b : molecules::perceive_bonds(m.elements, m.places).bonds) {
      require(b.first < b.second && b.second < m.atoms() && b.order <= 3, "bonds");
    }
  }
}

// Coordinates are written with four decimals.
inline void check_sdf(std::string_view bytes) {
  std::vector<molecules::Molecule> all;
  if (!succeeds(true, [&] { all = molecules::parse_sdf(bytes, "file"); })) return;
  const auto again = molecules::parse_sdf(molecules::sdf_text(all), "file");
  require(again.size() == all.size(), "molecules");
  for (std::size_t m = 0; m < all.size(); ++m) {
    require(again[m].elements == all[m].elements && again[m].bonds == all[m].bonds &&
                again[m].name == all[m].name,
            "sdf");
  }
}

inline void check_targets(std::string_view bytes) {
  molecules::TargetTable table;
  if (!succeeds(true, [&] { table = molecules::parse_target_table(bytes, "file"); })) return;
  require(table.ids.size() == table.rows.size() && table.row_of.size() == table.rows.size(),
          "rows");
  for (const auto& row : table.rows) require(row.size() == molecules::kTargets, "targets");
}

inline FactorGraph small_graph() {
  GraphBuilder builder;
  builder.variables("x", std::vector<State>{2, 3, 1, 11});
  return std::move(builder).build();
}

inline void check_evidence(std::string_view bytes) {
  static const FactorGraph graph = small_graph();
  std::istringstream in{std::string(bytes)};
  succeeds(true, [&] { (void)graph.given(read_evidence(in, "file", graph)); });
}

inline void check_answers(std::string_view bytes) {
  static const FactorGraph graph = small_graph();
  const std::string text(bytes);
  std::istringstream mar(text), map(text), pr(text);
  succeeds(true, [&] {
    const Marginals marginals = read_mar(mar, "file", graph);
    std::stringstream again;
    write_mar(again, marginals);
    require(same_bits(read_mar(again, "file", graph).values(), marginals.values()), "mar");
  });
  succeeds(true, [&] { (void)graph.score(read_map(map, "file", graph)); });
  succeeds(true, [&] {
    const double log_partition = read_pr(pr, "file");
    std::stringstream again;
    write_pr(again, log_partition);
    (void)read_pr(again, "file");
  });
}

inline void check_tensors(std::string_view bytes) {
  const auto parse = [](std::string_view text) {
    return parse_safetensors(std::as_bytes(std::span(text)), "file:");
  };
  TensorFile file;
  if (!succeeds(true, [&] { file = parse(bytes); })) return;
  for (const SavedTensor& tensor : file.tensors) {
    const bool real = tensor.dtype <= DType::f64;
    const std::size_t count = real ? as_doubles(tensor).size() : as_int64(tensor).size();
    require(static_cast<std::int64_t>(count) == tensor.count(), "count");
    require(count * size_of(tensor.dtype) == tensor.data.size(), "size");
    require(file.find(tensor.name) == &tensor, "name");
  }
  const std::string text = serialize_safetensors(file);
  const TensorFile again = parse(text);
  require(again.metadata == file.metadata && again.tensors == file.tensors, "round trip");
  require(serialize_safetensors(again) == text, "second round trip");
}

inline void check_safetensors(std::string_view bytes) {
  check_tensors(bytes);
  // Few mutations keep the length of the header right, so also with that of the input up to its
  // last brace.
  const std::size_t brace = bytes.rfind('}');
  if (brace == bytes.npos || brace < 8) return;
  const std::uint64_t length = brace + 1 - 8;
  std::string framed(bytes);
  std::memcpy(framed.data(), &length, sizeof length);
  check_tensors(framed);
}

// A network's description: from a user's file, or from the metadata of a model.
inline void check_network(std::string_view bytes) {
  succeeds(false, [&] {
    auto description = network::Description::parse(std::string(bytes), "file");
    if (description.schema.variable_features == 0) {
      description.schema = {2, {{"pair", 4, 2, 2}, {"budget", 9, 9, 9}}};
    }
    const network::Program program = network::build(description);
    const auto again = network::Description::parse(description.json(), "file");
    require(again.json() == description.json(), "description");
    require(network::build(again).parameters.size() == program.parameters.size(), "parameters");
  });
}

}  // namespace fgnn::fuzzing
