// All pairs are read and checked against the gold file before the model runs. Then they are packed by length,
// and the streams take the batches in turn; a pair without words on one side has no link and is not run.
#include "app/workflow/evaluate/align_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/workflow/common/parallel.h"
#include "app/workflow/record/sentence_stream.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"
#include "model/packed_batch.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {
namespace {

using analysis::WordLink;

constexpr std::array kSources = {
    std::pair{AlignSource::cross_attention, std::string_view("cross-attention")},
    std::pair{AlignSource::contribution, std::string_view("contribution")},
    std::pair{AlignSource::alti, std::string_view("alti")},
};

struct Pair {
  Sentence sentence;
  std::int64_t targets = 0;  // words
};

std::vector<Pair> read_pairs(const LoadedModel& loaded, const AlignOptions& options) {
  RecordOptions reading;
  reading.input = options.source;
  reading.target = options.target;
  reading.invalid_utf8 = options.invalid_utf8;
  reading.long_can_be_chosen = false;
  SentenceStream stream(loaded, reading, options.source);
  std::vector<Pair> pairs;
  while (std::optional<Sentence> sentence = stream.next()) {
    const std::int64_t targets = analysis::target_words(*sentence);
    pairs.push_back({std::move(*sentence), targets});
  }
  if (pairs.empty()) {
    throw FormatError(fmt::format("aligning {}: there is no line in it", options.source.string()));
  }
  return pairs;
}

void check_word(const AlignOptions& options, const io::AlignmentLink& link, std::int64_t word,
                std::int64_t words, const std::filesystem::path& file, std::int64_t line,
                std::int64_t first) {
  if (word >= words) {
    throw FormatError(
        fmt::format("reading alignments {}, line {}: \"{}\" is of word {}, but line {} of {} has {}, counted "
                    "from {}; words are "
                    "what spaces separate: does the gold file count those of another tokenization?",
                    options.gold.string(), link.line, link.text, word + first, line, file.string(),
                    counted(words, "word"), first));
  }
}

// Links of every pair.
std::vector<std::vector<analysis::GoldLink>> read_gold(const AlignOptions& options,
                                                       std::span<const Pair> pairs) {
  const io::Alignments file = io::read_alignments(options.gold, options.gold_format);
  const bool rows = file.format == io::AlignmentFormat::naacl;  // pairs at the end may have no link
  if (file.pairs.size() > pairs.size() || (!rows && file.pairs.size() < pairs.size())) {
    throw FormatError(
        fmt::format("reading alignments {}: it is of {}, but {} has {}; both are line by line the same pairs",
                    options.gold.string(), counted(static_cast<std::int64_t>(file.pairs.size()), "pair"),
                    options.source.string(), counted(static_cast<std::int64_t>(pairs.size()), "line")));
  }
  const std::int64_t first = file.format == io::AlignmentFormat::pharaoh ? 0 : 1;
  std::vector<std::vector<analysis::GoldLink>> gold(pairs.size());
  for (std::size_t i = 0; i < file.pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    for (const io::AlignmentLink& link : file.pairs[i]) {
      const auto words = static_cast<std::int64_t>(pair.sentence.words.size());
      check_word(options, link, link.source, words, options.source, pair.sentence.number, first);
      check_word(options, link, link.target, pair.targets, options.target, pair.sentence.number, first);
      gold[i].push_back({{link.source, link.target}, link.possible});
    }
  }
  return gold;
}

void check_layer(std::int64_t layer, std::int64_t layers) {
  if (layer < 0 || layer > layers) {
    throw UsageError(
        fmt::format("--layer {}: the decoder has {}, counted from 1", layer, counted(layers, "layer")));
  }
}

std::vector<QuantitySchema> attention_maps(const model::Model& model, const AlignOptions& options) {
  std::vector<QuantitySchema> maps;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  for (const QuantitySchema& schema : model.quantities()) {
    const QuantityName& name = schema.name;
    if (name.quantity() != Quantity::attention || name.part().role() != PartRole::cross) {
      continue;
    }
    if (name.reduction() == Reduction::full) {
      layers = std::max(layers, name.layer());
      heads = schema.extents.front();
    }
    const Reduction wanted = options.head == 0 ? Reduction::mean_heads : Reduction::full;
    if (name.reduction() == wanted && (options.layer == 0 || name.layer() == options.layer)) {
      maps.push_back(schema);
    }
  }
  check_layer(options.layer, layers);
  if (options.head < 0 || options.head > heads) {
    throw UsageError(fmt::format("--head {}: a layer of the decoder has {}, counted from 1 (0: their mean)",
                                 options.head, counted(heads, "head")));
  }
  return maps;
}

// Of source tokens, where the encoder has exact decompositions, else of positions of its output.
std::vector<QuantitySchema> decomposed_maps(const model::Model& model, const AlignOptions& options) {
  check_layer(options.layer, model.config().decoder->layers);
  const std::vector<QuantitySchema> offered = model::decoder_decompositions(model.config());
  const QuantitySchema* const map = analysis::decomposed_map(offered, *options.from, options.layer);
  return map == nullptr ? std::vector<QuantitySchema>() : std::vector<QuantitySchema>{*map};
}

// Where nobody chooses: contributions, which need no choice of a layer. Cross-attention where a layer, a head
// or the step that reads is asked for, and of a model without contributions.
AlignSource usual_source(const model::Model& model, const AlignOptions& options) {
  if (options.layer != 0 || options.head != 0 || options.step == analysis::AlignmentStep::read) {
    return AlignSource::cross_attention;
  }
  const std::vector<QuantitySchema> offered = model::decoder_decompositions(model.config());
  return analysis::decomposed_map(offered, AlignSource::contribution) == nullptr
             ? AlignSource::cross_attention
             : AlignSource::contribution;
}

void check_precision(AlignSource from, model::Precision precision) {
  const bool rounded = precision == model::Precision::bfloat16 || precision == model::Precision::int8;
  if (rounded && from != AlignSource::cross_attention) {
    throw UsageError(
        fmt::format("aligning by {}: it takes the model apart exactly, and products in bfloat16 or 8 bits do "
                    "not add up; use --precision float32 or float64, or --from cross-attention",
                    name(from)));
  }
}

// The maps of which the mean is taken.
std::vector<QuantitySchema> maps_of(const model::Model& model, const AlignOptions& options) {
  std::vector<QuantitySchema> maps = options.from == AlignSource::cross_attention
                                         ? attention_maps(model, options)
                                         : decomposed_maps(model, options);
  for (QuantitySchema& schema : maps) {
    schema.dtype = DType::float32;
  }
  return maps;
}

// The values of one sentence, [target token, column], of which the first columns are source tokens.
struct StepRows {
  std::vector<double> values;
  std::int64_t columns = 0;
};

// Takes the packed values of a batch apart.
class MapsOfBatch {
 public:
  MapsOfBatch(const RecordingBatch& batch, std::span<const QuantitySchema> maps, std::int64_t head)
      : maps_(maps), head_(head) {
    for (const auto& [name, values] : batch.quantities) {
      values_.emplace(name, values.values<float>());
    }
  }
  // Of the next sentence of the batch: the mean over maps.
  StepRows next(const Sentence& sentence) {
    const auto rows = static_cast<std::int64_t>(sentence.target_tokens.size());
    StepRows mean;
    for (const QuantitySchema& schema : maps_) {
      const std::vector<std::int64_t> shape =
          schema.shape(static_cast<std::int64_t>(sentence.tokens.size()), rows);
      mean.columns = shape.back();
      mean.values.resize(static_cast<std::size_t>(rows * mean.columns));
      std::span<const float>& rest = values_.at(schema.name);
      const std::size_t begin = head_ == 0 ? 0 : static_cast<std::size_t>(head_ - 1) * mean.values.size();
      for (std::size_t i = 0; i < mean.values.size(); ++i) {
        mean.values[i] += static_cast<double>(rest[begin + i]) / static_cast<double>(maps_.size());
      }
      const std::size_t heads = shape.size() == 3 ? static_cast<std::size_t>(shape.front()) : 1;
      rest = rest.subspan(heads * mean.values.size());
    }
    return mean;
  }

 private:
  std::span<const QuantitySchema> maps_;
  std::int64_t head_;
  std::map<QuantityName, std::span<const float>> values_;
};

std::vector<WordLink> links_of(const StepRows& rows, const Pair& pair, analysis::AlignmentStep step) {
  const std::vector<std::int64_t> best = analysis::best_sources(
      analysis::word_map(rows.values, rows.columns, pair.sentence, pair.targets, step));
  std::vector<WordLink> links;
  for (std::size_t target = 0; target < best.size(); ++target) {
    if (best[target] >= 0) {
      links.push_back({best[target], static_cast<std::int64_t>(target)});
    }
  }
  return links;
}

class Aligner {
 public:
  Aligner(const LoadedModel& loaded, const AlignOptions& options, std::span<const Pair> pairs,
          analysis::AlignmentStep step)
      : loaded_(loaded),
        options_(options),
        pairs_(pairs),
        step_(step),
        maps_(maps_of(*loaded.model, options)) {}

  std::vector<AlignedPair> run(const std::stop_token& stop, const ProgressCallback& progress) {
    std::vector<std::int64_t> lengths;
    std::vector<std::size_t> places;
    aligned_.clear();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      aligned_.push_back({pairs_[i].sentence.number, {}});
      if (!pairs_[i].sentence.words.empty() && pairs_[i].targets > 0) {
        places.push_back(i);
        lengths.push_back(static_cast<std::int64_t>(pairs_[i].sentence.tokens.size()));
      }
    }
    const auto batches = model::pack_by_length(lengths, options_.batch_tokens);
    std::mutex mutex;
    std::int64_t done = 0;
    share_out(stream_count(options_.streams, loaded_.model->device()), batches.size(), [&](std::size_t at) {
      if (stop.stop_requested()) {
        throw Interrupted("aligning: interrupted");
      }
      std::vector<std::size_t> own;
      for (const std::int64_t index : batches[at]) {
        own.push_back(places[static_cast<std::size_t>(index)]);
      }
      run_batch(own, stop);
      const std::scoped_lock lock(mutex);
      done += static_cast<std::int64_t>(own.size());
      if (progress) {
        progress({done, static_cast<std::int64_t>(places.size()), "sentences", "aligning"});
      }
    });
    return std::move(aligned_);
  }

 private:
  void run_batch(std::span<const std::size_t> own, const std::stop_token& stop) {
    std::vector<Sentence> sentences;
    for (const std::size_t i : own) {
      sentences.push_back(pairs_[i].sentence);
    }
    const RecordingBatch batch = record_batch(*loaded_.model, maps_, std::move(sentences), {}, stop);
    MapsOfBatch maps(batch, maps_, options_.head);
    for (const std::size_t i : own) {
      aligned_[i].links = links_of(maps.next(pairs_[i].sentence), pairs_[i], step_);
    }
  }

  const LoadedModel& loaded_;
  const AlignOptions& options_;
  std::span<const Pair> pairs_;
  analysis::AlignmentStep step_;
  std::vector<QuantitySchema> maps_;
  std::vector<AlignedPair> aligned_;
};

struct NamedScore {
  std::string_view measure;
  double value;
  analysis::Interval interval;
};

std::array<NamedScore, 4> scores_of(const analysis::AlignmentScore& score) {
  const analysis::AlignmentCounts& counts = score.counts;
  return {{{"aer", counts.error_rate(), score.error_rate},
           {"precision", counts.precision(), score.precision},
           {"recall", counts.recall(), score.recall},
           {"f1", counts.f1(), score.f1}}};
}

}  // namespace

AlignSource parse_align_source(std::string_view text) {
  if (const auto source = find_in(kSources, text)) {
    return *source;
  }
  throw unknown_choice("--from", text, names_in(kSources));
}

std::string_view name(AlignSource source) noexcept {
  return name_in(kSources, source);
}

AlignResult run_align_job(LoadedModel loaded, const AlignOptions& given, std::stop_token stop,
                          const ProgressCallback& progress) {
  if (loaded.target_vocabulary == nullptr) {
    throw ModelError(
        fmt::format("aligning with {}: the model has no decoder, which alone reads translations; "
                    "`mog describe` says what a model has",
                    loaded.model->card().name));
  }
  AlignOptions options = given;
  options.from = given.from.value_or(usual_source(*loaded.model, given));
  check_precision(*options.from, loaded.precision);
  if (options.batch_tokens < 1) {
    throw UsageError(fmt::format("--batch-tokens {}: must be at least 1", options.batch_tokens));
  }
  if (options.from == AlignSource::contribution && options.step == analysis::AlignmentStep::read) {
    throw UsageError(
        "--step read: contributions to a logit are of the step that predicts its token; leave it out");
  }
  const auto target_tokenizer = loaded.target_tokenizer ? loaded.target_tokenizer : loaded.tokenizer;
  loaded.tokenizer = model::with_words(loaded.tokenizer, model::WordCut::spaces);
  loaded.target_tokenizer = model::with_words(target_tokenizer, model::WordCut::spaces);
  AlignResult result;
  result.from = *options.from;
  result.layer = options.layer;
  result.head = options.head;
  result.step = options.step;
  const std::vector<Pair> pairs = read_pairs(loaded, options);
  std::vector<std::vector<analysis::GoldLink>> gold;
  if (!options.gold.empty()) {
    gold = read_gold(options, pairs);
  }
  result.pairs = Aligner(loaded, options, pairs, result.step).run(stop, progress);
  if (!options.gold.empty()) {
    std::vector<analysis::AlignmentCounts> counts;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      counts.push_back(analysis::count_links(gold[i], result.pairs[i].links));
    }
    analysis::BootstrapOptions bootstrap = options.bootstrap;
    bootstrap.stop = std::move(stop);
    result.score = analysis::alignment_score(counts, bootstrap);
  }
  return result;
}

std::string alignment_text(const AlignResult& result, io::AlignmentFormat format) {
  std::string text;
  for (const AlignedPair& pair : result.pairs) {
    std::vector<io::AlignmentLink> links;
    for (const WordLink& link : pair.links) {
      links.push_back({link.source, link.target, false, pair.number, {}});
    }
    text += io::alignment_line(links, format) + "\n";
  }
  return text;
}

std::string align_score_text(const AlignResult& result) {
  const analysis::AlignmentScore& score = *result.score;
  std::string text =
      fmt::format("{} {}, {} links found; gold: {} sure, {} with possible ones\n", grouped(score.pairs),
                  plural(score.pairs, "pair"), grouped(score.counts.found), grouped(score.counts.sure),
                  grouped(score.counts.possible));
  for (const NamedScore& one : scores_of(score)) {
    text += fmt::format("{:<9} {:6.2f}",
                        one.measure == "aer"  ? "AER"
                        : one.measure == "f1" ? "F1"
                                              : one.measure,
                        100 * one.value);
    if (!std::isnan(one.interval.low)) {
      text += fmt::format("  [{:.2f}, {:.2f}]", 100 * one.interval.low, 100 * one.interval.high);
    }
    text += "\n";
  }
  return text;
}

std::string to_json(const AlignResult& result) {
  nlohmann::ordered_json document = {{"sentences", result.pairs.size()},
                                     {"from", name(result.from)},
                                     {"layer", result.layer},
                                     {"head", result.head},
                                     {"step", analysis::name(result.step)}};
  if (result.score) {
    document["found"] = result.score->counts.found;
    document["sure"] = result.score->counts.sure;
    document["possible"] = result.score->counts.possible;
    document["scores"] = nlohmann::ordered_json::array();
    for (const NamedScore& one : scores_of(*result.score)) {
      document["scores"].push_back({{"measure", one.measure},
                                    {"value", one.value},
                                    {"low", one.interval.low},
                                    {"high", one.interval.high}});
    }
  }
  document["alignments"] = nlohmann::ordered_json::array();
  for (const AlignedPair& pair : result.pairs) {
    nlohmann::ordered_json links = nlohmann::ordered_json::array();
    for (const WordLink& link : pair.links) {
      links.push_back({{"source", link.source + 1}, {"target", link.target + 1}});
    }
    document["alignments"].push_back({{"sentence", pair.number}, {"links", std::move(links)}});
  }
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace mog::app
