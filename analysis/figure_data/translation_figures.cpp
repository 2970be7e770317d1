#include "analysis/figure_data/translation_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/quantity_figures.h"
#include "analysis/figure_data/sentence_figures.h"
#include "analysis/figure_data/weight_scale.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::analysis {
namespace {

const QuantitySchema& schema_of(const RecordingHeader& header, const QuantityName& name) {
  const QuantitySchema* const schema = header.find(name);
  if (schema == nullptr) {
    throw UsageError(
        fmt::format("{}: the recording of {} does not hold it; record with --quantity {} and --target",
                    name.text(), header.model.name, name.text()));
  }
  return *schema;
}

void require_translation(const Sentence& sentence) {
  if (sentence.target_tokens.empty()) {
    throw UsageError(
        fmt::format("sentence {}: it was recorded without a translation; `mog record` with --target FILE or "
                    "--target translate",
                    sentence.number));
  }
}

// The part that is a decoder's attention to the source.
Part cross_part(const RecordingHeader& header) {
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.part().role() == PartRole::cross && is_attention(schema.name, 0)) {
      return schema.name.part();
    }
  }
  throw UsageError(
      fmt::format("cross-attention: the recording of {} does not hold it; record with --capture attention "
                  "and --target, or name another map by --quantity{}",
                  header.model.name, only_top_keys(header)));
}

std::vector<WordLabel> target_labels(const Sentence& sentence, Pieces pieces) {
  std::vector<WordLabel> labels;
  for (std::string& text : target_texts(sentence, pieces)) {
    labels.push_back({std::move(text), false, static_cast<std::int64_t>(labels.size())});
  }
  return labels;
}

std::vector<WordLabel> source_labels(const Sentence& sentence) {
  std::vector<WordLabel> labels;
  for (const Word& word : sentence.words) {
    labels.push_back({word.text, false, static_cast<std::int64_t>(labels.size())});
  }
  return labels;
}

// A map of steps on columns of which the first are source tokens.
struct StepMap {
  std::vector<double> values;
  std::int64_t columns = 0;
  std::string title;
  AxisText quantity;
  std::string level;
};

StepMap attention_steps(const RecordingSource& source, std::int64_t index,
                        const AlignmentFigureOptions& options) {
  const Part part = cross_part(source.header());
  AttentionMap map = attention_map(source, index, options.layer, part, options.head);
  return {std::move(map.values),
          map.columns,
          fmt::format(
              "{}-attention, {}, {}", mog::name(part),
              options.layer == 0 ? std::string("mean over layers") : fmt::format("layer {}", options.layer),
              options.head == 0 ? std::string("mean over heads") : fmt::format("head {}", options.head)),
          {"attention weight", "", ""},
          "summary"};
}

StepMap recorded_steps(const RecordingSource& source, std::int64_t index, const QuantityName& name) {
  const QuantitySchema& schema = schema_of(source.header(), name);
  if (!is_context_map(schema)) {
    throw UsageError(
        fmt::format("alignment of {}: it has no value a step of the decoder and source token; "
                    "decoder.contribution.logit and "
                    "decoder.2.alti.product do",
                    name.text()));
  }
  const std::vector<float> flat = source.read(index, name).to_floats();
  const Sentence sentence = source.sentence(index);
  const auto rows = static_cast<std::int64_t>(sentence.target_tokens.size());
  return {{flat.begin(), flat.end()},
          rows == 0 ? 0 : static_cast<std::int64_t>(flat.size()) / rows,
          name.text(),
          {name.text(), "", ""},
          level_text(name)};
}

void add_marks(HeatMap& map, const WordMap& words, std::span<const GoldAlignment> gold, std::int64_t number) {
  for (const GoldAlignment& link : gold) {
    if (link.source >= words.sources || link.target >= words.targets) {
      throw UsageError(
          fmt::format("gold links of sentence {}: one is of source word {} and target word {}, counted from "
                      "1; the recording has {} "
                      "and {} words",
                      number, link.source + 1, link.target + 1, words.sources, words.targets));
    }
    map.marks.push_back(
        {link.target, link.source, link.possible ? CellMark::Kind::possible : CellMark::Kind::sure});
  }
  const std::vector<std::int64_t> best = best_sources(words);
  for (std::size_t target = 0; target < best.size(); ++target) {
    if (best[target] >= 0) {
      map.marks.push_back({static_cast<std::int64_t>(target), best[target], CellMark::Kind::found});
    }
  }
}

}  // namespace

bool is_context_map(const QuantitySchema& schema) {
  return schema.axes.size() == 2 && schema.axes[0] == Axis::target_token &&
         (schema.axes[1] == Axis::context || schema.axes[1] == Axis::context_bias);
}

FigureData alignment_figure(const RecordingSource& source, std::int64_t index,
                            const AlignmentFigureOptions& options) {
  check_index(source, index);
  const Sentence sentence = source.sentence(index);
  require_translation(sentence);
  StepMap steps = options.quantity ? recorded_steps(source, index, *options.quantity)
                                   : attention_steps(source, index, options);
  const AlignmentStep step = options.step;
  const std::int64_t targets = target_words(sentence);
  WordMap words = word_map(steps.values, steps.columns, sentence, targets, step);
  HeatMap map;
  map.row_title = "target";
  map.column_title = "source";
  map.rows = target_labels(sentence, pieces_of(source.header()));
  map.columns = source_labels(sentence);
  map.values = words.values;
  if (options.quantity) {
    map.scale = scale_of_values(map.values, schema_of(source.header(), *options.quantity));
  } else {
    map.scale.quantity = steps.quantity;
    scale_weights(map);
  }
  add_marks(map, words, options.gold, sentence.number);
  FigureData figure;
  figure.title = fmt::format("Alignment by {}, step that {}", steps.title,
                             step == AlignmentStep::read ? "has read the word" : "predicts the word");
  figure.caption = sentence_caption(source, sentence, steps.level);
  figure.body = std::move(map);
  add_to_caption(figure, options.gold.empty()
                             ? "discs: the greatest of each row"
                             : "discs: the greatest of each row; frames: gold links, dashed where "
                               "they are possible only");
  return figure;
}

FigureData context_figure(const RecordingSource& source, std::int64_t index, const QuantityName& name,
                          const ContextFigureOptions& options) {
  check_index(source, index);
  const QuantitySchema& schema = schema_of(source.header(), name);
  if (!is_context_map(schema)) {
    throw UsageError(
        fmt::format("source and prefix of {}: it is no map of target tokens on both sides; "
                    "decoder.contribution.logit and decoder.2.alti.product are",
                    name.text()));
  }
  const Sentence sentence = source.sentence(index);
  require_translation(sentence);
  const TokenOptions tokens{.special_tokens = options.special_tokens, .by_word = options.by_word};
  const Pieces pieces = pieces_of(source.header());
  const std::vector<Token> next = predicted_tokens(sentence);
  const MapSide rows = map_side(next, pieces, {}, tokens);
  MapSide columns = map_side(sentence.tokens, pieces, sentence.words, tokens);
  const auto prefix_begin = static_cast<std::int64_t>(columns.labels.size());
  const auto shift = static_cast<std::int64_t>(sentence.tokens.size());
  MapSide prefix = map_side(sentence.target_tokens, pieces, {}, tokens);
  for (std::vector<std::int64_t>& own : prefix.tokens) {
    for (std::int64_t& token : own) {
      token += shift;
    }
  }
  columns.labels.insert(columns.labels.end(), prefix.labels.begin(), prefix.labels.end());
  columns.tokens.insert(columns.tokens.end(), prefix.tokens.begin(), prefix.tokens.end());
  const std::int64_t both = shift + static_cast<std::int64_t>(sentence.target_tokens.size());
  const bool has_bias = schema.axes[1] == Axis::context_bias;
  HeatMap map;
  map.blocks = {prefix_begin};
  if (has_bias && options.bias) {
    map.blocks.push_back(static_cast<std::int64_t>(columns.labels.size()));
    columns.labels.push_back({"bias", true, -1});
    columns.tokens.push_back({both});
  }
  const std::vector<float> flat = source.read(index, name).to_floats();
  const AttentionMap recorded{
      static_cast<std::int64_t>(next.size()), both + (has_bias ? 1 : 0), {flat.begin(), flat.end()}};
  map.row_title = "predicted";
  map.column_title = "source | target so far";
  map.rows = rows.labels;
  map.columns = columns.labels;
  map.values = map_values(recorded, rows, columns);
  map.scale = scale_of_values(map.values, schema);
  FigureData figure;
  figure.title = name.text();
  figure.caption = sentence_caption(
      source, sentence, schema.description + (level_text(name).empty() ? "" : "; " + level_text(name)));
  figure.body = std::move(map);
  if (has_bias && !options.bias) {
    add_to_caption(figure, "the bias is left out");
  }
  return figure;
}

FigureData bin_figure(const Table& table, const AxisText& x, const AxisText& y) {
  const auto number = [&](std::size_t row, const char* column) {
    const Cell& cell = table.rows[row][table.column(column)];
    if (const auto* const value = std::get_if<double>(&cell)) {
      return *value;
    }
    const auto* const whole = std::get_if<std::int64_t>(&cell);
    return whole == nullptr ? kAbsent : static_cast<double>(*whole);
  };
  const auto text = [&](std::size_t row, const char* column) {
    return std::get<std::string>(table.rows[row][table.column(column)]);
  };
  LinePlot plot;
  plot.x = x;
  plot.y = y;
  std::map<double, std::string> bins;  // by their lower end
  std::vector<std::string> entries;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    bins.emplace(number(row, "length_low"), text(row, "bin"));
    if (std::find(entries.begin(), entries.end(), text(row, "entry")) == entries.end()) {
      entries.push_back(text(row, "entry"));
    }
  }
  std::map<double, double> places;
  for (const auto& [low, label] : bins) {
    places.emplace(low, static_cast<double>(plot.x_categories.size()));
    plot.x_categories.push_back(label);
  }
  const std::vector<EntryStyle> styles = entry_styles(entries);
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    LineSeries series{
        .label = entries[entry], .colour = styles[entry].colour, .dash = styles[entry].dash, .points = {}};
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (text(row, "entry") == entries[entry]) {
        series.points.push_back({.x = places.at(number(row, "length_low")),
                                 .y = number(row, "mean"),
                                 .low = number(row, "low"),
                                 .high = number(row, "high"),
                                 .sentences = static_cast<std::int64_t>(number(row, "sentences")),
                                 .tokens = static_cast<std::int64_t>(number(row, "tokens"))});
      }
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const LinePoint& left, const LinePoint& right) { return left.x < right.x; });
    plot.series.push_back(std::move(series));
  }
  FigureData figure;
  figure.body = std::move(plot);
  return figure;
}

}  // namespace mog::analysis
