#include "app/workflow/effects/run_part.h"

#include "io/recording/errors.h"
#include "io/text/sha256.h"

namespace mog::app {

RecordingHeader run_header(const LoadedModel& loaded, model::Precision precision,
                           const std::filesystem::path& corpus, const CorpusPart& part,
                           const std::string& target) {
  RecordingHeader header;
  header.model = loaded.model->card();
  header.system = loaded.model->system();
  Provenance& provenance = header.provenance;
  provenance.program_version = MOG_VERSION;
  provenance.precision = precision_name(precision);
  provenance.device = loaded.model->device();
  provenance.target = target;
  if (corpus == "-") {
    provenance.corpus_name = "standard input";
  } else {
    provenance.corpus_name = corpus.filename().string();
    provenance.corpus_sha256 = part.sha256.empty() ? io::file_sha256(corpus) : part.sha256;
  }
  return header;
}

void require_all_of_part(std::int64_t sentences, const Shard& shard) {
  if (sentences > 0 && !shard.whole()) {
    throw UsageError("--sentences: it counts from the first sentence of a corpus; leave it or --shard out");
  }
}

}  // namespace mog::app
