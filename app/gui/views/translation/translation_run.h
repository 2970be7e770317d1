// A sentence translated, with what encoder and decoder did, and what of it the translation view draws.
// Functions for workers; no widget here.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/attribution/word_alignment.h"
#include "analysis/figure_data/attention_overview.h"
#include "app/gui/session/typed_run.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "model/model.h"

namespace mog::gui {

// What says which source word a word of the translation comes from.
using TakenBy = analysis::AlignmentMap;

struct TranslationQuestion {
  OpenedModel loaded;
  TypedSentence sentence;
  std::string begins;      // words that every translation begins with
  std::size_t chosen = 0;  // which hypothesis the decoder reads
};

struct ShownTranslation {
  std::shared_ptr<const RecordingSource> source;
  std::int64_t index = 0;
  std::vector<model::Hypothesis> found;  // best first; empty: a recording, which keeps the translation alone
  std::vector<QString> texts;            // of each
  std::size_t chosen = 0;
  std::vector<QString> source_words;
  std::vector<std::int64_t> source_tokens;  // the first of each
  std::vector<QString> target_words;
};

// Runs the search, then encoder and decoder on what was chosen. Throws as app::record_translated.
ShownTranslation translate_sentence(const TranslationQuestion& question, const std::stop_token& stop);
// Of a recorded sentence; nullopt: it holds no translation with maps of it.
std::optional<ShownTranslation> recorded_translation(std::shared_ptr<const RecordingSource> source,
                                                     std::int64_t index);

// Cross-attention in it: layers, heads; 0: it has none.
struct CrossMaps {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
};
CrossMaps cross_maps(const RecordingHeader& header);

// What its recording can be drawn by.
std::vector<TakenBy> ways_of(const RecordingHeader& header);
// The recorded map of a way other than attention; empty: there is none.
std::string quantity_of(const RecordingHeader& header, TakenBy by);

// Words of the translation on words of the source. layer, head: of cross-attention, from 1; 0: the mean.
struct WordsQuestion {
  std::shared_ptr<const RecordingSource> source;
  std::int64_t index = 0;
  TakenBy by = TakenBy::cross_attention;
  std::int64_t layer = 0;
  std::int64_t head = 0;
};
MadeFigure words_figure(const WordsQuestion& question);
// The same of every layer and head as thumbnails on one scale.
std::shared_ptr<const analysis::AttentionOverview> words_overview(
    const std::shared_ptr<const RecordingSource>& source, std::int64_t index, const std::stop_token& stop);

}  // namespace mog::gui
