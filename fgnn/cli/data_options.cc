#include "fgnn/cli/data_options.h"

#include <fmt/format.h>

#include "fgnn/cli/options.h"

namespace fgnn::cli {
namespace {

using experiments::Option;

void restrict(CLI::Option& declared, const Option& option) {
  const bool by_place = !option.name.starts_with("-");
  declared.type_name(option.value);
  if (option.required) declared.required();
  if (!option.fallback.empty()) declared.default_str(option.fallback);
  if (!option.choices.empty()) declared.check(CLI::IsMember(option.choices));
  if (option.kind == Option::Kind::positive) declared.check(positive());
  if (option.kind == Option::Kind::whole) declared.check(not_negative());
  if (option.kind == Option::Kind::number) declared.check(CLI::Number);
  if (option.kind == Option::Kind::list) {
    if (!by_place) declared.delimiter(',')->allow_extra_args(false);
  } else {
    declared.expected(1)->allow_extra_args(false);
  }
}

}  // namespace

void DataOptions::declare(CLI::App& command, const std::vector<Option>& options,
                          const std::string& whose) {
  for (const Option& option : options) {
    const std::string help =
        whose.empty() ? option.help : fmt::format("{}: {}", whose, option.help);
    auto& known = declared_[option.name];
    if (known != nullptr) {
      known->option->description(fmt::format("{}; {}", known->option->get_description(), help));
      continue;
    }
    known = std::make_unique<Declared>();
    if (option.kind == Option::Kind::flag) {
      known->flag = true;
      known->option = command.add_flag(option.name, help);
    } else {
      known->option = command.add_option(option.name, known->values, help);
      restrict(*known->option, option);
    }
    if (!option.fallback.empty()) fallbacks_[option.name] = option.fallback;
  }
}

experiments::Arguments DataOptions::get() const {
  experiments::Arguments arguments;
  arguments.fallbacks = fallbacks_;
  for (const auto& [name, declared] : declared_) {
    if (declared->option->count() == 0) continue;
    arguments.given[name] = declared->flag ? std::vector<std::string>{"yes"} : declared->values;
  }
  return arguments;
}

}  // namespace fgnn::cli
