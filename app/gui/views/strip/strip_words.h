// What the strip shows of a sentence: its words with their gates. A function for workers; no widget here.
#pragma once

#include <QString>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::gui {

struct StripWord {
  QString text;
  std::vector<std::int64_t> tokens;                        // its pieces
  double gate = std::numeric_limits<double>::quiet_NaN();  // mean over layers, dimensions and pieces
  // Of a model that reads from left to right, of all its pieces together: −ln of its probability.
  double surprisal = std::numeric_limits<double>::quiet_NaN();
  double rank = std::numeric_limits<double>::quiet_NaN();  // of its first piece among all tokens
  bool special = false;
};

struct StripSentence {
  QString text;  // as it was written
  std::vector<StripWord> words;
  std::int64_t first_layer = 0;  // of the gates; 0: none were recorded
  std::int64_t last_layer = 0;
  // Where there are no gates and it was recorded how far words were foreseen: the surprisal of a word that is
  // guessed among all tokens alike, nats. 0: not.
  double guessed = 0;
  bool gates() const { return last_layer > 0; }
  bool bars() const { return gates() || guessed > 0; }
  // The word of a token; -1: none.
  int wordOf(std::optional<std::int64_t> token) const;
};

// `pieces`: every token is a word of its own, special ones too; else they are left out.
StripSentence read_strip_sentence(const RecordingSource& source, std::int64_t index, bool pieces);

}  // namespace mog::gui
