#include "app/gui/views/parse/parse_run.h"

#include <exception>
#include <utility>

#include "app/gui/session/job_runner.h"

namespace mog::gui {

bool is_parser(const OpenedModel& loaded) {
  const auto& graph = loaded.model->config().graph;
  return graph && graph->is_tree();
}

ParseAnswer parse_shown(const ParseQuestion& question, const std::stop_token& stop) {
  OpenedModel loaded = question.loaded;
  loaded.tokenizer = tokenizer_of(loaded, question.words);
  auto shown = std::make_shared<ShownParse>();
  try {
    shown->parsed = app::parse_text(loaded, question.text, question.choice, stop);
  } catch (const app::ConstraintError&) {
    return {nullptr, error_text(std::current_exception())};
  }
  const auto picture = [&](app::ParsePicture what, std::int64_t step) {
    return std::make_shared<const analysis::FigureData>(app::parse_picture(shown->parsed, what, step));
  };
  for (std::int64_t step = 1; step <= shown->parsed.steps(); ++step) {
    shown->steps.push_back(
        {picture(app::ParsePicture::arcs, step), picture(app::ParsePicture::matrix, step)});
  }
  return {shown};
}

}  // namespace mog::gui
