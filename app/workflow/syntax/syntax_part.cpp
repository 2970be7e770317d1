#include "app/workflow/syntax/syntax_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "app/workflow/common/bootstrap_json.h"
#include "app/workflow/syntax/syntax_trees.h"
#include "app/workflow/tasks/corpus_part.h"
#include "app/workflow/tasks/sentence_part.h"
#include "io/recording/errors.h"
#include "io/statistics/sentence_columns.h"
#include "io/text/sha256.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Attachment;

constexpr std::int64_t kAbsent = -1;  // no prediction
constexpr int kHalf = 32;             // bits of a count, two in a number

// Some neighbouring sentences of a recording.
class RecordingStretch final : public RecordingSource {
 public:
  RecordingStretch(const RecordingSource& whole, std::int64_t first, std::int64_t count)
      : whole_(whole), first_(first), count_(count) {}
  const RecordingHeader& header() const override { return whole_.header(); }
  std::int64_t size() const override { return count_; }
  Sentence sentence(std::int64_t index) const override { return whole_.sentence(first_ + index); }
  std::int64_t number(std::int64_t index) const override { return whole_.number(first_ + index); }
  std::vector<std::int64_t> token_counts() const override { return part(whole_.token_counts()); }
  std::vector<std::int64_t> word_counts() const override { return part(whole_.word_counts()); }
  HostTensor read(std::int64_t index, const QuantityName& name) const override {
    return whole_.read(first_ + index, name);
  }
  HostTensor read_packed(std::int64_t first, std::int64_t count, const QuantityName& name) const override {
    return whole_.read_packed(first_ + first, count, name);
  }

 private:
  std::vector<std::int64_t> part(const std::vector<std::int64_t>& all) const {
    return {all.begin() + first_, all.begin() + first_ + count_};
  }
  const RecordingSource& whole_;
  std::int64_t first_;
  std::int64_t count_;
};

// `recorded`: sentences of all recordings that were named, of which parts are cut.
Json settings_of(const SyntaxPart& part, std::int64_t recorded, std::string_view call) {
  const SyntaxOptions& options = part.counts.options;
  std::vector<std::string_view> sources;
  for (const SyntaxSource source : options.sources) {
    sources.push_back(name(source));
  }
  const bool both = options.direction == DirectionChoice::both;
  return {{"sources", fmt::format("{}", fmt::join(sources, ","))},
          {"projective", options.projective},
          {"punctuation", options.punctuation},
          {"root", options.root == RootChoice::gold ? "gold" : "tree"},
          {"direction", both                                        ? "both"
                        : options.direction == DirectionChoice::key ? "key"
                                                                    : "query"},
          {"top", options.top},
          {"beam", options.beam},
          {"draws", options.draws},
          {"grammar", part.grammar},
          {"recorded", recorded},
          {"treebank_sha256", io::file_sha256(options.treebank)},
          {"bootstrap", bootstrap_to_json(options.bootstrap)},
          {"call", call}};
}

SyntaxOptions options_of(const Json& json) {
  SyntaxOptions options;
  options.sources = parse_syntax_sources(json.at("sources").get<std::string>());
  json.at("projective").get_to(options.projective);
  json.at("punctuation").get_to(options.punctuation);
  options.root = parse_root_choice(json.at("root").get<std::string>());
  options.direction = parse_direction_choice(json.at("direction").get<std::string>());
  json.at("top").get_to(options.top);
  json.at("beam").get_to(options.beam);
  json.at("draws").get_to(options.draws);
  options.bootstrap = bootstrap_from_json(json.at("bootstrap"));
  constexpr std::int64_t kMost = 4096;  // of what the command lets choose
  if (options.top < 1 || options.top > kMost || options.beam < 1 || options.beam > kMost ||
      options.draws < 0 || options.draws > kMost) {
    throw UsageError(fmt::format("{} graphs, a beam of {}, {} random trees cannot be", options.top,
                                 options.beam, options.draws));
  }
  return options;
}

std::int64_t two(std::int64_t upper, std::int64_t lower) {
  return (upper << kHalf) | lower;
}
std::int64_t upper(std::int64_t pair) {
  return pair >> kHalf;
}
std::int64_t lower(std::int64_t pair) {
  return pair & ((std::int64_t{1} << kHalf) - 1);
}

// Words and edges of every sentence, then heads and pairs of every row. Sentences that were left out have a
// place, too: what one half of the sentences chooses for the other depends on their places.
io::SentenceColumns columns_of(const SyntaxPart& part) {
  const analysis::AttachmentScores& scores = part.counts.scores;
  std::vector<std::size_t> order(part.numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return part.numbers[a] < part.numbers[b]; });
  std::vector<std::int64_t> numbers;
  numbers.reserve(order.size());
  for (const std::size_t sentence : order) {
    numbers.push_back(part.numbers[sentence]);
  }
  io::SentenceColumns columns(std::move(numbers));
  std::vector<std::int64_t> wholes(order.size(), kAbsent);
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t row = 0; row < scores.rows(); ++row) {
    std::vector<std::int64_t>& values = rows.emplace_back();
    for (std::size_t at = 0; at < order.size(); ++at) {
      const std::optional<Attachment> found = scores.found(row, order[at]);
      values.push_back(found ? two(found->heads, found->pairs) : kAbsent);
      if (found) {
        wholes[at] = two(found->words, found->edges);
      }
    }
  }
  columns.add(std::span<const std::int64_t>(wholes));
  for (const std::vector<std::int64_t>& values : rows) {
    columns.add(std::span<const std::int64_t>(values));
  }
  return columns;
}

analysis::AttachmentScores scores_of(const io::SentenceColumns& columns, std::size_t rows, std::size_t random,
                                     std::int32_t draws) {
  analysis::AttachmentScores scores(rows, columns.numbers().size());
  scores.set_draws(random, draws);
  std::size_t at = 0;
  const std::vector<std::int64_t> wholes = columns.next_whole(at);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<std::int64_t> values = columns.next_whole(at);
    for (std::size_t sentence = 0; sentence < values.size(); ++sentence) {
      if (values[sentence] != kAbsent) {
        scores.set(row, sentence,
                   {.words = upper(wholes[sentence]),
                    .heads = upper(values[sentence]),
                    .edges = lower(wholes[sentence]),
                    .pairs = lower(values[sentence])});
      }
    }
  }
  return scores;
}

SyntaxResult result_of(const io::PartialStatistics& partial, const Json& json,
                       const io::SentenceColumns& columns) {
  const SyntaxOptions options = options_of(json);
  // Before rows are made for the heads that the header names.
  for (const QuantitySchema& schema : partial.header.quantities) {
    if (!schema.extents.empty() && schema.name.quantity() == Quantity::attention &&
        schema.extents.front() > static_cast<std::int64_t>(columns.columns())) {
      throw FormatError(fmt::format("{} has {} heads, and {} values of a sentence are there",
                                    schema.name.text(), schema.extents.front(), columns.columns()));
    }
  }
  const SentenceTreesMaker trees(partial.header, options);
  const SyntaxBaselines baselines(trees.rows().size());
  require_columns(columns, baselines.rows + 1);
  if (partial.counted == 0) {
    throw FormatError("no sentence of the treebank agrees with the recording");
  }
  const auto sentences = static_cast<std::int64_t>(columns.numbers().size());
  SyntaxCounts counts{.options = options,
                      .rows = trees.rows(),
                      .scores = scores_of(columns, baselines.rows, baselines.random, options.draws),
                      .treebank_sentences = sentences,
                      .recorded_sentences = sentences};
  SyntaxResult result;
  result.options = options;
  result.recording = partial.header.provenance.corpus_name;
  result.model = partial.header.model.name;
  json.at("grammar").get_to(result.grammar);
  counts.add_to(result);
  return result;
}

}  // namespace

SyntaxPartSummary compare_part(const RecordingSource& source, const SyntaxOptions& options,
                               const Shard& shard, std::string_view call, std::stop_token stop,
                               const ProgressCallback& progress) {
  check_syntax_options(source, options);
  // By the whole, so that all parts say the same: a part may have no sentence with a word.
  SyntaxResult possible;
  const SyntaxOptions wanted = possible_options(source, options, possible);
  const io::NumberRange own = share_of_numbers(shard, source.size());
  const RecordingStretch stretch(source, own.first - 1, own.last - own.first + 1);
  SyntaxPart part = count_part(stretch, wanted, std::move(stop), progress);
  part.counts.options = wanted;
  part.grammar = possible.grammar;
  SyntaxPartSummary summary;
  summary.partial =
      sentence_part(kSyntaxJob, part.header, shard, columns_of(part), settings_of(part, source.size(), call));
  summary.partial.counted = static_cast<std::int64_t>(part.counts.scores.sentences().size());
  summary.notes = possible.notes;
  summary.skipped = part.skipped;
  return summary;
}

analysis::Table syntax_table(const io::PartialStatistics& partial, std::string_view place) {
  return table_of_part(partial, place, [&](const Json& json, const io::SentenceColumns& columns) {
    return score_table(result_of(partial, json, columns));
  });
}

}  // namespace mog::app
