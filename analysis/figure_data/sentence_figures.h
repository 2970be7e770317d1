// Shared by the figures of one sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/figure_data/builders.h"

namespace mog::analysis {

// Throws UsageError when there is no such sentence.
void check_index(const RecordingSource& source, std::int64_t index);

// The stack that a part is of; none: the main one.
const StackDescription& stack_of(const RecordingHeader& header, Part part);

// Which sides of a part's map are tokens of the translation.
struct MapText {
  bool target_rows = false;
  bool target_columns = false;
};
MapText map_text(const RecordingHeader& header, Part part);

// Maps of words on words: attention, and the carry weights of a recurrent encoder.
bool is_attention(const QuantityName& name, std::int64_t head);

// What is recorded of the attention of a layer (0: of all) and a part (none: of all of the main stack): full
// maps, and for head 0 means over heads where there is nothing else. Throws UsageError when there is nothing.
std::vector<const QuantitySchema*> attention_schemas(const RecordingHeader& header, std::int64_t layer,
                                                     Part part, std::int64_t head);

// Indices of the tokens that are shown.
std::vector<std::size_t> kept(std::span<const Token> tokens, bool special_tokens);

std::string sentence_caption(const RecordingSource& source, const Sentence& sentence,
                             const std::string& level);

}  // namespace mog::analysis
