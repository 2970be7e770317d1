// Folders of sentence-transformers: modules.json names what is applied one after another, the first a
// Transformer of Hugging Face's form, in the folder itself or in one below ("0_Transformer").
#pragma once

#include <filesystem>

#include "model/foreign/foreign_model.h"

namespace mog::model {

// The folder of the Transformer; `folder` itself when it has no modules.json. Throws FormatError (damaged),
// ModelError when the first module is no Transformer.
std::filesystem::path transformer_folder(const std::filesystem::path& folder);

// Adds to `model`, which was read from transformer_folder(folder), what is left out: the other modules and
// the greatest length. Throws ModelError when texts are lower-cased before the tokenizer, which keeps case.
void add_sentence_transformer(const std::filesystem::path& folder, ForeignModel& model);

}  // namespace mog::model
