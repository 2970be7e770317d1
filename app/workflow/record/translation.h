// Translating sentences: what `mog translate`, `mog record --target translate` and `mog evaluate` share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "model/model.h"

namespace mog::app {

// [sentence]: its hypotheses, best first.
using Hypotheses = std::vector<std::vector<model::Hypothesis>>;

// Throws as Model::translate; ModelError when the model finds no translation of a sentence.
Hypotheses translate_sentences(const model::Model& model, std::span<const Sentence> sentences,
                               const model::BeamOptions& options, std::stop_token stop);

// A translation as text; `ids` with or without the final </s>. Pieces are joined, special tokens left out,
// line ends are spaces.
std::string translation_text(const LoadedModel& loaded, std::span<const std::int64_t> ids);

// The line from which target_pieces() reads a translation again: behind its first token where that is special
// (a language) and not the one that every translation begins with.
std::string target_line(const LoadedModel& loaded, std::span<const std::int64_t> ids);

// A translation given as text, without bos and </s>: its pieces as the target vocabulary numbers them, behind
// the token that every translation begins with, and the word of the text (from 0) that each belongs to. A
// special token that the text begins with (a language) takes that token's place and is no word: -1.
struct TargetPieces {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> words;
};
TargetPieces target_pieces(const LoadedModel& loaded, std::string_view text);

// Translations that begin with these words: BeamOptions::prefix, and BeamOptions::first where a special token
// of the target comes first (a language). Throws UsageError for a text without words and for a piece that the
// target vocabulary does not have.
void begin_with(const LoadedModel& loaded, std::string_view text, model::BeamOptions& beam);

// The decoder's inputs for a translation given as ids without bos and final </s>. The first token is special,
// the others have the word of the translation (from 0) that they belong to.
std::vector<Token> decoder_inputs(const LoadedModel& loaded, std::span<const std::int64_t> ids);

// sentences[i].target_tokens = the decoder's inputs for the best hypothesis.
void add_targets(const LoadedModel& loaded, const Hypotheses& found, std::span<Sentence> sentences);

// A sentence with its translations, and what the model did with one of them.
struct TranslatedSentence {
  std::vector<model::Hypothesis> found;  // best first
  std::vector<std::string> texts;        // of each
  std::size_t chosen = 0;                // which one the decoder read
  std::string target_line;               // of that one
  // Of encoder and decoder; row j of the decoder predicts token j of the translation.
  std::shared_ptr<MemoryRecording> recording;
};
struct TranslatingOptions {
  model::BeamOptions beam{.beam = 5};  // its interventions are those of the recording, too
  std::string begins = {};             // words that every translation begins with: beam.prefix
  std::size_t chosen = 0;              // of the hypotheses; the last where there are fewer
  CaptureSet capture = {};
  std::vector<std::string> quantities = {};  // more by name
};
// One sentence into memory, number 1. Throws UsageError without a decoder, and as encode_typed(),
// translate_sentences() and record_sentence().
TranslatedSentence record_translated(const LoadedModel& loaded, std::string_view text,
                                     const TranslatingOptions& options, std::stop_token stop = {});

// Throws UsageError for a beam below 1 or above 1,000, no tokens, or a length penalty that is no number.
void check_beam(const model::BeamOptions& options);

}  // namespace mog::app
