// The tokenizer of a new model: learnt from the training words, or taken from files.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/experiment/train_config.h"
#include "app/workflow/experiment/train_data.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::app {

struct NewTokenizer {
  std::shared_ptr<const model::Tokenizer> source;
  std::shared_ptr<const model::Tokenizer> target;  // nullptr without a decoder
};

// Takes the tokenizer of plan.model into config.model: its kind, its special ids and its files, copied into
// `folder`.
void take_tokenizer(TrainConfig& config, const std::filesystem::path& folder);

// The files that a tokenizer configuration names.
std::vector<std::string> tokenizer_file_names(const model::TokenizerConfig& tokenizer);
// Their bytes, also of a model of another program; `tokenizer`: the configuration of `model`.
std::map<std::string, std::string> tokenizer_files(const std::filesystem::path& model,
                                                   const model::TokenizerConfig& tokenizer);

// Learns (or copies) the files that config.model.tokenizer names into `folder`, unless they are there
// already (a resumed run). Vocabulary: <s> <pad> </s> <unk>, then the pieces (bpe) or words (whitespace) of
// the training text seen at least min_count times, most frequent first, equal counts in byte order.
// Translation: one set of merges for both sides, a vocabulary each.
NewTokenizer new_tokenizer(const TrainConfig& config, const std::filesystem::path& data_root,
                           const std::filesystem::path& folder, const std::vector<TaggedSentence>& tagged,
                           const std::vector<SentencePair>& pairs);

}  // namespace mog::app
