// One training run: its data, its loop and its end.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/experiment/train_data.h"
#include "app/workflow/experiment/train_tokenizer.h"
#include "app/workflow/train/teacher_agreement.h"
#include "app/workflow/train/train_card.h"
#include "app/workflow/train/train_checkpoint.h"
#include "app/workflow/train/train_job.h"
#include "app/workflow/train/train_teacher.h"
#include "app/workflow/train/train_validation.h"

namespace mog::app {

class TrainRun {
 public:
  TrainRun(TrainConfig config, TrainJobOptions options, TrainerFactory factory);
  TrainResult run();

 private:
  using Clock = std::chrono::steady_clock;

  // Setting up (train_setup.cpp).
  void check_folders() const;
  std::filesystem::path data_root() const;
  void read_data();
  std::vector<TaggedSentence> read_part(const DataSplit& split) const;
  std::vector<SentencePair> read_pair_part(const DataSplit& split) const;
  // Tags that a head cannot say: refused where task.tags closes the set or where there are many.
  void check_tags(const std::vector<TaggedSentence>& sentences, const std::string& part) const;
  PreparedData prepare(std::vector<TaggedSentence> tagged, const std::vector<SentencePair>& pairs,
                       const std::vector<TextLine>& texts) const;
  void leave_out_long();
  void open_others();
  void create_trainer();
  RunIdentity identity() const;
  void note(const std::string& text) const;

  // The loop (train_run.cpp).
  void loop();
  std::int64_t planned_updates() const;
  bool done() const noexcept;
  bool validation_due() const noexcept;
  void start_epoch();
  void update();
  void validate_now();
  void watch_collapse(const Validation& validation) const;
  Validation validation_of(model::Trainer& trainer) const;
  void add_teacher_scores(model::Trainer& trainer, Validation& validation) const;
  // BLEU of the first `sentences` translations (train_bleu.cpp).
  double bleu_of(model::Trainer& trainer, const PreparedData& data, std::int64_t sentences) const;
  void report(const Validation* validation, bool best);
  void save();
  double elapsed_s() const;

  // The end (train_finish.cpp).
  TrainResult finish();
  // The best weights of validation, or the mean of the last ones where it is better, as they will be stored.
  std::map<std::string, HostTensor> final_weights();
  CardData evaluate_test(model::Trainer& trainer) const;
  void compare_with_twin(CardData& card, const std::vector<SentenceTags>& predicted) const;
  std::map<std::string, std::string> tokenizer_files() const;

  TrainConfig config_;
  TrainJobOptions options_;
  TrainerFactory factory_;
  TrainFolder folder_;
  NewTokenizer tokenizer_;
  PreparedData train_;
  PreparedData dev_;
  PreparedData test_;
  std::int64_t left_out_ = 0;
  std::optional<StartWeights> start_;
  std::shared_ptr<const model::Tokenizer> teacher_tokenizer_;  // with own pieces
  std::optional<Teacher> teacher_;
  std::unique_ptr<model::Trainer> trainer_;
  std::unique_ptr<MetricsLog> metrics_;
  TrainState state_;
  RunIdentity identity_;
  std::vector<std::vector<std::int64_t>> batches_;  // of the epoch that goes on
  std::int64_t updates_per_epoch_ = 0;
  std::int64_t total_ = 0;  // updates
  std::int64_t saved_step_ = -1;
  Clock::time_point started_;
  double elapsed_before_ = 0.0;
  Clock::time_point rate_started_;
  std::int64_t rate_tokens_ = 0;
};

}  // namespace mog::app
