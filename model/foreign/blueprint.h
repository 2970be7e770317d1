// What a family of Hugging Face models says of one folder. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"
#include "model/foreign/hf_config.h"
#include "model/foreign/tensor_plan.h"

namespace mog::model {

struct Blueprint {
  EncoderConfig encoder;
  std::int64_t vocabulary = 0;  // rows of the embedding table
  std::int64_t positions = 0;   // rows of our position table; 0: none
  std::optional<std::int64_t> pad_id;
  std::vector<std::string> prefixes;  // of all names, the one found first counts
  std::vector<std::string> anchors;   // a tensor that every such model has
  std::function<void(TensorPlan&)> plan;
  std::string what;  // "a BERT encoder with 3 layers", for messages
  std::vector<std::string> notes;
};

// Ours: the first token has row 2.
inline constexpr std::int64_t kFirstRow = 2;
// A table [rows + 2, d] of ours from rows [first, first + rows) of theirs; `added` [d], if any, is added to
// each row.
HostTensor position_table(const HostTensor& theirs, std::int64_t first, std::int64_t rows,
                          const HostTensor& added = {});

// Each reads its keys of config.json, refuses by name what computes otherwise, and finishes it.
Blueprint bert_blueprint(HfConfig& config);        // bert, electra
Blueprint roberta_blueprint(HfConfig& config);     // roberta, xlm-roberta, camembert
Blueprint distilbert_blueprint(HfConfig& config);  // distilbert
Blueprint bart_blueprint(HfConfig& config);        // bart, mbart
Blueprint marian_blueprint(HfConfig& config);      // marian
Blueprint t5_blueprint(HfConfig& config);          // t5, mt5

}  // namespace mog::model
