// Options of a command as data, and what the user gave for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fgnn/core/control.h"

namespace fgnn::experiments {

struct Option {
  enum class Kind {
    text,
    list,      // texts separated by commas, or an argument that may come several times
    number,    // any finite number
    positive,  // a number above 0
    whole,     // a whole number from 0
    flag       // there or not
  };

  std::string name;   // "--rank"; without dashes an argument by its place, such as "FILE"
  std::string value;  // what the help calls it: "N", "FILE", "DIR"
  std::string help;
  Kind kind = Kind::text;
  std::string fallback = {};  // shown in the help; the value where none is given
  bool required = false;
  std::vector<std::string> choices = {};  // empty: any
  std::string setting = {};               // options of training: short for --task SETTING=VALUE
};

class Arguments {
 public:
  // What was given for an option or argument, by its name; a flag has one text.
  std::map<std::string, std::vector<std::string>> given;
  std::map<std::string, std::string> fallbacks;  // of the options that have one
  int threads = 1;                               // never 0
  std::uint64_t seed = 0;
  std::size_t rows = 0;  // of a table to print at most; 0: all
  bool json = false;     // what is printed will be the JSON
  Control control;       // who looks on, and may ask to stop

  bool has(const std::string& name) const { return given.contains(name); }
  // The text given, else the fallback, else nothing.
  std::string text(const std::string& name) const;
  std::vector<std::string> list(const std::string& name) const;
  // Of options that were given or have a fallback. Throw Error(usage) naming the option.
  std::uint64_t whole(const std::string& name) const;
  double number(const std::string& name) const;
};

}  // namespace fgnn::experiments
