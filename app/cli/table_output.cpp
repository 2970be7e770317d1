#include "app/cli/table_output.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::cli {

TableOutput::TableOutput(const Context& context, std::filesystem::path path) : path_(std::move(path)) {
  const std::string extension = path_.extension().string();
  lines_ = context.json || extension == ".jsonl" || extension == ".json";
  if (path_ == "-") {
    return;
  }
  if (!lines_ && extension != ".csv") {
    throw UsageError(fmt::format("--output {}: the extensions are .csv and .jsonl", path_.string()));
  }
  const std::filesystem::path folder = path_.parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw UsageError(
        fmt::format("--output {}: there is no folder {}; make it first", path_.string(), folder.string()));
  }
}

void TableOutput::write(Context& context, const analysis::Table& table) const {
  context.console.end_progress();
  context.write(path_, lines_ ? analysis::to_json_lines(table) : analysis::to_csv(table));
  if (path_ != "-") {
    context.console.note(fmt::format("wrote {}, {} rows", path_.string(), table.rows.size()));
  }
}

}  // namespace mog::cli
