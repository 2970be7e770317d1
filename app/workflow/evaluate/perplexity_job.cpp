#include "app/workflow/evaluate/perplexity_job.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "app/workflow/evaluate/word_files.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/record/rounding_error.h"
#include "io/recording/errors.h"
#include "model/stored_model.h"

namespace mog::app {
namespace {

constexpr std::size_t kBlockTexts = 1000;

bool is_surprisal(const QuantityName& name) {
  return name.layer() == 0 && name.quantity() == Quantity::next_token &&
         name.reduction() == Reduction::surprisal;
}

class SurprisalObserver final : public model::Observer {
 public:
  SurprisalObserver(std::vector<TextSurprisal>& texts, std::stop_token stop)
      : texts_(texts), stop_(std::move(stop)) {}
  void start(const std::vector<std::int64_t>& batch) { batch_ = &batch; }

  std::optional<DType> wants(const QuantityName& name) const override {
    return is_surprisal(name) ? std::optional<DType>(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName&, const model::PackedValues& values) override {
    const auto all = values.values.values<float>();
    for (std::size_t at = 0; at < batch_->size(); ++at) {
      TextSurprisal& text = texts_[static_cast<std::size_t>((*batch_)[at])];
      for (auto i = static_cast<std::size_t>(values.offsets[at]) + 1;
           i < static_cast<std::size_t>(values.offsets[at + 1]); ++i) {
        text.sum += static_cast<double>(all[i]);
        ++text.tokens;
      }
    }
    return !stop_.stop_requested();
  }

 private:
  std::vector<TextSurprisal>& texts_;
  std::stop_token stop_;
  const std::vector<std::int64_t>* batch_ = nullptr;
};

void run_block(const model::Model& model, const std::vector<Sentence>& sentences,
               const PerplexityOptions& options, std::vector<TextSurprisal>& texts) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(sentences.size());
  for (const Sentence& sentence : sentences) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  SurprisalObserver observer(texts, options.stop);
  model::Observer* const observers[] = {&observer};
  for (const std::vector<std::int64_t>& chosen : model::pack_by_length(lengths, options.batch_tokens)) {
    model::PackedBatch batch;
    for (const std::int64_t index : chosen) {
      batch.append(sentences[static_cast<std::size_t>(index)]);
    }
    observer.start(chosen);
    model.run(batch, {}, observers);
  }
}

// Without what is foreseen by nothing: the first token, where it is of the text.
std::int64_t foreseen_bytes(const Sentence& sentence) {
  return static_cast<std::int64_t>(sentence.text.size()) - sentence.tokens.front().bytes.end;
}

double perplexity_of(double sum, std::int64_t tokens) {
  return std::exp(sum / static_cast<double>(tokens));
}

void finish(const std::vector<TextSurprisal>& texts, const PerplexityOptions& options,
            PerplexityResult& result) {
  double sum = 0.0;
  for (const TextSurprisal& text : texts) {
    sum += text.sum;
    result.tokens += text.tokens;
    result.bytes += text.bytes;
  }
  result.texts = static_cast<std::int64_t>(texts.size());
  result.surprisal = sum / static_cast<double>(result.tokens);
  result.perplexity = perplexity_of(sum, result.tokens);
  result.bits_per_byte = sum / std::numbers::ln2 / static_cast<double>(result.bytes);
  const auto resampled = [&texts](std::span<const std::int64_t> chosen) {
    double own = 0.0;
    std::int64_t tokens = 0;
    for (const std::int64_t index : chosen) {
      own += texts[static_cast<std::size_t>(index)].sum;
      tokens += texts[static_cast<std::size_t>(index)].tokens;
    }
    return perplexity_of(own, tokens);
  };
  result.interval = analysis::bootstrap_interval(result.texts, resampled, options.bootstrap);
}

}  // namespace

PerplexityResult run_perplexity_job(const PerplexityOptions& options) {
  model::StoredModel directory = model::open_stored_model(options.model);
  if (!directory.config.language_model) {
    throw UsageError(
        "Perplexity of model " + options.model.string() +
        ": it does not predict the next token (key language_model of config.json); choose a model "
        "that reads from left to right, saved with its head");
  }
  WordInput input(options.input, *directory.tokenizer);
  const std::shared_ptr<const model::Model> model = load_measured(directory, options.device);
  directory.stored.reset();  // they are the engine's now
  PerplexityResult result;
  result.model = model->card().name;
  const std::int64_t longest = longest_sentence(directory);
  std::vector<TextSurprisal> texts;
  for (bool more = true; more;) {
    std::vector<Sentence> sentences;
    std::vector<TextSurprisal> own;
    while (sentences.size() < kBlockTexts) {
      Sentence sentence;
      io::TreebankSentence tree;
      if (!input.next(sentence, tree)) {
        more = false;
        break;
      }
      if (sentence.words.empty() || sentence.tokens.size() < 2) {
        ++result.left_out;
        continue;
      }
      if (const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
          longest > 0 && tokens > longest) {
        throw FormatError(
            fmt::format("{}, line {}: {} tokens, and the positions of {} end at {}; cut the line into "
                        "several texts",
                        options.input.string(), sentence.number, tokens, result.model, longest));
      }
      own.push_back({.number = sentence.number, .bytes = foreseen_bytes(sentence)});
      sentences.push_back(std::move(sentence));
    }
    run_block(*model, sentences, options, own);
    texts.insert(texts.end(), own.begin(), own.end());
    if (options.progress) {
      options.progress({.done = static_cast<std::int64_t>(texts.size()),
                        .total = 0,
                        .unit = "texts",
                        .message = "reading"});
    }
  }
  if (texts.empty()) {
    throw UsageError("Perplexity of " + options.input.string() +
                     ": the file has no text of two tokens or more");
  }
  finish(texts, options, result);
  if (options.lines) {
    result.lines = std::move(texts);
  }
  return result;
}

std::string to_json(const PerplexityResult& result) {
  nlohmann::ordered_json document = {
      {"model", result.model},         {"texts", result.texts},
      {"tokens", result.tokens},       {"size_bytes", result.bytes},
      {"left_out", result.left_out},   {"perplexity", result.perplexity},
      {"low", result.interval.low},    {"high", result.interval.high},
      {"surprisal", result.surprisal}, {"bits_per_byte", result.bits_per_byte}};
  return document.dump();
}

analysis::Table line_table(const PerplexityResult& result) {
  analysis::Table table{.columns = {"text", "tokens", "size_bytes", "surprisal", "perplexity"}, .rows = {}};
  for (const TextSurprisal& line : result.lines) {
    table.add({line.number, line.tokens, line.bytes, line.sum / static_cast<double>(line.tokens),
               perplexity_of(line.sum, line.tokens)});
  }
  return table;
}

}  // namespace mog::app
