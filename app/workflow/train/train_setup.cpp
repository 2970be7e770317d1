// What a run needs before its first update, in the order in which it can fail: folders first, the slow
// reading of data and models after them.
#include "app/workflow/train/train_setup.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "app/workflow/train/train_lengths.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"

namespace mog::app {
namespace {

// For the tokenizer's files of a process that does not write the run's folder. Gone once they are read.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "mog-training-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw StorageError("Making a folder for temporary files failed: " + path_ + ". Set TMPDIR to another.");
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

void check_folders(const TrainSetup& setup) {
  const bool checkpoint = setup.folder.has_checkpoint();
  if (setup.options.resume && !checkpoint) {
    throw UsageError("Resuming the training of " + setup.config.name + ": there is no checkpoint in " +
                     setup.folder.path().string() + ". Leave out --resume to start.");
  }
  if (setup.options.resume || setup.options.overwrite) {
    return;
  }
  if (checkpoint) {
    throw UsageError("Training " + setup.config.name + ": " + setup.folder.path().string() +
                     " holds the checkpoint of an earlier run. Go on with --resume, or start anew with "
                     "--overwrite.");
  }
  if (std::filesystem::exists(setup.config.output / "config.json")) {
    throw UsageError("Training " + setup.config.name + ": " + setup.config.output.string() +
                     " holds a model already. Choose another --output, or replace it with --overwrite.");
  }
}

void prepare_folder(TrainSetup& setup) {
  setup.folder.create();
  if (setup.options.resume) {
    return;
  }
  // What a run left that was killed before its first checkpoint goes, too.
  setup.folder.remove_run();
  for (const std::string& name : tokenizer_file_names(setup.config.model.tokenizer)) {
    std::filesystem::remove(setup.folder.file(name));
  }
}

void open_others(TrainSetup& setup) {
  if (!setup.config.start.model.empty()) {
    note(setup.options, "Starting from " + setup.config.start.model.string() + ".");
    setup.start =
        load_start(setup.config, setup.parts.tokenizer.source->vocabulary(), setup.parts.train.examples);
    setup.config.training.trainer.positions =
        std::max(setup.config.training.trainer.positions, setup.start->positions);
  }
  if (setup.config.distills()) {
    note(setup.options, "Learning from " + setup.config.distill.teacher.string() + ".");
    setup.teacher = load_teacher(setup.config.distill.teacher, setup.parts.tokenizer.source->vocabulary(),
                                 setup.config.model, setup.options.device);
  }
}

RunIdentity identity_of(const TrainSetup& setup) {
  io::Sha256 whole;
  io::Sha256 data_alone;
  RunIdentity identity;
  identity.config = setup.config.text;
  identity.written = setup.config.sweep_run.empty();
  whole.update(setup.config.text);
  const auto part = [&](const std::string& name, const std::string& value) {
    whole.update(value);
    identity.parts[name] = value;
  };
  part("the seed",
       std::to_string(setup.config.training.trainer.seed));  // --seed may have replaced the file's
  part("the model to start from", setup.start ? setup.start->weights_sha256 : "");
  part("the teacher", setup.teacher ? setup.teacher->weights_sha256 : "");
  const auto add = [&](const std::vector<std::int64_t>& values) {
    whole.update(std::as_bytes(std::span(values)));
    data_alone.update(std::as_bytes(std::span(values)));
  };
  for (const PreparedData* data : {&setup.parts.train, &setup.parts.dev}) {
    for (const Example& example : data->examples) {
      add(example.ids);
      add(example.teacher_ids);
      add(example.target_labels);
      for (const auto& [task, labels] : example.labels) {
        add(labels);
      }
      for (const auto& [head, keys] : example.keys) {
        add(keys);
      }
      add(example.classes);
    }
  }
  identity.parts["the text of the data, or the tokenizer,"] = data_alone.hex();
  identity.hash = whole.hex();
  return identity;
}

TrainerFactory engine_factory() {
  return [](const model::ModelConfig& model, const model::TrainerOptions& trainer,
            const model::DeviceOptions& device, const std::map<std::string, HostTensor>* initial) {
    return model::create_trainer(model, trainer, device, initial);
  };
}

// With a teacher some losses are of a batch as a whole (spread of its states, means over its sentences), so
// batches are shared out whole.
void check_processes(const TrainSetup& setup) {
  const std::int64_t batches = setup.config.training.accumulate;
  if (setup.config.distills() && batches < setup.processes.count()) {
    throw UsageError(
        "Training " + setup.config.name + " by " + std::to_string(setup.processes.count()) +
        " processes: with a teacher a batch is not divided, and an update has training.accumulate = " +
        std::to_string(batches) + " of them. Use no more processes than batches.");
  }
}

void read_all(TrainSetup& setup) {
  check_processes(setup);
  if (setup.processes.first()) {
    check_folders(setup);
    prepare_folder(setup);
    setup.parts = read_train_parts(setup.config, setup.options, setup.folder.path());
  } else {
    const ScratchFolder scratch;
    setup.parts = read_train_parts(setup.config, setup.options, scratch.path());
  }
  open_others(setup);
  check_lengths(setup.config, setup.parts);
  setup.identity = identity_of(setup);
}

}  // namespace

TrainSetup set_up_training(TrainConfig config, TrainJobOptions options, TrainerFactory factory) {
  require_output(config.output, options.output, config.file);
  if (options.watch) {
    check_watch(*options.watch);
  }
  if (!options.output.empty()) {
    config.output = options.output;
  }
  TrainFolder folder(config.output);
  TrainProcesses processes(options.processes);
  if (!processes.first()) {
    options.note = {};
    options.progress = {};
    options.watch = {};
  }
  TrainSetup setup{.config = std::move(config),
                   .options = std::move(options),
                   .factory = factory ? std::move(factory) : engine_factory(),
                   .folder = std::move(folder),
                   .processes = std::move(processes)};
  setup.processes.all([&] { read_all(setup); });
  setup.processes.require_same(setup.identity);
  return setup;
}

std::unique_ptr<model::Trainer> new_trainer(const TrainSetup& setup) {
  const model::TrainerOptions& options = setup.config.training.trainer;
  if (options.bfloat16_products && !setup.options.resume && setup.processes.first()) {
    const model::ProductSpeed speed = setup.options.product_speed(setup.config.model, setup.options.device);
    const auto rounded = [](double value) { return std::to_string(std::llround(value)); };
    if (!speed.bfloat16_gains()) {
      throw UsageError(
          "Training " + setup.config.name +
          ": training.precision = \"bfloat16\" gains nothing here: products of this size run at " +
          rounded(speed.bfloat16) + " billion multiply-adds a second, in float32 at " +
          rounded(speed.float32) + ". Use precision = \"float32\".");
    }
    note(setup.options, "Products take bfloat16 factors: " + rounded(speed.bfloat16) +
                            " billion multiply-adds a second, in float32 " + rounded(speed.float32) + ".");
  }
  std::unique_ptr<model::Trainer> trainer = setup.factory(setup.config.model, options, setup.options.device,
                                                          setup.start ? &setup.start->weights : nullptr);
  if (setup.teacher) {
    trainer->set_teacher(setup.teacher->model);
  }
  return trainer;
}

}  // namespace mog::app
