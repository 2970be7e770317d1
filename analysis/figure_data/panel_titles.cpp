#include "analysis/figure_data/panel_titles.h"

#include <algorithm>
#include <set>

#include "io/recording/counted.h"

namespace mog::analysis {

std::vector<std::string> panel_titles(std::span<const PanelSource> sources) {
  std::set<std::int64_t> depths;
  std::set<std::string> models;
  std::set<std::string> corpora;
  for (const PanelSource& source : sources) {
    depths.insert(source.model.layers);
    models.insert(source.model.name);
    corpora.insert(source.corpus);
  }
  const bool named =
      std::any_of(sources.begin(), sources.end(), [](const PanelSource& one) { return one.recording.given; });
  std::vector<std::string> titles;
  for (const PanelSource& source : sources) {
    titles.push_back(named                              ? source.recording.text
                     : depths.size() == sources.size()  ? mog::counted(source.model.layers, "layer")
                     : models.size() == sources.size()  ? source.model.name
                     : corpora.size() == sources.size() ? source.corpus
                     : source.recording.text.empty()    ? source.model.name + ", " + source.corpus
                                                        : source.recording.text);
  }
  return titles;
}

}  // namespace mog::analysis
