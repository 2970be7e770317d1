#include "app/workflow/train/train_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::string place_of(const PreparedData& data, std::size_t at, const std::string& part) {
  if (at < data.tagged.size()) {
    const TaggedSentence& sentence = data.tagged[at];
    for (const TaggedSentence::Origin& origin : {sentence.treebank, sentence.entities}) {
      if (!origin.lines.empty()) {
        return fmt::format("{}, line {}", origin.file, origin.lines.front());
      }
    }
  }
  return at < data.sentences.size() ? fmt::format("{}, sentence {}", part, data.sentences[at].number) : part;
}

class Lengths {
 public:
  explicit Lengths(const TrainConfig& config)
      : config_(config),
        longest_(config.training.trainer.positions - 2) {}  // positions of tokens count from 2

  void check(const PreparedData& data, const std::string& part) const {
    const bool source = model::has_table(config_.model.encoder.position);
    const bool target = config_.model.decoder && model::has_table(config_.model.decoder->position);
    for (std::size_t at = 0; at < data.examples.size(); ++at) {
      const Example& example = data.examples[at];
      const auto translation = static_cast<std::int64_t>(example.target_ids.size());
      const std::int64_t read = source ? example.read_tokens() : 0;
      if (std::max(read, target ? translation : 0) <= longest_) {
        continue;
      }
      const bool long_source = read > longest_;
      const char* const what = !long_source         ? "its translation"
                               : example.derivation ? "the longest of its parser states"
                                                    : "the sentence";
      throw ModelError(fmt::format("Training {}: {}: {} has {} tokens, the model's positions end at {}; {}.",
                                   config_.name, place_of(data, at, part), what,
                                   long_source ? read : translation, longest_, advice(part)));
    }
  }

 private:
  std::string advice(const std::string& part) const {
    if (config_.model.graph && config_.model.graph->kind == model::GraphKind::coreference) {
      return fmt::format("set graph.window to {} or less", longest_);
    }
    return part == "data.train"
               ? fmt::format("set training.max_tokens to {} or less, and such sentences are left out",
                             longest_)
               : "shorten it or leave it out";
  }

  const TrainConfig& config_;
  std::int64_t longest_;
};

}  // namespace

void check_lengths(const TrainConfig& config, const TrainParts& parts) {
  const Lengths lengths(config);
  lengths.check(parts.train, "data.train");
  lengths.check(parts.dev, "data.dev");
  lengths.check(parts.test, "data.test");
}

}  // namespace mog::app
