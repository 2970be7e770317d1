// Coreference chains of documents by a model that predicts them as a graph, round by round.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/metrics/coreference.h"
#include "app/workflow/experiment/coref_data.h"
#include "model/model.h"
#include "model/trainer.h"

namespace mog::app {

// The best graph of one window's scores, words from 0: every word's best start (or none), and for words that
// end a mention the best earlier word that ends one (or none, whose score is 0). mentions, antecedents:
// [query, key] over the window's tokens. Throws ShapeError where the scores are not as many.
std::vector<analysis::GraphArc> decode_links(const Sentence& window, std::span<const float> mentions,
                                             std::span<const float> antecedents);

// The graph of the next round of a packed batch of windows, tokens of the batch.
std::vector<model::GraphArc> predicted_links(const std::vector<const Sentence*>& windows,
                                             const model::PairScores& scores);

// A mention that was found, as it is looked at: what it may go back to.
struct MentionLinks {
  struct Candidate {
    analysis::Mention mention;
    double probability = 0.0;  // softmax of the scores of all candidates and of none, which is 0
    friend bool operator==(const Candidate&, const Candidate&) = default;
  };
  analysis::Mention mention;
  double probability = 0.0;                // of its beginning, over all words up to its end and none
  std::vector<Candidate> candidates = {};  // the most probable first, of equal ones the earlier
  double none = 1.0;                       // that it goes back to nothing
};

// Of the mentions of a graph that decode_links() gave for the same scores, words of the window.
std::vector<MentionLinks> mention_links(const Sentence& window, const std::vector<analysis::GraphArc>& graph,
                                        std::span<const float> mentions, std::span<const float> antecedents);

struct CorefOptions {
  std::optional<std::int64_t> refinements = {};  // nullopt: as many as the model was trained with
  std::optional<std::int64_t> window = {};       // tokens; the same
  std::optional<std::int64_t> overlap = {};      // the same, and of a small window at most a third
  std::int64_t batch_tokens = 2000;
  bool look_at_mentions = false;
  std::stop_token stop = {};
  std::function<void(std::int64_t done)> progress = {};  // documents
};

struct ResolvedText {
  std::vector<analysis::Chain> chains;  // those of one mention among them; no mention crosses sentences
  std::int64_t windows = 0;
  std::int64_t rounds = 0;  // over all windows
  // By begin and end, where they were asked for; of a mention of several windows as the one says that has
  // most candidates.
  std::vector<MentionLinks> mentions = {};
};

// One document. Throws UsageError where the model predicts no coreference, or refinements are asked of one
// that reads no graph; Interrupted when stopped.
ResolvedText resolve_text(const model::Model& model, const model::Tokenizer& tokenizer, const CorefText& text,
                          const CorefOptions& options = {});

// [sentence] the arcs that the last round of each (or round `round`, 0 the first) reads, sentences taken as
// windows of their own.
std::vector<std::vector<model::GraphArc>> read_links(const model::Model& model,
                                                     std::span<const Sentence> sentences,
                                                     std::stop_token stop = {},
                                                     std::optional<std::int64_t> round = {});

// Throws UsageError naming what to choose instead.
void require_coreference(const model::ModelConfig& config, const std::string& name);

}  // namespace mog::app
