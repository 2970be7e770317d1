#include "app/gui/views/common/figure_data_tasks.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/figure_data/derivation_figures.h"
#include "analysis/figure_data/information_flow.h"
#include "analysis/mog/graph_files/forest.h"
#include "app/workflow/figures/derivation_text.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::gui {

using analysis::FigureData;

std::optional<std::int64_t> place_of(const TokenGroups& groups, std::optional<std::int64_t> token) {
  if (token) {
    for (std::size_t place = 0; place < groups.size(); ++place) {
      if (std::find(groups[place].begin(), groups[place].end(), *token) != groups[place].end()) {
        return static_cast<std::int64_t>(place);
      }
    }
  }
  return std::nullopt;
}

namespace {

// What is said about the gold tree under arcs; `add` draws it.
template <class Add>
GoldNote draw_gold(app::FigureRequest& request, const GoldTreebank& gold, Add add) {
  GoldNote note;
  if (gold.words != nullptr) {
    note.fit = add(note.why);
  }
  if (note.fit) {
    request.set("gold", gold.path);
  }
  return note;
}

// As an option of a figure; empty: not given.
std::string stretch_of(const analysis::Stretch& stretch) {
  return stretch.all() ? std::string() : std::to_string(stretch.first) + "-" + std::to_string(stretch.last);
}

}  // namespace

MapFigures load_map(const RecordingSource& source, const MapQuestion& question) {
  const std::vector<Part> parts = analysis::parts_of_layer(source.header(), question.layer);
  if (question.part != Part::none && std::find(parts.begin(), parts.end(), question.part) == parts.end()) {
    throw UsageError("Layer " + std::to_string(question.layer) + " has no " +
                     std::string(name(question.part)) +
                     " attention in this recording: choose another layer, or all parts (0).");
  }
  if (parts.empty()) {
    throw UsageError("This recording holds no attention maps of layer " + std::to_string(question.layer) +
                     ". Record the corpus again with --capture attention" + only_top_keys(source.header()) +
                     ".");
  }
  const Sentence sentence = source.sentence(question.index);
  app::MapShown shown{.layer = question.layer,
                      .part = parts.size() == 1 ? parts.front() : question.part,
                      .head = question.head,
                      .tokens = question.tokens};
  if (question.head > 0) {
    shown.tokens.heads.clear();
  }
  app::FigureRequest of_both;
  of_both.set("sentence", sentence.number)
      .set("layer", shown.layer)
      .set("part", shown.part)
      .set("head", shown.head)
      .set("heads", shown.tokens.heads)
      .flag("by-word", shown.tokens.by_word);
  if (const analysis::PairBlock& block = shown.tokens.block; !block.all()) {
    of_both.set("block", std::to_string(block.query) + "-" + std::to_string(block.key));
  }
  MapFigures figures;
  figures.texts = analysis::texts_of(sentence);
  app::FigureRequest matrix = of_both;
  matrix.kind = "attention";
  // Arcs join words of one text.
  const bool one_text = (shown.part == Part::none || shown.part.role() != PartRole::cross) &&
                        shown.tokens.block.query == shown.tokens.block.key &&
                        shown.tokens.queries == shown.tokens.keys;
  matrix.flag("no-special-tokens", !shown.tokens.special_tokens)
      .flag("special-in-scale", shown.tokens.special_in_scale)
      .set("arcs", one_text ? question.hanging : 0)
      .set("queries", stretch_of(shown.tokens.queries))
      .set("keys", stretch_of(shown.tokens.keys))
      .set("colours", std::string(analysis::name(question.colours)));
  figures.matrix = {std::make_shared<const FigureData>(app::make_figure(matrix, source)), matrix};
  figures.rows = analysis::shown_tokens(sentence, question.tokens);
  figures.columns = analysis::shown_tokens(sentence, question.tokens, true);
  app::FigureRequest arcs = of_both;
  arcs.kind = "attention-arcs";
  arcs.flag("special-tokens", question.special_words)
      .set("threshold", std::optional(question.smallest_arc))
      .set("at-most", std::numeric_limits<std::int64_t>::max())
      .set("tokens", stretch_of(shown.tokens.queries));
  FigureData drawn = app::make_figure(arcs, source);
  shown.tokens.special_tokens = question.special_words;
  const bool whole = shown.tokens.queries.all();  // the gold tree is of a whole sentence
  figures.gold = draw_gold(arcs, whole ? question.gold : GoldTreebank(), [&](std::string& why) {
    return app::add_gold_of_map(drawn, shown, source, question.index, *question.gold.words, why);
  });
  figures.arcs = {std::make_shared<const FigureData>(std::move(drawn)), arcs};
  analysis::TokenOptions words = question.tokens;
  words.special_tokens = question.special_words;
  words.block = {};
  words.keys = words.queries;
  figures.words = analysis::shown_tokens(sentence, words);
  return figures;
}

std::shared_ptr<const analysis::AttentionOverview> load_grid(const GridQuestion& question,
                                                             const std::stop_token& stop) {
  auto maps = std::make_shared<analysis::AttentionOverview>(
      analysis::attention_overview(*question.source, question.index, question.options, stop));
  for (auto& row : maps->maps) {
    for (FigureData& map : row) {
      analysis::set_colouring(map, question.colours);
    }
  }
  return maps;
}

MadeFigure grid_figure(const GridQuestion& question, const analysis::AttentionOverview& maps) {
  MadeFigure made;
  made.figure = std::make_shared<const FigureData>(
      analysis::overview_figure(maps, *question.source, question.index, question.options));
  made.made_by.kind = "attention-overview";
  made.made_by.set("sentence", question.source->number(question.index))
      .set("part", question.options.part)
      .set("colours", std::string(analysis::name(question.colours)))
      .flag("special-in-scale", question.options.special_in_scale)
      .set("heads", question.options.heads)
      .set("queries", stretch_of(question.options.queries))
      .set("keys", stretch_of(question.options.keys));
  return made;
}

GateFigure load_gates(const RecordingSource& source, std::int64_t index, std::int64_t layer, bool by_word,
                      const std::stop_token& stop) {
  app::FigureRequest request{.kind = layer == 0 ? "gate" : "gate-dimensions"};
  request.set("sentence", source.number(index)).set("layer", layer).flag("by-word", by_word);
  return {{std::make_shared<const FigureData>(app::make_figure(request, source, stop)), request},
          analysis::shown_tokens(source.sentence(index), {.by_word = by_word})};
}

app::TreeSearch& SentenceGraphs::search() {
  if (search_ == nullptr) {
    search_ = std::make_unique<app::TreeSearch>(*source_, index_);
    flow_ = analysis::strongest_keys(analysis::InformationFlow(*source_, index_));
  }
  return *search_;
}

FigurePointer SentenceGraphs::thumbnail(const Answer& answer, std::size_t row) const {
  return std::make_shared<const FigureData>(analysis::tree_figure(
      answer.derivations.at(row), words(), answer.goal.last_layer(layers()), {}, search_->grammar().get()));
}

std::shared_ptr<const app::JoinFacts> SentenceGraphs::join(const Answer& answer, std::size_t row,
                                                           const analysis::TreeFigure& tree,
                                                           std::int64_t node) const {
  return app::join_facts(*source_, index_, *search_->about(), *search_->grammar(), answer.derivations.at(row),
                         tree, node);
}

MadeFigure SentenceGraphs::figure(const Answer& answer, std::size_t row, const Look& look,
                                  const GoldTreebank& gold, GoldNote& note) const {
  const bool as_tree = look.as_tree;
  const analysis::Derivation& derivation = answer.derivations.at(row);
  app::FigureRequest request{.kind = as_tree ? "tree" : "arcs"};
  request.set("sentence", search_->about()->number);
  if (!answer.goal.is_top()) {
    request.set("layer", answer.goal.layer).set("owner", "@" + std::to_string(answer.goal.word + 1));
  }
  const std::int64_t rank = static_cast<std::int64_t>(row) + 1;
  request.set(answer.by_leaves ? "leaves" : "top", answer.by_leaves ? derivation.entry.leaves : rank);
  const analysis::SentenceFigureText text = app::derivation_text(
      *source_, search_->about()->number, analysis::goal_in_words(answer.goal, search_->grammar()->names()),
      answer.by_leaves ? app::best_with_leaves(derivation.entry.leaves) : app::number_of_best(rank), {},
      search_->about()->choices);
  FigureData made = as_tree ? analysis::tree_figure(derivation, words(), answer.goal.last_layer(layers()),
                                                    text, search_->grammar().get())
                            : analysis::derivation_arcs(derivation, words(), text);
  if (auto* tree = std::get_if<analysis::TreeFigure>(&made.body)) {
    tree->all_words = look.all_words;
    request.flag("all-words", look.all_words);
    if (look.flow > 0) {
      tree->flow = flow_;
      tree->flow_opacity = look.flow;
    }
  }
  note = as_tree ? GoldNote{} : draw_gold(request, gold, [&](std::string& why) {
    return app::add_gold_of_joins(made, *source_, index_, *gold.words, why);
  });
  return {std::make_shared<const FigureData>(std::move(made)), request};
}

analysis::Goal SentenceGraphs::goal_of(std::optional<std::int64_t> token, std::int64_t layer) {
  const std::lock_guard lock(mutex_);
  search();
  const std::int64_t word = token ? word_of(*token) : -1;
  return word < 0 || layer < 1 || layer > layers()
             ? analysis::Goal::top()
             : analysis::Goal::of_word(layer, static_cast<std::int32_t>(word));
}

SentenceGraphs::Answer SentenceGraphs::best(const analysis::Goal& goal, std::int64_t k) {
  const std::lock_guard lock(mutex_);
  app::FoundTrees found = search().best(goal, k);
  return {goal, std::move(found.derivations), found.ended_by_limit, false};
}

SentenceGraphs::Answer SentenceGraphs::best_by_leaves(const analysis::Goal& goal, std::int64_t most_leaves) {
  const std::lock_guard lock(mutex_);
  return {goal, search().best_by_leaves(goal, most_leaves).derivations, false, true};
}

std::int64_t SentenceGraphs::word_of(std::int64_t token) const {
  const std::vector<std::int64_t>& words = search_->about()->word_of_token;
  return token < 0 || token >= std::ssize(words) ? -1 : words[static_cast<std::size_t>(token)];
}

std::int64_t SentenceGraphs::token_of(std::int64_t word) const {
  const std::vector<std::int64_t>& words = search_->about()->word_of_token;
  const auto first = std::find(words.begin(), words.end(), word);
  return word < 0 || first == words.end() ? -1 : first - words.begin();
}

}  // namespace mog::gui
