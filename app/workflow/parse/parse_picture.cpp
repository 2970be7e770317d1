#include "app/workflow/parse/parse_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/quantity_figures.h"
#include "app/workflow/common/shell_line.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

using analysis::ArcFigure;
using analysis::CellMark;
using analysis::FigureData;
using analysis::HeatMap;
using analysis::WordLabel;

const char* const kRoot = "root";

std::string word_text(const ParsedSentence& parsed, std::int32_t vertex) {
  return vertex == 0 ? kRoot : parsed.sentence.words[static_cast<std::size_t>(vertex) - 1].text;
}

// Parts of speech before other tags.
const std::vector<std::string>* tags_of(const Parse& parse) {
  for (const char* const task : {"upos", "xpos"}) {
    if (const auto at = parse.tags.find(task); at != parse.tags.end()) {
      return &at->second;
    }
  }
  return parse.tags.empty() ? nullptr : &parse.tags.begin()->second;
}

std::vector<WordLabel> labels_of(const ParsedSentence& parsed) {
  const std::vector<std::string>* const tags = tags_of(parsed.parse);
  std::vector<WordLabel> labels;
  for (std::size_t word = 0; word < parsed.sentence.words.size(); ++word) {
    WordLabel label{.text = parsed.sentence.words[word].text};
    if (tags != nullptr) {
      label.tag = (*tags)[word];
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

bool is_forced(const ParsedSentence& parsed, const TreeArc& arc) {
  const std::vector<TreeArc>& forced = parsed.constraints.forced;
  return std::find(forced.begin(), forced.end(), arc) != forced.end();
}

std::string arcs_text(const std::vector<TreeArc>& arcs) {
  std::vector<std::string> texts;
  texts.reserve(arcs.size());
  for (const TreeArc& arc : arcs) {
    texts.push_back(tree_arc_text(arc));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// What was set by hand is said before the level of the claim.
void add_caption(FigureData& figure, const ParsedSentence& parsed) {
  figure.caption = analysis::caption(parsed.model, parsed.corpus,
                                     counted(static_cast<std::int64_t>(parsed.sentence.words.size()), "word"),
                                     analysis::level_text(QuantityName::pair_scores("arcs")));
  if (!parsed.constraints.forced.empty()) {
    analysis::add_to_caption(figure, "arcs set by hand: " + arcs_text(parsed.constraints.forced));
  }
  if (!parsed.constraints.forbidden.empty()) {
    analysis::add_to_caption(figure, "arcs forbidden by hand: " + arcs_text(parsed.constraints.forbidden));
  }
}

analysis::Arc arc_of(const ParsedSentence& parsed, std::int32_t dependent, std::int32_t head,
                     std::int32_t label, double probability, double label_probability) {
  analysis::Arc arc;
  arc.source = static_cast<std::int64_t>(head) - 1;
  arc.target = static_cast<std::int64_t>(dependent) - 1;
  arc.weight = probability;
  arc.label = parsed.label(label);
  arc.tuple = fmt::format("{} {:.3f}", arc.label, label_probability);
  arc.forced = is_forced(parsed, {dependent, head});
  return arc;
}

FigureData arcs_of_round(const ParsedSentence& parsed, std::size_t round) {
  const DecodedTree& decoded = parsed.parse.looked_at[round].decoded;
  ArcFigure arcs;
  arcs.words = labels_of(parsed);
  arcs.weight = {"probability of the head", "", ""};
  for (std::size_t word = 0; word < decoded.tree.heads.size(); ++word) {
    const auto dependent = static_cast<std::int32_t>(word) + 1;
    analysis::Arc arc = arc_of(parsed, dependent, decoded.tree.heads[word], decoded.tree.labels[word],
                               decoded.head_probabilities[word], decoded.label_probabilities[word]);
    if (round > 0) {
      const model::DependencyTree& before = parsed.parse.looked_at[round - 1].decoded.tree;
      arc.changed =
          before.heads[word] != decoded.tree.heads[word] || before.labels[word] != decoded.tree.labels[word];
      if (arc.changed) {
        const std::string& label = parsed.label(before.labels[word]);
        arc.tuple += fmt::format(", before: {} → {}, {}", word_text(parsed, before.heads[word]),
                                 word_text(parsed, dependent), label);
        arcs.gold.push_back({before.heads[word] - 1, static_cast<std::int64_t>(word), label});
      }
    }
    arcs.arcs.push_back(std::move(arc));
  }
  if (!arcs.gold.empty()) {
    arcs.gold_name = fmt::format("changed arcs of round {}", round);
  }
  FigureData figure;
  if (parsed.steps() > 1) {
    figure.title = fmt::format("round {} of {}", round + 1, parsed.steps());
  }
  figure.body = std::move(arcs);
  return figure;
}

FigureData matrix_of_round(const ParsedSentence& parsed, std::size_t round) {
  const ParseRound& shown = parsed.parse.looked_at[round];
  HeatMap map;
  map.row_title = "head";
  map.column_title = "dependent";
  map.columns = labels_of(parsed);
  for (WordLabel& word : map.columns) {
    word.tag.clear();
  }
  map.rows = map.columns;
  map.rows.insert(map.rows.begin(), WordLabel{.text = kRoot});
  map.scale.quantity = {"probability of the head", "", ""};
  map.scale.colouring = analysis::ColourScale::Colouring::power;
  for (std::int32_t head = 0; head <= shown.arcs.words; ++head) {
    for (std::int32_t dependent = 1; dependent <= shown.arcs.words; ++dependent) {
      map.values.push_back(shown.arcs.probabilities[shown.arcs.at(head, dependent)]);
    }
  }
  const auto mark = [&](const std::vector<TreeArc>& arcs, CellMark::Kind kind) {
    for (const TreeArc& arc : arcs) {
      map.marks.push_back({arc.head, arc.dependent - 1, kind});
    }
  };
  mark(parsed.constraints.forced, CellMark::Kind::forced);
  mark(parsed.constraints.forbidden, CellMark::Kind::forbidden);
  const std::vector<std::int32_t>& heads = shown.decoded.tree.heads;
  for (std::size_t word = 0; word < heads.size(); ++word) {
    map.marks.push_back({heads[word], static_cast<std::int64_t>(word), CellMark::Kind::found});
  }
  FigureData figure;
  if (parsed.steps() > 1) {
    figure.title = fmt::format("round {} of {}", round + 1, parsed.steps());
  }
  figure.body = std::move(map);
  return figure;
}

// ---- transitions ---------------------------------------------------------------------------------------

analysis::ParserState state_before(const ParsedSentence& parsed, std::size_t action) {
  analysis::ParserState state(static_cast<std::int32_t>(parsed.sentence.words.size()));
  for (std::size_t step = 0; step < action; ++step) {
    state.apply(parsed.parse.steps[step].transition);
  }
  return state;
}

double chosen_probability(const ParseStep& step) {
  return step.probabilities[static_cast<std::size_t>(step.transition.action)];
}

// "state 5 of 17, then LEFTARC det (0.980)"
std::string title_of_state(const ParsedSentence& parsed, std::size_t action) {
  std::string title = fmt::format("state {} of {}", action + 1, parsed.steps());
  if (action < parsed.parse.steps.size()) {
    const ParseStep& step = parsed.parse.steps[action];
    title += fmt::format(", then {}", analysis::name(step.transition.action));
    title += step.transition.label >= 0 ? " " + parsed.label(step.transition.label) : "";
    title += fmt::format(" ({:.3f})", chosen_probability(step));
  }
  return title;
}

FigureData arcs_of_state(const ParsedSentence& parsed, std::size_t action) {
  const analysis::ParserState state = state_before(parsed, action);
  ArcFigure arcs;
  arcs.words = labels_of(parsed);
  arcs.weight = {"probability of the action", "", ""};
  const auto put_into = [&](std::span<const std::int32_t> words, WordLabel::Box box) {
    for (const std::int32_t word : words) {
      if (word > 0) {
        arcs.words[static_cast<std::size_t>(word) - 1].box = box;
      }
    }
  };
  put_into(state.stack(), WordLabel::Box::filled);
  put_into(state.buffer(), WordLabel::Box::framed);
  const bool made = action > 0 && parsed.parse.steps[action - 1].transition.label >= 0;
  for (const std::int32_t word : state.removed()) {
    const auto at = static_cast<std::size_t>(word) - 1;
    arcs.arcs.push_back(arc_of(parsed, word, state.heads()[at], state.labels()[at],
                               parsed.parse.best.head_probabilities[at],
                               parsed.parse.best.label_probabilities[at]));
    arcs.arcs.back().changed = made && word == state.removed().back();
  }
  FigureData figure;
  figure.title = title_of_state(parsed, action);
  figure.body = std::move(arcs);
  return figure;
}

// Actions by steps, the chosen one of each marked.
FigureData matrix_of_actions(const ParsedSentence& parsed, std::size_t action) {
  const std::vector<ParseStep>& steps = parsed.parse.steps;
  HeatMap map;
  map.row_title = "action";
  map.column_title = "state";
  map.square_cells = false;
  map.scale.quantity = {"probability of the action", "", ""};
  for (std::size_t row = 0; row < analysis::kParserActions; ++row) {
    map.rows.push_back({.text = std::string(analysis::name(static_cast<analysis::ParserAction>(row)))});
    for (const ParseStep& step : steps) {
      map.values.push_back(step.probabilities[row]);
    }
  }
  for (std::size_t step = 0; step < steps.size(); ++step) {
    map.columns.push_back({.text = std::to_string(step + 1)});
    map.marks.push_back({static_cast<std::int64_t>(steps[step].transition.action),
                         static_cast<std::int64_t>(step), CellMark::Kind::found});
  }
  FigureData figure;
  figure.title = title_of_state(parsed, action);
  figure.body = std::move(map);
  return figure;
}

void add_arcs(std::vector<std::string>& line, const char* option, const std::vector<TreeArc>& arcs) {
  for (const TreeArc& arc : arcs) {
    line.insert(line.end(), {option, tree_arc_text(arc)});
  }
}

}  // namespace

std::int64_t ParsedSentence::steps() const {
  return static_cast<std::int64_t>(by_transitions() ? parse.steps.size() + 1 : parse.rounds.size());
}

ParsedSentence parse_text(const LoadedModel& loaded, std::string_view text, const ParseChoice& choice,
                          std::stop_token stop) {
  require_parser(loaded.model->config(), loaded.model->card().name, choice.refinements);
  ParsedSentence parsed{.model = loaded.model->card(),
                        .graph = *loaded.model->config().graph,
                        .sentence = encode_typed(loaded, text),
                        .constraints = choice.constraints,
                        .parse = {}};
  require_room(loaded.model->config(), parsed.sentence, loaded.longest, "Parsing a sentence");
  parsed.parse = std::move(parse_sentences(*loaded.model, {&parsed.sentence, 1},
                                           {.refinements = choice.refinements,
                                            .projective = choice.projective,
                                            .constraints = {choice.constraints},
                                            .look_at_rounds = true,
                                            .stop = std::move(stop)})
                               .front());
  return parsed;
}

std::string_view name(ParsePicture picture) noexcept {
  return picture == ParsePicture::arcs ? "arcs" : "matrix";
}

ParsePicture parse_parse_picture(std::string_view text) {
  for (const ParsePicture picture : {ParsePicture::arcs, ParsePicture::matrix}) {
    if (text == name(picture)) {
      return picture;
    }
  }
  throw unknown_choice("--draw", text, {"arcs", "matrix"});
}

FigureData parse_picture(const ParsedSentence& parsed, ParsePicture picture, std::int64_t step) {
  if (step < 0 || step > parsed.steps()) {
    throw UsageError(fmt::format(
        "--step {}: there {}", step,
        parsed.by_transitions()
            ? fmt::format("are {} states", parsed.steps())
            : fmt::format("{} {}", parsed.steps() == 1 ? "is" : "are", counted(parsed.steps(), "round"))));
  }
  const auto at = static_cast<std::size_t>(step == 0 ? parsed.steps() : step) - 1;
  const bool arcs = picture == ParsePicture::arcs;
  FigureData figure = parsed.by_transitions()
                          ? (arcs ? arcs_of_state(parsed, at) : matrix_of_actions(parsed, at))
                          : (arcs ? arcs_of_round(parsed, at) : matrix_of_round(parsed, at));
  add_caption(figure, parsed);
  return figure;
}

std::vector<std::string> picture_arguments(const PictureCommand& command) {
  std::vector<std::string> line = {"mog", "parse", "--model", command.model, "--input", command.input};
  if (command.words != model::WordCut::automatic) {
    line.insert(line.end(), {"--words", std::string(model::name(command.words))});
  }
  if (command.choice.refinements) {
    line.insert(line.end(), {"--refinements", fmt::format("{}", *command.choice.refinements)});
  }
  if (command.choice.projective) {
    line.emplace_back("--projective");
  }
  add_arcs(line, "--force", command.choice.constraints.forced);
  add_arcs(line, "--forbid", command.choice.constraints.forbidden);
  if (command.picture != ParsePicture::arcs) {
    line.insert(line.end(), {"--draw", std::string(name(command.picture))});
  }
  if (command.step > 0) {
    line.insert(line.end(), {"--step", fmt::format("{}", command.step)});
  }
  for (const std::string& mark : command.marks) {
    line.insert(line.end(), {"--mark", mark});
  }
  return line;
}

FigureFacts picture_facts(const ParsedSentence& parsed, const PictureCommand& command) {
  FigureFacts facts;
  facts.command = shell_line(picture_arguments(command));
  facts.marks = fmt::format("{}", fmt::join(command.marks, " "));
  if (!parsed.by_transitions()) {
    facts.quantities = {QuantityName::pair_scores("arcs").text(), QuantityName::pair_scores("labels").text()};
  }
  FigureFacts::Source source;
  source.model = parsed.model;
  source.provenance = typed_sentence();
  source.provenance.corpus_name = parsed.corpus;
  source.sentence = 1;
  source.text = parsed.sentence.text;
  facts.sources.push_back(std::move(source));
  return facts;
}

}  // namespace mog::app
