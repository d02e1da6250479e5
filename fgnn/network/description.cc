#include "fgnn/network/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/json_text.h"
#include "fgnn/io/read_text.h"

namespace fgnn::network {
namespace {

constexpr std::size_t kMostRepeats = 1000, kMostDepth = 16;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Item> all() {
    auto items = sequence(0);
    if (at_ < text_.size()) fail(fmt::format("'{}' was not expected", text_[at_]));
    return items;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::format, fmt::format("network, column {}", at_ + 1), what,
                "write items like FC(64) - 8*FGNN(64) - Out(2)");
  }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing", c));
  }

  std::string word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.' || text_[at_] == '+')) {
      ++at_;
    }
    if (at_ == begin) fail("a name or number is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::vector<Item> sequence(std::size_t depth) {
    if (depth > kMostDepth) fail("too many brackets inside each other");
    std::vector<Item> items;
    do {
      items.push_back(item(depth));
    } while (take('-'));
    return items;
  }

  Item item(std::size_t depth) {
    Item result;
    if (std::isdigit(static_cast<unsigned char>(peek()))) {
      const std::string number = word();
      result.times = 0;
      for (const char c : number) {
        if (!std::isdigit(static_cast<unsigned char>(c))) fail("a number of times is not a number");
        result.times = std::min<std::size_t>(result.times * 10 + (c - '0'), kMostRepeats + 1);
      }
      if (result.times < 1 || result.times > kMostRepeats)
        fail("a number of times is out of range");
      result.tied = take('@');
      if (!result.tied) expect('*');
    }
    peek();
    result.column = at_ + 1;
    if (peek() != '[') result.name = word();
    if (take('[')) {
      if (!result.name.empty() && result.name != "Res" && result.name != "Cat")
        fail("only Res and Cat take brackets");
      result.inside = sequence(depth + 1);
      expect(']');
      return result;
    }
    expect('(');
    if (take(')')) return result;
    do {
      std::string first = word();
      if (take('=')) {
        result.options[first] = word();
      } else {
        result.arguments.push_back(std::move(first));
      }
    } while (take(','));
    expect(')');
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string option_text(const nlohmann::json& value, const std::string& subject) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return value.dump();
  if (value.is_array()) {
    std::string joined;
    for (const auto& v : value) {
      if (v.is_array())
        throw Error(ErrorCode::format, subject, "has a list inside an option's list");
      if (!joined.empty()) joined += '+';
      joined += option_text(v, subject);
    }
    return joined;
  }
  throw Error(ErrorCode::format, subject, "has an option that is not text, a number or a list");
}

std::size_t whole(const nlohmann::json& object, const char* key, std::size_t otherwise,
                  const std::string& subject) {
  if (!object.contains(key)) return otherwise;
  const nlohmann::json& value = object[key];
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > (1u << 20)) {
    throw Error(ErrorCode::format, subject, fmt::format("{} is not a small whole number", key));
  }
  return value.get<std::size_t>();
}

Schema schema_of(const nlohmann::json& json, const std::string& subject) {
  if (!json.is_object()) throw Error(ErrorCode::format, subject, "schema is not an object");
  Schema schema;
  schema.variable_features = whole(json, "variable_features", 0, subject);
  schema.variables = whole(json, "variables", 0, subject);
  if (!json.contains("relations")) return schema;
  if (!json["relations"].is_array()) {
    throw Error(ErrorCode::format, subject, "schema.relations is not a list");
  }
  for (const auto& r : json["relations"]) {
    if (!r.is_object() || !r.contains("name") || !r["name"].is_string()) {
      throw Error(ErrorCode::format, subject, "a relation has no name");
    }
    schema.relations.push_back(
        {r["name"].get<std::string>(), whole(r, "factor_features", 0, subject),
         whole(r, "kinds", 1, subject), whole(r, "edge_features", 0, subject)});
  }
  return schema;
}

}  // namespace

std::vector<Item> parse_network(std::string_view text) { return Parser(text).all(); }

Description Description::parse(const std::string& text, const std::string& subject) {
  const nlohmann::json json = parse_json<nlohmann::json>(text, subject);
  if (!json.is_object() || !json.contains("network") || !json["network"].is_string()) {
    throw Error(ErrorCode::format, subject, "has no \"network\"",
                "give its layers as text: \"network\": \"FC(64) - 8*FGNN(64) - Out(2)\"");
  }
  Description d;
  d.network = json["network"].get<std::string>();
  for (const auto& [key, value] : json.items()) {
    if (key == "network") continue;
    if (key == "fgnn" && value.is_object()) {
      for (const auto& [option, v] : value.items()) d.defaults[option] = option_text(v, subject);
    } else if (key == "schema") {
      d.schema = schema_of(value, subject);
    } else {
      throw Error(ErrorCode::format, subject, fmt::format("has an unknown entry \"{}\"", key),
                  "network, fgnn and schema are known");
    }
  }
  return d;
}

std::string Description::json() const {
  nlohmann::json json{{"network", network}};
  if (!defaults.empty()) json["fgnn"] = defaults;
  nlohmann::json relations = nlohmann::json::array();
  for (const auto& r : schema.relations) {
    relations.push_back({{"name", r.name},
                         {"factor_features", r.factor_features},
                         {"kinds", r.kinds},
                         {"edge_features", r.edge_features}});
  }
  json["schema"] = {{"variable_features", schema.variable_features}, {"relations", relations}};
  if (schema.variables > 0) json["schema"]["variables"] = schema.variables;
  return json_line(json);
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
      {"fgnn", "ten layers of width 64, matrices by position in the scope, max and sum",
       R"json({"network": "10*FGNN(64) - Out(2)",
           "fgnn": {"q": "table", "aggregate": ["max", "sum"], "norm": "batch"}})json"},
      {"fgnn-8", "eight such layers with maximum alone: the benchmarks' network",
       R"json({"network": "8*FGNN(64) - Out(2)",
           "fgnn": {"q": "table", "aggregate": "max", "norm": "batch"}})json"},
      {"fgnn-8-sum",
       "the same with sums: FGNN-Sum of the paper's decoders, where fgnn-8 is FGNN-Max",
       R"json({"network": "8*FGNN(64) - Out(2)",
           "fgnn": {"q": "table", "aggregate": "sum", "norm": "batch"}})json"},
      {"fgnn-small",
       "six layers of width 32: quickly trained, to compare one condition with another",
       R"json({"network": "6*FGNN(32) - Out(2)",
           "fgnn": {"q": "table", "aggregate": ["max", "sum"], "norm": "batch"}})json"},
      {"decoder", "four small layers, for words of which other decoders have an opinion",
       R"json({"network": "4*FGNN(32) - Out(2)",
           "fgnn": {"q": "identity", "aggregate": ["max", "sum"], "norm": "batch"}})json"},
      {"paper", "the network of the paper's synthetic experiments (its appendix)",
       R"json({"network": "FGNN(64) - Res[FC(64) - FGNN(64) - FC(64)] - MLP(128) - Res[FC(64) - FGNN(64) - FC(128)] - FC(256) - Res[FC(256) - FGNN(64) - FC(256)] - FC(128) - Res[FC(128) - FGNN(64) - FC(128)] - FC(64) - Res[FC(64) - FGNN(64) - FC(64)] - FGNN(64) - Out(2)",
           "fgnn": {"q": "mixture", "bases": 16, "q_hidden": 64, "aggregate": "max", "norm": "batch",
                    "order": "together", "residual": "no"}})json"},
      {"message", "latents on messages, without the receiver's own, as in belief propagation",
       R"json({"network": "6*FGNN(32, form=message) - Out(2)",
           "fgnn": {"q": "table", "aggregate": "sum", "norm": "batch"}})json"},
      {"mpnn", "the paper's baseline: pairwise message passing, edge network, gated update",
       R"json({"network": "FC(64) - 5*MPNN(64) - FC(64) - Out(2)", "fgnn": {"norm": "batch"}})json"},
      {"pointnet", "PointNet: every variable alone, and the maximum over the graph",
       R"json({"network": "FC(64) - FC(64) - FC(128) - FC(256) - Global(max) - FC(256) - FC(128) - Out(2)",
           "fgnn": {"norm": "batch"}})json"},
      {"dgcnn", "DGCNN: maxima over the nearest variables in feature space",
       R"json({"network": "4*EdgeConv(64, k=8) - FC(128) - Global(max) - FC(256) - FC(128) - Out(2)",
           "fgnn": {"norm": "batch"}})json"},
  };
  return all;
}

Description describe(const std::string& network) {
  std::vector<std::string> names;
  for (const auto& p : presets()) {
    if (p.name == network) return Description::parse(p.json, "preset " + p.name);
    names.push_back(p.name);
  }
  if (network.find('(') != std::string::npos && !file_exists(network)) {
    Description written = describe("fgnn");
    written.network = network;
    return written;
  }
  if (network.find('.') == std::string::npos && network.find('/') == std::string::npos) {
    throw Error(ErrorCode::usage, network, "is neither a preset nor a file nor layers",
                fmt::format("presets: {}", fmt::join(names, ", ")));
  }
  return Description::parse(read_text(network), network);
}

}  // namespace fgnn::network
