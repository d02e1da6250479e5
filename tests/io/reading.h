// Reading from strings, and tables of malformed files with what must be said about them.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "fgnn/core/read_limits.h"
#include "tests/reference/expect_error.h"

namespace fgnn::testing {

// With the usual limits where the reader takes some.
template <class Read, class... More>
auto read_text(Read read, const std::string& text, const More&... more) {
  std::istringstream in(text);
  if constexpr (std::is_invocable_v<Read, std::istream&, const char*, const ReadLimits&>) {
    return read(in, "file", ReadLimits{});
  } else {
    return read(in, "file", more...);
  }
}

template <class Write, class... Values>
std::string written(Write write, const Values&... values) {
  std::ostringstream out;
  if constexpr (std::is_invocable_v<Write, std::ostream&, const Values&...>) {
    write(out, values...);
  } else {
    write(out, values..., nullptr);  // no budget
  }
  return out.str();
}

struct Malformed {
  std::string text, error;
};

// Each text must be refused with this line (from its beginning).
template <class Read, class... More>
void expect_refused(const std::vector<Malformed>& cases, Read read, const More&... more) {
  for (const auto& [text, error] : cases) {
    SCOPED_TRACE(text.substr(0, 200));
    expect_error(ErrorCode::format, "file:" + error, [&] { read_text(read, text, more...); });
  }
}

}  // namespace fgnn::testing
