#include "fgnn/experiments/molecules/picture.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fgnn::molecules {
namespace {

constexpr double kScale = 60, kMargin = 45, kRadius = 13, kSquare = 9;  // pixels

struct Spot {
  double x = 0, y = 0;
};

// In pixels, along the two directions in which the atoms spread most.
std::vector<Spot> flattened(const MoleculeView& m) {
  const auto n = static_cast<Eigen::Index>(m.atoms());
  Eigen::MatrixXd p(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < 3; ++k) p(i, k) = static_cast<double>(m.places[i][k]);
  }
  p.rowwise() -= p.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(p.transpose() * p);
  const Eigen::MatrixXd flat = p * axes.eigenvectors().rightCols<2>();
  std::vector<Spot> spots;
  const double left = flat.col(1).minCoeff(), top = flat.col(0).minCoeff();
  for (Eigen::Index i = 0; i < n; ++i) {
    spots.push_back(
        {kMargin + kScale * (flat(i, 1) - left), kMargin + kScale * (flat(i, 0) - top)});
  }
  return spots;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return out;
}

const char* colour(std::uint8_t z) {
  switch (z) {
    case 1:
      return "#e8e8e8";
    case 6:
      return "#9aa0a6";
    case 7:
      return "#8ab4f8";
    case 8:
      return "#f28b82";
    case 9:
      return "#81c995";
    default:
      return "#fdd663";
  }
}

std::string line(Spot a, Spot b, double shift, const char* style) {
  const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
  const double dx = -(b.y - a.y) / length * shift, dy = (b.x - a.x) / length * shift;
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                     a.x + dx, a.y + dy, b.x + dx, b.y + dy, style);
}

}  // namespace

std::string molecule_svg(const MoleculeView& m, const std::string& title) {
  const auto spots = flattened(m);
  double width = 0, height = 0;
  for (const Spot& s : spots) {
    width = std::max(width, s.x + kMargin);
    height = std::max(height, s.y + kMargin);
  }
  height += 20;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height, escaped(title));
  std::vector<std::vector<std::size_t>> near(m.atoms());
  for (const Bond& b : m.bonds) {
    near[b.first].push_back(b.second);
    near[b.second].push_back(b.first);
  }
  for (const Bond& b : m.bonds) {
    for (int k = 0; k < b.order; ++k) {
      svg += line(spots[b.first], spots[b.second], 4.0 * (k - (b.order - 1) / 2.0),
                  "stroke=\"#444\" stroke-width=\"2\"");
    }
  }
  // A factor stands beside its atom, so that its line to the atom is seen too.
  std::string squares;
  for (std::size_t c = 0; c < m.atoms(); ++c) {
    if (near[c].size() < 2) continue;
    const Spot at{spots[c].x + 1.6 * kRadius, spots[c].y - 1.6 * kRadius};
    auto members = near[c];
    members.push_back(c);
    for (const std::size_t i : members) {
      svg += line(at, spots[i], 0, "stroke=\"#c58af9\" stroke-width=\"1\" opacity=\"0.7\"");
    }
    squares += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#a142f4\"><title>factor "
        "of {} {} atoms</title></rect>\n",
        at.x - kSquare / 2, at.y - kSquare / 2, kSquare, kSquare, symbol(m.elements[c]),
        members.size());
  }
  for (std::size_t i = 0; i < m.atoms(); ++i) {
    svg += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2}\" fill=\"{3}\" stroke=\"#444\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{4:.1f}\" text-anchor=\"middle\">{5}</text>\n",
        spots[i].x, spots[i].y, kRadius, colour(m.elements[i]), spots[i].y + 4.5,
        symbol(m.elements[i]));
  }
  return svg + squares +
         fmt::format("<text x=\"{}\" y=\"{:.0f}\">{}</text>\n</svg>\n", 10, height - 8,
                     escaped(title));
}

}  // namespace fgnn::molecules
