#include "app/workflow/effects/attribute_job.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/workflow/effects/token_choice.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

// A layer's shares of one kind taken together.
std::vector<model::LogitShare> by_layer(const std::vector<model::LogitShare>& shares) {
  std::vector<model::LogitShare> result;
  for (model::LogitShare share : shares) {
    if (share.part == model::LogitPart::attention_bias) {
      share.part = model::LogitPart::head;
    }
    share.head = 0;
    const auto same = std::find_if(result.begin(), result.end(), [&](const model::LogitShare& one) {
      return one.part == share.part && one.layer == share.layer;
    });
    if (same == result.end()) {
      result.push_back(share);
    } else {
      same->value += share.value;
    }
  }
  return result;
}

analysis::Cell whole(std::int64_t value) {
  return value > 0 ? analysis::Cell(value) : analysis::Cell();
}

}  // namespace

LogitRows parse_logit_rows(std::string_view text) {
  if (text == "part") {
    return LogitRows::part;
  }
  if (text == "layer") {
    return LogitRows::layer;
  }
  if (text == "source") {
    return LogitRows::source;
  }
  throw unknown_choice("--by", text, {"part", "layer", "source"});
}

double AttributeResult::residual() const {
  double sum = 0;
  double greatest = std::abs(parts.logit);
  for (const model::LogitShare& share : parts.shares) {
    sum += share.value;
    greatest = std::max(greatest, std::abs(share.value));
  }
  const double residual = std::abs(sum - parts.logit) / (greatest > 0 ? greatest : 1.0);
  return std::isnan(residual) ? std::numeric_limits<double>::infinity() : residual;
}

analysis::Table AttributeResult::table() const {
  analysis::Table table{{"model", "text", "measure", "answer", "against", "position", "token", "part",
                         "layer", "head", "source", "source_token", "value", "logit", "capped"},
                        {}};
  const bool layers = rows == LogitRows::layer;
  for (const model::LogitShare& share : layers ? by_layer(parts.shares) : parts.shares) {
    const bool attention = layers && share.part == model::LogitPart::head;
    table.add(
        {model.name, sentence.text, std::string(against.empty() ? "logit" : "logit_difference"), answer,
         against.empty() ? analysis::Cell() : analysis::Cell(against), position,
         tokens[static_cast<std::size_t>(position) - 1],
         attention ? std::string("attention") : std::string(model::name(share.part)), whole(share.layer),
         whole(share.head), share.source ? analysis::Cell(*share.source + 1) : analysis::Cell(),
         share.source ? analysis::Cell(tokens[static_cast<std::size_t>(*share.source)]) : analysis::Cell(),
         share.value, parts.logit, parts.capped});
  }
  return table;
}

AttributeResult run_attribution(const LoadedModel& loaded, const AttributeOptions& options) {
  const model::LogitAttribution& attribution = model::logit_attribution_of(*loaded.model);
  const model::ModelConfig& config = loaded.model->config();
  if (!config.language_model) {
    throw UsageError("taking a logit of " + loaded.model->card().name +
                     " apart: the model does not predict the next token");
  }
  AttributeResult result;
  result.model = loaded.model->card();
  result.sentence = encode_typed(loaded, options.text);
  result.rows = options.rows;
  model::LogitPartsRequest request{.by_source = options.rows == LogitRows::source};
  for (const Token& token : result.sentence.tokens) {
    request.ids.push_back(token.id);
    result.tokens.push_back(shown_token(loaded, token.id));
  }
  const auto tokens = static_cast<std::int64_t>(request.ids.size());
  request.token = options.position ? place_named("--position", *options.position, tokens) : tokens - 1;
  result.position = request.token + 1;
  const std::int64_t most_probable =
      options.answer.empty() ? best_next_token(loaded, result.sentence, request.token) : 0;
  ChosenLogits chosen = chosen_logits(loaded, options.answer, options.against, most_probable);
  request.logits = chosen.logits;
  result.answer = std::move(chosen.answer);
  result.against = std::move(chosen.against);
  result.notes = std::move(chosen.notes);
  if (std::string note = read_behind_special(loaded, result.sentence, request.token);
      !options.position && !note.empty()) {
    result.notes.push_back(std::move(note));
  }
  result.parts = attribution.logit_parts(request);
  result.tolerance = loaded.precision == model::Precision::float64 ? 1e-9 : 1e-4;
  return result;
}

}  // namespace mog::app
