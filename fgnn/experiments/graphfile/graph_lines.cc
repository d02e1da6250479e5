#include "fgnn/experiments/graphfile/graph_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/experiments/graphfile/line_reader.h"
#include "fgnn/io/input_file.h"

namespace fgnn::graphfile {
namespace {

using network::Index;
using nlohmann::json;
using tasks::Stream;

constexpr std::size_t kMostKinds = 1 << 16;

// What the lines before have shown, which those after must keep to.
struct Known {
  GraphLines all;
  std::string wanted;                         // the key of what is wanted
  std::vector<bool> features, edge_features;  // by relation: whether widths are known
  bool first = true;
};

class Line {
 public:
  Line(const LineReader& in, Known& known) : in_(in), known_(known) {}

  LabelledLine read() {
    in_.check_keys(in_.line(), "has",
                   {"variables", "relations", "labels", "label", "targets", "target", "split"});
    read_variables();
    read_relations();
    read_wanted();
    read_split();
    result_.graph.batch.structure =
        std::make_shared<const network::Structure>(variables_, std::move(relations_));
    known_.first = false;
    return std::move(result_);
  }

 private:
  const json* find(const json& object, const char* key) const {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  void same_width(std::size_t& width, bool known, std::size_t have, const std::string& key) const {
    if (known && have != width) {
      in_.fail(
          fmt::format("{} has rows of {} numbers where lines before have {}", key, have, width));
    }
    width = have;
  }

  void read_variables() {
    const json* given = find(in_.line(), "variables");
    if (given == nullptr) in_.fail("has no \"variables\"", "write their features: [[1, 0], …]");
    Rows rows = in_.rows(*given, "variables");
    variables_ = rows.count;
    if (variables_ == 0 || rows.width == 0) {
      in_.fail("variables need at least one row and one number",
               "write [[1], [1]] for no features");
    }
    same_width(known_.all.schema.variable_features, !known_.first, rows.width, "variables");
    result_.graph.batch.variable = std::move(rows.values);
  }

  void read_relations() {
    const json* given = find(in_.line(), "relations");
    if (given != nullptr && !given->is_object()) in_.fail("relations is not an object");
    auto& schema = known_.all.schema.relations;
    if (known_.first && given != nullptr) {
      for (const auto& [name, value] : given->items()) schema.push_back({name, 0, 1, 0});
      known_.features.resize(schema.size());
      known_.edge_features.resize(schema.size());
    }
    std::vector<std::string> names;
    for (const auto& r : schema) names.push_back(r.name);
    if (given != nullptr) in_.check_keys(*given, "relations has", names);
    for (std::size_t r = 0; r < schema.size(); ++r) {
      relations_.emplace_back();
      result_.graph.batch.relations.emplace_back();
      const json* one = given == nullptr ? nullptr : find(*given, names[r].c_str());
      if (one != nullptr) read_relation(r, *one);
      // Whether edges have features of their own must be the same in all graphs.
      relations_[r].own_kinds = known_.edge_features[r];
      if (relations_[r].own_kinds) relations_[r].kinds = relations_[r].edges();
    }
  }

  void read_relation(std::size_t r, const json& given) {
    const auto& schema = known_.all.schema.relations[r];
    if (!given.is_object()) in_.fail(fmt::format("relation {} is not an object", schema.name));
    in_.check_keys(given, fmt::format("relation {} has", schema.name),
                   {"scopes", "kinds", "features", "edge_features"});
    const json* scopes = find(given, "scopes");
    if (scopes == nullptr) in_.fail(fmt::format("relation {} has no \"scopes\"", schema.name));
    read_scopes(r, *scopes, find(given, "kinds"));
    read_features(r, find(given, "features"));
    read_edge_features(r, find(given, "edge_features"));
  }

  // Without kinds an edge's kind is its place in the scope.
  void read_scopes(std::size_t r, const json& scopes, const json* kinds) {
    network::Relation& relation = relations_[r];
    auto& schema = known_.all.schema.relations[r];
    const std::string key = schema.name + ": scopes", kind_key = schema.name + ": kinds";
    if (kinds != nullptr && in_.list(*kinds, kind_key).size() != in_.list(scopes, key).size()) {
      in_.fail(kind_key + " needs a list for each scope");
    }
    std::vector<std::size_t> seen(variables_);
    for (const json& scope : in_.list(scopes, key)) {
      const std::size_t c = relation.factors++;
      const json* own = kinds == nullptr ? nullptr : &(*kinds)[c];
      if (own != nullptr && in_.list(*own, kind_key).size() != in_.list(scope, key).size()) {
        in_.fail(kind_key + " needs a number for each variable of a scope");
      }
      for (std::size_t j = 0; j < in_.list(scope, key).size(); ++j) {
        const Index v = in_.index(scope[j], key, variables_);
        if (seen[v] == c + 1) in_.fail(fmt::format("{} has variable {} twice in one", key, v));
        seen[v] = c + 1;
        const std::size_t kind = own == nullptr ? j : in_.index((*own)[j], kind_key, kMostKinds);
        relation.factor.push_back(static_cast<Index>(c));
        relation.variable.push_back(v);
        relation.kind.push_back(static_cast<Index>(kind));
        relation.kinds = std::max(relation.kinds, kind + 1);
      }
    }
    schema.kinds = std::max(schema.kinds, relation.kinds);
    if (schema.kinds > kMostKinds) in_.fail(key + " holds one that is too long");
  }

  // A list that may be absent where there are no factors.
  void read_features(std::size_t r, const json* given) {
    auto& schema = known_.all.schema.relations[r];
    const std::string key = schema.name + ": features";
    if (relations_[r].factors == 0) return;
    Rows rows = given == nullptr ? Rows{{}, relations_[r].factors, 0} : in_.rows(*given, key);
    if (rows.count != relations_[r].factors) {
      in_.fail(
          fmt::format("{} has {} rows for {} factors", key, rows.count, relations_[r].factors));
    }
    same_width(schema.factor_features, known_.features[r], rows.width, key);
    known_.features[r] = true;
    result_.graph.batch.relations[r].factor = std::move(rows.values);
  }

  void read_edge_features(std::size_t r, const json* given) {
    auto& schema = known_.all.schema.relations[r];
    const std::string key = schema.name + ": edge_features";
    network::Relation& relation = relations_[r];
    if (given == nullptr) {
      if (known_.edge_features[r] && relation.edges() > 0) in_.fail(key + " is missing");
      return;
    }
    if (!known_.first && !known_.edge_features[r]) in_.fail(key + " was not there in lines before");
    Rows rows = in_.rows(*given, key);
    if (rows.count != relation.edges()) {
      in_.fail(fmt::format("{} has {} rows for {} edges", key, rows.count, relation.edges()));
    }
    if (rows.count == 0 && known_.edge_features[r]) return;
    same_width(schema.edge_features, known_.edge_features[r], rows.width, key);
    known_.edge_features[r] = true;
    std::iota(relation.kind.begin(), relation.kind.end(), Index{0});
    schema.kinds = 1;
    result_.graph.batch.relations[r].edge = std::move(rows.values);
  }

  void read_wanted() {
    std::string key;
    for (const char* known : {"labels", "label", "targets", "target"}) {
      if (find(in_.line(), known) == nullptr) continue;
      if (!key.empty()) in_.fail(fmt::format("has both \"{}\" and \"{}\"", key, known));
      key = known;
    }
    if (key.empty()) in_.fail("says not what is wanted", "write labels, label, targets or target");
    if (known_.first) known_.wanted = key;
    if (key != known_.wanted) {
      in_.fail(fmt::format("has \"{}\" where lines before have \"{}\"", key, known_.wanted));
    }
    known_.all.of_graphs = key == "label" || key == "target";
    known_.all.of_classes = key == "labels" || key == "label";
    const json& value = in_.line()[key];
    if (known_.all.of_classes) {
      read_classes(key, value);
    } else {
      read_targets(key, value);
    }
  }

  void read_classes(const std::string& key, const json& value) {
    auto& classes = result_.graph.classes;
    if (known_.all.of_graphs) {
      classes.push_back(in_.label(value, key));
    } else {
      for (const json& each : in_.list(value, key)) classes.push_back(in_.label(each, key));
      if (classes.size() != variables_) {
        in_.fail(fmt::format("labels has {} for {} variables", classes.size(), variables_));
      }
    }
    for (const std::int64_t c : classes) {
      known_.all.outputs = std::max(known_.all.outputs, static_cast<std::size_t>(c + 1));
    }
  }

  void read_targets(const std::string& key, const json& value) {
    Rows rows;
    if (!known_.all.of_graphs) {
      rows = in_.rows(value, key);
    } else {
      rows.values =
          value.is_array() ? in_.numbers(value, key) : in_.numbers(json::array({value}), key);
      rows.count = 1;
      rows.width = rows.values.size();
    }
    const std::size_t want = known_.all.of_graphs ? 1 : variables_;
    if (rows.count != want || rows.width == 0) {
      in_.fail(fmt::format("{} has {} rows for {} variables", key, rows.count, variables_));
    }
    same_width(known_.all.outputs, !known_.first, rows.width, key);
    result_.graph.targets.assign(rows.values.begin(), rows.values.end());
  }

  void read_split() {
    const json* given = find(in_.line(), "split");
    if (given == nullptr) return;
    const std::map<std::string, Stream> words{
        {"train", Stream::train}, {"validation", Stream::validation}, {"test", Stream::test}};
    const auto found = given->is_string() ? words.find(given->get<std::string>()) : words.end();
    if (found == words.end()) in_.fail("split is not \"train\", \"validation\" or \"test\"");
    result_.split = found->second;
  }

  const LineReader& in_;
  Known& known_;
  std::size_t variables_ = 0;
  std::vector<network::Relation> relations_;
  LabelledLine result_;
};

std::uint64_t bytes_of(const LabelledLine& line) {
  const network::Batch& b = line.graph.batch;
  std::uint64_t numbers = b.variable.size() + line.graph.classes.size() + line.graph.targets.size();
  for (std::size_t r = 0; r < b.relations.size(); ++r) {
    // Edges are kept several times, as incidences.
    numbers += b.relations[r].factor.size() + b.relations[r].edge.size() +
               8 * b.structure->relations()[r].edges();
  }
  return sizeof(LabelledLine) + sizeof(network::Structure) + 8 * numbers;
}

}  // namespace

GraphLines read_graph_lines(const std::string& file, Budget& budget) {
  std::ifstream in = open_input(file);
  return read_graph_lines(in, file, budget);
}

GraphLines read_graph_lines(std::istream& in, const std::string& file, Budget& budget) {
  Known known;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    budget.check_time();
    if (text.find_first_not_of(" \t\r") == text.npos) continue;
    const LineReader reader(file, number, text);
    LabelledLine line = Line(reader, known).read();
    budget.take(bytes_of(line));
    known.all.lines.push_back(std::move(line));
  }
  if (known.all.lines.empty()) throw Error(ErrorCode::format, file + ":1", "holds no graph");
  return std::move(known.all);
}

}  // namespace fgnn::graphfile
