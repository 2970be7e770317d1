#include "app/gui/views/translation/translation_maps.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "analysis/figure_data/capsule_figures.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/translation_figures.h"
#include "analysis/figure_data/weight_scale.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

const analysis::TokenOptions kWords{.by_word = true};

// Attention of the decoder's steps to the source, or to its own inputs; of capsules none.
bool is_attention_of(const QuantitySchema& schema, DecoderMaps maps) {
  return maps != DecoderMaps::capsules && schema.name.quantity() == Quantity::attention &&
         schema.name.reduction() == Reduction::full && schema.axes.size() == 3 &&
         schema.axes[1] == Axis::target_query &&
         schema.axes[2] == (maps == DecoderMaps::own ? Axis::target_key : Axis::key);
}

std::vector<const QuantitySchema*> attention_of(const RecordingHeader& header, DecoderMaps maps) {
  std::vector<const QuantitySchema*> found;
  for (const QuantitySchema& schema : header.quantities) {
    if (is_attention_of(schema, maps)) {
      found.push_back(&schema);
    }
  }
  return found;
}

std::vector<std::int64_t> layers_of(const RecordingHeader& header, DecoderMaps maps) {
  std::set<std::int64_t> layers;
  for (const QuantitySchema* const schema : attention_of(header, maps)) {
    layers.insert(schema->name.layer());
  }
  return {layers.begin(), layers.end()};
}

// Of tokens by word.
std::vector<std::int64_t> words_of(std::span<const Token> tokens) {
  std::vector<std::int64_t> words;
  for (const std::vector<std::int64_t>& group : analysis::map_side(tokens, Pieces::none, {}, kWords).tokens) {
    words.push_back(tokens[static_cast<std::size_t>(group.front())].word);
  }
  return words;
}

std::vector<std::int64_t> counted_from_zero(std::size_t count) {
  std::vector<std::int64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

WordPicture words_on_source(const MapsQuestion& question) {
  analysis::AlignmentFigureOptions options;
  WordPicture picture;
  app::FigureRequest& made_by = picture.made.made_by;
  made_by.kind = "alignment";
  made_by.set("sentence", question.source->number(question.index));
  if (const std::string name = quantity_of(question.source->header(), question.by); !name.empty()) {
    options.quantity = QuantityName::parse(name);
    made_by.set("quantity", name);
  } else {
    options.layer = question.layer;
    options.head = question.head;
    made_by.set("layer", options.layer).set("head", options.head);
  }
  picture.made.figure = std::make_shared<const analysis::FigureData>(
      analysis::alignment_figure(*question.source, question.index, options));
  const auto& map = std::get<analysis::HeatMap>(picture.made.figure->body);
  picture.target_rows = counted_from_zero(map.rows.size());
  picture.source_columns = counted_from_zero(map.columns.size());
  picture.weights = map.values;
  return picture;
}

// The weights of words alone: the row and the column of the token that translations begin with are left out.
std::vector<double> weights_of_words(const analysis::HeatMap& map, const std::vector<std::int64_t>& words) {
  std::vector<double> weights;
  for (std::size_t row = 0; row < words.size(); ++row) {
    for (std::size_t column = 0; column < words.size(); ++column) {
      if (words[row] >= 0 && words[column] >= 0) {
        weights.push_back(map.values[row * words.size() + column]);
      }
    }
  }
  return weights;
}

WordPicture words_on_own(const MapsQuestion& question, const std::stop_token& stop) {
  const Part part = attention_of(question.source->header(), DecoderMaps::own).front()->name.part();
  WordPicture picture;
  app::FigureRequest& made_by = picture.made.made_by;
  made_by.kind = "attention";
  made_by.set("sentence", question.source->number(question.index))
      .set("layer", question.layer)
      .set("part", part)
      .set("head", question.head)
      .flag("by-word");
  picture.made.figure =
      std::make_shared<const analysis::FigureData>(app::make_figure(made_by, *question.source, stop));
  picture.target_rows = words_of(question.source->sentence(question.index).target_tokens);
  picture.target_columns = picture.target_rows;
  picture.weights =
      weights_of_words(std::get<analysis::HeatMap>(picture.made.figure->body), picture.target_rows);
  return picture;
}

WordPicture words_of_capsules(const MapsQuestion& question, const std::stop_token& stop) {
  const RecordingHeader& header = question.source->header();
  const Sentence sentence = question.source->sentence(question.index);
  WordPicture picture;
  app::FigureRequest& made_by = picture.made.made_by;
  made_by.kind = "routing";
  made_by.set("sentence", sentence.number)
      .flag("by-word")
      .flag("pooling", analysis::has_pooling(header))
      .flag("gate", analysis::has_global_gate(header));
  picture.made.figure =
      std::make_shared<const analysis::FigureData>(app::make_figure(made_by, *question.source, stop));
  picture.layers =
      std::count_if(header.quantities.begin(), header.quantities.end(),
                    [](const QuantitySchema& schema) { return analysis::is_capsule_map(schema); });
  picture.source_columns = words_of(sentence.tokens);
  if (made_by.has("gate")) {
    picture.target_columns = words_of(analysis::predicted_tokens(sentence));
  }
  return picture;
}

analysis::FigureData thumbnail(const MapsQuestion& question, Part part, std::int64_t layer,
                               std::int64_t head) {
  return question.maps == DecoderMaps::own
             ? analysis::attention_figure(*question.source, question.index, layer, part, head, kWords)
             : analysis::alignment_figure(*question.source, question.index, {.layer = layer, .head = head});
}

}  // namespace

HeadCount heads_of(const RecordingHeader& header, DecoderMaps maps) {
  const std::vector<std::int64_t> layers = layers_of(header, maps);
  return layers.empty() ? HeadCount{}
                        : HeadCount{layers.back(), attention_of(header, maps).front()->extents.front()};
}

std::string quantity_of(const RecordingHeader& header, TakenBy by) {
  const QuantitySchema* const map = analysis::decomposed_map(header.quantities, by);
  return map == nullptr ? std::string() : map->name.text();
}

std::vector<TakenBy> ways_of(const RecordingHeader& header) {
  std::vector<TakenBy> ways;
  if (heads_of(header, DecoderMaps::source).layers > 0) {
    ways.push_back(TakenBy::cross_attention);
  }
  for (const TakenBy by : {TakenBy::contribution, TakenBy::alti}) {
    if (!quantity_of(header, by).empty()) {
      ways.push_back(by);
    }
  }
  return ways;
}

std::vector<DecoderMaps> maps_of(const RecordingHeader& header) {
  std::vector<DecoderMaps> all;
  if (!ways_of(header).empty()) {
    all.push_back(DecoderMaps::source);
  }
  if (heads_of(header, DecoderMaps::own).layers > 0) {
    all.push_back(DecoderMaps::own);
  }
  if (std::any_of(header.quantities.begin(), header.quantities.end(), analysis::is_capsule_map)) {
    all.push_back(DecoderMaps::capsules);
  }
  return all;
}

WordPicture word_picture(const MapsQuestion& question, const std::stop_token& stop) {
  switch (question.maps) {
    case DecoderMaps::own:
      return words_on_own(question, stop);
    case DecoderMaps::capsules:
      return words_of_capsules(question, stop);
    case DecoderMaps::source:
      break;
  }
  return words_on_source(question);
}

std::shared_ptr<const analysis::AttentionOverview> decoder_overview(const MapsQuestion& question,
                                                                    const std::stop_token& stop) {
  const RecordingHeader& header = question.source->header();
  auto overview = std::make_shared<analysis::AttentionOverview>();
  std::vector<std::int64_t> layers = layers_of(header, question.maps);
  const HeadCount count = heads_of(header, question.maps);
  const Part part = attention_of(header, question.maps).front()->name.part();
  overview->layers = count.layers;
  overview->heads = count.heads;
  std::vector<double> weights;
  if (layers.size() > 1) {
    layers.push_back(0);  // the mean, last
  }
  overview->maps.resize(static_cast<std::size_t>(overview->layers) + (layers.size() > 1 ? 1 : 0));
  for (const std::int64_t layer : layers) {
    auto& row = layer > 0 ? overview->maps[static_cast<std::size_t>(layer) - 1] : overview->maps.back();
    for (std::int64_t head = 0; head <= overview->heads; ++head) {
      if (stop.stop_requested()) {
        throw Interrupted("cancelled");
      }
      analysis::FigureData map = thumbnail(question, part, layer, head);
      auto& picture = std::get<analysis::HeatMap>(map.body);
      picture.thumbnail = true;
      analysis::add_scaled_weights(picture, weights);
      row.push_back({{}, {}, std::move(picture)});
    }
  }
  overview->high = analysis::weight_scale_end(std::move(weights));
  for (auto& row : overview->maps) {
    for (analysis::FigureData& map : row) {
      auto& picture = std::get<analysis::HeatMap>(map.body);
      overview->more |= analysis::exceeds(picture, overview->high);
      picture.scale.high = overview->high;
    }
  }
  return overview;
}

}  // namespace mog::gui
