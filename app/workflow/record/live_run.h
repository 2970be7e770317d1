// A model at hand, and recordings of single batches in memory (the desktop program, `mog tag`, tests). The
// batch job for whole corpora is record_job.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/record/capture.h"
#include "io/recording/sentence_recording.h"
#include "model/intervention.h"
#include "model/model.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::app {

// Everything that running a model on text needs.
struct LoadedModel {
  std::shared_ptr<const model::Model> model;
  std::shared_ptr<const model::Tokenizer> tokenizer;
  std::shared_ptr<const model::Vocabulary> target_vocabulary;  // nullptr without a decoder
  std::int64_t longest = 0;         // tokens of the longest sentence, </s> counted; 0: no limit
  std::int64_t longest_target = 0;  // decoder inputs; 0: no limit
  model::WordCut words = model::WordCut::automatic;        // of plain text, as `tokenizer` cuts it
  model::Precision precision = model::Precision::float32;  // of what it computes
  // Of translations given as text; nullptr: `tokenizer`.
  std::shared_ptr<const model::Tokenizer> target_tokenizer;
};

// Opens directory and engine. `words`: what plain text is cut into; automatic: what the model says.
// Throws as model::load_model.
// With `measured` a model in 8 bits is measured beside float32 while it runs (rounding_error.h); record_job.h
// does that itself.
LoadedModel load_for_running(const std::filesystem::path& directory, const model::DeviceOptions& options = {},
                             model::WordCut words = model::WordCut::automatic, bool measured = true);
// Tokens of the longest sentence that its encoder reads, </s> counted; 0: no limit.
std::int64_t longest_sentence(const model::ModelDirectory& directory);
// The words that plain text has for this model: `asked`, or with automatic what its configuration says.
model::WordCut words_of(const model::ModelConfig& config, model::WordCut asked);

// "float32", as the provenance spells it.
std::string_view precision_name(model::Precision precision) noexcept;
// What people read of a precision as the provenance spells it: "int8 (products rounded to 8 bits)", others as
// they are.
std::string precision_text(std::string_view precision);

// Runs one packed batch and keeps `quantities` (names that the model offers, sorted).
// Throws as Model::run, Interrupted when `stop` is asked for, ShapeError when the model gives other sizes
// than its schemas promise. Safe from several threads.
RecordingBatch record_batch(const model::Model& model, std::span<const QuantitySchema> quantities,
                            std::vector<Sentence> sentences,
                            std::span<const model::Intervention> interventions = {},
                            std::stop_token stop = {});

// The provenance of a sentence that was typed: the corpus has that name.
Provenance typed_sentence();

// A text as the model reads it, number 1. Throws UsageError for a text without words, ModelError for one that
// is longer than the model can read.
Sentence encode_typed(const LoadedModel& loaded, std::string_view text);

// One sentence into memory, number 1. The interventions' sentence index is 0. `named`: more quantities by
// name (named_quantities.h). `made`: what the header says of the text; the device is filled in. Throws
// UsageError for a text without words and for a name that the model does not have, ModelError for a text that
// is longer than the model can read.
std::shared_ptr<MemoryRecording> record_sentence(const LoadedModel& loaded, std::string_view text,
                                                 const CaptureSet& captures,
                                                 std::span<const model::Intervention> interventions = {},
                                                 std::stop_token stop = {},
                                                 std::vector<std::string> named = {},
                                                 const Provenance& made = typed_sentence());
std::shared_ptr<MemoryRecording> record_sentence(const LoadedModel& loaded, Sentence sentence,
                                                 const CaptureSet& captures,
                                                 std::span<const model::Intervention> interventions = {},
                                                 std::stop_token stop = {},
                                                 std::vector<std::string> named = {},
                                                 const Provenance& made = typed_sentence());

}  // namespace mog::app
