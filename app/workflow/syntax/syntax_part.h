// The comparison of a part of a recording with its gold trees: counts of single sentences, as a file that
// `mog merge` joins with those of the other parts.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/common/progress.h"
#include "app/workflow/syntax/syntax_job.h"
#include "app/workflow/syntax/syntax_scores.h"
#include "app/workflow/tasks/shard.h"
#include "io/statistics/partial_statistics.h"

namespace mog::app {

inline constexpr std::string_view kSyntaxJob = "syntax";

struct SyntaxPart {
  RecordingHeader header;
  SyntaxCounts counts;
  std::vector<std::int64_t> numbers{};  // of the sentences of `counts`, in their order
  std::string grammar{};
  std::vector<std::string> notes{};
  std::vector<SkippedSentence> skipped{};
};

// Counts only. Throws as compare_syntax, but not where no sentence agrees; UsageError for relations.
SyntaxPart count_part(const RecordingSource& source, const SyntaxOptions& options, std::stop_token stop = {},
                      const ProgressCallback& progress = {});

struct SyntaxPartSummary {
  io::PartialStatistics partial;
  std::vector<std::string> notes;
  std::vector<SkippedSentence> skipped;
};
// Of the sentences of `source` the share of the shard, by their place. `call`: the choices of the command, as
// text. Throws as count_part.
SyntaxPartSummary compare_part(const RecordingSource& source, const SyntaxOptions& options,
                               const Shard& shard, std::string_view call, std::stop_token stop = {},
                               const ProgressCallback& progress = {});

// score_table() of such a file. Throws FormatError naming `place`.
analysis::Table syntax_table(const io::PartialStatistics& partial, std::string_view place);

}  // namespace mog::app
