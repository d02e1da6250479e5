// Lists of methods with settings of their own, as text: infer/methods.h.
#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/infer/method_sources.h"
#include "fgnn/infer/methods.h"

namespace fgnn {
namespace {

// "damping=0.5"
void set_piece(MethodVariant& variant, std::string_view piece) {
  method_settings().set_piece(variant.options, piece, "max-product:damping=0.5,iterations=50");
  variant.method->check(variant.options);
}

// The settings of `common` that the method takes.
MethodOptions taken(const Method& method, const MethodOptions& common) {
  MethodOptions options = common;
  for (const MethodSetting& setting : method_settings()) {
    if (!method.takes(setting.name)) setting.clear(options);
  }
  return options;
}

}  // namespace

std::vector<MethodVariant> parse_variants(Query query, std::string_view text,
                                          const MethodOptions& common) {
  std::vector<MethodVariant> variants;
  for (const std::string& label : split_variants(text)) {
    const std::vector<std::string> pieces = split(label, ',');
    const std::string_view first = pieces.front();
    const std::size_t colon = first.find(':');
    const bool from_file = names_a_source(first);
    const Method& method = find_method(query, from_file ? first : first.substr(0, colon));
    variants.push_back({label, &method, taken(method, common)});
    if (colon != first.npos && !from_file) set_piece(variants.back(), first.substr(colon + 1));
    for (std::size_t i = 1; i < pieces.size(); ++i) set_piece(variants.back(), pieces[i]);
  }
  for (const MethodSetting& setting : method_settings()) {
    if (!setting.given(common)) continue;
    const bool used = std::ranges::any_of(
        variants, [&](const MethodVariant& v) { return v.method->takes(setting.name); });
    if (!used) {
      throw Error(ErrorCode::usage, fmt::format("--{}", setting.name),
                  "applies to none of the methods");
    }
  }
  return variants;
}

}  // namespace fgnn
