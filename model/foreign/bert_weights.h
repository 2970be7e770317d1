// Weights of a BERT-type model under our names. Private to this folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "io/recording/host_tensor.h"
#include "model/foreign/bert_config.h"

namespace mog::model {

// The tensors of a file, found with or without the prefix "bert." and with the old names of layer norms
// (gamma, beta). Throws ModelError naming a tensor that is missing, of another shape or type, or that would
// change what the encoder computes and is not known.
class BertWeights {
 public:
  BertWeights(std::filesystem::path file, const BertConfig& config);

  // [V, d] … under the names of docs/model-directory.md, float32. Rows 0 and 1 of the position table are
  // zero, row p + 2 is BERT's position p plus its token type 0; embed_tokens has the first `vocabulary` rows.
  std::map<std::string, HostTensor> read(std::int64_t vocabulary) const;
  std::vector<std::string> left_out() const { return left_out_; }  // not part of the encoder
  std::vector<std::string> types() const;

 private:
  struct Wanted {
    std::string name;  // ours
    std::string foreign;
    std::vector<std::int64_t> shape;
  };
  void want(const BertConfig& config);
  void want_linear(const std::string& name, const std::string& foreign, std::int64_t out, std::int64_t in);
  void want_norm(const std::string& name, const std::string& foreign, std::int64_t width);
  const io::TensorInfo& find(const Wanted& wanted) const;
  void check_rest();
  HostTensor tensor(const Wanted& wanted) const;
  HostTensor positions() const;

  std::filesystem::path file_;
  io::TensorList list_;
  std::string prefix_;
  std::vector<Wanted> wanted_;
  Wanted positions_;
  Wanted token_types_;
  std::vector<std::string> left_out_;
};

}  // namespace mog::model
