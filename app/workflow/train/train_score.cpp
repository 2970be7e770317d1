#include "app/workflow/train/train_score.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "analysis/metrics/translation_metric.h"
#include "app/workflow/record/translation.h"
#include "app/workflow/train/teacher_agreement.h"
#include "io/recording/errors.h"
#include "model/tokenizer/text/lowercase.h"

namespace mog::app {
namespace {

using Lines = std::vector<std::string>;

constexpr std::array<std::pair<const char*, analysis::RougeMeasure>, 3> kRouge = {
    {{"rouge1", analysis::RougeMeasure::rouge_1},
     {"rouge2", analysis::RougeMeasure::rouge_2},
     {"rougeL", analysis::RougeMeasure::rouge_l}}};

void add_teacher_scores(const TrainSetup& setup, model::Trainer& trainer, Validation& validation) {
  std::vector<PairedSentence> pairs;
  for (const Example& example : setup.parts.dev.examples) {
    std::vector<std::int64_t> shared = setup.teacher->translate(example.ids);
    const bool own = !example.teacher_ids.empty();
    const bool alike = !own || shared == example.teacher_ids;
    pairs.push_back({example.ids, own ? example.teacher_ids : shared, alike});
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

// The first `count` lines of the data as the model translates or summarizes them.
Lines decoded(const TrainSetup& setup, model::Trainer& trainer, const PreparedData& data, std::size_t count) {
  LoadedModel loaded;
  loaded.model = trainer.model();
  loaded.tokenizer = setup.parts.tokenizer.source;
  loaded.target_vocabulary = {setup.parts.tokenizer.target, &setup.parts.tokenizer.target->vocabulary()};
  const std::span<const Sentence> chosen(data.sentences.data(), count);
  std::vector<std::int64_t> lengths;
  for (const Sentence& sentence : chosen) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  Lines lines(count);
  model::BeamOptions options;
  options.beam = setup.config.training.validation_beam;
  for (const std::vector<std::int64_t>& indices :
       model::pack_by_length(lengths, setup.config.training.batch_tokens)) {
    if (setup.options.stop.stop_requested()) {
      throw Interrupted("Validation was stopped.");
    }
    std::vector<Sentence> batch;
    batch.reserve(indices.size());
    for (const std::int64_t index : indices) {
      batch.push_back(chosen[static_cast<std::size_t>(index)]);
    }
    const Hypotheses found = translate_sentences(*loaded.model, batch, options, setup.options.stop);
    for (std::size_t at = 0; at < batch.size(); ++at) {
      lines[static_cast<std::size_t>(indices[at])] = translation_text(loaded, found[at].front().ids);
    }
  }
  return lines;
}

}  // namespace

Validation validate_run(const TrainSetup& setup, model::Trainer& trainer) {
  Validation validation =
      validate(trainer, setup.parts.dev, setup.config.model.tasks, setup.config.training.trainer.task_weights,
               setup.config.training.batch_tokens, setup.options.stop);
  if (setup.teacher) {
    add_teacher_scores(setup, trainer, validation);
  }
  if (setup.config.model.graph) {
    const std::map<std::string, double> scores = graph_scores(setup, trainer, setup.parts.dev);
    validation.values.insert(scores.begin(), scores.end());
    const bool chains = setup.config.model.graph->kind == model::GraphKind::coreference;
    const auto found = scores.find(chains ? "conll" : "las");
    const double score = found == scores.end() ? 0.0 : found->second;
    validation.score = setup.config.tasks.empty() ? score : (score + validation.score) / 2.0;
  }
  for (const auto& [name, value] : output_scores(setup, trainer, setup.parts.dev, false)) {
    validation.values[name] = value;
    const BestBy best_by = setup.config.training.best_by;
    if ((best_by == BestBy::bleu && name == "bleu") || (best_by == BestBy::rouge_l && name == "rougeL")) {
      validation.score = value;
    }
  }
  return validation;
}

std::map<std::string, double> graph_scores(const TrainSetup& setup, model::Trainer& trainer,
                                           const PreparedData& data) {
  const TrainingPlan& plan = setup.config.training;
  return setup.config.model.graph->kind == model::GraphKind::coreference
             ? coreference_scores(*trainer.model(), *setup.parts.tokenizer.source, data, plan.batch_tokens,
                                  setup.options.stop)
             : attachment_scores(*trainer.model(), data, setup.config.graph.subtypes, plan.batch_tokens,
                                 setup.options.stop);
}

std::map<std::string, double> output_scores(const TrainSetup& setup, model::Trainer& trainer,
                                            const PreparedData& data, bool whole) {
  const TrainingPlan& plan = setup.config.training;
  const auto first = [&](std::int64_t wanted) {
    const auto all = data.references.size();
    return wanted == 0 ? 0 : whole ? all : std::min(static_cast<std::size_t>(wanted), all);
  };
  const std::size_t of_bleu = first(plan.validation_bleu);
  const std::size_t of_rouge = first(plan.validation_rouge);
  std::map<std::string, double> scores;
  if (of_bleu + of_rouge == 0) {
    return scores;
  }
  Lines hypotheses = decoded(setup, trainer, data, std::max(of_bleu, of_rouge));
  Lines references(data.references.begin(),
                   data.references.begin() + static_cast<std::ptrdiff_t>(hypotheses.size()));
  if (setup.config.model.tokenizer.lowercase) {
    for (Lines* lines : {&hypotheses, &references}) {
      for (std::string& line : *lines) {
        line = model::lower_case(line).text;
      }
    }
  }
  const auto score = [&](const analysis::TranslationMetric& metric, std::size_t count) {
    const Lines part(references.begin(), references.begin() + static_cast<std::ptrdiff_t>(count));
    return metric.score(
        analysis::segment_statistics(metric, std::span(hypotheses).first(count), {&part, 1}).sums);
  };
  if (of_bleu > 0) {
    scores["bleu"] = score(*analysis::make_metric(analysis::BleuOptions{}), of_bleu);
  }
  for (const auto& [name, measure] : kRouge) {
    if (of_rouge > 0) {
      scores[name] = score(*analysis::make_metric(analysis::RougeOptions{.measure = measure}), of_rouge);
    }
  }
  return scores;
}

}  // namespace mog::app
