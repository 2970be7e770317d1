// Which trees a recording gives, and those of one sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/mog/dependencies/arborescence.h"
#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/search_control.h"
#include "app/workflow/syntax/syntax_gold.h"
#include "app/workflow/syntax/syntax_job.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

using HeadsFound = std::function<void(std::size_t row, std::span<const std::int32_t> heads)>;
// map: of words, [query, key]
using MapFound = std::function<void(std::size_t first_row, std::span<const double> map)>;

// Safe to use from several threads.
class SentenceTreesMaker {
 public:
  // Throws UsageError when the header has no attention maps of the encoder.
  SentenceTreesMaker(const RecordingHeader& header, SyntaxOptions options);

  // Without the baselines. Rows of one map stand together, the query as head first.
  const std::vector<SyntaxRow>& rows() const noexcept { return rows_; }
  // What is read of each sentence.
  const std::vector<QuantityName>& maps() const noexcept { return maps_; }

  // `sentence` has the gold words. Calls `found` for every row that has a tree. Throws Interrupted: `control`
  // is asked between maps and inside every search.
  void find(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
            const GoldSentence& gold, const analysis::SearchControl& control, const HeadsFound& found) const;

  // The maps that rows are the trees of: `found` gets the first row of each, which is one more map for every
  // directions() rows. Rows of whole graphs have none. Throws as find().
  void find_maps(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                 const GoldSentence& gold, const analysis::SearchControl& control,
                 const MapFound& found) const;
  std::size_t directions() const noexcept { return directions_.size(); }

  // The best tree over a map of words [query, key].
  std::vector<std::int32_t> best_tree(std::span<const double> map, const GoldSentence& gold,
                                      bool key_is_head) const;

 private:
  struct AttentionPlan {
    QuantityName name;
    std::int64_t heads = 0;  // 0: the mean alone is there
    std::size_t first_row = 0;
  };
  struct JoinsPlan {
    std::int64_t layer = 0;  // 0: all
    Part part = Part::none;
    std::size_t first_row = 0;
  };
  bool wants(SyntaxSource source) const;
  std::size_t add_rows(SyntaxRow row);  // its directions; the place of the first
  void plan_attention(const RecordingHeader& header);
  void plan_joins();
  analysis::EdgeWeights weights_of(std::span<const double> map, const GoldSentence& gold,
                                   bool key_is_head) const;
  void add_map(std::size_t first_row, std::span<const double> map, const GoldSentence& gold,
               const HeadsFound& found) const;
  void find_attention(const AttentionPlan& plan, const HostTensor& tensor,
                      std::span<const std::int64_t> word_of_piece, const GoldSentence& gold,
                      const MapFound& found) const;
  void find_joins(const analysis::AttentionGrammar& grammar, const GoldSentence& gold,
                  const analysis::SearchControl& control, const MapFound& found) const;
  void find_grammar_maps(const analysis::AttentionGrammar& grammar, const GoldSentence& gold,
                         const analysis::SearchControl& control, const MapFound& found) const;
  void find_all_attention(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                          const GoldSentence& gold, const MapFound& found) const;
  bool needs_grammar() const { return options_.sources != std::vector{SyntaxSource::attention}; }

  SyntaxOptions options_;
  std::vector<bool> directions_;  // key_is_head
  std::vector<SyntaxRow> rows_;
  std::vector<QuantityName> maps_;
  std::vector<AttentionPlan> attention_;
  std::vector<JoinsPlan> joins_;
  std::size_t presence_row_ = 0;
  std::size_t k_best_row_ = 0;
  std::size_t by_order_row_ = 0;
  std::size_t mog_tree_row_ = 0;
  std::size_t mog_beam_row_ = 0;
};

// Sources that need the attention grammar and for which the recording has not enough are left out, with a
// note in `result`. Throws UsageError where they were asked for by their choices.
SyntaxOptions possible_options(const RecordingSource& source, SyntaxOptions options, SyntaxResult& result);
// The choices of the attention grammar behind the sources; empty where none needs it, or where what it needs
// was not recorded.
std::string syntax_grammar(const RecordingSource& source, SyntaxOptions options);
// Throws UsageError: nothing is recorded or asked for.
void check_syntax_options(const RecordingSource& source, const SyntaxOptions& options);

}  // namespace mog::app
