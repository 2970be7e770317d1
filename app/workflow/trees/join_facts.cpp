#include "app/workflow/trees/join_facts.h"

#include <algorithm>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/k_best.h"
#include "app/workflow/trees/tree_search.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {
namespace {

using analysis::AttentionGrammar;
using analysis::Derivation;
using analysis::DerivationNode;

const DerivationNode& at(const Derivation& derivation, std::int64_t node) {
  return derivation.nodes.at(static_cast<std::size_t>(node));
}

// Words of the leaves below a node, the query operand first.
std::vector<std::int64_t> leaves_of(const Derivation& derivation, std::int64_t node) {
  std::vector<std::int64_t> words;
  std::vector<std::int64_t> open{node};
  while (!open.empty()) {
    const DerivationNode& one = at(derivation, open.back());
    open.pop_back();
    if (one.is_leaf()) {
      words.push_back(one.word);
    } else {
      open.push_back(one.right);
      open.push_back(one.left);
    }
  }
  return words;
}

// Attention, share and gate as the rule has them. In layer 1 of order groups the first part has the whole
// share: there are no older states.
void add_rule(JoinFacts& facts, const AttentionGrammar& grammar) {
  const auto layer = static_cast<std::size_t>(facts.layer - 1);
  const auto query = static_cast<std::size_t>(facts.query);
  const auto parts = grammar.parts();
  const auto part =
      static_cast<std::size_t>(std::find(parts.begin(), parts.end(), facts.part) - parts.begin());
  const analysis::GrammarInput& input = grammar.input();
  if (grammar.recurrent() || part >= parts.size()) {
    return;
  }
  const auto words = static_cast<std::size_t>(grammar.word_count());
  facts.attention =
      input.attention.at(layer).at(part).at(query * words + static_cast<std::size_t>(facts.key));
  if (grammar.kind() == analysis::GrammarKind::order_groups) {
    facts.share = input.pi.at(layer).at(query * 3 + part);
    facts.gate = input.gate.at(layer).at(query);
  } else {
    facts.share = 1 - input.rho.at(layer).at(query);
  }
}

// The recorded maps: the mean over the query's pieces of what they give all pieces of the key.
void add_heads(JoinFacts& facts, const RecordingSource& source, std::int64_t index,
               const TreesOfSentence& about) {
  const QuantityName name(source.header().stack().stack, facts.layer, facts.part, Quantity::attention);
  if (source.header().find(name) == nullptr) {
    return;
  }
  const HostTensor maps = source.read(index, name);  // [head, query, key]
  const auto pieces = static_cast<std::int64_t>(about.word_of_token.size());
  if (maps.shape().size() != 3 || maps.shape()[1] != pieces || maps.shape()[2] != pieces) {
    return;
  }
  const std::vector<float> values = maps.to_floats();
  const auto count = std::count(about.word_of_token.begin(), about.word_of_token.end(), facts.query);
  for (std::int64_t head = 0; head < maps.shape()[0]; ++head) {
    double sum = 0;
    for (std::int64_t query = 0; query < pieces; ++query) {
      for (std::int64_t key = 0; key < pieces; ++key) {
        if (about.word_of_token.at(static_cast<std::size_t>(query)) == facts.query &&
            about.word_of_token.at(static_cast<std::size_t>(key)) == facts.key) {
          sum += static_cast<double>(
              values.at(static_cast<std::size_t>((head * pieces + query) * pieces + key)));
        }
      }
    }
    facts.heads.push_back(sum / static_cast<double>(std::max<std::ptrdiff_t>(count, 1)));
  }
}

}  // namespace

std::shared_ptr<const JoinFacts> join_facts(const RecordingSource& source, std::int64_t index,
                                            const TreesOfSentence& about, const AttentionGrammar& grammar,
                                            const Derivation& derivation, const analysis::TreeFigure& tree,
                                            std::int64_t node) {
  if (node < 0 || node >= std::ssize(derivation.nodes) || node >= std::ssize(tree.nodes) ||
      at(derivation, node).is_leaf()) {
    return nullptr;
  }
  const DerivationNode& join = at(derivation, node);
  const analysis::TreeNode& drawn = tree.nodes[static_cast<std::size_t>(node)];
  auto facts = std::make_shared<JoinFacts>();
  facts->node = node;
  facts->layer = join.layer;
  facts->part = join.part;
  facts->query = join.word;
  facts->key = join.target;
  facts->left_words = leaves_of(derivation, join.left);
  facts->right_words = leaves_of(derivation, join.right);
  facts->left_layer = at(derivation, join.left).layer;
  facts->right_layer = at(derivation, join.right).layer;
  facts->kind = drawn.kind;
  facts->order = drawn.order;
  facts->tuple = drawn.tuple;
  facts->weight = join.weight;
  add_rule(*facts, grammar);
  add_heads(*facts, source, index, about);
  return facts;
}

bool same_join(const JoinFacts& one, const JoinFacts& other) {
  return one.layer == other.layer && one.part == other.part && one.query == other.query &&
         one.key == other.key && one.left_words == other.left_words && one.right_words == other.right_words;
}

}  // namespace mog::app
