// What a folder of CTranslate2 has beside model.bin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/foreign/foreign_model.h"
#include "model/foreign/tensor_plan.h"

namespace mog::model {

// config.json of newer folders; absent in older ones.
struct CTranslate2Settings {
  std::string bos = "<s>";
  std::string eos = "</s>";
  std::string unk = "<unk>";
  std::string start;  // of the decoder; "": bos
  bool source_eos = false;
  double epsilon = 1e-5;
};

// Throws ModelError for a setting that is not supported.
CTranslate2Settings ctranslate2_settings(const std::filesystem::path& folder);

// Reads the vocabularies, sets ids and tokenizer of `model` (target_rows 0: no decoder), and lets `plan` put
// the rows of its weights in another order where source and target number their special tokens differently.
// Throws ModelError when a size differs from the rows of the embeddings.
void set_ctranslate2_vocabularies(ForeignModel& model, TensorPlan& plan, const std::filesystem::path& folder,
                                  const CTranslate2Settings& settings, std::int64_t source_rows,
                                  std::int64_t target_rows);

}  // namespace mog::model
