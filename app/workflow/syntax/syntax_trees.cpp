// A row is a way to a tree: a head or the mean of a map, joins of the grammar, presence, k best graphs,
// whole graphs. All but the last end in a matrix of words, from which the best tree is taken
// (analysis/mog/dependencies/arborescence.h). Rows are numbered once for the recording, so that threads add
// up counts without names.
//
// Both directions of attachment come from one matrix: the second is its transpose, roots apart. What costs
// time is different for each source: maps O(heads · pieces²) and a tree each, joins and presence the
// grammar's recursions (presence one for every pair of words), k best and whole graphs their searches. Each
// checks for a stop.
//
// Traps: the middle parts of a Graph-Transformer's first layer read nothing and have no rows. A whole graph
// has its own directions and is not turned round; a sentence that is too long for the search has none.
#include "app/workflow/syntax/syntax_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/search/best_by_leaves.h"
#include "analysis/mog/search/best_projective.h"
#include "analysis/mog/search/best_simple.h"
#include "analysis/mog/search/k_best.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::app {
namespace {

using analysis::AttentionGrammar;
using analysis::EdgeWeights;
using analysis::SearchControl;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Whether it reads what only layers above the first have.
bool reads_previous(Part part) {
  return part.attends() &&
         (part.description().query == PartState::previous || part.description().key == PartState::previous);
}

EdgeWeights transposed(EdgeWeights weights) {
  const std::size_t side = at(weights.words) + 1;
  for (std::size_t head = 1; head < side; ++head) {
    for (std::size_t dependent = 1; dependent < head; ++dependent) {
      std::swap(weights.values[head * side + dependent], weights.values[dependent * side + head]);
    }
  }
  return weights;
}

// Row 0 of `weights`: nothing but the gold root is the root.
void give_root(EdgeWeights& weights, const GoldSentence& gold) {
  for (std::size_t word = 1; word <= gold.heads.size(); ++word) {
    weights.values[word] = gold.heads[word - 1] == 0 ? 0 : -std::numeric_limits<double>::infinity();
  }
}

std::vector<double> presence_map(const AttentionGrammar& grammar, const SearchControl& control) {
  const std::int32_t words = grammar.word_count();
  std::vector<double> map;
  for (std::int32_t source = 0; source < words; ++source) {
    for (std::int32_t target = 0; target < words; ++target) {
      control.check();
      map.push_back(source == target ? 0 : analysis::edge_presence(grammar, source, target));
    }
  }
  return map;
}

void add_joins(const analysis::Expression& expression, double weight, std::int32_t words,
               std::vector<double>& map) {
  for (const analysis::Subgraph& subgraph : expression.subgraphs()) {
    if (!subgraph.is_atom()) {
      map[at(subgraph.source) * at(words) + at(subgraph.target)] += weight;
    }
  }
}

// Joins of the k best graphs of every word's last state; a list weighs 1 in all.
std::vector<double> k_best_map(const AttentionGrammar& grammar, std::int64_t top,
                               const SearchControl& control) {
  const std::int32_t words = grammar.word_count();
  std::vector<double> map(at(words) * at(words), 0.0);
  analysis::KBest search(grammar, {.control = control});
  for (std::int32_t word = 0; word < words; ++word) {
    const analysis::KBestList list = search.list(analysis::Goal::of_word(grammar.layers(), word), top);
    double sum = 0;
    for (const analysis::KBestEntry& entry : list.entries) {
      sum += entry.weight;
    }
    for (const analysis::KBestEntry& entry : list.entries) {
      add_joins(search.expression(entry), sum > 0 ? entry.weight / sum : 0, words, map);
    }
  }
  return map;
}

// Joins of the best graph of every word's last state for each number of leaves.
std::vector<double> by_order_map(const AttentionGrammar& grammar, std::int64_t most,
                                 const SearchControl& control) {
  const std::int32_t words = grammar.word_count();
  std::vector<double> map(at(words) * at(words), 0.0);
  analysis::BestByLeaves search(grammar, most, control);
  for (std::int32_t word = 0; word < words; ++word) {
    for (std::int64_t leaves = 2; leaves <= most; ++leaves) {
      control.check();
      if (const auto best = search.best(analysis::Goal::of_word(grammar.layers(), word), leaves)) {
        add_joins(best->expression, 1, words, map);
      }
    }
  }
  return map;
}

// The heads of the best multi-order graph over all words; nothing where there is none.
std::vector<std::int32_t> mog_tree_heads(const AttentionGrammar& grammar, analysis::SimpleSearch search,
                                         std::int64_t beam, const SearchControl& control) {
  const std::int32_t words = grammar.word_count();
  const analysis::SimpleTreesOptions options{.beam = beam, .control = control};
  // A recurrent encoder joins in every step; the others at most double in every layer.
  const bool too_many =
      !grammar.recurrent() && grammar.layers() < 30 && words > (std::int32_t{1} << grammar.layers());
  const std::int32_t most = std::min(analysis::BestProjective::kMostWords,
                                     analysis::SimpleTrees::most_words(search, grammar, options));
  if (too_many || words > most) {
    return {};
  }
  const std::vector<analysis::Derivation> best =
      analysis::SimpleTrees(grammar, search, options).best(analysis::Goal::top(), 1).derivations;
  if (best.empty()) {
    return {};
  }
  std::vector<std::int32_t> heads(at(words), 0);
  for (const analysis::Subgraph& subgraph : best.front().expression.subgraphs()) {
    if (!subgraph.is_atom()) {
      heads[at(subgraph.target)] = subgraph.source + 1;
    }
  }
  return heads;
}

}  // namespace

SentenceTreesMaker::SentenceTreesMaker(const RecordingHeader& header, SyntaxOptions options)
    : options_(std::move(options)) {
  if (options_.direction != DirectionChoice::key) {
    directions_.push_back(false);
  }
  if (options_.direction != DirectionChoice::query) {
    directions_.push_back(true);
  }
  plan_attention(header);
  if (attention_.empty()) {
    throw UsageError(
        "syntax: the recording holds no attention maps of the encoder; record with --capture "
        "attention,gates" +
        only_top_keys(header));
  }
  plan_joins();
  if (wants(SyntaxSource::presence)) {
    presence_row_ = add_rows({.source = SyntaxSource::presence});
  }
  if (wants(SyntaxSource::k_best)) {
    k_best_row_ = add_rows({.source = SyntaxSource::k_best});
  }
  if (wants(SyntaxSource::by_leaves)) {
    by_order_row_ = add_rows({.source = SyntaxSource::by_leaves});
  }
  // A graph's joins have their directions: turned round they would be no tree.
  if (wants(SyntaxSource::mog_tree)) {
    mog_tree_row_ = rows_.size();
    rows_.push_back({.source = SyntaxSource::mog_tree});
  }
  if (wants(SyntaxSource::mog_beam)) {
    mog_beam_row_ = rows_.size();
    rows_.push_back({.source = SyntaxSource::mog_beam});
  }
}

bool SentenceTreesMaker::wants(SyntaxSource source) const {
  return std::find(options_.sources.begin(), options_.sources.end(), source) != options_.sources.end();
}

std::size_t SentenceTreesMaker::add_rows(SyntaxRow row) {
  const std::size_t first = rows_.size();
  for (const bool key_is_head : directions_) {
    row.key_is_head = key_is_head;
    rows_.push_back(row);
  }
  return first;
}

// Layer 1 of a Graph-Transformer has nothing previous: its middle maps join nothing.
void SentenceTreesMaker::plan_attention(const RecordingHeader& header) {
  std::map<std::pair<std::int64_t, Part>, const QuantitySchema*> found;
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    const bool map = name.stack() == header.stack().stack && name.quantity() == map_quantity(name.part()) &&
                     (name.reduction() == Reduction::full || name.reduction() == Reduction::mean_heads);
    if (map && !(reads_previous(name.part()) && name.layer() == 1)) {
      const QuantitySchema*& known = found[{name.layer(), name.part()}];
      known = known == nullptr || name.reduction() == Reduction::full ? &schema : known;
    }
  }
  for (const auto& [place, schema] : found) {
    AttentionPlan plan{schema->name, 0, rows_.size()};
    if (!schema->axes.empty() && schema->axes.front() == Axis::head) {
      plan.heads = schema->extents.at(0);
    }
    maps_.push_back(plan.name);
    for (std::int64_t head = 0; wants(SyntaxSource::attention) && head <= plan.heads; ++head) {
      add_rows({.layer = place.first, .part = place.second, .head = head});
    }
    attention_.push_back(std::move(plan));
  }
}

void SentenceTreesMaker::plan_joins() {
  if (!wants(SyntaxSource::joins)) {
    return;
  }
  joins_.push_back({0, Part::none, add_rows({.source = SyntaxSource::joins})});
  for (std::size_t i = 0; i < attention_.size(); ++i) {
    const std::int64_t layer = attention_[i].name.layer();
    const bool first = i == 0 || attention_[i - 1].name.layer() != layer;
    const bool several = i + 1 < attention_.size() && attention_[i + 1].name.layer() == layer;
    if (first && several) {
      joins_.push_back({layer, Part::none, add_rows({.source = SyntaxSource::joins, .layer = layer})});
    }
    Part part = attention_[i].name.part();
    if (part.role() == PartRole::carried) {
      continue;  // the grammar has no joins of it
    }
    if (part.role() == PartRole::recurrence) {
      part = analysis::rule_set(analysis::GrammarKind::recurrence).joins.front();
    }
    joins_.push_back({layer, part, add_rows({.source = SyntaxSource::joins, .layer = layer, .part = part})});
  }
}

EdgeWeights SentenceTreesMaker::weights_of(std::span<const double> map, const GoldSentence& gold,
                                           bool key_is_head) const {
  EdgeWeights weights =
      analysis::attachment_weights(map, static_cast<std::int32_t>(gold.heads.size()), key_is_head);
  if (options_.root == RootChoice::gold) {
    give_root(weights, gold);
  }
  return weights;
}

std::vector<std::int32_t> SentenceTreesMaker::best_tree(std::span<const double> map, const GoldSentence& gold,
                                                        bool key_is_head) const {
  return analysis::best_heads(weights_of(map, gold, key_is_head), {.projective = options_.projective});
}

void SentenceTreesMaker::add_map(std::size_t first_row, std::span<const double> map, const GoldSentence& gold,
                                 const HeadsFound& found) const {
  EdgeWeights weights = weights_of(map, gold, directions_.front());
  for (std::size_t direction = 0; direction < directions_.size(); ++direction) {
    if (direction == 1) {
      weights = transposed(std::move(weights));
    }
    found(first_row + direction, analysis::best_heads(weights, {.projective = options_.projective}));
  }
}

void SentenceTreesMaker::find_attention(const AttentionPlan& plan, const HostTensor& tensor,
                                        std::span<const std::int64_t> word_of_piece, const GoldSentence& gold,
                                        const MapFound& found) const {
  const auto words = static_cast<std::int64_t>(gold.heads.size());
  const auto pieces = static_cast<std::int64_t>(word_of_piece.size());
  const std::int64_t heads = std::max<std::int64_t>(plan.heads, 1);
  if (tensor.size() != heads * pieces * pieces) {
    throw ShapeError(fmt::format("{} of sentence {}: expected maps of {} tokens, found the shape {}",
                                 plan.name.text(), gold.number, pieces, shape_text(tensor.shape())));
  }
  const std::vector<float> floats = tensor.to_floats();
  std::vector<double> values(floats.begin(), floats.end());
  for (const double value : values) {
    if (!(value >= 0 && value <= 2)) {
      throw FormatError(fmt::format(
          "{} of sentence {}: expected attention weights, found {}; the recording is damaged or its "
          "maps were changed",
          plan.name.text(), gold.number, value));
    }
  }
  if (options_.grammar.drop_sink) {
    analysis::drop_sink(values, heads, word_of_piece);
  }
  std::vector<double> dropped;
  found(plan.first_row, analysis::merge_map(values, heads, word_of_piece, words, {}, dropped));
  for (std::int64_t head = 1; head <= plan.heads; ++head) {
    const auto one = at(pieces * pieces);
    const std::span<const double> of_head(values.data() + one * at(head - 1), one);
    found(plan.first_row + at(head) * directions_.size(),
          analysis::merge_map(of_head, 1, word_of_piece, words, {}, dropped));
  }
}

void SentenceTreesMaker::find_joins(const AttentionGrammar& grammar, const GoldSentence& gold,
                                    const SearchControl& control, const MapFound& found) const {
  const analysis::EdgePosteriors joins = analysis::edge_posteriors(grammar, analysis::Goal::top(), control);
  const std::span<const Part> parts = grammar.parts();
  for (const JoinsPlan& plan : joins_) {
    if (plan.layer == 0) {
      found(plan.first_row, analysis::summed(joins));
      continue;
    }
    std::vector<double> map(gold.heads.size() * gold.heads.size(), 0.0);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (plan.part == Part::none || plan.part == parts[part]) {
        const std::vector<double>& one = joins.at(at(plan.layer - 1)).at(part);
        std::transform(one.begin(), one.end(), map.begin(), map.begin(), std::plus<>());
      }
    }
    found(plan.first_row, map);
  }
}

void SentenceTreesMaker::find_all_attention(const RecordingSource& source, std::int64_t index,
                                            const Sentence& sentence, const GoldSentence& gold,
                                            const MapFound& found) const {
  if (!wants(SyntaxSource::attention)) {
    return;
  }
  std::vector<std::int64_t> word_of_piece;
  for (const Token& token : sentence.tokens) {
    word_of_piece.push_back(token.word + 1);
  }
  for (const AttentionPlan& plan : attention_) {
    find_attention(plan, source.read(index, plan.name), word_of_piece, gold, found);
  }
}

void SentenceTreesMaker::find_grammar_maps(const AttentionGrammar& grammar, const GoldSentence& gold,
                                           const SearchControl& control, const MapFound& found) const {
  if (wants(SyntaxSource::joins)) {
    find_joins(grammar, gold, control, found);
  }
  if (wants(SyntaxSource::presence)) {
    found(presence_row_, presence_map(grammar, control));
  }
  if (wants(SyntaxSource::k_best)) {
    found(k_best_row_, k_best_map(grammar, options_.top, control));
  }
  if (wants(SyntaxSource::by_leaves)) {
    found(by_order_row_, by_order_map(grammar, options_.top, control));
  }
}

void SentenceTreesMaker::find_maps(const RecordingSource& source, std::int64_t index,
                                   const Sentence& sentence, const GoldSentence& gold,
                                   const SearchControl& control, const MapFound& all_found) const {
  const MapFound found = [&](std::size_t first_row, std::span<const double> map) {
    control.check();
    all_found(first_row, map);
  };
  find_all_attention(source, index, sentence, gold, found);
  if (needs_grammar()) {
    const AttentionGrammar grammar(analysis::build_word_grammar(source, index, options_.grammar).input);
    find_grammar_maps(grammar, gold, control, found);
  }
}

void SentenceTreesMaker::find(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                              const GoldSentence& gold, const SearchControl& control,
                              const HeadsFound& all_found) const {
  const HeadsFound found = [&](std::size_t row, std::span<const std::int32_t> heads) {
    control.check();
    all_found(row, heads);
  };
  const MapFound add_map_of = [&](std::size_t first_row, std::span<const double> map) {
    add_map(first_row, map, gold, found);
  };
  find_all_attention(source, index, sentence, gold, add_map_of);
  if (!needs_grammar()) {
    return;
  }
  const AttentionGrammar grammar(analysis::build_word_grammar(source, index, options_.grammar).input);
  find_grammar_maps(grammar, gold, control, add_map_of);
  const auto add_tree = [&](SyntaxSource kind, analysis::SimpleSearch search, std::size_t row) {
    if (wants(kind)) {
      const std::vector<std::int32_t> heads = mog_tree_heads(grammar, search, options_.beam, control);
      if (!heads.empty()) {
        found(row, heads);
      }
    }
  };
  add_tree(SyntaxSource::mog_tree, analysis::SimpleSearch::projective, mog_tree_row_);
  add_tree(SyntaxSource::mog_beam, analysis::SimpleSearch::beam, mog_beam_row_);
}

}  // namespace mog::app
