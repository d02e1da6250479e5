// The one exception of the library: what went wrong, where, and what to do about it, in one line.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace fgnn {

enum class ErrorCode {
  internal,     // a bug in fgnn
  usage,        // a wrong option or argument
  io,           // a file that cannot be opened, read or written
  format,       // a malformed file
  model,        // a graph, potential or evidence that makes no sense
  infeasible,   // every assignment is forbidden
  too_large,    // more memory than allowed
  unsupported,  // a method or format that cannot do this
  time_limit,   // no answer within the time given
  too_wide,     // exact elimination would need more memory than allowed
  interrupted,  // asked to stop before there was an answer
};

std::string_view name(ErrorCode code);

// The exit code of the program for this kind of error (documented in docs/tour.md).
int exit_code(ErrorCode code);

// Whether there was no answer in time: the limit was reached, or a stop was asked for.
inline bool out_of_time(ErrorCode code) {
  return code == ErrorCode::time_limit || code == ErrorCode::interrupted;
}

class Error : public std::exception {
 public:
  // `subject` names the place (a variable, a factor, file:line:column); `hint` says what to do.
  // Either may be empty.
  Error(ErrorCode code, std::string subject, std::string message, std::string hint = {});

  const char* what() const noexcept override { return line_.c_str(); }
  ErrorCode code() const { return code_; }
  const std::string& subject() const { return subject_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorCode code_;
  std::string subject_, hint_, line_;
};

}  // namespace fgnn
