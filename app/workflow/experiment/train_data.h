// What a trainer learns from: tagged sentences or sentence pairs, as words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/parsing/transition_system.h"
#include "app/workflow/common/state_sequences.h"
#include "app/workflow/experiment/train_config.h"
#include "io/recording/sentence.h"
#include "model/dependency_graph.h"
#include "model/trainer.h"

namespace mog::app {

// tags[task]: one tag a word; "" where the corpus has none.
struct TaggedSentence {
  std::string id;
  std::vector<std::string> words;
  std::map<std::string, std::vector<std::string>> tags;
  // Of a treebank, one a word; else empty.
  std::vector<std::int32_t> heads = {};  // from 1, 0 the root
  std::vector<std::string> relations = {};
  // Where a word stands, in the treebank and in the file of entities.
  struct Origin {
    std::string file = {};
    std::vector<std::int64_t> lines = {};  // [word]; empty: not in such a file
  };
  Origin treebank = {};
  Origin entities = {};
};

// Reads one part of the data and joins CoNLL-U and IOB2 by sentence id (by place where there are no ids);
// what only one of them has keeps "" for the other's task. A sentence whose words differ between the two
// (corrected since) is kept twice, each with its own tags; `differing` counts them. Throws FormatError naming
// both files and lines where they first part when more than 1 in 20 differ, or when sentences without ids are
// not as many in both; and what the readers throw.
std::vector<TaggedSentence> read_tagged(const DataSplit& split, const std::filesystem::path& root,
                                        const std::vector<TaskConfig>& tasks,
                                        std::int64_t* differing = nullptr);

struct SentencePair {
  std::string source;
  std::string target;
};
// Pairs with a blank side are left out. Throws FormatError naming the files and the line where they part: a
// source file that has another number of lines than its target file, and more than 1 in 20 lines that are
// blank on one side only. `half_blank` counts those.
std::vector<SentencePair> read_pairs(const DataSplit& split, const std::filesystem::path& root,
                                     std::int64_t* half_blank = nullptr);

// The lines of `text`; of a .conllu file the comment "text" of each sentence, else its words. Blank lines are
// left out.
struct TextLine {
  std::string text;
  double share = 1.0;  // TextFile::share of its file
};
std::vector<TextLine> read_texts(const DataSplit& split, const std::filesystem::path& root);

// The tags of a task in the order of the head's rows: "O" first for IOB2, the others sorted.
std::vector<std::string> tag_set(const std::vector<TaggedSentence>& sentences, const TaskConfig& task);

// The labels of the trees, sorted; without `subtypes` cut at the colon.
std::vector<std::string> relation_set(const std::vector<TaggedSentence>& sentences, bool subtypes);
// The tree of a sentence in the rows of `labels`; -1 for a label that is not there. Empty without a tree.
model::DependencyTree tree_of(const TaggedSentence& sentence, const std::vector<std::string>& labels,
                              bool subtypes);

// The words of a task's column whose tag is not in `set`.
struct OutsideTags {
  std::int64_t words = 0;
  std::int64_t of = 0;  // words that have a tag
  std::string first;    // "FILE, line 3: the word \"cat\" has the tag \"X\""
};
OutsideTags tags_outside(const std::vector<TaggedSentence>& sentences, const TaskConfig& task,
                         const std::vector<std::string>& set);

// One sentence ready for batches. labels[task]: [token], -1 where there is none: only the first token of
// each word carries its tag. teacher_ids, units, teacher_units: with DistillPlan::own_pieces, the teacher's
// cutting and its units (piece_units.h).
struct Example {
  std::vector<std::int64_t> ids;
  double share = 1.0;  // of the epochs that it takes part in
  std::vector<std::int64_t> teacher_ids;
  std::vector<std::int64_t> units;
  std::vector<std::int64_t> teacher_units;
  std::map<std::string, std::vector<std::int64_t>> labels;
  std::vector<std::int64_t> target_ids;     // decoder inputs, bos first
  std::vector<std::int64_t> target_labels;  // what it should say, </s> last
  // [token] each, of a model that predicts a graph: as model::GraphLabels, tokens of the sentence.
  std::vector<char> nodes;
  std::map<std::string, std::vector<std::int64_t>> keys;  // by head
  std::vector<std::int64_t> classes;
  std::vector<model::GraphArc> arcs;  // read in the first round: links of pieces; then those of `states`
  // The way to its tree, of a transition parser. A graph grows by arcs, so that of a state is a beginning of
  // `arcs`; states of one graph follow each other and are encoded once.
  struct ParserState {
    model::StateTokens tokens = {};  // of the sentence
    std::int64_t action = 0;
    std::int64_t label = -1;
    std::size_t arcs = 0;
  };
  std::vector<ParserState> states;
  // Of a parser that reads states; batches write its states out.
  struct Derivation {
    StateSource source;
    analysis::ParserTrace trace;
  };
  std::optional<Derivation> derivation;
  // Tokens of the longest text that the encoder reads: the sentence, or a state.
  std::int64_t read_tokens() const noexcept;
  // Tokens of the longest of what is read: source, target, the teacher's own cutting.
  std::int64_t cost() const noexcept {
    return std::max(read_tokens(),
                    static_cast<std::int64_t>(std::max(target_ids.size(), teacher_ids.size())));
  }
  // The same over all encodings of a batch that has it.
  std::int64_t batch_cost() const noexcept;
};

// `encoded`: the sentence's words as the tokenizer sees them. Tags outside tasks[task] get no label (-1).
Example make_example(const TaggedSentence& sentence, const Sentence& encoded,
                     const std::map<std::string, std::vector<std::string>>& tasks);
// The same sentence as the teacher cuts it, `theirs`.
void add_teacher_reading(Example& example, const Sentence& ours, const Sentence& theirs);
// What a parser learns from the sentence: the token of each word's head and the label of its arc; of
// transitions the states on the oracle's way to the tree. Throws FormatError where that is no tree.
void add_tree(Example& example, const model::GraphConfig& graph, const Sentence& encoded,
              const model::DependencyTree& tree, bool reads_graph);
// The same for a parser that reads states.
void add_derivation(Example& example, const model::ModelConfig& config, const Sentence& encoded,
                    const model::DependencyTree& tree);
// A sentence without labels.
Example make_example(const Sentence& encoded, const std::map<std::string, std::vector<std::string>>& tasks);
// A pair: the decoder starts from bos and has to say the target's tokens, </s> last.
Example make_example(const Sentence& source, const Sentence& target, std::int64_t bos_id);

// Batches of one epoch, reproducible from seed and epoch alone: sentences are shuffled, gathered by length
// into batches of at most `max_tokens` tokens, and the batches are shuffled. Indices into `examples`. Of
// examples with a share below 1 every epoch takes another part.
std::vector<std::vector<std::int64_t>> epoch_batches(const std::vector<Example>& examples,
                                                     std::int64_t max_tokens, std::int64_t seed,
                                                     std::int64_t epoch);

// Packs examples, longest first.
model::TrainingBatch make_batch(const std::vector<Example>& examples,
                                const std::vector<std::int64_t>& chosen);

}  // namespace mog::app
