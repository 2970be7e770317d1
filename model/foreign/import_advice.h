// What can be done with a model that this program does not run.
#pragma once

#include <string>

#include "io/recording/errors.h"

namespace mog::model {

inline constexpr const char* kImportAdvice =
    "\n     what another program computes with it can be imported: the script in docs/import-format.md "
    "(transformers, h5py) writes the file, `mog import FILE.h5 --output REC` reads it";

// What read() returns; its refusals as ModelError get the advice.
template <class Read>
auto with_import_advice(const Read& read) {
  try {
    return read();
  } catch (const ModelError& error) {
    throw ModelError(std::string(error.what()) + kImportAdvice);
  }
}

}  // namespace mog::model
