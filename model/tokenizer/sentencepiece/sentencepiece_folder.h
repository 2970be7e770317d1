// The tokenizer of a Hugging Face folder that has a sentencepiece file and no tokenizer.json.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace mog::model {

// The sentencepiece file of `folder`: source.spm, spiece.model, sentencepiece.bpe.model, spm.model or
// tokenizer.model; nothing when it has none.
std::optional<std::filesystem::path> sentencepiece_in(const std::filesystem::path& folder);

// The tokenizer.json (sentencepiece_file.h) that does what transformers does with such a folder: which row
// of the embedding table a piece has, which tokens frame a sentence, which stay whole. The class stands in
// tokenizer_config.json (tokenizer_class), else config.json (model_type) tells it. `file`: source.spm or
// target.spm of Marian, else the only one. Throws ModelError for a
// class that is not known, FormatError naming the file for what is damaged or does not fit.
std::string sentencepiece_folder_document(const std::filesystem::path& folder,
                                          const std::filesystem::path& file);

}  // namespace mog::model
