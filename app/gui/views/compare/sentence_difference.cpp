#include "app/gui/views/compare/sentence_difference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "analysis/effects/run_changes.h"
#include "analysis/statistics/sentence_key.h"
#include "app/workflow/recordings/recording_groups.h"
#include "app/workflow/trees/trees_job.h"

namespace mog::gui {
namespace {

// Whether the two are the same, value by value.
bool no_difference(const analysis::FigureData& figure) {
  const auto& panels = std::get<analysis::PanelFigure>(figure.body).panels;
  const auto& values = std::get<analysis::HeatMap>(panels.back().body).values;
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return analysis::number_of_value(value) == 0 || std::isnan(value); });
}

// A change inside a layer comes after its maps: the map in which one weight differs most, by the mean over
// heads, else the gates. `request` says which; nullptr: nothing that was recorded differs.
FigurePointer largest_difference(app::FigureRequest& request, const ComparedSide& first,
                                 const ComparedSide& second, const app::FigureInputs& both) {
  const auto made = [&]() -> FigurePointer {
    auto figure = std::make_shared<const analysis::FigureData>(app::make_figure(request, both));
    return no_difference(*figure) ? nullptr : figure;
  };
  request.set("head", std::string());
  const analysis::RunChanges changes =
      analysis::run_changes({*first.source, first.place.index}, {*second.source, second.place.index},
                            {.at_most = 1, .left_out = [](const analysis::RunChange& change) {
                               return change.what != analysis::RunChange::What::attention;
                             }});
  if (!changes.largest.empty()) {
    const QuantityName& map = changes.largest.front().name;
    request.set("layer", map.layer()).set("part", map.part());
    if (FigurePointer figure = made()) {
      return figure;
    }
  }
  const RecordingHeader& header = second.source->header();
  const bool gates =
      std::any_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
        return schema.name.stack() == header.stack().stack && schema.name.quantity() == Quantity::gate;
      });
  app::FigureRequest of_gates{.kind = "gate-difference"};
  of_gates.set("sentence", request.number_of("sentence"))
      .set("other", request.number_of("other"))
      .flag("by-word", request.has("by-word"));
  request = of_gates;
  return gates ? made() : nullptr;
}

// Where `source` has the text of a sentence: under its number, or wherever it stands; -1: nowhere.
std::int64_t place_of_text(const RecordingSource& source, const Sentence& sentence,
                           const std::stop_token& stop) {
  const std::uint64_t key = analysis::sentence_key(sentence);
  const auto has = [&](std::int64_t at) { return analysis::sentence_key(source.sentence(at)) == key; };
  if (const auto at = app::find_sentence(source, sentence.number); at && has(*at)) {
    return *at;
  }
  for (std::int64_t at = 0; at < source.size() && !stop.stop_requested(); ++at) {
    if (has(at)) {
      return at;
    }
  }
  return -1;
}

// Whether a word that both have is cut into other pieces, or spelled otherwise: two tokenisers, whose pieces
// hardly ever pair.
bool cut_differently(const Sentence& first, const Sentence& second) {
  const auto pieces_of = [](const Sentence& sentence) {
    std::map<std::string, std::vector<std::string>> pieces;
    for (std::size_t word = 0; word < sentence.words.size(); ++word) {
      std::vector<std::string> of_word;
      for (const Token& token : sentence.tokens) {
        if (token.word == static_cast<std::int64_t>(word)) {
          of_word.push_back(token.text);
        }
      }
      pieces.emplace(sentence.words[word].text, std::move(of_word));
    }
    return pieces;
  };
  const auto here = pieces_of(first);
  const auto there = pieces_of(second);
  return std::any_of(here.begin(), here.end(), [&there](const auto& word) {
    const auto at = there.find(word.first);
    return at != there.end() && at->second != word.second;
  });
}

}  // namespace

SentenceDifference compare_sentences(ComparedSide first, const ComparedSide& second,
                                     const std::vector<RecordingLabel>& labels, app::FigureRequest request,
                                     bool special, const std::stop_token& stop) {
  const Sentence sentence = second.source->sentence(second.place.index);
  // Of several typed sentences of one text (variants) the one that is held is meant.
  const bool held = first.typed && analysis::sentence_key(first.source->sentence(first.place.index)) ==
                                       analysis::sentence_key(sentence);
  if (first.follows && !held) {
    const std::int64_t found = place_of_text(*first.source, sentence, stop);
    if (found < 0 && !first.typed) {
      return {nullptr, request, {}};
    }
    first.place.index = found < 0 ? first.place.index : found;
  }
  const std::int64_t number = first.source->number(first.place.index);
  const bool same =
      analysis::sentence_key(sentence) == analysis::sentence_key(first.source->sentence(first.place.index));
  request.set("sentence", number).set("other", same && sentence.number == number ? 0 : sentence.number);
  if (first.source != second.source && cut_differently(first.source->sentence(first.place.index), sentence)) {
    request.flag("by-word");
  }
  const std::string names[] = {first.name.toStdString(), second.name.toStdString()};
  const app::FigureInputs both{
      .sources = {first.source, second.source},
      .titles = {labels.empty() ? names[0] : app::sentence_title(labels[0], number),
                 labels.empty() ? names[1] : app::sentence_title(labels[1], sentence.number)}};
  SentenceDifference result{nullptr, request, {}};
  result.figure = std::make_shared<const analysis::FigureData>(app::make_figure(request, both));
  if (!first.name.isEmpty() && request.kind == "attention-difference" && no_difference(*result.figure)) {
    app::FigureRequest reached = request;
    result.unchanged_layer = request.number_of("layer");
    if (FigurePointer figure = largest_difference(
            reached, first, second, {.sources = both.sources, .titles = {names[0], names[1]}})) {
      result.figure = std::move(figure);
      result.made_by = reached;
    }
  }
  result.rows =
      analysis::shown_tokens(sentence, {.special_tokens = special, .by_word = request.has("by-word")});
  return result;
}

}  // namespace mog::gui
