// A sentence translated, with what encoder and decoder did. Functions for workers; no widget here.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/gui/session/typed_run.h"
#include "model/model.h"

namespace mog::gui {

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
  QString target_line;  // of that one, as `mog record --target` reads it
  std::vector<QString> source_words;
  std::vector<std::int64_t> source_tokens;  // the first of each
  std::vector<QString> target_words;
};

// Runs the search, then encoder and decoder on what was chosen. Throws as app::record_translated.
ShownTranslation translate_sentence(const TranslationQuestion& question, const std::stop_token& stop);
// Of a recorded sentence; nullopt: it holds no translation with maps of it.
std::optional<ShownTranslation> recorded_translation(std::shared_ptr<const RecordingSource> source,
                                                     std::int64_t index);

}  // namespace mog::gui
