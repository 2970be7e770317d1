#include "app/workflow/record/live_run.h"
#include "app/workflow/graphs/read_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "app/workflow/record/record_quantities.h"
#include "app/workflow/record/rounding_error.h"
#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/recording/errors.h"
#include "model/stored_model.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {
namespace {

// Keeps what the schemas name, in their dtype.
class Keeper final : public model::Observer {
 public:
  Keeper(std::span<const QuantitySchema> quantities, std::stop_token stop, bool check)
      : stop_(std::move(stop)), check_(check) {
    for (const QuantitySchema& schema : quantities) {
      wanted_.emplace(schema.name, io::type_of_values(schema.dtype));
    }
  }
  std::optional<DType> wants(const QuantityName& name) const override {
    const auto found = wanted_.find(name);
    return found == wanted_.end() ? std::nullopt : std::optional(found->second);
  }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    kept_.emplace(name, values.values);
    return !stop_.stop_requested();
  }
  bool wants_decompositions() const override { return true; }
  bool checks_identities() const override { return check_; }
  void identity(const model::IdentityCheck& check) override { checks_.push_back(check); }
  const std::vector<model::IdentityCheck>& checks() const { return checks_; }
  HostTensor take(const QuantityName& name) {
    const auto found = kept_.find(name);
    if (found == kept_.end()) {
      throw ModelError(fmt::format("recording {}: the model offers it but did not give it", name.text()));
    }
    return std::move(found->second);
  }

 private:
  std::map<QuantityName, DType> wanted_;
  std::map<QuantityName, HostTensor> kept_;
  std::stop_token stop_;
  bool check_;
  std::vector<model::IdentityCheck> checks_;
};

std::int64_t expected_elements(const QuantitySchema& schema, std::span<const Sentence> sentences) {
  std::int64_t total = 0;
  for (const Sentence& sentence : sentences) {
    total += schema.elements(static_cast<std::int64_t>(sentence.tokens.size()),
                             static_cast<std::int64_t>(sentence.target_tokens.size()));
  }
  return total;
}

std::int64_t table_rows(const model::ModelDirectory& directory, const std::string& name) {
  const auto found = directory.weights.find(name);
  // Positions of real tokens count from 2.
  return found == directory.weights.end() ? 0 : std::max<std::int64_t>(0, found->second.shape().at(0) - 2);
}

}  // namespace

std::int64_t longest_sentence(const model::ModelDirectory& directory) {
  const std::int64_t most = directory.config.encoder.max_positions;
  return most > 0 ? most : table_rows(directory, "encoder.embed_positions.weight");
}

model::WordCut words_of(const model::ModelConfig& config, model::WordCut asked) {
  return asked == model::WordCut::automatic ? config.tokenizer.words : asked;
}

std::string_view precision_name(model::Precision precision) noexcept {
  switch (precision) {
    case model::Precision::bfloat16:
      return "bfloat16";
    case model::Precision::float64:
      return "float64";
    case model::Precision::int8:
      return "int8";
    default:
      return "float32";
  }
}

std::string precision_text(std::string_view precision) {
  std::string text(precision);
  if (precision == precision_name(model::Precision::int8)) {
    text += " (products rounded to 8 bits)";
  } else if (precision == precision_name(model::Precision::bfloat16)) {
    text += " (products rounded to 16 bits)";
  }
  return text;
}

LoadedModel load_for_running(const std::filesystem::path& directory, const model::DeviceOptions& options,
                             model::WordCut words, bool measured) {
  const model::StoredModel opened = model::open_stored_model(directory);
  LoadedModel loaded;
  loaded.model = measured ? load_measured(opened, options) : model::load_model(opened, options);
  loaded.precision = options.precision;
  loaded.words = words_of(opened.config, words);
  loaded.tokenizer = model::with_words(opened.tokenizer, loaded.words);
  loaded.target_tokenizer = opened.target_tokenizer ? opened.target_tokenizer : opened.tokenizer;
  loaded.target_vocabulary = opened.target_vocabulary;
  loaded.longest = longest_sentence(opened);
  loaded.longest_target = table_rows(opened, "decoder.embed_positions.weight");
  return loaded;
}

RecordingBatch record_batch(const model::Model& model, std::span<const QuantitySchema> quantities,
                            std::vector<Sentence> sentences,
                            std::span<const model::Intervention> interventions, std::stop_token stop) {
  return record_batch(model, quantities, std::move(sentences),
                      BatchRun{.interventions = interventions, .stop = std::move(stop)});
}

RecordingBatch record_batch(const model::Model& model, std::span<const QuantitySchema> quantities,
                            std::vector<Sentence> sentences, const BatchRun& run) {
  // An empty line has no tokens where the tokenizer puts none around a text: nothing is run, and no value
  // kept.
  const auto is_empty = [](const Sentence& sentence) { return sentence.tokens.empty(); };
  const bool gaps = std::any_of(sentences.begin(), sentences.end(), is_empty);
  std::vector<Sentence> some;
  if (gaps) {
    std::remove_copy_if(sentences.begin(), sentences.end(), std::back_inserter(some), is_empty);
  }
  const std::vector<Sentence>& read = gaps ? some : sentences;
  Keeper keeper(quantities, run.stop, run.report != nullptr);
  std::vector<model::Observer*> observers = {&keeper};
  if (run.watcher != nullptr) {
    observers.push_back(run.watcher);
  }
  if (!read.empty()) {
    model.run(packed_with_graphs(model, read, run.stop, run.round), run.interventions, observers);
  }
  for (const model::IdentityCheck& check : keeper.checks()) {
    run.report->add({.identity = std::string(check.identity),
                     .residual = check.residual,
                     .tolerance = check.tolerance,
                     .layer = check.layer,
                     .head = check.head,
                     .sentence = read.at(static_cast<std::size_t>(check.sentence)).number});
  }
  RecordingBatch batch;
  for (const QuantitySchema& schema : quantities) {
    const HostTensor values =
        read.empty() ? HostTensor(io::type_of_values(schema.dtype), {0}) : keeper.take(schema.name);
    const std::int64_t expected = expected_elements(schema, sentences);
    if (values.size() != expected) {
      throw ShapeError(fmt::format("recording {}: the model gave {} values where {} were expected",
                                   schema.name.text(), values.size(), expected));
    }
    batch.quantities.emplace_back(schema.name, values.reshaped({expected}));
  }
  batch.sentences = std::move(sentences);
  return batch;
}

Provenance typed_sentence() {
  Provenance made;
  made.corpus_name = "typed sentence";
  return made;
}

Sentence encode_typed(const LoadedModel& loaded, std::string_view text) {
  Sentence sentence = loaded.tokenizer->encode(text, 1);
  if (sentence.words.empty()) {
    throw UsageError("running a sentence: the text has no words; type at least one");
  }
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  if (loaded.longest > 0 && tokens > loaded.longest) {
    throw ModelError(
        fmt::format("running a sentence: it has {} tokens, the model's position table ends at {}; "
                    "shorten the text",
                    tokens, loaded.longest));
  }
  return sentence;
}

std::shared_ptr<MemoryRecording> record_sentence(const LoadedModel& loaded, Sentence sentence,
                                                 const CaptureSet& captures,
                                                 std::span<const model::Intervention> interventions,
                                                 std::stop_token stop, std::vector<std::string> named,
                                                 const Provenance& made) {
  RecordingHeader header;
  header.model = loaded.model->card();
  header.provenance = made;
  header.provenance.device = loaded.model->device();
  header.provenance.precision = precision_name(loaded.precision);
  RecordOptions options;
  options.capture = captures;
  options.quantities = std::move(named);
  options.translate = !sentence.target_tokens.empty();
  Computers computers;
  computers.header = &header;
  const std::vector<QuantitySchema> observed = choose_quantities(*loaded.model, options, header, computers);
  auto recording = std::make_shared<MemoryRecording>();
  recording->begin(header);
  std::vector<Sentence> sentences;
  sentences.push_back(std::move(sentence));
  recording->write(record_and_compute(*loaded.model, observed, computers, std::move(sentences),
                                      {.interventions = interventions, .stop = std::move(stop)}));
  recording->finish();
  return recording;
}

std::shared_ptr<MemoryRecording> record_sentence(const LoadedModel& loaded, std::string_view text,
                                                 const CaptureSet& captures,
                                                 std::span<const model::Intervention> interventions,
                                                 std::stop_token stop, std::vector<std::string> named,
                                                 const Provenance& made) {
  return record_sentence(loaded, encode_typed(loaded, text), captures, interventions, std::move(stop),
                         std::move(named), made);
}

}  // namespace mog::app
