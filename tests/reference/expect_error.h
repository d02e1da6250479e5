// Checks that a call throws an Error of this kind whose line contains this text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fgnn/core/error.h"

namespace fgnn::testing {

template <class Call>
void expect_error(ErrorCode code, const std::string& text, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(code)) << error.what();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos)
        << "got: " << error.what() << "\nwanted: " << text;
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line, please";
    return;
  }
  ADD_FAILURE() << "no error; expected: " << text;
}

}  // namespace fgnn::testing
