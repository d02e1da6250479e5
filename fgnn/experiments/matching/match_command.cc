// fgnn match: the points of two pictures matched.
#include <fmt/format.h>

#include <memory>

#include "fgnn/core/error.h"
#include "fgnn/experiments/matching/commands.h"
#include "fgnn/experiments/matching/drawing.h"
#include "fgnn/experiments/matching/matcher.h"
#include "fgnn/experiments/matching/pairs.h"
#include "fgnn/experiments/matching/point_list.h"
#include "fgnn/experiments/matching/vgg.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/files.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/read_text.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::matching {
namespace {

using experiments::Arguments;
using Kind = experiments::Option::Kind;

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

Sides of_data(const Arguments& given, const std::string& folder) {
  const std::string first = given.text("A"), second = given.text("B");
  const auto data = std::make_shared<const KeypointData>(folder);
  const ObjectPair pair{data->table().find(first), data->table().find(second)};
  Rng random(given.seed);
  PointPair points =
      PairSource(data, {}, from_word<Protocol>(given.text("--protocol"))).points(pair, random);
  const auto& objects = data->objects();
  return {{std::move(points.first), first, picture_of(folder, *data, objects[pair.first])},
          {std::move(points.second), second, picture_of(folder, *data, objects[pair.second])},
          std::move(points.partner)};
}

bool is_picture(const std::string& name) {
  for (const char* ending : {".jpg", ".jpeg", ".png", ".ppm", ".JPG", ".JPEG", ".PNG", ".PPM"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
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

Sides of_pictures(const Arguments& given) {
  const std::string first = given.text("A"), second = given.text("B");
  auto lists = given.list("--points");
  if (lists.empty()) {
    for (const auto& picture : {first, second}) {
      lists.push_back(std::filesystem::path(picture).replace_extension(".tsv").string());
    }
  }
  if (lists.size() != 2) {
    throw Error(ErrorCode::usage, "--points", "needs two files, with a comma between");
  }
  std::unique_ptr<const Vgg19> vgg;
  if (given.has("--vgg")) vgg = std::make_unique<const Vgg19>(given.text("--vgg"));
  return {of_picture(first, lists[0], vgg.get(), given.threads),
          of_picture(second, lists[1], vgg.get(), given.threads),
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

ProblemOptions problem_of(const Arguments& given, bool described) {
  ProblemOptions o;
  o.feature = described ? given.number("--feature") : 0;
  o.position = given.number("--position");
  o.edge = given.number("--edge");
  o.sigma = given.number("--sigma");
  o.neighbours = given.whole("--neighbours");
  return o;
}

experiments::Output run(const Arguments& given) {
  const Sides sides =
      is_picture(given.text("A"))
          ? of_pictures(given)
          : of_data(given,
                    experiments::find_data(keypoints_source(), given.text("--data"), "fgnn match"));
  const PointSet &first = sides.first.points, &second = sides.second.points;
  const ProblemOptions problem = problem_of(given, !first.features.empty());
  if (given.has("--graph")) {
    write_graph(make_problem(first, second, problem).graph, given.text("--graph"));
  }
  const std::string method = given.text("--method");
  MethodOptions common;
  common.threads = given.threads;
  common.seed = given.seed;
  if (given.has("--time-limit")) common.time_limit = given.number("--time-limit");
  const Matcher matcher(method, problem, common);
  if (matcher.learned() && matcher.scores()->feature_width() > 0 && first.features.empty()) {
    throw Error(ErrorCode::usage, method, "needs descriptions of the points",
                "name the weights of VGG19: --vgg FILE");
  }
  const MatchResult result = matcher(first, second);
  if (given.has("--svg")) {
    write_file(given.text("--svg"), [&](std::ostream& out) {
      out << drawing(sides.first, sides.second, result.matching, sides.partner);
    });
  }
  if (given.json) return {"", json_text(json_of(sides, result, method))};
  return {text_of(sides, result, method), ""};
}

constexpr const char* kHelp =
    R"(A and B are two objects of a folder of keypoints (IMAGE:OBJECT), or two pictures (.jpg, .png, .ppm)
with lists of points: tables with the columns name, x, y beside the pictures, of the same name with
.tsv, or given by --points. Prints the partner of every point of A, how sure the method is, and for
objects of a folder whether it is right.
Methods: fgnn:NAME or fgnn:FILE is a trained network, which needs descriptions of the points: those
of the folder, or VGG19's by --vgg. hungarian takes descriptions and positions point by point;
exact, max-product, ad3, ad3-exact, mplp, … solve a factor graph with terms for pairs of points too
(--feature, --position, --edge and --sigma weigh them), which --graph writes to a file.
--json prints method, matches (first, second, probability, right), seconds, accuracy, and of MAP
methods status, score and bound.)";

}  // namespace

experiments::Command match_command() {
  return {
      .name = "match",
      .summary = "Match the points of two pictures",
      .help = kHelp,
      .examples = {"fgnn match cat.jpg other.jpg --vgg vgg19.safetensors --svg matches.svg",
                   "fgnn match 2009_003635:1 2010_004404:1 --data voc --method ad3 --json"},
      .options = {{.name = "A", .help = "An object or a picture", .required = true},
                  {.name = "B", .help = "Another", .required = true},
                  experiments::data_option(keypoints_source()),
                  {"--protocol", "NAME",
                   "Which keypoints of objects: intersection, inclusion, unfiltered", Kind::text,
                   "intersection"},
                  {"--points", "FILE,FILE", "Lists of the points of A and B", Kind::list},
                  {"--vgg", "FILE", "Weights of VGG19, to describe points of pictures"},
                  {"--method", "METHOD", "How to match", Kind::text, "fgnn:matching"},
                  {"--feature", "W", "Weight of the descriptions' cosine in the factor graph",
                   Kind::number, "4"},
                  {"--position", "W", "Weight of squared distances of positions", Kind::number,
                   "1"},
                  {"--edge", "W", "Weight of the terms of pairs; 0: none", Kind::number, "1"},
                  {"--sigma", "W", "Width of the terms of pairs", Kind::positive, "0.5"},
                  {"--neighbours", "K", "Nearest points that pairs join; 0: all", Kind::whole, "0"},
                  {"--time-limit", "SECONDS", "Of a MAP method", Kind::positive},
                  {"--graph", "FILE", "Write the factor graph"},
                  {"--svg", "FILE", "Draw both, with lines between matches"}},
      .run = run,
      .threads = true};
}

}  // namespace fgnn::matching
