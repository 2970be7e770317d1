// What a part of a measurement says of its run, so that parts of one run are known as such.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/workflow/record/live_run.h"
#include "app/workflow/tasks/corpus_part.h"
#include "io/recording/sentence_recording.h"
#include "model/model.h"

namespace mog::app {

// Model and corpus, without quantities. `corpus`: a file, or "-". `target`: a file that goes with it, how it
// was made ("translate, beam 6"), or nothing.
RecordingHeader run_header(const LoadedModel& loaded, model::Precision precision,
                           const std::filesystem::path& corpus, const CorpusPart& part,
                           const std::string& target);

// Throws UsageError where only the first sentences of a part are asked for.
void require_all_of_part(std::int64_t sentences, const Shard& shard);

}  // namespace mog::app
