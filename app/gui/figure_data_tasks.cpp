#include "app/gui/figure_data_tasks.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/figure_data/derivation_figures.h"
#include "analysis/mog/forest.h"
#include "io/recording/errors.h"

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

// The gold tree under the arcs, where there is one; what is said about it.
GoldNote draw_gold(FigureData& figure, app::FigureOptions& options, const RecordingSource& source,
                   std::int64_t index, const GoldTreebank& gold) {
  GoldNote note;
  if (gold.words != nullptr) {
    note.fit = app::add_gold(figure, options, source, index, *gold.words, note.why);
  }
  if (note.fit) {
    options.gold = gold.path;
  }
  return note;
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
                     ". Record the corpus again with --capture attention.");
  }
  const Sentence sentence = source.sentence(question.index);
  app::FigureOptions options;
  options.kind = "attention";
  options.sentence = sentence.number;
  options.layer = question.layer;
  options.part = parts.size() == 1 ? parts.front() : question.part;
  options.head = question.head;
  options.special_tokens = question.tokens.special_tokens;
  options.by_word = question.tokens.by_word;
  options.block = question.tokens.block;
  options.colours = question.colours;
  if (question.head == 0) {
    options.statistics.grammar.heads = question.tokens.heads;
  }
  MapFigures figures;
  figures.texts = analysis::texts_of(sentence);
  figures.matrix = {std::make_shared<const FigureData>(app::make_sentence_figure(options, source)), options};
  figures.rows = analysis::shown_tokens(sentence, question.tokens);
  figures.columns = analysis::shown_tokens(sentence, question.tokens, true);
  options.kind = "attention-arcs";
  options.colours = {};
  options.special_tokens = true;
  options.special_words = question.special_words;
  options.threshold = question.smallest_arc;
  options.at_most = std::numeric_limits<std::int64_t>::max();
  FigureData arcs = app::make_sentence_figure(options, source);
  figures.gold = draw_gold(arcs, options, source, question.index, question.gold);
  figures.arcs = {std::make_shared<const FigureData>(std::move(arcs)), options};
  analysis::TokenOptions words = question.tokens;
  words.special_tokens = question.special_words;
  words.block = {};
  figures.words = analysis::shown_tokens(sentence, words);
  return figures;
}

std::shared_ptr<const analysis::AttentionOverview> load_grid(const GridQuestion& question,
                                                             const std::stop_token& stop) {
  auto maps = std::make_shared<analysis::AttentionOverview>(
      analysis::attention_overview(*question.source, question.index, question.options, stop));
  for (auto& row : maps->maps) {
    for (FigureData& map : row) {
      analysis::set_spacing(map, question.colours);
    }
  }
  return maps;
}

MadeFigure grid_figure(const GridQuestion& question, const analysis::AttentionOverview& maps) {
  MadeFigure made;
  made.figure = std::make_shared<const FigureData>(
      analysis::overview_figure(maps, *question.source, question.index, question.options));
  made.made_by.kind = "attention-overview";
  made.made_by.sentence = question.source->number(question.index);
  made.made_by.part = question.options.part;
  made.made_by.colours = question.colours;
  made.made_by.statistics.grammar.heads = question.options.heads;
  return made;
}

GateFigure load_gates(const RecordingSource& source, std::int64_t index, std::int64_t layer, bool by_word,
                      const std::stop_token& stop) {
  app::FigureOptions options;
  options.kind = layer == 0 ? "gate" : "gate-dimensions";
  options.sentence = source.number(index);
  options.layer = layer;
  options.by_word = by_word;
  return {{std::make_shared<const FigureData>(app::make_sentence_figure(options, source, stop)), options},
          analysis::shown_tokens(source.sentence(index), {.by_word = by_word})};
}

TreeSearch::Built::Built(const RecordingSource& source, std::int64_t index)
    : Built(source.sentence(index), analysis::build_word_grammar(source, index)) {}

TreeSearch::Built::Built(Sentence words, analysis::WordGrammar word_grammar)
    : sentence(std::move(words)),
      choices(std::move(word_grammar.choices)),
      notes(std::move(word_grammar.notes)),
      grammar(std::move(word_grammar.input)),
      search(grammar) {}

TreeSearch::Built& TreeSearch::built() {
  if (built_ == nullptr) {
    built_ = std::make_unique<Built>(*source_, index_);
  }
  return *built_;
}

MadeFigure TreeSearch::figure(const Answer& answer, std::size_t row, bool as_tree, const GoldTreebank& gold,
                              GoldNote& note) const {
  const analysis::Derivation& derivation = answer.derivations.at(row);
  app::FigureOptions options;
  options.kind = as_tree ? "tree" : "arcs";
  options.sentence = built_->sentence.number;
  if (!answer.goal.is_top()) {
    options.layer = answer.goal.layer;
    options.owner = "@" + std::to_string(answer.goal.word + 1);
  }
  const std::int64_t rank = static_cast<std::int64_t>(row) + 1;
  (answer.by_leaves ? options.leaves : options.top) = answer.by_leaves ? derivation.entry.leaves : rank;
  const analysis::SentenceFigureText text = app::derivation_text(
      *source_, built_->sentence.number, analysis::goal_in_words(answer.goal, built_->grammar.names()),
      answer.by_leaves ? app::best_with_leaves(derivation.entry.leaves) : app::number_of_best(rank), {},
      built_->choices);
  FigureData made = as_tree
                        ? analysis::tree_figure(derivation, words(), answer.goal.last_layer(layers()), text)
                        : analysis::derivation_arcs(derivation, words(), text);
  note = as_tree ? GoldNote{} : draw_gold(made, options, *source_, index_, gold);
  return {std::make_shared<const FigureData>(std::move(made)), options};
}

analysis::Goal TreeSearch::goal_of(std::optional<std::int64_t> token, std::int64_t layer) {
  const std::lock_guard lock(mutex_);
  built();
  const std::int64_t word = token ? word_of(*token) : -1;
  return word < 0 || layer < 1 || layer > layers()
             ? analysis::Goal::top()
             : analysis::Goal::of_word(layer, static_cast<std::int32_t>(word));
}

TreeSearch::Answer TreeSearch::best(analysis::Goal goal, std::int64_t k) {
  const std::lock_guard lock(mutex_);
  const analysis::KBestList list = built().search.list(goal, k);
  return {goal, built().search.derivations(list), list.ended_by_limit, false};
}

TreeSearch::Answer TreeSearch::best_by_leaves(analysis::Goal goal, std::int64_t most_leaves) {
  const std::lock_guard lock(mutex_);
  auto& by_leaves = built().by_leaves;
  if (by_leaves == nullptr || by_leaves->most_leaves() != most_leaves) {
    by_leaves = std::make_unique<analysis::BestByLeaves>(built().grammar, most_leaves);
  }
  Answer answer{goal, {}, false, true};
  for (auto& derivation : by_leaves->all(goal)) {
    if (derivation) {
      answer.derivations.push_back(std::move(*derivation));
    }
  }
  return answer;
}

std::int64_t TreeSearch::word_of(std::int64_t token) const {
  if (token < 0 || token >= static_cast<std::int64_t>(built_->sentence.tokens.size())) {
    return -1;
  }
  return built_->sentence.tokens[static_cast<std::size_t>(token)].word;
}

std::int64_t TreeSearch::token_of(std::int64_t word) const {
  for (std::size_t token = 0; token < built_->sentence.tokens.size(); ++token) {
    if (built_->sentence.tokens[token].word == word) {
      return static_cast<std::int64_t>(token);
    }
  }
  return -1;
}

}  // namespace mog::gui
