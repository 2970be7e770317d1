// Records a corpus with the fake model, so that commands that read recordings are tested without LibTorch.
// Usage: make_recording [--invented] CORPUS OUTPUT [SHARD SHARDS [LAYERS [SEED [NAME]]]]
// --invented: of test::invented_system, whose stacks and parts no part of the program has ever heard of.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "app/workflow/record/record_job.h"
#include "tests/support/fake_model.h"

int main(int argc, char** argv) {
  const bool invented = argc > 1 && std::string_view(argv[1]) == "--invented";
  if (invented) {
    --argc;
    ++argv;
  }
  if (argc != 3 && (argc < 5 || argc > 8)) {
    return 2;
  }
  try {
    mog::app::LoadedModel loaded;
    mog::test::FakeModelOptions model;
    model.layers = argc >= 6 ? std::atoll(argv[5]) : model.layers;
    model.seed = argc >= 7 ? static_cast<std::uint64_t>(std::atoll(argv[6])) : model.seed;
    if (invented) {
      model.system = mog::test::invented_system(model.layers, model.heads);
    }
    loaded.model = std::make_shared<mog::test::FakeModel>(model);
    loaded.tokenizer = std::make_shared<mog::test::FakeTokenizer>();
    mog::app::RecordOptions options;
    options.input = argv[1];
    options.output = argv[2];
    options.name = argc >= 8 ? argv[7] : "";
    options.capture.names = {mog::app::CaptureName::all};
    if (argc >= 5) {
      options.shard.part = std::atoll(argv[3]);
      options.shard.parts = std::atoll(argv[4]);
    }
    mog::app::RecordJob(loaded, options).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_recording: %s\n", error.what());
    return 1;
  }
  return 0;
}
