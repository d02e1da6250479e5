// One HTML page with everything in it: text, tables and drawings, no other files and no scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fgnn::report {

struct HtmlTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
  std::size_t left = 1;  // columns aligned to the left; the others are numbers
};

struct Section {
  std::string heading, text;
  HtmlTable table;
  std::vector<std::string> drawings;  // SVG
};

std::string escaped(std::string_view text);

std::string html_page(const std::string& title, const std::string& introduction,
                      const std::vector<Section>& sections);

}  // namespace fgnn::report
