#include "analysis/statistics/relation_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/statistics/softmax.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// One row of the terms of one head, [key] each.
struct ScoreRow {
  std::vector<double> content;
  std::vector<double> key;
  std::vector<double> query;
};

void centre(std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  for (double& value : values) {
    value -= mean;
  }
}

using ByRelation = std::map<std::int64_t, RelationSums>;

// Adds the pairs of one row of scores. relations: [key].
void add_row(ScoreRow row, std::span<const float> relations, ByRelation& found) {
  centre(row.content);
  centre(row.key);
  centre(row.query);
  std::vector<double> weight = row.content;
  std::vector<double> without = row.content;
  for (std::size_t j = 0; j < weight.size(); ++j) {
    weight[j] += row.key[j] + row.query[j];
  }
  softmax(weight);
  softmax(without);
  for (std::size_t j = 0; j < weight.size(); ++j) {
    const double relation = std::abs(row.key[j] + row.query[j]);
    const double all = relation + std::abs(row.content[j]);
    found[std::llround(static_cast<double>(relations[j]))] += {.pairs = 1,
                                                               .share = all > 0 ? relation / all : 0.0,
                                                               .content = row.content[j],
                                                               .key = row.key[j],
                                                               .query = row.query[j],
                                                               .weight = weight[j],
                                                               .without = without[j]};
  }
}

// [head] of a layer. terms: [head, term, query, key], relations: [query, key].
std::vector<ByRelation> by_head(std::span<const float> terms, std::span<const float> relations,
                                std::size_t tokens, std::size_t heads, std::size_t count) {
  const std::size_t area = tokens * tokens;
  std::vector<ByRelation> result(heads);
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t query = 0; query < tokens; ++query) {
      const auto row = [&](std::size_t term) {
        if (term >= count) {
          return std::vector<double>(tokens, 0.0);
        }
        const auto begin =
            terms.begin() + static_cast<std::ptrdiff_t>((head * count + term) * area + query * tokens);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(tokens));
      };
      add_row({row(0), row(1), row(2)}, relations.subspan(query * tokens, tokens), result[head]);
    }
  }
  return result;
}

}  // namespace

RelationSums& RelationSums::operator+=(const RelationSums& other) {
  pairs += other.pairs;
  share += other.share;
  content += other.content;
  key += other.key;
  query += other.query;
  weight += other.weight;
  without += other.without;
  return *this;
}

RelationReader::RelationReader(const RecordingHeader& header, std::span<const RelationName> relations,
                               const RelationOptions& options)
    : header_(header),
      graph_(header.stack().stack, 0, Part::none, Quantity::graph),
      relations_(relations),
      options_(options) {
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    if (name.quantity() == Quantity::graph_terms && name.reduction() == Reduction::full &&
        (!options.keeps_layer || options.keeps_layer(name.layer()))) {
      layers_.push_back(&schema);
    }
  }
  if (header.find(graph_) == nullptr || layers_.empty()) {
    throw UsageError(fmt::format(
        "--quantity relations: the recording of {} does not hold the graph and its terms; record a model "
        "that reads a graph with mog record --quantity 'encoder.graph,encoder.*.full.graph_terms'",
        header.model.name));
  }
  std::sort(layers_.begin(), layers_.end(), [](const QuantitySchema* a, const QuantitySchema* b) {
    return a->name.layer() < b->name.layer();
  });
}

void RelationReader::check(std::int64_t relation) const {
  if (relation < 0 || relation >= std::ssize(relations_)) {
    throw FormatError(
        fmt::format("--quantity relations: {} has relation {} in a graph; its model has 0 to {}",
                    header_.model.name, relation, relations_.size() - 1));
  }
}

void RelationReader::read(
    const RecordingSource& source, std::int64_t index,
    const std::function<void(const RelationPlace&, std::int64_t bin, const RelationSums&)>& use) const {
  const Sentence sentence = source.sentence(index);
  const std::int64_t bin = options_.bins.bin(static_cast<std::int64_t>(sentence.words.size()));
  if (bin < 0 || sentence.tokens.empty()) {
    return;
  }
  const std::vector<float> graph = source.read(index, graph_).to_floats();
  for (const QuantitySchema* const schema : layers_) {
    const std::vector<float> terms = source.read(index, schema->name).to_floats();
    const auto heads = static_cast<std::size_t>(schema->extents[0]);
    const std::vector<ByRelation> found =
        by_head(terms, graph, sentence.tokens.size(), heads, static_cast<std::size_t>(schema->extents[1]));
    std::map<RelationPlace, RelationSums> own;
    for (std::size_t head = 0; head < heads; ++head) {
      for (const auto& [relation, sums] : found[head]) {
        check(relation);
        const std::int64_t row = options_.by_head ? static_cast<std::int64_t>(head) + 1 : 0;
        own[{schema->name.layer(), row, relation}] += sums;
      }
    }
    for (const auto& [place, sums] : own) {
      use(place, bin, sums);
    }
  }
}

std::vector<RelationPlace> RelationReader::places() const {
  std::vector<RelationPlace> all;
  for (const QuantitySchema* const schema : layers_) {
    const std::int64_t first = options_.by_head ? 1 : 0;
    for (std::int64_t head = first; head <= (options_.by_head ? schema->extents[0] : 0); ++head) {
      for (std::int64_t relation = 0; relation < std::ssize(relations_); ++relation) {
        all.push_back({schema->name.layer(), head, relation});
      }
    }
  }
  return all;
}

Table RelationReader::table() const {
  Table table;
  table.columns = {"model",
                   "corpus",
                   "layer",
                   "head",
                   "relation",
                   "direction",
                   "bin",
                   "length_low",
                   "length_high",
                   "sentences",
                   "pairs",
                   "share",
                   "share_low",
                   "share_high",
                   "content",
                   "relation_key",
                   "relation_query",
                   "weight",
                   "without",
                   "difference",
                   "difference_low",
                   "difference_high",
                   "confidence",
                   "resamples",
                   "seed"};
  return table;
}

void RelationReader::add_row(Table& table, const RelationCell& cell) const {
  const auto& [place, bin, sentences, all, share, difference] = cell;
  const auto& [layer, head, relation] = place;
  const auto mean = [pairs = all.pairs](double sum) { return sum / pairs; };
  const RelationName& named = relations_[static_cast<std::size_t>(relation)];
  const std::int64_t high = options_.bins.high(bin);
  const bool queries = layers_.front()->extents[1] == 3;
  using Nothing = std::monostate;
  const auto heads = layers_.front()->extents[0];
  table.add({header_.model.name,
             header_.provenance.corpus_name,
             layer,
             head > 0 ? Cell(head) : Cell(Nothing()),
             named.name,
             named.direction,
             options_.bins.label(bin),
             options_.bins.low(bin),
             high >= 0 ? Cell(high) : Cell(Nothing()),
             sentences,
             std::llround(all.pairs / (head > 0 ? 1.0 : static_cast<double>(heads))),
             mean(all.share),
             share.low,
             share.high,
             mean(all.content),
             mean(all.key),
             queries ? Cell(mean(all.query)) : Cell(Nothing()),
             mean(all.weight),
             mean(all.without),
             mean(all.weight - all.without),
             difference.low,
             difference.high,
             options_.bootstrap.confidence,
             options_.bootstrap.resamples,
             static_cast<std::int64_t>(options_.bootstrap.seed)});
}

}  // namespace mog::analysis
