// What a parser answers, as tags of words: so that its change counts as a tagger's does.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/workflow/evaluate/tag_job.h"
#include "app/workflow/experiment/train_data.h"
#include "io/recording/sentence.h"
#include "model/config/config.h"

namespace mog::app {

// "heads", the number of a word's head (0 the root), and "arcs", that number and the label.
std::vector<std::string> tree_tasks(const model::ModelConfig& config);  // none unless it predicts trees

// Adds the best tree of the scores ([query, key] and [label, query, key], as decode_tree() reads them) to
// `tags`, and to `scores` what the tree is made of, in the first row of each word's tokens: of "heads" the
// log probabilities of all vertices as its head, [token, vertex], of "arcs" those of head and label together,
// [token, vertex * label].
void add_tree(const model::GraphConfig& graph, const Sentence& sentence, std::span<const float> arcs,
              std::span<const float> labels, SentenceTags& tags,
              std::map<std::string, std::vector<float>>& scores);

// Adds the gold tree to the tags of a sentence of a treebank; labels without their subtypes.
void add_gold_tree(TaggedSentence& sentence);

}  // namespace mog::app
