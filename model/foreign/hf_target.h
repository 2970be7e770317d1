// The decoder of a Hugging Face folder, its tokenizer and its ids.
#pragma once

#include <filesystem>

#include "model/foreign/blueprint.h"
#include "model/foreign/foreign_model.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"

namespace mog::model {

// The source's are set. Throws FormatError, ModelError naming the file and the key.
void add_decoder(ForeignModel& model, const std::filesystem::path& folder, const TargetBlueprint& target,
                 const TensorPlan& plan, const ForeignTokenizer& source, HfConfig& file);

}  // namespace mog::model
