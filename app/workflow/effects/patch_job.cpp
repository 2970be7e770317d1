// Texts, tokens and sites of `mog patch`; the runs are the engine's
// (model/engine/inference/patched_runs.cpp).
//
// Every effect is on one scale, whichever text gets the activations: 0 is what the model says of the corrupt
// text, 1 what it says of the clean one. Denoising goes from 0 towards 1, noising from 1 towards 0.
#include "app/workflow/effects/patch_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "analysis/statistics/rank_correlation.h"
#include "app/workflow/effects/token_choice.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int64_t> ids_of(const Sentence& sentence) {
  std::vector<std::int64_t> ids;
  for (const Token& token : sentence.tokens) {
    ids.push_back(token.id);
  }
  return ids;
}

std::string quoted(const LoadedModel& loaded, const Sentence& sentence, std::size_t place) {
  return place < sentence.tokens.size()
             ? fmt::format("\"{}\"", shown_token(loaded, sentence.tokens[place].id))
             : std::string("the end");
}

void require_pair(const LoadedModel& loaded, const Sentence& clean, const Sentence& corrupt) {
  const std::vector<std::int64_t> one = ids_of(clean);
  const std::vector<std::int64_t> other = ids_of(corrupt);
  if (one == other) {
    throw UsageError(fmt::format("patching: both texts are the same tokens, {}; nothing would change",
                                 shown_tokens(loaded, clean)));
  }
  if (one.size() == other.size()) {
    return;
  }
  const auto parted = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  const auto place = static_cast<std::size_t>(parted.first - one.begin());
  throw UsageError(fmt::format(
      "patching: each token needs its counterpart, but the clean text has {} and the corrupt one {}\n     "
      "clean:   {}\n     "
      "corrupt: {}\n     they part at token {}, {} and {}; choose words of as many tokens",
      counted(static_cast<std::int64_t>(one.size()), "token"), other.size(), shown_tokens(loaded, clean),
      shown_tokens(loaded, corrupt), place + 1, quoted(loaded, clean, place),
      quoted(loaded, corrupt, place)));
}

bool in_layers(const std::vector<LayerRange>& ranges, std::int64_t layer) {
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const LayerRange& range) {
           return layer >= range.first && layer <= range.last;
         });
}

std::vector<model::PatchSite> sites_of(const model::ModelConfig& config, const PatchOptions& options,
                                       std::int64_t tokens) {
  for (const LayerRange& range : options.layers) {
    if (range.last > config.encoder.layers) {
      throw UsageError(
          fmt::format("--layers {}: the model has layers 1 to {}", text(range), config.encoder.layers));
    }
  }
  std::vector<model::PatchSite> sites;
  for (const model::PatchPlace place : options.places.empty() ? model::patch_places() : options.places) {
    const bool by_token = place != model::PatchPlace::head || options.head_positions;
    const std::vector<model::PatchSite> all = model::patch_sites(config, place, tokens, by_token);
    if (all.empty() && !options.places.empty()) {
      throw UsageError(
          fmt::format("--places {}: a recurrent encoder has residual states alone", model::name(place)));
    }
    std::copy_if(all.begin(), all.end(), std::back_inserter(sites),
                 [&](const model::PatchSite& site) { return in_layers(options.layers, site.layer); });
  }
  return sites;
}

// Of change and estimate over the sites of one place; NaN with fewer than two of both.
std::map<model::PatchPlace, double> rank_correlations(const PatchedDirection& direction, double unpatched) {
  std::map<model::PatchPlace, std::pair<std::vector<double>, std::vector<double>>> by_place;
  for (const PatchRow& row : direction.rows) {
    auto& [changes, estimates] = by_place[row.site.place];
    if (std::isfinite(row.patched) && std::isfinite(row.estimate)) {
      changes.push_back(row.patched - unpatched);
      estimates.push_back(row.estimate);
    }
  }
  std::map<model::PatchPlace, double> result;
  for (const auto& [place, values] : by_place) {
    result[place] = values.first.size() < 2 ? kNone : analysis::spearman(values.first, values.second);
  }
  return result;
}

analysis::Cell whole(std::int64_t value) {
  return value > 0 ? analysis::Cell(value) : analysis::Cell();
}
analysis::Cell text_cell(const std::string& text) {
  return text.empty() ? analysis::Cell() : analysis::Cell(text);
}

}  // namespace

std::string_view name(PatchDirection direction) noexcept {
  return direction == PatchDirection::corrupt ? "corrupt" : "clean";
}

std::vector<PatchDirection> parse_directions(std::string_view text) {
  if (text == "corrupt") {
    return {PatchDirection::corrupt};
  }
  if (text == "clean") {
    return {PatchDirection::clean};
  }
  if (text == "both") {
    return {PatchDirection::corrupt, PatchDirection::clean};
  }
  throw unknown_choice("--into", text, {"corrupt", "clean", "both"});
}

std::vector<model::PatchPlace> parse_places(std::string_view text) {
  std::vector<model::PatchPlace> places;
  while (true) {
    const auto end = text.find(',');
    const std::string_view piece = text.substr(0, end);
    const auto place = model::find_patch_place(piece);
    if (!place) {
      throw unknown_choice("--places", piece, {"residual", "attention", "feed_forward", "head"});
    }
    if (std::find(places.begin(), places.end(), *place) == places.end()) {
      places.push_back(*place);
    }
    if (end == std::string_view::npos) {
      return places;
    }
    text.remove_prefix(end + 1);
  }
}

double PatchResult::normalised(double value) const {
  const double whole = clean_value - corrupt_value;
  return whole == 0.0 ? kNone : (value - corrupt_value) / whole;
}

analysis::Table PatchResult::table() const {
  analysis::Table table{{"model",         "clean_text",
                         "corrupt_text",  "measure",
                         "answer",        "against",
                         "read_position", "into",
                         "place",         "layer",
                         "part",          "head",
                         "position",      "clean_token",
                         "corrupt_token", "clean",
                         "corrupt",       "patched",
                         "change",        "effect",
                         "estimate",      "estimated_effect",
                         "spearman"},
                        {}};
  for (const PatchedDirection& direction : directions) {
    const double unpatched = direction.into == PatchDirection::corrupt ? corrupt_value : clean_value;
    const std::map<model::PatchPlace, double> ranks = rank_correlations(direction, unpatched);
    for (const PatchRow& row : direction.rows) {
      const model::PatchSite& site = row.site;
      const bool of_head = site.place == model::PatchPlace::head;
      const auto token = [&](const std::vector<std::string>& tokens) {
        return site.token ? analysis::Cell(tokens[static_cast<std::size_t>(*site.token)]) : analysis::Cell();
      };
      table.add({model.name,
                 clean.text,
                 corrupt.text,
                 measure,
                 text_cell(answer),
                 text_cell(against),
                 whole(position),
                 std::string(name(direction.into)),
                 std::string(model::name(site.place)),
                 site.layer,
                 of_head ? analysis::Cell(std::string(mog::name(site.part))) : analysis::Cell(),
                 whole(site.head),
                 site.token ? analysis::Cell(*site.token + 1) : analysis::Cell(),
                 token(clean_tokens),
                 token(corrupt_tokens),
                 clean_value,
                 corrupt_value,
                 row.patched,
                 row.patched - unpatched,
                 normalised(row.patched),
                 row.estimate,
                 normalised(unpatched + row.estimate),
                 ranks.at(site.place)});
    }
  }
  return table;
}

PatchResult run_patching(const LoadedModel& loaded, const PatchOptions& options, std::stop_token stop,
                         const ProgressCallback& progress) {
  const model::Patching& patching = model::patching_of(*loaded.model);
  const model::ModelConfig& config = loaded.model->config();
  PatchResult result;
  result.model = loaded.model->card();
  result.clean = encode_typed(loaded, options.clean);
  result.corrupt = encode_typed(loaded, options.corrupt);
  require_pair(loaded, result.clean, result.corrupt);
  const auto tokens = static_cast<std::int64_t>(result.clean.tokens.size());
  for (std::size_t place = 0; place < result.clean.tokens.size(); ++place) {
    result.clean_tokens.push_back(shown_token(loaded, result.clean.tokens[place].id));
    result.corrupt_tokens.push_back(shown_token(loaded, result.corrupt.tokens[place].id));
  }
  model::PatchRequest request{.batch_tokens = options.batch_tokens};
  if (options.best_answers && !options.answer.empty()) {
    throw UsageError("--best-answers: --answer names one already");
  }
  const bool logits = options.best_answers || !options.answer.empty();
  if (logits && !config.language_model) {
    throw UsageError(fmt::format(
        "{}: the model does not predict the next token; without it the cosine of its output to the clean one "
        "is read",
        options.best_answers ? "--best-answers" : "--answer"));
  }
  if (!options.against.empty() && options.answer.empty()) {
    throw UsageError("--against: it needs --answer");
  }
  if (options.position) {
    request.token = place_named("--position", *options.position, tokens);
  } else if (logits) {
    request.token = tokens - 1;
  }
  if (logits) {
    ChosenLogits chosen = options.best_answers
                              ? best_logits(loaded, result.clean, result.corrupt, *request.token)
                              : chosen_logits(loaded, options.answer, options.against);
    request.logits = chosen.logits;
    result.answer = std::move(chosen.answer);
    result.against = std::move(chosen.against);
    result.notes = std::move(chosen.notes);
  }
  if (!request.logits && !options.exact &&
      std::find(options.directions.begin(), options.directions.end(), PatchDirection::clean) !=
          options.directions.end()) {
    throw UsageError(
        "--method gradient with --into clean: the cosine of the clean output with itself has the slope 0; "
        "use --method exact, --into corrupt, or --answer");
  }
  result.measure = !request.logits ? "cosine" : request.logits->against ? "logit_difference" : "logit";
  if (logits && !options.position) {
    if (std::string note = read_behind_special(loaded, result.clean, *request.token); !note.empty()) {
      result.notes.push_back(std::move(note));
    }
  }
  result.position = request.token ? *request.token + 1 : 0;
  request.sites = sites_of(config, options, tokens);
  request.exact = options.exact;
  const auto total = static_cast<std::int64_t>(request.sites.size() * options.directions.size());
  std::int64_t before = 0;
  request.progress = [&](std::size_t done) {
    if (progress) {
      progress({before + static_cast<std::int64_t>(done), total, "patched runs", "patching"});
    }
    return !stop.stop_requested();
  };
  request.progress(0);
  for (const PatchDirection into : options.directions) {
    const bool corrupt = into == PatchDirection::corrupt;
    request.from = ids_of(corrupt ? result.clean : result.corrupt);
    request.into = ids_of(corrupt ? result.corrupt : result.clean);
    request.reference = corrupt ? model::PatchReference::from : model::PatchReference::into;
    // The cosine of the clean output to itself is at its maximum: its slope is 0 whatever is moved.
    request.estimate = options.estimate && (request.logits || corrupt);
    const model::PatchEffects effects = patching.patch(request);
    result.clean_value = corrupt ? effects.from : effects.into;
    result.corrupt_value = corrupt ? effects.into : effects.from;
    PatchedDirection found{.into = into};
    for (std::size_t site = 0; site < request.sites.size(); ++site) {
      found.rows.push_back({request.sites[site], effects.patched.empty() ? kNone : effects.patched[site],
                            effects.estimated.empty() ? kNone : effects.estimated[site]});
    }
    result.directions.push_back(std::move(found));
    before += static_cast<std::int64_t>(request.sites.size());
  }
  return result;
}

}  // namespace mog::app
