// A program of the system run to its end, without a shell.
#pragma once

#include <string>
#include <vector>

namespace mog::app {

struct ProgramResult {
  int exit_code = 0;  // 128 + signal where one ended it
  std::string output;
  std::string errors;
};

// `words`: the program, looked for in PATH, and its arguments. Its standard input is empty. Throws UsageError
// where there is no such program, StorageError where it cannot be started.
ProgramResult run_program(const std::vector<std::string>& words);

}  // namespace mog::app
