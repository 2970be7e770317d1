#include "app/workflow/train/teacher_job.h"

#include <nlohmann/json.hpp>

#include "app/workflow/experiment/train_data.h"
#include "app/workflow/record/rounding_error.h"
#include "app/workflow/train/teacher_agreement.h"
#include "app/workflow/train/train_teacher.h"
#include "io/recording/errors.h"
#include "model/stored_model.h"

namespace mog::app {

namespace {

constexpr std::int64_t kBatchTokens = 2000;

std::vector<std::int64_t> ids_of(const Sentence& sentence) {
  std::vector<std::int64_t> ids;
  ids.reserve(sentence.tokens.size());
  for (const Token& token : sentence.tokens) {
    ids.push_back(token.id);
  }
  return ids;
}

std::vector<PairedSentence> pairs_of(const std::vector<TextLine>& texts, const model::ModelDirectory& ours,
                                     const model::ModelDirectory& theirs, bool shared_pieces) {
  const std::vector<std::int64_t> map =
      map_vocabulary(ours.tokenizer->vocabulary(), ours.config, theirs.tokenizer->vocabulary(), theirs.config,
                     theirs.config.unk_id);
  std::vector<PairedSentence> pairs;
  for (std::size_t at = 0; at < texts.size(); ++at) {
    const auto number = static_cast<std::int64_t>(at) + 1;
    PairedSentence pair;
    pair.ids = ids_of(ours.tokenizer->encode(texts[at].text, number));
    std::vector<std::int64_t> mapped;
    for (const std::int64_t id : pair.ids) {
      mapped.push_back(map.empty() ? id : map.at(static_cast<std::size_t>(id)));
    }
    pair.teacher_ids = shared_pieces ? mapped : ids_of(theirs.tokenizer->encode(texts[at].text, number));
    pair.aligned = pair.teacher_ids == mapped;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

TeacherResult run_teacher_job(const TeacherJobOptions& options) {
  model::StoredModel ours = model::open_stored_model(options.model);
  model::StoredModel theirs = model::open_stored_model(options.teacher);
  DataSplit split;
  split.text = {{options.data}};
  std::vector<TextLine> texts = read_texts(split, {});
  if (options.max_sentences > 0 && static_cast<std::int64_t>(texts.size()) > options.max_sentences) {
    texts.resize(static_cast<std::size_t>(options.max_sentences));
  }
  if (texts.empty()) {
    throw UsageError("Comparing " + options.model.string() + " with its teacher: " + options.data.string() +
                     " has no sentence.");
  }
  const std::shared_ptr<const model::Model> student = load_measured(ours, options.device);
  ours.stored.reset();  // they are the engine's now
  const std::shared_ptr<const model::Model> teacher = load_measured(theirs, options.device);
  theirs.stored.reset();
  const std::vector<PairedSentence> pairs = pairs_of(texts, ours, theirs, options.shared_pieces);
  const TeacherAgreement agreement =
      compare_with_teacher(*student, *teacher, pairs, kBatchTokens, options.stop);
  TeacherResult result;
  result.sentences = static_cast<std::int64_t>(texts.size());
  result.aligned_sentences = agreement.aligned_sentences;
  result.sentence_cosine = agreement.sentence_mean();
  result.interval = analysis::bootstrap_interval(
      result.sentences,
      [&](std::span<const std::int64_t> chosen) {
        double sum = 0.0;
        for (const std::int64_t at : chosen) {
          sum += agreement.sentence_cosine[static_cast<std::size_t>(at)];
        }
        return sum / static_cast<double>(chosen.size());
      },
      options.bootstrap);
  if (agreement.aligned_sentences > 0) {
    result.state_cosine = agreement.state_cosine;
    result.state_mse = agreement.state_mse;
  }
  return result;
}

std::string to_json(const TeacherResult& result) {
  nlohmann::ordered_json document;
  document["sentences"] = result.sentences;
  document["sentences_cut_alike"] = result.aligned_sentences;
  document["sentence_cosine"] = {
      {"value", result.sentence_cosine}, {"low", result.interval.low}, {"high", result.interval.high}};
  document["layers"] = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < result.state_cosine.size(); ++at) {
    document["layers"].push_back(
        {{"layer", at + 1}, {"state_cosine", result.state_cosine[at]}, {"state_mse", result.state_mse[at]}});
  }
  return document.dump();
}

}  // namespace mog::app
