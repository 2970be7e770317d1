#include "app/workflow/recordings/recording_groups.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "app/workflow/recordings/open_recording.h"
#include "io/recording/errors.h"

namespace mog::app {

void refuse_repeated(std::span<const SourceAtPath> sources) {
  // Two shards of one recording are different files, as two recordings are.
  std::map<std::pair<dev_t, ino_t>, const std::filesystem::path*> seen;
  for (const SourceAtPath& one : sources) {
    for (const io::RecordingReader* const files : readers_of(*one.source)) {
      for (const io::RecordingFacts::Shard& shard : files->facts().shards) {
        struct stat status {};
        if (::stat(shard.file.c_str(), &status) != 0) {
          continue;  // whoever reads it says so
        }
        const auto [first, fresh] = seen.emplace(std::pair(status.st_dev, status.st_ino), &one.path);
        if (!fresh) {
          throw UsageError(fmt::format(
              "{} and {}: the same recording ({}); name each recording once, so that nothing counts twice",
              first->second->string(), one.path.string(), shard.file.filename().string()));
        }
      }
    }
  }
}

std::vector<RecordingLabel> labels_of(std::span<const SourceAtPath> sources) {
  std::vector<Named> named;
  for (const SourceAtPath& one : sources) {
    const RecordingHeader& header = one.source->header();
    const std::string& given = header.provenance.name;
    named.push_back({given.empty() ? header.model.name : given,
                     {},
                     one.path.empty() ? one.path : std::filesystem::absolute(one.path)});
  }
  const std::vector<std::string> names = told_apart(named);
  std::vector<RecordingLabel> labels;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    labels.push_back({printable(names[i]), !sources[i].source->header().provenance.name.empty()});
  }
  return labels;
}

void tell_apart(std::span<RecordingGroup* const> groups) {
  std::vector<SourceAtPath> all;
  std::vector<SourceAtPath> first;
  for (const RecordingGroup* group : groups) {
    for (const RecordingPart& part : group->parts) {
      all.push_back({part.reader.get(), part.path});
    }
    first.push_back({group->parts.front().reader.get(), group->parts.front().path});
  }
  refuse_repeated(all);
  if (groups.size() > 1) {
    const std::vector<RecordingLabel> labels = labels_of(first);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i]->label = labels[i];
    }
  }
}

std::vector<RecordingGroup> group_by_run(std::span<const std::filesystem::path> paths) {
  std::vector<RecordingGroup> groups;
  for (const std::filesystem::path& path : paths) {
    auto reader = std::make_unique<io::RecordingReader>(path);
    const auto run = std::find_if(groups.begin(), groups.end(), [&](const RecordingGroup& group) {
      return of_one_run(*group.parts.front().reader, *reader);
    });
    RecordingGroup& group = run == groups.end() ? groups.emplace_back() : *run;
    group.parts.push_back({std::move(reader), path});
  }
  return groups;
}

std::vector<RecordingGroup> open_recording_groups(const std::vector<std::filesystem::path>& paths,
                                                  std::vector<std::string>* notes) {
  if (paths.empty()) {
    throw UsageError("statistics: no recording was named");
  }
  std::vector<RecordingGroup> groups = group_by_run(paths);
  std::vector<RecordingGroup*> all;
  all.reserve(groups.size());
  for (RecordingGroup& group : groups) {
    all.push_back(&group);
  }
  tell_apart(all);
  if (notes != nullptr) {
    std::vector<const io::RecordingReader*> readers;
    for (const RecordingGroup& group : groups) {
      for (const RecordingPart& part : group.parts) {
        readers.push_back(part.reader.get());
      }
    }
    for (std::string& note : missing_of(readers)) {
      if (std::ranges::find(*notes, note) == notes->end()) {
        notes->push_back(std::move(note));
      }
    }
  }
  return groups;
}

std::vector<const RecordingSource*> sources_of(const RecordingGroup& group) {
  std::vector<const RecordingSource*> sources;
  for (const RecordingPart& part : group.parts) {
    sources.push_back(part.reader.get());
  }
  return sources;
}

}  // namespace mog::app
