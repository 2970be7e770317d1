#include "app/workflow/figures/figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/workflow/common/text_format.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {

std::span<const FigureKind* const> registered_figure_kinds();  // made from the files of kinds/

std::span<const FigureKind* const> figure_kinds() {
  static const std::vector<const FigureKind*> by_what_they_show = [] {
    const auto all = registered_figure_kinds();
    std::vector<const FigureKind*> kinds(all.begin(), all.end());
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const FigureKind* left, const FigureKind* right) { return left->of < right->of; });
    return kinds;
  }();
  return by_what_they_show;
}

const FigureKind& find_figure_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const FigureKind* const kind : figure_kinds()) {
    if (kind->name == name) {
      return *kind;
    }
    names.emplace_back(kind->name);
  }
  throw UsageError(fmt::format("figure {}: there is no such figure{} `mog figure list` names them", name,
                               nearest_names(name, names).empty() ? ";" : did_you_mean(name, names)));
}

bool has_choice(std::string_view kind, std::string_view choice) {
  Choices choices;
  const std::unique_ptr<Figure> figure = find_figure_kind(kind).create();
  figure->declare(choices);
  return choices.find(choice) != nullptr;
}

std::string kinds_with(std::string_view choice) {
  std::vector<std::string> names;
  for (const FigureKind* const kind : figure_kinds()) {
    if (has_choice(kind->name, choice)) {
      names.emplace_back(kind->name);
    }
  }
  if (names.size() < 2) {
    return names.empty() ? std::string() : names.front();
  }
  const std::string last = names.back();
  names.pop_back();
  return joined(names, ", ") + " and " + last;
}

std::unique_ptr<Figure> figure_of(const FigureRequest& request) {
  std::unique_ptr<Figure> figure = find_figure_kind(request.kind).create();
  Choices choices;
  figure->declare(choices);
  choices.take(request.choices, "figure " + request.kind);
  figure->check(request);
  return figure;
}

analysis::FigureData make_figure(const FigureRequest& request, const FigureInputs& inputs) {
  return figure_of(request)->make(request, inputs);
}

std::string sentence_title(const RecordingLabel& recording, std::int64_t number) {
  return fmt::format("{}, sentence {}", recording.text, number);
}

analysis::FigureData make_figure(const FigureRequest& request, std::stop_token stop,
                                 const ProgressCallback& progress) {
  return make_figure(request,
                     {.sources = open_figure_sources(request, stop), .stop = stop, .progress = progress});
}

analysis::FigureData make_figure(const FigureRequest& request, const RecordingSource& source,
                                 std::stop_token stop, const ProgressCallback& progress) {
  if (find_figure_kind(request.kind).of != FigureKind::Of::sentence) {
    throw UsageError(fmt::format("figure {}: it is no figure of one sentence", request.kind));
  }
  // Not owned: the caller keeps it.
  const std::shared_ptr<const RecordingSource> unowned(std::shared_ptr<void>(), &source);
  return make_figure(request, {.sources = {unowned}, .stop = stop, .progress = progress});
}

}  // namespace mog::app
