// The errors of MoG Workbench. Every message says what was attempted, on which file, tensor, line or
// sentence, what was expected, what was found, and what to try.
#pragma once

#include <stdexcept>
#include <string>

namespace mog {

// Exit codes of `mog` (docs/architecture.md, Errors).
enum class ExitCode : int {
  ok = 0,
  other = 1,
  usage = 2,
  format = 3,
  no_space = 4,
  mismatch = 5,
  interrupted = 130,
};

// Base of all errors that a user may see.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode exit_code = ExitCode::other);
  ~Error() override;
  ExitCode exit_code() const noexcept { return exit_code_; }

 private:
  ExitCode exit_code_;
};

// The command line or a request is wrong. Exit code 2.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message);
  ~UsageError() override;
};

// A file is not what it should be. Exit code 3.
class FormatError : public Error {
 public:
  explicit FormatError(const std::string& message);
  ~FormatError() override;
};

// Configuration, weights, vocabulary or input length do not fit each other. Exit code 5.
class ModelError : public Error {
 public:
  explicit ModelError(const std::string& message);
  ~ModelError() override;
};

// A tensor has another shape than its name promises. Exit code 5.
class ShapeError : public Error {
 public:
  explicit ShapeError(const std::string& message);
  ~ShapeError() override;
};

// A device is missing or failed. Exit code 1.
class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& message);
  ~DeviceError() override;
};

// Reading or writing failed. Exit code 4 when space ran out, else 1.
class StorageError : public Error {
 public:
  enum class Cause { no_space, other };
  explicit StorageError(const std::string& message, Cause cause = Cause::other);
  ~StorageError() override;
};

// The user stopped the work (SIGINT, cancel); what was finished is kept. Exit code 130.
class Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& message);
  ~Interrupted() override;
};

}  // namespace mog
