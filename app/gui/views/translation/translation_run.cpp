#include "app/gui/views/translation/translation_run.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/translation_figures.h"
#include "analysis/figure_data/weight_scale.h"
#include "app/workflow/record/translation.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

constexpr std::int64_t kBeam = 5;

bool is_cross_attention(const QuantitySchema& schema) {
  return schema.name.part().role() == PartRole::cross && schema.name.quantity() == Quantity::attention &&
         schema.name.reduction() == Reduction::full;
}

std::vector<std::int64_t> cross_layers(const RecordingHeader& header) {
  std::set<std::int64_t> layers;
  for (const QuantitySchema& schema : header.quantities) {
    if (is_cross_attention(schema)) {
      layers.insert(schema.name.layer());
    }
  }
  return {layers.begin(), layers.end()};
}

std::int64_t cross_heads(const RecordingHeader& header) {
  const auto at = std::find_if(header.quantities.begin(), header.quantities.end(), is_cross_attention);
  return at == header.quantities.end() ? 0 : at->extents.front();
}

// Words of the decoder's inputs, as their pieces spell them.
std::vector<QString> words_of_target(const Sentence& sentence) {
  std::vector<QString> words;
  for (const Token& token : sentence.target_tokens) {
    if (token.word < 0) {
      continue;
    }
    words.resize(std::max(words.size(), static_cast<std::size_t>(token.word) + 1));
    words[static_cast<std::size_t>(token.word)] += QString::fromStdString(analysis::shown_text(token.text));
  }
  return words;
}

void read_words(ShownTranslation& shown) {
  const Sentence sentence = shown.source->sentence(shown.index);
  for (const Word& word : sentence.words) {
    shown.source_words.push_back(QString::fromStdString(word.text));
  }
  shown.source_tokens.assign(sentence.words.size(), -1);
  for (std::size_t token = sentence.tokens.size(); token-- > 0;) {
    if (sentence.tokens[token].word >= 0) {
      shown.source_tokens[static_cast<std::size_t>(sentence.tokens[token].word)] =
          static_cast<std::int64_t>(token);
    }
  }
  shown.target_words = words_of_target(sentence);
}

analysis::AlignmentFigureOptions options_of(const WordsQuestion& question) {
  analysis::AlignmentFigureOptions options{.layer = question.layer, .head = question.head};
  if (const std::string name = quantity_of(question.source->header(), question.by); !name.empty()) {
    options.quantity = QuantityName::parse(name);
    options.layer = 0;
    options.head = 0;
  }
  return options;
}

std::string name_of(std::span<const QuantitySchema> schemas, TakenBy by) {
  const QuantitySchema* const map = analysis::decomposed_map(schemas, by);
  return map == nullptr ? std::string() : map->name.text();
}

}  // namespace

ShownTranslation translate_sentence(const TranslationQuestion& question, const std::stop_token& stop) {
  OpenedModel loaded = question.loaded;
  loaded.tokenizer = tokenizer_of(loaded, question.sentence.words);
  app::TranslatingOptions options;
  options.beam.beam = kBeam;
  options.beam.interventions = question.sentence.interventions;
  options.begins = question.begins;
  options.chosen = question.chosen;
  options.capture.names = {app::CaptureName::summary, app::CaptureName::attention};
  options.capture.store = DType::float32;
  if (question.sentence.interventions.empty()) {
    const std::vector<QuantitySchema> exact = model::decoder_decompositions(loaded.model->config());
    for (const TakenBy by : {TakenBy::contribution, TakenBy::alti}) {
      if (std::string name = name_of(exact, by); !name.empty()) {
        options.quantities.push_back(std::move(name));
      }
    }
  }
  app::TranslatedSentence found = app::record_translated(loaded, question.sentence.text, options, stop);
  ShownTranslation shown;
  shown.source = std::move(found.recording);
  shown.found = std::move(found.found);
  for (const std::string& text : found.texts) {
    shown.texts.push_back(QString::fromStdString(text));
  }
  shown.chosen = found.chosen;
  read_words(shown);
  return shown;
}

std::optional<ShownTranslation> recorded_translation(std::shared_ptr<const RecordingSource> source,
                                                     std::int64_t index) {
  const Sentence sentence = source->sentence(index);
  if (sentence.target_tokens.size() < 2 || ways_of(source->header()).empty()) {
    return std::nullopt;
  }
  ShownTranslation shown;
  shown.source = std::move(source);
  shown.index = index;
  read_words(shown);
  return shown;
}

CrossMaps cross_maps(const RecordingHeader& header) {
  const std::vector<std::int64_t> layers = cross_layers(header);
  return {layers.empty() ? 0 : layers.back(), cross_heads(header)};
}

std::vector<TakenBy> ways_of(const RecordingHeader& header) {
  std::vector<TakenBy> ways;
  if (!cross_layers(header).empty()) {
    ways.push_back(TakenBy::cross_attention);
  }
  for (const TakenBy by : {TakenBy::contribution, TakenBy::alti}) {
    if (!quantity_of(header, by).empty()) {
      ways.push_back(by);
    }
  }
  return ways;
}

std::string quantity_of(const RecordingHeader& header, TakenBy by) {
  return name_of(header.quantities, by);
}

MadeFigure words_figure(const WordsQuestion& question) {
  const analysis::AlignmentFigureOptions options = options_of(question);
  MadeFigure made;
  made.figure = std::make_shared<const analysis::FigureData>(
      analysis::alignment_figure(*question.source, question.index, options));
  made.made_by.kind = "alignment";
  made.made_by.set("sentence", question.source->number(question.index));
  if (options.quantity) {
    made.made_by.set("quantity", options.quantity->text());
  }
  if (options.layer > 0) {
    made.made_by.set("layer", options.layer);
  }
  if (options.head > 0) {
    made.made_by.set("head", options.head);
  }
  return made;
}

std::shared_ptr<const analysis::AttentionOverview> words_overview(
    const std::shared_ptr<const RecordingSource>& source, std::int64_t index, const std::stop_token& stop) {
  auto overview = std::make_shared<analysis::AttentionOverview>();
  std::vector<std::int64_t> layers = cross_layers(source->header());
  overview->layers = layers.empty() ? 0 : layers.back();
  overview->heads = cross_heads(source->header());
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
      analysis::FigureData map = analysis::alignment_figure(*source, index, {.layer = layer, .head = head});
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
