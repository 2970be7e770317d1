// Which tensor of ours is made of which foreign one: found, checked, read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/foreign/foreign_weights.h"
#include "model/weights/stored_weights.h"

namespace mog::model {

// Names are those of the file without the prefix of the model ("bert.", "model."), which is found by one
// tensor that every such model has; a name that begins with "/" ("/lm_head.weight") stands beside the model,
// without that prefix. Every asked tensor must be there in its shape; a tensor below one of the
// owned prefixes that nobody asked for is refused, since without it something else would be computed; other
// tensors are left out and named.
class TensorPlan {
 public:
  // `anchors`: names of a tensor that must be there; `prefixes`: what may stand before all names. Throws
  // ModelError when none is found.
  TensorPlan(const ForeignWeights& weights, const std::vector<std::string>& prefixes,
             const std::vector<std::string>& anchors);

  using Change = std::function<HostTensor(const HostTensor&)>;
  // `names`: the first that is in the file is taken. `change`: from the foreign tensor (float32) to ours.
  void tensor(const std::string& ours, const std::vector<std::string>& names,
              const std::vector<std::int64_t>& shape, Change change = {});
  void linear(const std::string& ours, const std::string& theirs, std::int64_t out, std::int64_t in,
              bool bias = true);
  void norm(const std::string& ours, const std::vector<std::string>& theirs, std::int64_t width,
            bool bias = true);
  // Rows [first, first + out) of a joined map [rows, in] `theirs`.{weight,bias}, here with the names of both.
  void joined(const std::string& ours, const std::string& weight, const std::string& bias, std::int64_t rows,
              std::int64_t first, std::int64_t out, std::int64_t in);
  // A tensor of ours that is computed, not read.
  void made(const std::string& ours, std::function<HostTensor()> make);
  // What is done to a tensor that was asked for beside its own change, after it.
  void then(const std::string& ours, const Change& change);
  // The first `rows` rows of a tensor that was asked for stay.
  void shorten(const std::string& ours, std::int64_t rows);
  // For a change that needs a second tensor: found and checked now, read (as float32) when called.
  std::function<HostTensor()> later(const std::vector<std::string>& names,
                                    const std::vector<std::int64_t>& shape);
  void ignore(const std::string& name);  // changes nothing (tables of indices, copies)
  void own(const std::string& prefix) { owned_.push_back(prefix_ + prefix); }
  void own_all() { owned_ = {""}; }

  bool has(const std::string& name) const { return weights_.find(full(name)) != nullptr; }
  const std::string& prefix() const { return prefix_; }
  const ForeignWeights& weights() const { return weights_; }
  // Refuses what is owned and was not asked for. `what`: "a BERT encoder with 3 layers".
  void finish(const std::string& what);

  // Groups of the tensors that were left out; valid after finish().
  const std::vector<std::string>& left_out() const { return left_out_; }
  std::vector<std::string> types() const;  // as stored, each once
  // The encoder's embed_tokens has the first `rows` rows, where there are more.
  void keep_vocabulary(std::int64_t rows) { vocabulary_ = rows; }
  // One of ours; nothing where there is none of that name. What is stored as it is used is read when it is
  // written to where it is wanted; what is changed on the way is read now, as float32.
  std::optional<StoredTensor> stored(const std::string& ours) const;
  std::vector<std::string> names() const;  // of ours
  // Whether all are read from the files when they are asked for (ForeignWeights::in_place).
  bool in_place() const;

 private:
  struct Wanted {
    std::string ours;
    std::string name;  // in the file; empty when made
    Change change;
    std::function<HostTensor()> make;
    std::int64_t first = 0;                 // row; what is before it is not read
    std::optional<std::int64_t> rows = {};  // from there on, where not all
  };
  StoredTensor stored(const Wanted& wanted) const;
  const io::TensorInfo& find(const std::vector<std::string>& names, const std::vector<std::int64_t>& shape);
  std::string full(const std::string& name) const {
    return name.starts_with('/') ? name.substr(1) : prefix_ + name;
  }
  HostTensor as_floats(const std::string& name) const;
  const ForeignWeights& weights_;
  std::string prefix_;
  std::vector<Wanted> wanted_;
  std::vector<std::string> later_;  // names in the file
  std::set<std::string> used_;
  std::vector<std::string> owned_;
  std::vector<std::string> left_out_;
  std::optional<std::int64_t> vocabulary_;
};

// A plan and what it reads. Safe from several threads once it is made.
class PlannedWeights final : public StoredWeights {
 public:
  PlannedWeights(ForeignWeights weights, const std::vector<std::string>& prefixes,
                 const std::vector<std::string>& anchors)
      : weights_(std::move(weights)), plan_(weights_, prefixes, anchors) {}
  TensorPlan& plan() { return plan_; }
  std::optional<StoredTensor> find(const std::string& name) const override { return plan_.stored(name); }
  std::vector<std::string> names() const override { return plan_.names(); }
  bool on_disk() const override { return plan_.in_place(); }

 private:
  ForeignWeights weights_;
  TensorPlan plan_;
};

// Rows [first, first + count) of a matrix or vector.
HostTensor rows_of(const HostTensor& tensor, std::int64_t first, std::int64_t count);

}  // namespace mog::model
