// Which computation answers which measure, and its price a sentence (R rules, T words, L layers):
//
//   leaves               one pass over the rules: O(R)
//   leaves-mass          distributions up to the cap: leaves_distributions.cpp
//   joins                the same pass for every layer and part: O(R · L · parts)
//   edges                every pair of words: O(R · T²)
//   bands, part-leaves   distributions without a cap: up to 12 layers
//   distinct, simple     sets of words, 2^T and 3^T: up to 12 words; sampled beyond
//
// Each computation gives all words and layers of the sentence, so one call fills all series of a measure.
// Two measures of one sentence share nothing but the grammar.
//
// Samples carry the square of their standard error with every value; the accumulator adds these up beside
// the means. The seed of a sentence is made of the seed and the sentence's number: neither the order of the
// sentences nor which others are counted changes its numbers.
//
// Trap: the series are planned for sentences of any length. A number of leaves or words that this sentence
// cannot reach has mass 0 there, not "no value", else the means of short and long sentences could not be
// compared.
#include "analysis/statistics/word_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "analysis/mog/orders/part_leaves.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/orders/sampled_orders.h"
#include "analysis/statistics/length_reader.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMostOrders = 4096;

struct MeasureText {
  WordMeasure measure;
  std::string_view name;
  std::string_view units;
  std::string_view description;
};
constexpr std::array<MeasureText, 10> kMeasures = {{
    {WordMeasure::leaves, "leaves", "leaves", "expected leaves (words with repeats)"},
    {WordMeasure::leaves_mass, "leaves-mass", "1", "probability of a number of leaves"},
    {WordMeasure::joins, "joins", "joins", "expected joins in a derivation of a word"},
    {WordMeasure::edges, "edges", "word pairs", "expected different joins from a word"},
    {WordMeasure::bands, "bands", "1", "share in the order band"},
    {WordMeasure::part_leaves, "part-leaves", "leaves", "expected leaves of what a part makes"},
    {WordMeasure::distinct, "distinct", "words", "expected order (distinct words)"},
    {WordMeasure::distinct_mass, "distinct-mass", "1", "probability of an order (distinct words)"},
    {WordMeasure::simple, "simple", "1", "probability of no overlap"},
    {WordMeasure::layers_needed, "layers-needed", "layers", "layers needed"},
}};

const MeasureText& text_of(WordMeasure measure) {
  return kMeasures[static_cast<std::size_t>(measure)];
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// The most leaves that a layer can reach, and at most `cap`.
std::int64_t reach(GrammarKind kind, std::int64_t layer, std::int64_t cap) {
  constexpr std::int64_t kFar = 13;  // 2^13 is above every cap
  return is_recurrent(kind) || layer >= kFar ? cap : std::min(cap, std::int64_t{1} << at(layer));
}

void add_masses(std::vector<WordSeries>& series, WordMeasure measure, GrammarKind kind, std::int64_t layer,
                std::int64_t cap) {
  const bool distinct = measure == WordMeasure::distinct_mass;
  const std::int64_t most = distinct && is_recurrent(kind) ? cap : reach(kind, layer, cap);
  const auto add = [&](std::int64_t k, std::string above) {
    series.push_back(
        {.layer = layer, .leaves = distinct ? 0 : k, .order = distinct ? k : 0, .kind = std::move(above)});
  };
  for (std::int64_t k = 1; k <= most; ++k) {
    add(k, "");
  }
  if (most == cap && reach(kind, layer, cap + 1) > cap) {
    add(cap, "more");
  }
}

// Writes one value.
class Values {
 public:
  Values(SentenceValues& out, std::size_t series, bool sampled) : out_(out) {
    out_.values.assign(series * at(out.words), kNone);
    if (sampled) {
      out_.errors.assign(out_.values.size(), 0.0);
    }
  }
  void set(std::size_t series, std::int64_t word, double value, double error = 0) {
    const std::size_t place = series * at(out_.words) + at(word);
    out_.values[place] = value;
    if (!out_.errors.empty()) {
      out_.errors[place] = error;
    }
  }

 private:
  SentenceValues& out_;
};

std::size_t part_place(std::span<const Part> parts, Part part) {
  return static_cast<std::size_t>(std::find(parts.begin(), parts.end(), part) - parts.begin());
}

// P(leaves = k) or P(order = k), or what is above the cap.
double mass_of(std::span<const double> probability, const WordSeries& series) {
  if (series.kind.empty()) {
    return at(series.k()) <= probability.size() ? probability[at(series.k() - 1)] : 0.0;
  }
  double more = 0;
  for (std::size_t k = at(series.k()); k < probability.size(); ++k) {
    more += probability[k];
  }
  return more;
}

void fill_leaves_mass(const AttentionGrammar& grammar, const std::vector<WordSeries>& series,
                      const WordMeasureOptions& options, Values& values) {
  const LeavesDistributions leaves = leaves_distributions(grammar, options.orders, options.control);
  for (std::size_t s = 0; s < series.size(); ++s) {
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const LeavesDistribution& of_word = leaves.words[at(series[s].layer - 1)][at(word)];
      values.set(s, word, series[s].kind.empty() ? mass_of(of_word.probability, series[s]) : of_word.tail);
    }
  }
}

void fill_joins(const AttentionGrammar& grammar, const std::vector<WordSeries>& series, Values& values) {
  const std::vector<double> joins = expected_joins(grammar);
  const std::size_t parts = grammar.parts().size();
  const std::size_t width = at(grammar.layers()) * parts;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const std::size_t column = at(series[s].layer - 1) * parts + part_place(grammar.parts(), series[s].part);
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      values.set(s, word, joins[at(grammar.r_symbol(grammar.layers(), word)) * width + column]);
    }
  }
}

void fill_edges(const AttentionGrammar& grammar, const SearchControl& control, Values& values) {
  const std::vector<double> presences = edge_presences(grammar, Goal::top(), control);
  const std::int64_t words = grammar.word_count();
  for (std::int64_t source = 0; source < words; ++source) {
    double sum = 0;
    for (std::int64_t target = 0; target < words; ++target) {
      sum += presences[at(source * words + target)];
    }
    values.set(0, source, sum);
  }
}

void fill_parts(const AttentionGrammar& grammar, const std::vector<WordSeries>& series, WordMeasure measure,
                const SearchControl& control, Values& values) {
  const std::vector<Part> all = grammar.rules().all();
  const AllPartLeaves parts = part_leaves(grammar, control);
  for (std::size_t s = 0; s < series.size(); ++s) {
    const auto& of_part = parts[at(series[s].layer - 1)][part_place(all, series[s].part)];
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const PartLeaves& order = of_part[at(word)];
      values.set(s, word,
                 measure == WordMeasure::part_leaves ? order.mean
                 : series[s].kind == "exact"         ? order.in_exact
                                                     : order.in_nominal);
    }
  }
}

double mean_of(std::span<const double> probability) {
  double mean = 0;
  for (std::size_t k = 0; k < probability.size(); ++k) {
    mean += static_cast<double>(k + 1) * probability[k];
  }
  return mean;
}

void fill_distinct(const AttentionGrammar& grammar, const std::vector<WordSeries>& series,
                   WordMeasure measure, const SearchControl& control, Values& values) {
  const std::vector<DistinctOrders> orders = distinct_orders_by_layer(grammar, control);
  for (std::size_t s = 0; s < series.size(); ++s) {
    const DistinctOrders& of_layer = orders[at(series[s].layer - 1)];
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const std::vector<double>& probability = of_layer.words[at(word)];
      values.set(s, word,
                 measure == WordMeasure::simple     ? of_layer.simple_mass[at(word)]
                 : measure == WordMeasure::distinct ? mean_of(probability)
                                                    : mass_of(probability, series[s]));
    }
  }
}

void fill_sampled(const AttentionGrammar& grammar, const std::vector<WordSeries>& series, WordMeasure measure,
                  const WordMeasureOptions& options, std::int64_t number, Values& values) {
  const std::uint64_t seed = keyed_random(options.seed, 2, static_cast<std::uint64_t>(number), 0);
  const auto orders = sampled_orders(grammar, options.samples, seed, options.control);
  const auto count = static_cast<double>(options.samples);
  for (std::size_t s = 0; s < series.size(); ++s) {
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const SampledOrder& order = orders[at(series[s].layer - 1)][at(word)];
      if (measure == WordMeasure::distinct) {
        values.set(s, word, order.mean, order.variance / count);
        continue;
      }
      const double share =
          measure == WordMeasure::simple ? order.simple : mass_of(order.probability, series[s]);
      values.set(s, word, share, share * (1 - share) / (count - 1));
    }
  }
}

}  // namespace

std::string_view name(WordMeasure measure) noexcept {
  return text_of(measure).name;
}
std::string_view units(WordMeasure measure) noexcept {
  return text_of(measure).units;
}
std::string_view description(WordMeasure measure) noexcept {
  return text_of(measure).description;
}

std::vector<WordMeasure> word_measures() {
  std::vector<WordMeasure> all;
  all.reserve(std::size(kMeasures));
  for (const MeasureText& text : kMeasures) {
    all.push_back(text.measure);
  }
  return all;
}

void check(const WordMeasureOptions& options) {
  if (options.orders < 1 || options.orders > kMostOrders) {
    throw UsageError(fmt::format("statistics of leaves and orders up to {}: allowed are 1 to {}",
                                 options.orders, kMostOrders));
  }
  if (options.samples < 2 || options.samples > 1'000'000) {
    throw UsageError(
        fmt::format("statistics with {} samples a word: allowed are 2 to 1000000", options.samples));
  }
}

std::vector<WordSeries> series_of(WordMeasure measure, const RuleSet& rules, std::int64_t layers,
                                  const WordMeasureOptions& options) {
  const GrammarKind kind = rules.kind;
  const bool of_parts = measure == WordMeasure::bands || measure == WordMeasure::part_leaves;
  if (of_parts && kind != GrammarKind::order_groups) {
    throw UsageError(
        fmt::format("statistics of \"{}\": only a Graph-Transformer has order bands; this is a {}",
                    name(measure), name(kind)));
  }
  std::vector<WordSeries> series;
  if (measure == WordMeasure::edges) {
    series.emplace_back();
  }
  for (std::int64_t layer = 1; layer <= layers && measure != WordMeasure::edges; ++layer) {
    if (options.keeps_layer && !options.keeps_layer(layer)) {
      continue;
    }
    if (measure == WordMeasure::joins) {
      for (const Part part : rules.joins) {
        series.push_back({.layer = layer, .part = part});
      }
    } else if (of_parts) {
      for (const Part part : rules.all()) {
        if (measure == WordMeasure::part_leaves) {
          series.push_back({.layer = layer, .part = part});
          continue;
        }
        series.push_back({.layer = layer, .part = part, .kind = "exact"});
        series.push_back({.layer = layer, .part = part, .kind = "nominal"});
      }
    } else if (measure == WordMeasure::leaves_mass || measure == WordMeasure::distinct_mass) {
      add_masses(series, measure, kind, layer, options.orders);
    } else {
      series.push_back({.layer = layer});
    }
  }
  if (series.empty()) {
    throw UsageError(
        fmt::format("statistics of \"{}\": the encoder of {} layers has none of the layers asked for",
                    name(measure), layers));
  }
  std::sort(series.begin(), series.end());
  return series;
}

bool is_sampled(WordMeasure measure, std::int64_t words) noexcept {
  return words > kMostCountedWords &&
         (measure == WordMeasure::distinct || measure == WordMeasure::distinct_mass ||
          measure == WordMeasure::simple);
}

SentenceValues values_of(WordMeasure measure, const AttentionGrammar& grammar,
                         const std::vector<WordSeries>& series, std::int64_t number,
                         const WordMeasureOptions& options) {
  SentenceValues result{.number = number, .words = grammar.word_count()};
  const bool sampled = is_sampled(measure, grammar.word_count());
  Values values(result, series.size(), sampled);
  switch (measure) {
    case WordMeasure::leaves: {
      const std::vector<double> leaves = expected_leaves(grammar);
      for (std::size_t s = 0; s < series.size(); ++s) {
        for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
          values.set(s, word, leaves[at(grammar.r_symbol(series[s].layer, word))]);
        }
      }
      break;
    }
    case WordMeasure::leaves_mass:
      fill_leaves_mass(grammar, series, options, values);
      break;
    case WordMeasure::joins:
      fill_joins(grammar, series, values);
      break;
    case WordMeasure::edges:
      fill_edges(grammar, options.control, values);
      break;
    case WordMeasure::bands:
    case WordMeasure::part_leaves:
      fill_parts(grammar, series, measure, options.control, values);
      break;
    case WordMeasure::distinct:
    case WordMeasure::distinct_mass:
    case WordMeasure::simple:
      if (sampled) {
        fill_sampled(grammar, series, measure, options, number, values);
      } else {
        fill_distinct(grammar, series, measure, options.control, values);
      }
      break;
    case WordMeasure::layers_needed:
      throw UsageError("statistics of \"layers-needed\" are of gold trees, not of an attention grammar");
  }
  return result;
}

std::vector<WordSeries> recorded_series(const RecordingHeader& header, Measure measure, bool by_head,
                                        const std::function<bool(std::int64_t layer)>& keeps_layer) {
  std::vector<WordSeries> result;
  for (const MeasuredSeries& series :
       measured_series(measured_quantities(header, measure, by_head, keeps_layer), by_head)) {
    result.push_back({.layer = series.layer, .part = series.part, .head = series.head});
  }
  return result;
}

SentenceValues recorded_values(const RecordingSource& source, std::int64_t index, Measure measure,
                               bool by_head, const std::function<bool(std::int64_t layer)>& keeps_layer) {
  const Sentence sentence = source.sentence(index);
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  SentenceValues result{.number = sentence.number, .words = static_cast<std::int64_t>(sentence.words.size())};
  const auto words = at(result.words);
  for (const MeasuredQuantity& quantity :
       measured_quantities(source.header(), measure, by_head, keeps_layer)) {
    const std::vector<float> stored = source.read(index, quantity.schema.name).to_floats();
    const std::vector<double> numbers = token_values(quantity, stored, tokens);
    for (std::int64_t s = 0; s < quantity.series; ++s) {
      std::vector<double> sums(words, 0.0);
      std::vector<double> counts(words, 0.0);
      for (std::int64_t token = 0; token < tokens; ++token) {
        const std::int64_t word = sentence.tokens[at(token)].word;
        if (word >= 0 && word < result.words && has_value(measure, sentence, at(token))) {
          sums[at(word)] += numbers[at(s * tokens + token)];
          counts[at(word)] += 1;
        }
      }
      for (std::size_t word = 0; word < words; ++word) {
        result.values.push_back(counts[word] > 0 ? sums[word] / counts[word] : kNone);
      }
    }
  }
  return result;
}

}  // namespace mog::analysis
