// fgnn molecules: files of molecules looked at.
#include <fmt/format.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/molecules/molecule_file.h"
#include "fgnn/experiments/molecules/picture.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string file, name;
  OutputOptions output;
};

molecules::MoleculeSet read(const Options& o) {
  return molecules::read_molecules(o.file, {}, default_threads());
}

void show_info(const Options& o) {
  const auto set = read(o);
  const auto all = molecules::census(set);
  std::string elements, heavy;
  Json by_element = Json::object(), by_heavy = Json::object();
  for (std::size_t z = 0; z < std::size(all.of_element); ++z) {
    if (all.of_element[z] == 0) continue;
    const auto symbol = molecules::symbol(static_cast<std::uint8_t>(z));
    elements += fmt::format("{}{} {}", elements.empty() ? "" : ", ", symbol, all.of_element[z]);
    by_element[std::string(symbol)] = all.of_element[z];
  }
  for (std::size_t n = 0; n < std::size(all.by_heavy); ++n) {
    if (all.by_heavy[n] == 0) continue;
    heavy += fmt::format("{}{}: {}", heavy.empty() ? "" : ", ", n, all.by_heavy[n]);
    by_heavy[std::to_string(n)] = all.by_heavy[n];
  }
  if (o.output.json) {
    return o.output.deliver(json_text({{"molecules", all.molecules},
                                       {"atoms", all.atoms},
                                       {"largest", all.largest},
                                       {"elements", by_element},
                                       {"heavy_atoms", by_heavy},
                                       {"single", all.of_order[1]},
                                       {"double", all.of_order[2]},
                                       {"triple", all.of_order[3]},
                                       {"solved", all.solved},
                                       {"targets", set.has_targets()}}));
  }
  Summary summary;
  summary.add("molecules", count_text(double(all.molecules)));
  summary.add("atoms", fmt::format("{}, at most {} in a molecule", count_text(double(all.atoms)),
                                   all.largest));
  summary.add("elements", elements);
  summary.add("heavy atoms", heavy);
  summary.add("bonds", fmt::format("{} single, {} double, {} triple",
                                   count_text(double(all.of_order[1])),
                                   count_text(double(all.of_order[2])),
                                   count_text(double(all.of_order[3]))));
  summary.add("bond orders", fmt::format("found for {}, not for {}",
                                         count_text(double(all.solved)),
                                         count_text(double(all.molecules - all.solved))));
  summary.add("targets", set.has_targets() ? "all twelve" : "none");
  o.output.deliver(summary.text());
}

void show_molecule(const Options& o) {
  const auto set = read(o);
  for (std::size_t m = 0; m < set.size(); ++m) {
    if (!o.name.empty() && set.name(m) != o.name) continue;
    const auto view = set[m];
    return o.output.deliver(molecules::molecule_svg(
        view, fmt::format("{} {}", set.name(m), molecules::formula(view.elements))));
  }
  throw Error(ErrorCode::usage, o.file, fmt::format("has no molecule '{}'", o.name),
              "names are those of the file: QM9's are numbers");
}

}  // namespace

void add_molecules(CLI::App& app) {
  CLI::App* molecules = add_command(
      app, "molecules", "Look at files of molecules",
      "Files are .xyz, .sdf, .mol, .smi, QM9's .safetensors, or folders as QM9 and Alchemy are "
      "given out\n(docs/molecules.md).",
      {"fgnn molecules info qm9.safetensors"});
  molecules->require_subcommand(1);
  const auto add = [&](const char* name, const char* description, const char* prints,
                       const char* example, void (*show)(const Options&)) {
    auto options = std::make_shared<Options>();
    CLI::App* command = add_command(*molecules, name, description, prints, {example});
    command->add_option("FILE", options->file, "The molecules")->required()->type_name("");
    command->callback([options, show] { show(*options); });
    return std::pair(command, options);
  };
  const auto [info, info_options] =
      add("info", "How many molecules, atoms and bonds",
          "Prints the numbers of molecules, of atoms by element, and of the bonds that their "
          "places give.",
          "fgnn molecules info qm9.safetensors --json", show_info);
  info_options->output.declare_json(*info);
  const auto [show, show_options] =
      add("show", "A molecule and its factors as a picture",
          "Prints an SVG drawing: atoms, bonds by their order, and the factors that join an atom "
          "and its\nneighbours.",
          "fgnn molecules show qm9.safetensors --name 271 --out molecule.svg", show_molecule);
  show->add_option("--name", show_options->name, "The molecule's name; default the first")
      ->type_name("NAME");
  show->add_option("--out", show_options->output.file, "The file to write; default standard output")
      ->type_name("FILE");
}

}  // namespace fgnn::cli
