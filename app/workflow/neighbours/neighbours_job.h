// The words of a recorded corpus whose states are nearest to that of one word, or that a head reads alike:
// the work behind `mog neighbours`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/neighbours/k_occurrence.h"
#include "analysis/neighbours/share_ratio.h"
#include "analysis/statistics/table.h"
#include "app/workflow/common/choices.h"
#include "app/workflow/common/progress.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

struct NeighboursOptions {
  std::int64_t sentence = 0;  // number in the corpus
  std::int64_t word = 0;      // from 1, of the recording or, with `treebank`, of that
  std::int64_t layer = -1;    // states behind it; 0: the embedding; -1: the last recorded one
  std::string quantity = {};  // in its place: the name of a recorded quantity of tokens
  std::string head = {};      // "L.H" in its place: the attention of a head
  std::string part = {};      // of `head`; empty: the layer's only one
  std::int64_t k = 20;
  bool other_words = false;             // not the same word, capitals aside
  bool center = false;                  // states less their mean over the corpus
  std::int64_t sample = 0;              // sentences that are compared, drawn by `seed`; 0: all
  std::int64_t reference = 1000;        // words drawn for random pairs and k-occurrences; 0: none
  std::filesystem::path treebank = {};  // parts of speech and relations; empty: the recording's tags
  std::string mismatch = "error";       // sentences that are not the treebank's: error, skip
  std::uint64_t seed = 1;
  std::int64_t threads = 0;  // 0: one a core
  std::stop_token stop = {};
  ProgressCallback progress = {};
};
// All but seed, threads, stop and progress, as choices; `options` lives as long as they.
void declare_neighbours(Choices& choices, NeighboursOptions& options);

struct AttendedWord {
  std::int64_t word = 0;  // from 1
  std::string text;
  double weight = 0;
};

struct NeighbourWord {
  double similarity = 0;
  std::int64_t sentence = 0;       // number in the corpus
  std::int64_t word = 0;           // from 1
  std::vector<std::string> words;  // of its sentence
  std::string upos;                // empty: not known
  std::string relation;
  // Attention of the layer or head, by word (kUnseen: a word that it does not see); empty: not recorded.
  std::vector<double> gives;
  double special = 0;                   // what of it goes to special tokens
  std::optional<AttendedWord> attends;  // what it gives most to, among words
  std::int64_t occurrences = 0;         // N_k in the reference
  const std::string& text() const { return words.at(static_cast<std::size_t>(word - 1)); }
};

// How often something is found among the neighbours, beside all words that were compared ("occurrences":
// those of the reference).
struct NeighbourShare {
  std::string group;  // "upos", "relation", "occurrences"
  std::string value;  // "NOUN", "1 to 20"
  std::int64_t neighbours = 0;
  std::int64_t all = 0;
  analysis::ShareRatio ratio;
};

struct Neighbours {
  std::string measure;   // "cosine", "1 - Jensen-Shannon distance"
  std::string quantity;  // name of what is compared
  std::int64_t head = 0;
  bool centered = false;
  bool other_words = false;
  std::int64_t k = 0;
  NeighbourWord word;                // whose neighbours they are
  std::vector<NeighbourWord> found;  // the nearest first
  std::int64_t words = 0;            // compared
  std::int64_t left_out = 0;         // words without direction, or with values that are no numbers
  std::int64_t sentences = 0;        // that were read
  std::int64_t all_sentences = 0;    // of the recording
  std::vector<NeighbourShare> shares;
  std::int64_t reference = 0;  // words drawn
  analysis::KOccurrence occurrence;
  // Of k words or fewer each is a neighbour of all others: their k-occurrences say nothing.
  bool tells_occurrences() const { return reference > k + 1; }
  std::string tags;  // where parts of speech are from; empty: nowhere
  ModelCard model;
  std::string corpus;
  std::vector<std::string> notes;
};

// Exact: every word that is asked for is compared, in float64. Of equal similarities the word that stands
// first in the corpus is nearer. The state of a word is the mean over its pieces. Reads what is compared once
// (with `center` twice), in blocks. Throws UsageError (no such sentence, word, layer, head; a quantity that
// was not recorded: the message says how to), FormatError (a treebank of other sentences; a word whose state
// is no direction), Interrupted.
Neighbours find_neighbours(const RecordingSource& source, const NeighboursOptions& options);

// "0.043 ± 0.111", of the similarity of any two words; a dash where no two were drawn.
std::string pairs_text(const analysis::KOccurrence& occurrence);
std::string print_neighbours(const Neighbours& neighbours);            // for people
std::string to_json(const Neighbours& neighbours);                     // one document
analysis::Table neighbours_table(const Neighbours& neighbours);        // a row a neighbour
analysis::Table neighbour_shares_table(const Neighbours& neighbours);  // a row a share
enum class NeighboursShown : std::uint8_t { all, list };
// A concordance of `context` words at each side of the neighbours, coloured by what they attend to (where
// that is not recorded by their similarity); its first row is the word itself. all: below it the shares.
analysis::FigureData neighbours_figure(const Neighbours& neighbours, std::int64_t context,
                                       NeighboursShown shown = NeighboursShown::all);

// The layer whose states find_neighbours() compares: `wished` (0: the embedding) where they were recorded,
// else the last one; nothing where no layer's were.
std::optional<std::int64_t> states_layer(const RecordingHeader& header, std::int64_t wished);

}  // namespace mog::app
