// How good a model in training is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/evaluate/evaluate_job.h"
#include "app/workflow/experiment/coref_data.h"
#include "app/workflow/experiment/train_data.h"
#include "model/trainer.h"

namespace mog::app {

// One part of the data, ready: words and tags (tagging only), sentences as the tokenizer sees them, examples:
// first one for each sentence, then those of plain text.
struct PreparedData {
  std::vector<TaggedSentence> tagged;
  std::vector<Sentence> sentences;
  std::vector<Example> examples;
  std::vector<std::string> references;  // the target lines of a translator's sentences
  std::int64_t left_out = 0;            // lines of plain text that are too long
  std::vector<CorefText> documents;     // of coreference; the sentences are their windows
};

struct Validation {
  std::map<std::string, double> values;  // "loss", "nll", "TASK.accuracy", "TASK.f1"
  double score =
      0.0;  // greater is better: mean of the task scores, or -nll; of a parser "las", or its mean with them
  std::optional<double> token_cosine;                 // of the last layer
  std::map<std::string, std::vector<double>> layers;  // as TrainReport::layers
};

// "muc", "b3", "ceafe" (F1) and their mean "conll" of the chains that the model finds in the documents.
std::map<std::string, double> coreference_scores(const model::Model& model, const model::Tokenizer& tokenizer,
                                                 const PreparedData& data, std::int64_t batch_tokens,
                                                 std::stop_token stop);

// "uas" and "las" of the trees that the model predicts: words with their gold head, and with its label too.
std::map<std::string, double> attachment_scores(const model::Model& model, const PreparedData& data,
                                                bool subtypes, std::int64_t batch_tokens,
                                                std::stop_token stop);

Validation validate(model::Trainer& trainer, const PreparedData& data,
                    const std::map<std::string, std::vector<std::string>>& tasks,
                    const std::map<std::string, double>& task_weights, std::int64_t batch_tokens,
                    std::stop_token stop);

// Mean over sentences of the mean cosine between the states of two different tokens, after each encoder
// layer. Near 1 the encoder has collapsed: all tokens look alike (docs/training.md). Empty where no sentence
// has two tokens. The first `limit` sentences are looked at.
std::vector<double> token_cosines(const model::Model& model, std::span<const Example> examples,
                                  std::int64_t batch_tokens, std::size_t limit = 200);

}  // namespace mog::app
