// Where the table of a command goes.
#pragma once

#include <filesystem>

#include "analysis/statistics/table.h"
#include "app/cli/context.h"

namespace mog::cli {

class TableOutput {
 public:
  // `path` is ".csv", ".jsonl", or "-" for standard output (with --json lines of JSON). Throws UsageError for
  // another extension, and for a folder that is not there: before anything is computed.
  TableOutput(const Context& context, std::filesystem::path path);
  // Ends the progress; says what was written where it is a file. Throws as Context::write.
  void write(Context& context, const analysis::Table& table) const;

 private:
  std::filesystem::path path_;
  bool lines_ = false;
};

}  // namespace mog::cli
