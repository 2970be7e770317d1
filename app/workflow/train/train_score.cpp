#include "app/workflow/train/train_score.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/metrics/bleu.h"
#include "app/workflow/record/translation.h"
#include "app/workflow/train/teacher_agreement.h"
#include "io/recording/errors.h"
#include "model/tokenizer/text/lowercase.h"

namespace mog::app {
namespace {

void add_teacher_scores(const TrainSetup& setup, model::Trainer& trainer, Validation& validation) {
  std::vector<PairedSentence> pairs;
  for (const Example& example : setup.parts.dev.examples) {
    std::vector<std::int64_t> shared = setup.teacher->translate(example.ids);
    const bool own = !example.teacher_ids.empty();
    const bool alike = !own || shared == example.teacher_ids;
    pairs.push_back({example.ids, own ? example.teacher_ids : std::move(shared), alike});
  }
  const TeacherAgreement agreement = compare_with_teacher(
      *trainer.model(), *setup.teacher->model, pairs, setup.config.training.batch_tokens, setup.options.stop);
  validation.values["teacher.sentence_cosine"] = agreement.sentence_mean();
  validation.values["teacher.state_cosine"] = agreement.state_cosine.back();
  validation.layers["state_cosine"] = agreement.state_cosine;
  validation.layers["state_mse"] = agreement.state_mse;
  if (setup.config.tasks.empty()) {
    validation.score = agreement.sentence_mean();
  }
}

}  // namespace

Validation validate_run(const TrainSetup& setup, model::Trainer& trainer) {
  Validation validation =
      validate(trainer, setup.parts.dev, setup.config.model.tasks, setup.config.training.trainer.task_weights,
               setup.config.training.batch_tokens, setup.options.stop);
  if (setup.teacher) {
    add_teacher_scores(setup, trainer, validation);
  }
  if (const std::int64_t sentences = setup.config.training.validation_bleu; sentences > 0) {
    const double bleu = bleu_of(setup, trainer, setup.parts.dev, sentences);
    validation.values["bleu"] = bleu;
    validation.score = setup.config.training.best_by_bleu ? bleu : validation.score;
  }
  return validation;
}

double bleu_of(const TrainSetup& setup, model::Trainer& trainer, const PreparedData& data,
               std::int64_t sentences) {
  LoadedModel loaded;
  loaded.model = trainer.model();
  loaded.tokenizer = setup.parts.tokenizer.source;
  loaded.target_vocabulary = {setup.parts.tokenizer.target, &setup.parts.tokenizer.target->vocabulary()};
  const std::size_t count = std::min(static_cast<std::size_t>(sentences), data.references.size());
  const std::span<const Sentence> chosen(data.sentences.data(), count);
  std::vector<std::int64_t> lengths;
  for (const Sentence& sentence : chosen) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  std::vector<std::string> hypotheses(count);
  model::BeamOptions options;
  options.beam = setup.config.training.validation_beam;
  for (const std::vector<std::int64_t>& indices :
       model::pack_by_length(lengths, setup.config.training.batch_tokens)) {
    if (setup.options.stop.stop_requested()) {
      throw Interrupted("Validation was stopped.");
    }
    std::vector<Sentence> batch;
    for (const std::int64_t index : indices) {
      batch.push_back(chosen[static_cast<std::size_t>(index)]);
    }
    const Hypotheses found = translate_sentences(*loaded.model, batch, options, setup.options.stop);
    for (std::size_t at = 0; at < batch.size(); ++at) {
      hypotheses[static_cast<std::size_t>(indices[at])] = translation_text(loaded, found[at].front().ids);
    }
  }
  std::vector<std::string> references(data.references.begin(),
                                      data.references.begin() + static_cast<std::ptrdiff_t>(count));
  if (setup.config.model.tokenizer.lowercase) {
    for (std::vector<std::string>* lines : {&hypotheses, &references}) {
      for (std::string& line : *lines) {
        line = model::lower_case(line).text;
      }
    }
  }
  return analysis::corpus_bleu(hypotheses, std::span<const std::string>(references)).score;
}

}  // namespace mog::app
