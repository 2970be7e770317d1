// Translating sentences: what `mog translate`, `mog record --target translate` and `mog evaluate` share.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "model/model.h"

namespace mog::app {

// [sentence]: its hypotheses, best first.
using Hypotheses = std::vector<std::vector<model::Hypothesis>>;

// Throws as Model::translate; ModelError when the model finds no translation of a sentence.
Hypotheses translate_sentences(const model::Model& model, std::span<const Sentence> sentences,
                               const model::BeamOptions& options, std::stop_token stop);

// The pieces of a translation as text; `ids` with or without the final </s>. Pieces of BPE are joined.
std::string translation_text(const LoadedModel& loaded, std::span<const std::int64_t> ids);

// The decoder's inputs for a translation given as ids without bos and final </s>. The first token is special,
// the others have the word of the translation (from 0) that they belong to.
std::vector<Token> decoder_inputs(const LoadedModel& loaded, std::span<const std::int64_t> ids);

// sentences[i].target_tokens = the decoder's inputs for the best hypothesis.
void add_targets(const LoadedModel& loaded, const Hypotheses& found, std::span<Sentence> sentences);

// Throws UsageError for a beam below 1 or above 1,000, no tokens, or a length penalty that is no number.
void check_beam(const model::BeamOptions& options);

}  // namespace mog::app
