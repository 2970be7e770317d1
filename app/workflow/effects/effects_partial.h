// What was measured of single sentences of a part of a corpus, as a file that `mog merge` joins with those of
// the other parts. The numbers of all sentences together give exactly the tables of one run.
#pragma once

#include <string_view>

#include "app/workflow/effects/ablate_job.h"
#include "app/workflow/effects/faithfulness_job.h"
#include "app/workflow/tasks/shard.h"
#include "io/statistics/partial_statistics.h"

namespace mog::app {

inline constexpr std::string_view kFaithfulnessJob = "faithfulness";
inline constexpr std::string_view kAblationJob = "ablation";

// `call`: the choices of the command, as text; parts that differ in it are not of one run.
io::PartialStatistics to_partial(const FaithfulnessResult& result, std::string_view call);
io::PartialStatistics to_partial(const AblateMeasured& measured, const AblateOptions& options,
                                 std::string_view call);

// The table of such a file. Throw FormatError naming `place` when it does not hold what its settings say.
analysis::Table faithfulness_table(const io::PartialStatistics& partial, std::string_view place);
analysis::Table ablation_table(const io::PartialStatistics& partial, std::string_view place);

}  // namespace mog::app
