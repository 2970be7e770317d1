#include "app/workflow/effects/ablate_means.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "app/workflow/effects/ablate_block.h"
#include "app/workflow/graphs/read_graphs.h"
#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/sha256.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

constexpr std::size_t kBlockSentences = 250;  // whose graphs are read at once

// Of what an intervention scales; nothing where it is no vector of every token.
std::optional<QuantityName> scaled_by(const model::Intervention& intervention, Stack stack) {
  const auto of = [stack](std::int64_t layer, Part part, Quantity quantity) {
    return QuantityName(stack, layer, part, quantity);
  };
  if (const auto* head = std::get_if<model::ScaleHead>(&intervention)) {
    return of(head->layer, head->part, Quantity::context);
  }
  if (const auto* part = std::get_if<model::ScalePart>(&intervention)) {
    return of(part->layer, part->part, Quantity::output);
  }
  if (const auto* layer = std::get_if<model::ScaleLayer>(&intervention)) {
    return of(layer->layer, Part::none, Quantity::fused);
  }
  if (const auto* block = std::get_if<model::ScaleFeedForward>(&intervention)) {
    return of(block->layer, Part::none, Quantity::feed_forward);
  }
  return std::nullopt;
}

class Sums final : public model::Observer {
 public:
  void want(const QuantityName& name) { sums_[name]; }
  void start(std::span<const Sentence* const> batch) { batch_ = batch; }

  std::optional<DType> wants(const QuantityName& name) const override {
    return sums_.contains(name) ? std::optional(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    std::vector<double>& sum = sums_.at(name);
    const std::span<const float> flat = values.values.values<float>();
    for (std::size_t at = 0; at < batch_.size(); ++at) {
      const std::vector<Token>& tokens = batch_[at]->tokens;
      const auto begin = static_cast<std::size_t>(values.offsets[at]);
      const auto end = static_cast<std::size_t>(values.offsets[at + 1]);
      const std::size_t width = (end - begin) / tokens.size();
      sum.resize(width);
      for (std::size_t token = 0; token < tokens.size(); ++token) {
        if (tokens[token].word >= 0) {
          const float* const row = flat.data() + begin + token * width;
          for (std::size_t i = 0; i < width; ++i) {
            sum[i] += static_cast<double>(row[i]);
          }
        }
      }
    }
    return true;
  }
  // [width]
  std::vector<float> mean(const QuantityName& name, std::int64_t tokens) const {
    std::vector<float> mean;
    for (const double value : sums_.at(name)) {
      mean.push_back(static_cast<float>(value / static_cast<double>(tokens)));
    }
    return mean;
  }

 private:
  std::map<QuantityName, std::vector<double>> sums_;
  std::span<const Sentence* const> batch_;
};

void run(const LoadedModel& loaded, std::span<const Sentence> block, std::int64_t batch_tokens, Sums& sums,
         const std::stop_token& stop) {
  const std::vector<std::vector<model::GraphArc>> graphs = read_graphs(*loaded.model, block, stop);
  std::vector<std::int64_t> lengths;
  for (const Sentence& sentence : block) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  model::Observer* const observers[] = {&sums};
  for (const std::vector<std::int64_t>& chosen : model::pack_by_length(lengths, batch_tokens)) {
    if (stop.stop_requested()) {
      throw Interrupted("ablating was stopped before the means were known; nothing was written");
    }
    std::vector<const Sentence*> sentences;
    sentences.reserve(chosen.size());
    for (const std::int64_t index : chosen) {
      sentences.push_back(&block[static_cast<std::size_t>(index)]);
    }
    sums.start(sentences);
    loaded.model->run(batch_of(block, graphs, chosen), {}, observers);
  }
}

void give(model::Intervention& intervention, std::vector<float> mean, std::int64_t heads) {
  if (auto* head = std::get_if<model::ScaleHead>(&intervention)) {
    const auto width = static_cast<std::ptrdiff_t>(mean.size()) / heads;
    const auto begin = mean.begin() + (head->head - 1) * width;
    head->toward.assign(begin, begin + width);
  } else if (auto* part = std::get_if<model::ScalePart>(&intervention)) {
    part->toward = std::move(mean);
  } else if (auto* layer = std::get_if<model::ScaleLayer>(&intervention)) {
    layer->toward = std::move(mean);
  } else if (auto* block = std::get_if<model::ScaleFeedForward>(&intervention)) {
    block->toward = std::move(mean);
  }
}

}  // namespace

MeanText scale_toward_means(const LoadedModel& loaded, const std::filesystem::path& text,
                            std::int64_t batch_tokens, std::vector<CutTarget>& targets,
                            const std::stop_token& stop, const ProgressCallback& progress) {
  const SystemDescription system = loaded.model->system();
  const StackDescription& stack = system.main();
  if (stack.recurrent()) {
    throw UsageError("--mean: parts of a recurrent encoder are cut or scaled, not set to their means");
  }
  if (text == "-") {
    throw UsageError("--mean: the text is a file; standard input can be read once alone");
  }
  Sums sums;
  for (const CutTarget& target : targets) {
    for (const model::Intervention& intervention : target.interventions) {
      const std::optional<QuantityName> name = scaled_by(intervention, stack.stack);
      if (!name) {
        throw UsageError(
            "--mean: heads, parts and blocks have means; gates, terms of scores and global representations "
            "have "
            "none, cut them in a call of their own");
      }
      sums.want(*name);
    }
  }
  io::CorpusReader lines(text);
  MeanText read{.name = text.filename().string(), .sha256 = io::file_sha256(text)};
  std::vector<Sentence> block;
  const auto run_block = [&] {
    run(loaded, block, batch_tokens, sums, stop);
    block.clear();
    if (progress) {
      progress({read.sentences, 0, "sentences", "taking means"});
    }
  };
  io::CorpusLine line;
  while (lines.next(line)) {
    Sentence sentence = loaded.tokenizer->encode(line.text, line.number);
    if (sentence.words.empty()) {
      continue;
    }
    if (loaded.longest > 0 && static_cast<std::int64_t>(sentence.tokens.size()) > loaded.longest) {
      throw ModelError(
          fmt::format("--mean {}: line {} has {} tokens, the model's positions end at {}; shorten it "
                      "or leave it out",
                      text.string(), line.number, sentence.tokens.size(), loaded.longest));
    }
    ++read.sentences;
    for (const Token& token : sentence.tokens) {
      read.tokens += token.word >= 0 ? 1 : 0;
    }
    block.push_back(std::move(sentence));
    if (block.size() == kBlockSentences) {
      run_block();
    }
  }
  run_block();
  if (read.tokens == 0) {
    throw FormatError(fmt::format("--mean {}: there is no word in it", text.string()));
  }
  for (CutTarget& target : targets) {
    target.mean = true;
    for (model::Intervention& intervention : target.interventions) {
      give(intervention, sums.mean(*scaled_by(intervention, stack.stack), read.tokens), stack.heads);
    }
  }
  return read;
}

}  // namespace mog::app
