// One join of a graph in numbers and words: what the inspector of the window says of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/recording/quantity_name.h"

namespace mog {
class RecordingSource;
}
namespace mog::analysis {
class AttentionGrammar;
struct Derivation;
struct TreeFigure;
}  // namespace mog::analysis

namespace mog::app {

struct TreesOfSentence;

// Words are those of the grammar, from 0; layers from 1.
struct JoinFacts {
  std::int64_t node = -1;  // of TreeFigure::nodes
  std::int64_t layer = 1;  // that makes it
  Part part = Part::none;
  std::int64_t query = -1;                // word: the owner
  std::int64_t key = -1;                  // word
  std::vector<std::int64_t> left_words;   // of the operand that it had, in the order of its leaves
  std::vector<std::int64_t> right_words;  // of the one that it takes in
  std::int64_t left_layer = 0;            // that made the operand; 0: a word
  std::int64_t right_layer = 0;
  std::int64_t kind = 1;            // 1 simple, 2 overlap, 3 overlap and loop, 4 loop only
  std::int64_t order = 2;           // different words
  std::string tuple;                // the 6-tuple as text
  double weight = 0;                // of the rule: attention × share
  std::optional<double> attention;  // mean over heads, of words, without special tokens; empty: not recorded
  std::optional<double> share;      // of the part
  std::optional<double> gate;       // of the owner in that layer, mean over dimensions
  std::vector<double> heads;        // the attention of each head as recorded, special tokens included
};

// Of a derivation of sentence `index` (from 0) that was found in `grammar`; `tree` is its figure, whose nodes
// are numbered as its own. nullptr: the node is no join of it.
std::shared_ptr<const JoinFacts> join_facts(const RecordingSource& source, std::int64_t index,
                                            const TreesOfSentence& about,
                                            const analysis::AttentionGrammar& grammar,
                                            const analysis::Derivation& derivation,
                                            const analysis::TreeFigure& tree, std::int64_t node);
// The same two words in the same layer and part, of the same operands: in another graph, too.
bool same_join(const JoinFacts& one, const JoinFacts& other);

}  // namespace mog::app
