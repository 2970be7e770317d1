#include "app/gui/views/translation/translation_run.h"

#include <utility>

#include "analysis/figure_data/map_sides.h"
#include "app/gui/views/translation/translation_maps.h"
#include "app/workflow/record/translation.h"

namespace mog::gui {
namespace {

constexpr std::int64_t kBeam = 5;

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
  for (const std::string& word :
       analysis::target_texts(sentence, analysis::pieces_of(shown.source->header()))) {
    shown.target_words.push_back(QString::fromStdString(word));
  }
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
      if (const QuantitySchema* const map = analysis::decomposed_map(exact, by); map != nullptr) {
        options.quantities.push_back(map->name.text());
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
  shown.target_line = QString::fromStdString(found.target_line);
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

}  // namespace mog::gui
