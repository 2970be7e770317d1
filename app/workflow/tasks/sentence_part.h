// A part of a job whose values of single sentences are kept (io/statistics/sentence_columns.h): made, and
// read back.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "analysis/statistics/table.h"
#include "app/workflow/tasks/shard.h"
#include "io/recording/sentence_recording.h"
#include "io/statistics/partial_statistics.h"
#include "io/statistics/sentence_columns.h"

namespace mog::app {

// Complete; every sentence of `columns` counts. `settings`: what the table is made by, and what parts have to
// share.
io::PartialStatistics sentence_part(std::string_view job, const RecordingHeader& header, const Shard& shard,
                                    const io::SentenceColumns& columns,
                                    const nlohmann::ordered_json& settings);

// What `table` makes of a part's settings and columns. Throws FormatError naming `place` for what it throws
// about them: UsageError, FormatError, nlohmann's exceptions.
analysis::Table table_of_part(
    const io::PartialStatistics& partial, std::string_view place,
    const std::function<analysis::Table(const nlohmann::ordered_json&, const io::SentenceColumns&)>& table);

// Throws FormatError where another number of values was kept than the settings say.
void require_columns(const io::SentenceColumns& columns, std::size_t wanted);

}  // namespace mog::app
