// Commands for a shell: what a picture of the window is called in the language of `mog`.
#include <QFileInfo>
#include <algorithm>

#include "app/gui/views/common/view.h"
#include "app/workflow/common/shell_line.h"
#include "app/workflow/figures/figure_file.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

// "row=3", as --mark takes them.
std::vector<std::string> mark_values(const figures::Highlight& highlight) {
  std::vector<std::string> marks;
  const auto add = [&marks](const char* place, const std::optional<std::int64_t>& index) {
    if (index) {
      marks.push_back(place + ("=" + std::to_string(*index + 1)));
    }
  };
  add("panel", highlight.panel);
  add("row", highlight.row);
  add("column", highlight.column);
  add("word", highlight.word);
  add("node", highlight.node);
  add("arc", highlight.arc);
  add("series", highlight.series);
  return marks;
}

}  // namespace

QString FigureCommand::line(const QString& file_name) const {
  std::vector<std::string> whole = arguments;
  whole.insert(whole.end(), {file_option, file_name.toStdString()});
  QString figure = QString::fromStdString(app::shell_line(whole));
  if (!input.isEmpty()) {
    figure.prepend(input + QStringLiteral(" | "));
  }
  return prepare.isEmpty() ? figure : prepare + QStringLiteral(" && ") + figure;
}

namespace {

// Its arguments, or why it has none.
void take_arguments(FigureCommand& command, const app::FigureRequest& request,
                    const std::vector<std::string>& marks) {
  try {
    command.arguments = app::figure_arguments(request);
  } catch (const Error& error) {
    command.why_not = QString::fromUtf8(error.what());
    return;
  }
  for (const std::string& mark : marks) {
    command.arguments.insert(command.arguments.end(), {"--mark", mark});
  }
}

}  // namespace

FigureCommand View::commandOfText(const app::FigureRequest& made_by,
                                  const std::shared_ptr<const RecordingSource>& run,
                                  const figures::Highlight& highlight) {
  FigureCommand command;
  const std::vector<std::string> marks = mark_values(highlight);
  command.facts = [made_by, sources = std::vector{run}, marks] {
    return app::figure_facts(made_by, sources, marks);
  };
  take_arguments(command, made_by, marks);
  return command;
}

FigureCommand View::commandOf(const app::FigureRequest& made_by, const figures::Highlight& highlight,
                              std::vector<int> items) const {
  FigureCommand command;
  if (items.empty()) {
    items.push_back(selection().sentence().item);
  }
  items.erase(std::unique(items.begin(), items.end()), items.end());
  app::FigureRequest request = made_by;
  std::vector<std::shared_ptr<const RecordingSource>> sources;
  for (const int id : items) {
    const WorkspaceItem* item = workspace().item(id);
    if (item != nullptr) {
      sources.push_back(item->source);
    }
  }
  const std::vector<std::string> marks = mark_values(highlight);
  command.facts = [made_by, sources, marks] { return app::figure_facts(made_by, sources, marks); };
  int typed = 0;
  for (const int id : items) {
    const WorkspaceItem* item = workspace().item(id);
    if (item == nullptr) {
      return command;
    }
    if (item->kind == WorkspaceItem::Kind::typed) {
      const QString recording =
          ++typed == 1 ? QStringLiteral("typed.rec") : QStringLiteral("typed-%1.rec").arg(typed);
      const auto text = workspace().recordCommand(*item, recording);
      if (!text) {
        command.why_not =
            tr("A sentence that was changed inside the model has no command: mog record runs "
               "sentences as they are.");
        return command;
      }
      command.prepare += (command.prepare.isEmpty() ? QString() : QStringLiteral(" && ")) + *text;
      request.inputs.push_back(recording.toStdString());
    } else if (item->path.isEmpty()) {
      command.why_not = tr("This recording is in memory only.");
      return command;
    } else {
      request.inputs.push_back(QFileInfo(item->path).absoluteFilePath().toStdString());
    }
  }
  command.facts = [request, sources, marks] { return app::figure_facts(request, sources, marks); };
  take_arguments(command, request, marks);
  return command;
}

}  // namespace mog::gui
