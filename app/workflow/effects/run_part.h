// What a part of a measurement says of its run, so that parts of one run are known as such.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "app/workflow/record/live_run.h"
#include "app/workflow/tasks/corpus_part.h"
#include "io/recording/sentence_recording.h"
#include "model/model.h"

namespace mog::app {

// Model and corpus, without quantities. `corpora`: a file, or "-", or files that are read one after the
// other. `target`: a file that goes with it, or how it was made ("translate, beam 6"), or nothing.
RecordingHeader run_header(const LoadedModel& loaded, model::Precision precision,
                           std::span<const std::filesystem::path> corpora, const CorpusPart& part,
                           const std::filesystem::path& target);

// Throws UsageError where only the first sentences of a part are asked for.
void require_all_of_part(std::int64_t sentences, const Shard& shard);

}  // namespace mog::app
