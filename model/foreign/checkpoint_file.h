// Models in one file of PyTorch: fairseq's checkpoints, and state dicts around torch.nn.TransformerEncoder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/foreign/foreign_model.h"
#include "model/foreign/foreign_weights.h"

namespace mog::model {

// fairseq's options lie in the file; what it lacks lies beside it: dict.SOURCE.txt and dict.TARGET.txt (or
// dict.txt), and the codes of BPE (bpe.codes, bpecodes or codes) where it was used.
bool is_fairseq(const ForeignWeights& weights);
ForeignModel read_fairseq(const std::filesystem::path& file, ForeignWeights weights, bool values);

// A state dict with "….layers.0.self_attn.in_proj_weight" and "….linear1.weight". It does not say how it is
// computed: a file of the same name with the ending .json does (docs/model-directory.md), and `options`. The
// vocabulary is vocab.txt beside it.
bool is_torch_encoder(const ForeignWeights& weights);
ForeignModel read_torch_encoder(const std::filesystem::path& file, ForeignWeights weights,
                                const ForeignOptions& options);

// A model of CTranslate2: the folder with model.bin.
ForeignModel read_ctranslate2(const std::filesystem::path& folder, bool values);

// The tokenizer of a model whose tokens are what spaces separate, or pieces by `codes`; `tokens[id]`,
// `target` of the decoder (empty without one). Fills tokenizer, target_vocabulary, tokenizer_files and the
// sizes of model.config from model.config.tokenizer and the ids.
void set_plain_tokenizer(ForeignModel& model, const std::vector<std::string>& tokens,
                         const std::vector<std::string>& target,
                         const std::optional<std::filesystem::path>& codes);

}  // namespace mog::model
