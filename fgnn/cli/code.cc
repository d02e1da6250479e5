// fgnn code: parity-check matrices looked at, made and converted.
#include "fgnn/codes/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/codes/analyse.h"
#include "fgnn/codes/construct.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/words.h"
#include "fgnn/io/code_files.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

// ---- info ----

using Histogram = std::map<std::uint32_t, std::uint64_t>;

template <class List>
Histogram weights(std::uint32_t count, const List& list) {
  Histogram result;
  for (std::uint32_t i = 0; i < count; ++i) {
    ++result[static_cast<std::uint32_t>(list(i).size())];
  }
  return result;
}

// "3 (93), 4 (3)"
std::string histogram_text(const Histogram& histogram) {
  std::string text;
  for (const auto& [value, count] : histogram) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", value, count_text(double(count)));
  }
  return text.empty() ? "none" : text;
}

Json histogram_json(const Histogram& histogram) {
  Json object = Json::object();
  for (const auto& [value, count] : histogram) object[std::to_string(value)] = count;
  return object;
}

// "0-47, 50, 52": ranges of positions.
std::string positions_text(std::span<const std::uint32_t> positions) {
  std::string text;
  constexpr int kShown = 12;
  int shown = 0;
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t end = i + 1;
    while (end < positions.size() && positions[end] == positions[end - 1] + 1) ++end;
    if (++shown > kShown) return text + ", …";
    text += text.empty() ? "" : ", ";
    text += end - i == 1 ? fmt::format("{}", positions[i])
                         : fmt::format("{}-{}", positions[i], positions[end - 1]);
    i = end;
  }
  return text.empty() ? "none" : text;
}

constexpr std::uint32_t kLongestCycle = 8;  // counted

struct InfoOptions {
  std::string file;
  std::uint64_t seed = 0;
  LimitOptions limits;
  OutputOptions output;
};

CodeFile read_code(const std::string& file, const LimitOptions& limits) {
  const Deadline clock = limits.clock();
  return read_code(file, limits.reading(clock));
}

void show_info(const InfoOptions& options) {
  CodeFile read = read_code(options.file, options.limits);
  Budget budget = options.limits.budget("code info");
  budget.take(read.checks.bytes());
  const codes::Code code(options.file, std::move(read.checks), std::move(read.punctured), &budget);
  const SparseParityMatrix& m = code.checks;
  const codes::Encoder& encoder = code.encoder;
  const Histogram columns = weights(m.num_columns(), [&](std::uint32_t c) { return m.column(c); });
  const Histogram rows = weights(m.num_rows(), [&](std::uint32_t r) { return m.row(r); });
  const std::uint32_t girth = codes::girth(m, budget);
  const Histogram cycles = codes::short_cycles(m, girth, kLongestCycle, budget);
  const codes::LowWeightWords low = codes::low_weight_words(m, options.seed, budget);
  if (options.output.json) {
    return options.output.deliver(
        json_text({{"length", m.num_columns()},
                   {"sent", code.sent()},
                   {"checks", m.num_rows()},
                   {"ones", m.num_ones()},
                   {"rank", encoder.rank()},
                   {"dimension", encoder.dimension()},
                   {"rate", code.rate()},
                   {"column_weights", histogram_json(columns)},
                   {"row_weights", histogram_json(rows)},
                   {"information", std::vector<std::uint32_t>(encoder.information().begin(),
                                                              encoder.information().end())},
                   {"girth", girth},
                   {"cycles", histogram_json(cycles)},
                   {"least_weight_found", low.least},
                   {"low_weight_words", histogram_json(low.by_weight)}}));
  }
  Summary summary;
  summary.add("length", count_text(m.num_columns()));
  if (!code.punctured.empty()) {
    summary.add("  not sent", positions_text(code.punctured));
  }
  summary.add("checks",
              fmt::format("{}, {} of them independent", count_text(m.num_rows()), encoder.rank()));
  summary.add("message", fmt::format("{} bits, rate {:.4g}", encoder.dimension(), code.rate()));
  summary.add("  positions", positions_text(encoder.information()));
  summary.add("ones", count_text(double(m.num_ones())));
  summary.add("  per column", histogram_text(columns));
  summary.add("  per row", histogram_text(rows));
  summary.add("girth", girth == 0 ? "none: no cycles" : fmt::format("{}", girth));
  if (girth > 0) summary.add("  cycles", cycles.empty() ? "not counted" : histogram_text(cycles));
  summary.add("lightest words", low.least == 0
                                    ? "not searched"
                                    : histogram_text(low.by_weight) + "; distance at most " +
                                          std::to_string(low.least));
  options.output.deliver(summary.text());
}

void add_code_info(CLI::App& code) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = add_command(
      code, "info", "What a code is like",
      "Prints length, rank and dimension, where the message stands in a word (counted from 0), "
      "the\n"
      "weights of columns and rows with how often each occurs, the girth of the graph, numbers of\n"
      "short cycles by length, and numbers of words of low weight by weight, as a search with\n"
      "random bases finds them: the least is an upper bound of the minimum distance.",
      {"fgnn code info 96.3.963.alist", "fgnn code info wimax.qc --json | jq .rank"});
  command->add_option("FILE", options->file, "The code: .alist, .qc, or a graph of parity checks")
      ->required()
      ->type_name("");
  command->add_option("--seed", options->seed, "Seed of the search for light words")
      ->check(not_negative())
      ->type_name("N");
  options->limits.declare(*command);
  options->output.declare_json(*command);
  command->callback([options] { show_info(*options); });
}

// ---- make ----

struct MakeOptions {
  std::string kind, out = "-";
  std::uint32_t length = 0, checks = 0, column_weight = 3, row_weight = 6, girth = 0;
  std::uint64_t seed = 0;
};

void make_code(const MakeOptions& o) {
  if (o.kind == "peg") {
    const std::uint32_t checks = o.checks > 0 ? o.checks : o.length / 2;
    return write_code(
        codes::progressive_edge_growth({o.length, checks, o.column_weight, o.seed, o.girth}),
        o.out);
  }
  if (o.kind == "regular") {
    return write_code(codes::random_regular({o.length, o.column_weight, o.row_weight, o.seed}),
                      o.out);
  }
  refuse_word(o.kind, "a construction", std::vector<std::string>{"peg", "regular"});
}

void add_code_make(CLI::App& code) {
  auto o = std::make_shared<MakeOptions>();
  CLI::App* command = add_command(
      code, "make", "A new code from a seed",
      "Writes a parity-check matrix. peg: progressive edge growth, few short cycles. regular: a\n"
      "random matrix with the same weight in all columns and in all rows. Same seed, same code.",
      {"fgnn code make peg --length 96 --checks 48 --out peg.alist",
       "fgnn code make regular --length 100000 --column-weight 3 --row-weight 6 --out big.alist"});
  const auto number = [&](const char* flag, auto& value, const char* what) {
    command->add_option(flag, value, what)->check(not_negative())->type_name("N");
  };
  command->add_option("KIND", o->kind, "peg or regular")->required()->type_name("");
  number("--length", o->length, "Columns: bits of a word");
  command->get_option("--length")->required();
  number("--checks", o->checks, "peg: rows; half the length");
  number("--column-weight", o->column_weight, "Ones per column; 3");
  number("--row-weight", o->row_weight, "regular: ones per row; 6");
  number("--girth", o->girth, "peg: do not look for longer cycles; 0: as long as they can be");
  number("--seed", o->seed, "Seed of the code");
  command->add_option("--out", o->out, "The file to write; by its ending .alist or a graph")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([o] { make_code(*o); });
}

// ---- convert ----

struct ConvertOptions {
  std::string in, out, ones;
  LimitOptions limits;
  bool paper = false, unpadded = false;
  std::uint32_t block_size = 0;
};

// "31:79,45:93"
std::vector<codes::Entry> parse_entries(const std::string& text) {
  std::vector<codes::Entry> entries;
  for (const std::string& piece : split(text, ',')) {
    const std::vector<std::string> parts = split(piece, ':');
    if (parts.size() != 2) {
      throw Error(ErrorCode::usage, fmt::format("--set {}", piece), "is not ROW:COLUMN",
                  "write for example --set 31:79,45:93");
    }
    entries.push_back({parse_number<std::uint32_t>(parts[0], "a row"),
                       parse_number<std::uint32_t>(parts[1], "a column")});
  }
  return entries;
}

void convert_code(const ConvertOptions& o) {
  auto [matrix, punctured] = read_code(o.in, o.limits);
  if (o.paper) matrix = codes::with_ones(matrix, codes::kPaperOnes);
  if (!o.ones.empty()) matrix = codes::with_ones(matrix, parse_entries(o.ones));
  write_code(
      matrix, o.out,
      {.padded = !o.unpadded, .block_size = o.block_size, .punctured = std::move(punctured)});
}

void add_code_convert(CLI::App& code) {
  auto o = std::make_shared<ConvertOptions>();
  CLI::App* command = add_command(
      code, "convert", "A code in another format, or with further ones",
      "Prints nothing. .qc files are expanded when read and need --block-size when written, and\n"
      "they alone say which columns are not sent (punctured); --set\n"
      "adds ones at rows and columns counted from 0. --paper is --set 31:79,45:93,47:84, which "
      "makes\n"
      "the matrix of rank 48 from MacKay's 96.3.963 (rank 46) with which the paper encodes.",
      {"fgnn code convert wimax.qc wimax.alist",
       "fgnn code convert 96.3.963.alist A2.alist --set 31:79,45:93,47:84"});
  command->add_option("FILE", o->in, "The code")->required()->type_name("");
  command->add_option("OUT", o->out, "The file to write; '-' is standard output, as .alist")
      ->required()
      ->type_name("");
  command->add_option("--set", o->ones, "Ones to add, counted from 0")->type_name("ROW:COLUMN,…");
  command->add_flag("--paper", o->paper, "The ones that the paper's encoder adds to 96.3.963");
  o->limits.declare(*command);
  command->add_flag("--unpadded", o->unpadded, "No zeros after short lists of an .alist");
  command->add_option("--block-size", o->block_size, "Size of the blocks of a .qc file")
      ->check(positive())
      ->type_name("Z");
  command->callback([o] { convert_code(*o); });
}

}  // namespace

void add_code(CLI::App& app) {
  CLI::App* code =
      add_command(app, "code", "Look at, make and convert parity-check matrices",
                  "Files end in .alist (MacKay's lists) or .qc (shifts of blocks); error rates are "
                  "for fgnn ber.",
                  {"fgnn code info 96.3.963.alist"});
  code->require_subcommand(1);
  add_code_info(*code);
  add_code_make(*code);
  add_code_convert(*code);
}

}  // namespace fgnn::cli
