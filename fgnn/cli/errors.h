// What each kind of error means, for `fgnn --help` and `fgnn list errors`.
#pragma once

#include <string>
#include <vector>

#include "fgnn/core/error.h"

namespace fgnn::cli {

struct ErrorInfo {
  ErrorCode code;
  std::string meaning;
};

inline const std::vector<ErrorInfo> kErrors{
    {ErrorCode::internal, "a bug in fgnn"},
    {ErrorCode::usage, "a wrong option or argument"},
    {ErrorCode::io, "a file that cannot be opened, read or written"},
    {ErrorCode::format, "a malformed file; the message names line and column"},
    {ErrorCode::model, "a graph, potential or evidence that makes no sense"},
    {ErrorCode::infeasible, "every assignment is forbidden"},
    {ErrorCode::too_large, "more memory than there is or than is allowed"},
    {ErrorCode::unsupported, "a method or format that cannot do this"},
    {ErrorCode::time_limit, "no answer within the time given"},
    {ErrorCode::too_wide, "exact elimination would need more memory than --memory allows"},
    {ErrorCode::interrupted, "stopped by Ctrl-C; what was found until then is printed"},
};

}  // namespace fgnn::cli
