// Remarks about input that is read although it is not quite as it should be.
#pragma once

#include <string>

namespace fgnn {

// Where warnings go; nowhere unless a program says so. One line each.
using WarningSink = void (*)(const std::string& line);
void set_warning_sink(WarningSink sink);

// `subject` names the place, as in Error. Safe to call from several threads.
void warn(const std::string& subject, const std::string& message);

}  // namespace fgnn
