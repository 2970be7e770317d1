// What the inspector says in words: of a join, a cell, a word, a change. Names of parts are those of the
// recording's description. No widget here.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/effects/run_changes.h"
#include "app/workflow/describe/guide.h"
#include "app/workflow/trees/join_facts.h"
#include "io/recording/pieces.h"
#include "io/recording/sentence.h"
#include "io/recording/system.h"

namespace mog::gui {

// A sentence with words set off, for a label and for a screen reader.
struct InspectorSentence {
  QString rich;   // HTML, words in bold
  QString plain;  // the same without
};

// "0.18", "0.016", "3.1e-6", "0": what fits into a narrow column and still says something.
QString number_text(double value);
// "+0.16", "−0.0082".
QString difference_text(double value);
// "her", "her and sun", "her, morning and sun"; of many the first `most` and how many more.
QString list_text(const QStringList& words, qsizetype most = 6);
// "the largest", "the 20th largest".
QString rank_text(std::int64_t rank);
// "1 word", "5 words".
QString words_text(std::int64_t words);
// "0 algebra", "1 exact", "2 summary", "3 causal"; empty for none.
QString level_text(app::ClaimLevel level);
// "older with new": what the queries and keys of a part are made of; its label where it does not say.
QString operands_text(Part part);
// "layer 3, middle 2"; the part only where the layers have several.
// `brief`: "layer 3, M2".
QString place_text(const StackDescription& stack, std::int64_t layer, Part part, bool brief = false);

// What a join is of, in the words of its grammar.
struct JoinWords {
  QString query;
  QString key;
  QStringList left;         // other words of the operand that it had, once each
  QStringList right;        // of the one that it takes in
  QStringList left_leaves;  // all, in their order
  QStringList right_leaves;
};
JoinWords words_of(const app::JoinFacts& join, const std::vector<std::string>& words);
// "telescope, which holds her since layer 1, reads sun, which has just joined morning and rose."
InspectorSentence join_sentence(const app::JoinFacts& join, const JoinWords& words);
// "a loop inherited from the right", and a line that explains it.
struct KindText {
  QString title;
  QString explained;
};
KindText kind_text(const app::JoinFacts& join, const JoinWords& words);

// "0.18 of what telescope reads with head 3 comes from until. It is the 20th largest of 324 cells."
InspectorSentence cell_sentence(const QString& query, const QString& key, std::int64_t head, double weight,
                                std::int64_t rank, std::int64_t cells);
// "Layer 6 of budget is mostly approved … the new budget": the words of its best graph, in their order.
InspectorSentence word_sentence(const QString& word, std::int64_t layer,
                                const std::vector<std::int64_t>& of_graph,
                                const std::vector<std::string>& words);

// "until → telescope" and "attention, layer 3, middle 2".
struct ChangeText {
  QString what;
  QString of;
};
ChangeText text_of(const analysis::RunChange& change, const Sentence& sentence, const RecordingHeader& header,
                   bool brief = false);
// What a token is called: its word, or itself where it is special, as `pieces` are read.
QString token_name(const Sentence& sentence, std::int64_t token, Pieces pieces);

}  // namespace mog::gui
