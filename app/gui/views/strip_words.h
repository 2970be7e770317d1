// What the strip shows of a sentence: its words with their gates, and the middle of the gates of a recording.
// Functions for workers; no widget here.
#pragma once

#include <QString>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::gui {

struct StripWord {
  QString text;
  std::vector<std::int64_t> tokens;                        // its pieces
  double gate = std::numeric_limits<double>::quiet_NaN();  // mean over layers, dimensions and pieces
  bool special = false;
};

struct StripSentence {
  QString text;  // as it was written
  std::vector<StripWord> words;
  std::int64_t first_layer = 0;  // of the gates; 0: none were recorded
  std::int64_t last_layer = 0;
  bool gates() const { return last_layer > 0; }
  // The word of a token; -1: none.
  int wordOf(std::optional<std::int64_t> token) const;
};

// `pieces`: every token is a word of its own, special ones too; else they are left out.
StripSentence read_strip_sentence(const RecordingSource& source, std::int64_t index, bool pieces);

// Around what gates of words are coloured.
struct GateMiddle {
  double median = 0;
  double reach = 0;            // nine of ten words lie nearer to it: there the colours are full
  std::int64_t sentences = 0;  // that were read
  std::int64_t of = 0;         // that there are
};

// Of a long recording some hundred sentences are read, spread evenly. No gates: none.
std::optional<GateMiddle> read_gate_middle(const RecordingSource& source, const std::stop_token& stop);

}  // namespace mog::gui
