// What a recording job keeps and computes, chosen before the run.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "app/workflow/record/attribution_computer.h"
#include "app/workflow/record/identity_report.h"
#include "app/workflow/record/order_computer.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/record/top_keys.h"
#include "io/recording/sentence_recording.h"
#include "model/model.h"

namespace mog::app {

// What is computed beside the run from what the model shows.
struct Computers {
  std::optional<OrderComputer> orders;
  std::optional<AttributionComputer> attributions;
  std::optional<TopKeys> top_keys;
  IdentityReport* report = nullptr;
  const RecordingHeader* header = nullptr;  // of the recording
};

// Fills header.quantities and the computers; returns what the model has to show, sorted. Throws UsageError
// for names that the model does not have or this run cannot give, and for --check of a model without exact
// decompositions.
std::vector<QuantitySchema> choose_quantities(const model::Model& model, const RecordOptions& options,
                                              RecordingHeader& header, Computers& computers);

// How one batch is run, beside what is kept of it.
struct BatchRun {
  std::span<const model::Intervention> interventions{};
  IdentityReport* report = nullptr;    // every identity of the exact decompositions is checked on the batch
  model::Observer* watcher = nullptr;  // sees the same run
  std::stop_token stop{};
  std::optional<std::int64_t> round{};  // RecordOptions::round
};
// record_batch (live_run.h).
RecordingBatch record_batch(const model::Model& model, std::span<const QuantitySchema> quantities,
                            std::vector<Sentence> sentences, const BatchRun& run);
// A batch with the quantities of the header: `observed` of choose_quantities(), and what the computers make.
// Of `run` the watcher and the report are theirs.
RecordingBatch record_and_compute(const model::Model& model, std::span<const QuantitySchema> observed,
                                  const Computers& computers, std::vector<Sentence> sentences, BatchRun run);

}  // namespace mog::app
