#include "app/workflow/tasks/sentence_part.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "io/recording/errors.h"
#include "io/text/json_check.h"

namespace mog::app {

using Json = nlohmann::ordered_json;

io::PartialStatistics sentence_part(std::string_view job, const RecordingHeader& header, const Shard& shard,
                                    const io::SentenceColumns& columns, const Json& settings) {
  io::PartialStatistics partial;
  partial.job = job;
  partial.header = header;
  partial.settings = settings.dump(-1, ' ', false, Json::error_handler_t::replace);
  partial.part = shard.part;
  partial.parts = shard.parts;
  partial.done = {shard.part};
  for (const std::int64_t number : columns.numbers()) {
    partial.sentences.add(number);
  }
  partial.counted = partial.sentences.size();
  partial.sums = columns.vectors();
  return partial;
}

analysis::Table table_of_part(
    const io::PartialStatistics& partial, std::string_view place,
    const std::function<analysis::Table(const Json&, const io::SentenceColumns&)>& table) {
  try {
    io::check_json(partial.settings, std::string(place));
    return table(Json::parse(partial.settings), io::SentenceColumns::from_vectors(partial.sums));
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("{}: its settings are damaged: {}", place, error.what()));
  } catch (const UsageError& error) {
    throw FormatError(fmt::format("{}: {}", place, error.what()));
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", place, error.what()));
  }
}

void require_columns(const io::SentenceColumns& columns, std::size_t wanted) {
  if (columns.columns() != wanted) {
    throw FormatError(
        fmt::format("{} values of a sentence are there, {} were measured", columns.columns(), wanted));
  }
}

}  // namespace mog::app
