#include "io/recording/errors.h"

namespace mog {

// Destructors are defined here so that the type information of every error lives in one library and
// an error thrown in the engine is caught by its type in the program.
Error::Error(const std::string& message, ExitCode exit_code)
    : std::runtime_error(message), exit_code_(exit_code) {}
Error::~Error() = default;

UsageError::UsageError(const std::string& message) : Error(message, ExitCode::usage) {}
UsageError::~UsageError() = default;

FormatError::FormatError(const std::string& message) : Error(message, ExitCode::format) {}
FormatError::~FormatError() = default;

ModelError::ModelError(const std::string& message) : Error(message, ExitCode::mismatch) {}
ModelError::~ModelError() = default;

ShapeError::ShapeError(const std::string& message) : Error(message, ExitCode::mismatch) {}
ShapeError::~ShapeError() = default;

DeviceError::DeviceError(const std::string& message) : Error(message, ExitCode::other) {}
DeviceError::~DeviceError() = default;

Interrupted::Interrupted(const std::string& message) : Error(message, ExitCode::interrupted) {}
Interrupted::~Interrupted() = default;

StorageError::StorageError(const std::string& message, Cause cause)
    : Error(message, cause == Cause::no_space ? ExitCode::no_space : ExitCode::other) {}
StorageError::~StorageError() = default;

}  // namespace mog
