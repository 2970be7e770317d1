#include "app/workflow/effects/run_part.h"

#include <fmt/format.h>

#include "io/recording/errors.h"
#include "io/text/sha256.h"

namespace mog::app {

RecordingHeader run_header(const LoadedModel& loaded, model::Precision precision,
                           std::span<const std::filesystem::path> corpora, const CorpusPart& part,
                           const std::filesystem::path& target) {
  RecordingHeader header;
  header.model = loaded.model->card();
  header.system = loaded.model->system();
  Provenance& provenance = header.provenance;
  provenance.program_version = MOG_VERSION;
  provenance.precision = precision_name(precision);
  provenance.device = loaded.model->device();
  std::error_code error;
  provenance.target = target.string();
  if (std::filesystem::is_regular_file(target, error)) {
    provenance.target =
        fmt::format("file {}, sha256 {}", target.filename().string(),
                    part.target_sha256.empty() ? io::file_sha256(target) : part.target_sha256);
  }
  if (corpora.front() == "-") {
    provenance.corpus_name = "standard input";
    return header;
  }
  provenance.corpus_name = corpora.front().filename().string();
  provenance.corpus_sha256 = part.sha256.empty() ? io::file_sha256(corpora.front()) : part.sha256;
  if (corpora.size() > 1) {
    std::string sums = provenance.corpus_sha256;
    for (const std::filesystem::path& further : corpora.subspan(1)) {
      sums += io::file_sha256(further);
    }
    provenance.corpus_sha256 = io::sha256(sums);
  }
  return header;
}

void require_all_of_part(std::int64_t sentences, const Shard& shard) {
  if (sentences > 0 && !shard.whole()) {
    throw UsageError("--sentences: it counts from the first sentence of a corpus; leave it or --shard out");
  }
}

}  // namespace mog::app
