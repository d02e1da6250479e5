// The points of two pictures matched.
#include "fgnn/cli/match.h"

#include <fmt/format.h>

#include <memory>

#include "fgnn/report/json.h"
#include "fgnn/cli/options.h"
#include "fgnn/report/text_table.h"
#include "fgnn/report/text.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/matching/drawing.h"
#include "fgnn/experiments/matching/matcher.h"
#include "fgnn/experiments/matching/pairs.h"
#include "fgnn/experiments/matching/point_list.h"
#include "fgnn/experiments/matching/vgg.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/files.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/read_text.h"

namespace fgnn::cli {
namespace {

using namespace matching;

struct Options {
  std::string first, second, data, vgg, method = "fgnn:matching", protocol = "intersection";
  std::vector<std::string> lists;
  std::string svg, graph;
  ProblemOptions problem = ProblemOptions::full();
  SolverOptions solver;
  OutputOptions output;
};

struct Sides {
  DrawnSide first, second;
  std::optional<std::vector<std::int32_t>> partner;
};

// The picture of an object, where the folder has one.
std::string picture_of(const std::filesystem::path& folder, const KeypointData& data,
                       const KeypointObject& object) {
  for (const char* side : {"a", "b"}) {
    const auto file = folder / "pictures" /
                      fmt::format("{}_{}_{}_{}.jpg", data.table().classes[object.of_class], side,
                                  object.image, object.number);
    if (file_exists(file)) return read_text(file);
  }
  return {};
}

Sides of_data(const Options& o) {
  const auto data = std::make_shared<const KeypointData>(o.data);
  const ObjectPair pair{data->table().find(o.first), data->table().find(o.second)};
  Rng random(o.solver.seed);
  PointPair points = PairSource(data, {}, protocol(o.protocol)).points(pair, random);
  const auto& objects = data->objects();
  return {{std::move(points.first), o.first, picture_of(o.data, *data, objects[pair.first])},
          {std::move(points.second), o.second, picture_of(o.data, *data, objects[pair.second])},
          std::move(points.partner)};
}

// The list of points of a picture: as given, or the file of the picture's name with .tsv.
std::string list_of(const Options& o, int side) {
  if (!o.lists.empty()) return o.lists.at(static_cast<std::size_t>(side));
  return std::filesystem::path(side == 0 ? o.first : o.second).replace_extension(".tsv").string();
}

DrawnSide of_picture(const std::string& file, const std::string& list_file, const Vgg19* vgg,
                     int threads) {
  DrawnSide side{{}, file, read_text(file)};
  const RgbPicture picture = parse_rgb_picture(side.picture, file);
  if (!side.picture.starts_with("\xff\xd8") && !side.picture.starts_with("\x89PNG")) {
    side.picture.clear();  // browsers do not show it
  }
  const PointList list = read_point_list(list_file);
  const auto w = static_cast<double>(picture.width), h = static_cast<double>(picture.height);
  side.points.names = list.names;
  for (std::size_t i = 0; i < list.pixels.size(); ++i) {
    const Point p = list.pixels[i];
    if (p.x < 0 || p.y < 0 || p.x > w || p.y > h) {
      throw Error(ErrorCode::usage, fmt::format("{}: point '{}'", list_file, list.names[i]),
                  fmt::format("lies outside of the picture, which has {} x {} pixels",
                              picture.width, picture.height));
    }
    side.points.at.push_back({2 * p.x / w - 1, 2 * p.y / h - 1});
  }
  if (vgg != nullptr) {
    side.points.features = vgg->describe(picture, {0, 0, w, h}, side.points.at, threads);
  }
  return side;
}

Sides of_pictures(const Options& o, int threads) {
  if (!o.lists.empty() && o.lists.size() != 2) {
    throw Error(ErrorCode::usage, "--points", "needs two files, with a comma between");
  }
  std::unique_ptr<const Vgg19> vgg;
  if (!o.vgg.empty()) vgg = std::make_unique<const Vgg19>(o.vgg);
  return {of_picture(o.first, list_of(o, 0), vgg.get(), threads),
          of_picture(o.second, list_of(o, 1), vgg.get(), threads),
          {}};
}

std::string point_name(const PointSet& set, std::int32_t i) {
  if (i == kNobody) return "-";
  return set.names.empty() ? std::to_string(i) : set.names[static_cast<std::size_t>(i)];
}

Json json_of(const Sides& s, const MatchResult& r, const std::string& method) {
  Json list = Json::array();
  double right = 0, wanted = 0;
  for (std::size_t i = 0; i < r.matching.partner.size(); ++i) {
    const auto j = r.matching.partner[i];
    Json match{{"first", point_name(s.first.points, static_cast<std::int32_t>(i))},
               {"second", j == kNobody ? Json() : Json(point_name(s.second.points, j))},
               {"probability", r.matching.probability[i]}};
    if (s.partner) {
      match["right"] = (*s.partner)[i] == j;
      wanted += (*s.partner)[i] != kNobody;
      right += (*s.partner)[i] != kNobody && (*s.partner)[i] == j;
    }
    list.push_back(std::move(match));
  }
  Json json{{"method", method}, {"matches", std::move(list)}, {"seconds", r.seconds}};
  if (s.partner) json["accuracy"] = wanted > 0 ? right / wanted : 0;
  if (!r.status.empty()) {
    json["status"] = r.status;
    json["score"] = r.score;
    json["bound"] = r.bound;
  }
  return json;
}

std::string text_of(const Sides& s, const MatchResult& r, const std::string& method) {
  std::vector<TextTable::Column> columns{
      {"first", Align::left}, {"second", Align::left}, {"probability", Align::right}};
  if (s.partner) columns.push_back({"", Align::left});
  TextTable table(columns);
  std::size_t right = 0;
  for (std::size_t i = 0; i < r.matching.partner.size(); ++i) {
    const auto j = r.matching.partner[i];
    std::vector<std::string> row{point_name(s.first.points, static_cast<std::int32_t>(i)),
                                 point_name(s.second.points, j),
                                 fmt::format("{:.3f}", r.matching.probability[i])};
    if (s.partner) {
      row.push_back((*s.partner)[i] == j ? "right" : "wrong");
      right += (*s.partner)[i] == j;
    }
    table.add(row);
  }
  Summary summary;
  summary.add("method", method);
  if (!r.status.empty()) {
    summary.add("status", r.status);
    summary.add("score", fmt::format("{:.9g}", r.score));
    if (r.bound < kInfinity) summary.add("bound", fmt::format("{:.9g}", r.bound));
  }
  if (s.partner) summary.add("right", fmt::format("{} of {}", right, r.matching.partner.size()));
  summary.add("time", seconds_text(r.seconds));
  return table.text() + "\n" + summary.text();
}

void run(Options& o) {
  const int threads = o.solver.threads > 0 ? o.solver.threads : default_threads();
  const Sides sides = o.data.empty() ? of_pictures(o, threads) : of_data(o);
  if (sides.first.points.features.empty()) o.problem.feature = 0;
  if (!o.graph.empty()) {
    write_graph(make_problem(sides.first.points, sides.second.points, o.problem).graph, o.graph);
  }
  const Matcher matcher(o.method, o.problem, o.solver.get());
  if (matcher.learned() && matcher.scores()->feature_width() > 0 &&
      sides.first.points.features.empty()) {
    throw Error(ErrorCode::usage, o.method, "needs descriptions of the points",
                "name the weights of VGG19: --vgg FILE");
  }
  const MatchResult result = matcher(sides.first.points, sides.second.points);
  if (!o.svg.empty()) {
    write_file(o.svg, [&](std::ostream& out) {
      out << drawing(sides.first, sides.second, result.matching, sides.partner);
    });
  }
  o.output.deliver(o.output.json ? json_text(json_of(sides, result, o.method))
                                 : text_of(sides, result, o.method));
}

constexpr const char* kPrints =
    R"(A and B are two objects of a folder of keypoints (--data; IMAGE:OBJECT), or two pictures (JPEG, PNG,
PPM) with lists of points: tables with the columns name, x, y beside the pictures, of the same name
with .tsv, or given by --points. Prints the partner of every point of A, how sure the method is, and
for objects of a folder whether it is right.
Methods: fgnn:NAME or fgnn:FILE is a trained network, which needs descriptions of the points: those
of the folder, or VGG19's by --vgg. hungarian takes descriptions and positions point by point;
exact, max-product, ad3, ad3-exact, mplp, … solve a factor graph with terms for pairs of points too
(--feature, --position, --edge and --sigma weigh them), which --graph writes to a file.
--json prints method, matches (first, second, probability, right), seconds, accuracy, and of MAP
methods status, score and bound.)";

}  // namespace

void add_match(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "match", "Match the points of two pictures", kPrints,
                  {"fgnn match cat.jpg other.jpg --vgg vgg19.safetensors --svg matches.svg",
                   "fgnn match 2008_000123:1 2009_004567:1 --data voc --method ad3 --json"});
  command->add_option("A", options->first, "An object or a picture")->required()->type_name("");
  command->add_option("B", options->second, "Another")->required()->type_name("");
  command->add_option("--data", options->data, "Folder of keypoints and features")
      ->type_name("DIR");
  command
      ->add_option("--protocol", options->protocol,
                   "Which keypoints of objects: intersection, inclusion, unfiltered")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--points", options->lists, "Lists of the points of A and B")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILE,FILE");
  command->add_option("--vgg", options->vgg, "Weights of VGG19, to describe points of pictures")
      ->type_name("FILE");
  command->add_option("--method", options->method, "How to match")
      ->type_name("METHOD")
      ->capture_default_str();
  auto& p = options->problem;
  const auto weight = [&](const char* name, double& value, const char* what) {
    command->add_option(name, value, what)->type_name("W")->capture_default_str();
  };
  weight("--feature", p.feature, "Weight of the descriptions' cosine in the factor graph");
  weight("--position", p.position, "Weight of squared distances of positions");
  weight("--edge", p.edge, "Weight of the terms of pairs; 0: none");
  weight("--sigma", p.sigma, "Width of the terms of pairs");
  command->add_option("--neighbours", p.neighbours, "Nearest points that pairs join; 0: all")
      ->type_name("K")
      ->capture_default_str();
  command->add_option("--graph", options->graph, "Write the factor graph")->type_name("FILE");
  command->add_option("--svg", options->svg, "Draw both with lines between matches")
      ->type_name("FILE");
  options->solver.declare_limits(*command);
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
