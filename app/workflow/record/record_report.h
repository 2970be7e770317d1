// What a recording job says of itself, as JSON and for people.
#pragma once

#include <string>
#include <vector>

#include "app/workflow/record/record_job.h"

namespace mog::app {

// One document: sentences, tokens, bytes, elapsed_s, … and what was left out.
std::string to_json(const RecordSummary& summary);
// Lines to print before the run: how much, how large, how much room; what was left out or cut.
std::vector<std::string> estimate_lines(const RecordEstimate& estimate, const RecordOptions& options);
// The residuals of --check, largest of each identity; none without it.
std::vector<std::string> identity_lines(const RecordSummary& summary);
std::string summary_line(const RecordSummary& summary);

}  // namespace mog::app
