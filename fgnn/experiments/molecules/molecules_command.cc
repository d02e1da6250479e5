// fgnn molecules: files of molecules looked at.
#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/experiments/molecules/commands.h"
#include "fgnn/experiments/molecules/molecule_file.h"
#include "fgnn/experiments/molecules/picture.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::molecules {
namespace {

experiments::Output info(const experiments::Arguments& given) {
  const auto set = read_molecules(given.text("FILE"), {}, given.threads);
  const Census all = census(set);
  std::string elements, heavy;
  Json by_element = Json::object(), by_heavy = Json::object();
  for (std::size_t z = 0; z < std::size(all.of_element); ++z) {
    if (all.of_element[z] == 0) continue;
    const std::string element(symbol(static_cast<std::uint8_t>(z)));
    elements += fmt::format("{}{} {}", elements.empty() ? "" : ", ", element, all.of_element[z]);
    by_element[element] = all.of_element[z];
  }
  for (std::size_t n = 0; n < std::size(all.by_heavy); ++n) {
    if (all.by_heavy[n] == 0) continue;
    heavy += fmt::format("{}{}: {}", heavy.empty() ? "" : ", ", n, all.by_heavy[n]);
    by_heavy[std::to_string(n)] = all.by_heavy[n];
  }
  const auto number = [](std::size_t n) { return count_text(static_cast<double>(n)); };
  Summary summary;
  summary.add("molecules", number(all.molecules));
  summary.add("atoms", fmt::format("{}, at most {} in a molecule", number(all.atoms), all.largest));
  summary.add("elements", elements);
  summary.add("heavy atoms", heavy);
  summary.add("bonds", fmt::format("{} single, {} double, {} triple", number(all.of_order[1]),
                                   number(all.of_order[2]), number(all.of_order[3])));
  summary.add("bond orders", fmt::format("found for {}, not for {}", number(all.solved),
                                         number(all.molecules - all.solved)));
  summary.add("targets", set.has_targets() ? "all twelve" : "none");
  return {summary.text(), json_text({{"molecules", all.molecules},
                                     {"atoms", all.atoms},
                                     {"largest", all.largest},
                                     {"elements", by_element},
                                     {"heavy_atoms", by_heavy},
                                     {"single", all.of_order[1]},
                                     {"double", all.of_order[2]},
                                     {"triple", all.of_order[3]},
                                     {"solved", all.solved},
                                     {"targets", set.has_targets()}})};
}

experiments::Output show(const experiments::Arguments& given) {
  const std::string file = given.text("FILE"), name = given.text("--name");
  const auto set = read_molecules(file, {}, given.threads);
  for (std::size_t m = 0; m < set.size(); ++m) {
    if (!name.empty() && set.name(m) != name) continue;
    return {molecule_svg(set[m], fmt::format("{} {}", set.name(m), formula(set[m].elements))), ""};
  }
  throw Error(ErrorCode::usage, file, fmt::format("has no molecule '{}'", name),
              "names are those of the file: QM9's are numbers");
}

}  // namespace

std::vector<experiments::Command> molecules_commands() {
  const experiments::Option file{.name = "FILE", .help = "The molecules", .required = true};
  return {{.name = "molecules",
           .summary = "Look at files of molecules",
           .help = "Files are .xyz, .sdf, .mol, .smi, QM9's .safetensors, or folders as QM9 and "
                   "Alchemy are given\nout (docs/molecules.md).",
           .examples = {"fgnn molecules info qm9.safetensors"},
           .options = {},
           .run = {}},
          {.name = "molecules info",
           .summary = "How many molecules, atoms and bonds",
           .help = "Prints the numbers of molecules, of atoms by element, and of the bonds that "
                   "their places give.",
           .examples = {"fgnn molecules info qm9.safetensors --json"},
           .options = {file},
           .run = info},
          {.name = "molecules show",
           .summary = "A molecule and its factors as a picture",
           .help = "Prints an SVG drawing: atoms, bonds by their order, and the factors that join "
                   "an atom and its\nneighbours.",
           .examples = {"fgnn molecules show qm9.safetensors --name 271 --out molecule.svg"},
           .options = {file, {"--name", "NAME", "The molecule's name; default the first"}},
           .run = show,
           .json = false,
           .out = true}};
}

}  // namespace fgnn::molecules
