// Describing reads a file to its last byte: it is done when somebody looks at the page, in a job.
#include "app/gui/views/jobs/model_view.h"

#include "app/gui/session/open_path.h"
#include "app/gui/views/common/view_kind.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/session/job_runner.h"
#include "app/gui/session/workspace.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

bool is_corpus(app::PathKind kind) {
  return kind == app::PathKind::text || kind == app::PathKind::conllu;
}

QString escaped(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

}  // namespace

ModelView::ModelView(Workspace& workspace, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      jobs_(jobs),
      paths_(new QComboBox(this)),
      page_(new QTextBrowser(this)),
      record_(new QPushButton(tr("&Record a corpus…"), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 8);
  column->setSpacing(4);
  set_label(*paths_, tr("Opened files"));
  paths_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  page_->setAccessibleName(tr("What was found"));
  page_->setOpenLinks(false);
  show_focus(*page_);
  column->addWidget(paths_);
  column->addWidget(page_, 1);
  column->addWidget(record_, 0, Qt::AlignLeft);
  connect(paths_, &QComboBox::currentIndexChanged, this, &ModelView::showCurrent);
  connect(record_, &QPushButton::clicked, this, [this] {
    const auto row = static_cast<std::size_t>(std::max(0, paths_->currentIndex()));
    const bool corpus =
        row < found_.size() && found_[row].described && is_corpus(found_[row].description.kind);
    Q_EMIT recordingAsked(corpus ? found_[row].path : QString());
  });
  connect(&workspace, &Workspace::opened, this, [this](const QString& path) { add({path, {}, {}, false}); });
  // A session has closed everything and opens what it names: when it is done.
  connect(&workspace, &Workspace::allRemoved, this, &ModelView::follow, Qt::QueuedConnection);
  connect(&workspace, &Workspace::found, this,
          [this](const QString& path, const app::Description& description) {
            add({path, {}, description, true});
            Q_EMIT wantsToBeSeen();
          });
  connect(&workspace, &Workspace::refused, this, [this](const QString& path, const QString& message) {
    add({path, message, {}, false});
  });
  showCurrent();
}

// What is open and was not opened one by one: a session brings its models and recordings.
void ModelView::follow() {
  const QStringList known = paths();
  const auto take = [this, &known](const QString& path) {
    if (!path.isEmpty() && !known.contains(path)) {
      add({path, {}, {}, false});
    }
  };
  for (const WorkspaceModel& model : workspace_.models()) {
    take(model.path);
  }
  for (const WorkspaceItem& item : workspace_.items()) {
    take(item.path);
  }
}

void ModelView::add(Found found) {
  const auto at = std::find_if(found_.begin(), found_.end(),
                               [&found](const Found& one) { return one.path == found.path; });
  const auto row = static_cast<int>(at - found_.begin());
  const QString path = found.path;
  if (at != found_.end()) {
    *at = std::move(found);
  } else {
    found_.push_back(std::move(found));
    const QSignalBlocker quiet(paths_);
    paths_->addItem(name_of(path));
    paths_->setItemData(row, QDir::toNativeSeparators(path), Qt::ToolTipRole);
  }
  paths_->setCurrentIndex(row);
  showCurrent();
}

void ModelView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showCurrent();
}

void ModelView::showCurrent() {
  const auto row = static_cast<std::size_t>(std::max(0, paths_->currentIndex()));
  paths_->setVisible(!found_.empty());
  if (row >= found_.size()) {
    record_->hide();
    page_->setPlainText(
        tr("Nothing was opened yet. A model, a checkpoint of another program, a recording or a corpus that "
           "you open or drop on this window is described here: what it is, what it holds, and what can be "
           "done with it."));
    return;
  }
  const Found& found = found_[row];
  record_->setVisible(found.refusal.isEmpty() && workspace_.currentModel() != nullptr);
  if (found.described || !found.refusal.isEmpty()) {
    page_->setHtml(html(found));
  } else {
    page_->setPlainText(tr("Reading %1 …").arg(QDir::toNativeSeparators(found.path)));
    if (isVisible()) {
      describe(found.path);
    }
  }
}

void ModelView::describe(const QString& path) {
  const auto finish = [this, path](const QString& refusal, const app::Description& description) {
    const auto at =
        std::find_if(found_.begin(), found_.end(), [&path](const Found& one) { return one.path == path; });
    if (at != found_.end()) {
      at->refusal = refusal;
      at->description = description;
      at->described = refusal.isEmpty();
      showCurrent();
    }
  };
  jobs_.start(
      {.title = [name = name_of(path)] { return tr("Describing %1").arg(name); },
       .slot = QStringLiteral("describe"),
       .quiet = true,
       .background = true},
      this,
      [file = to_path(path)](const JobContext& context) { return app::describe(file, {}, context.stop()); },
      [finish](const app::Description& description) { finish({}, description); },
      [finish](const QString& message) { finish(message, {}); });
}

QString ModelView::html(const Found& found) const {
  if (!found.refusal.isEmpty()) {
    return QStringLiteral("<p><b>%1</b></p><p>%2</p>")
        .arg(tr("This cannot be opened"), found.refusal.toHtmlEscaped());
  }
  QString rows;
  for (const auto& [label, value] : found.description.facts) {
    rows += label.empty()
                ? QStringLiteral("<tr><td></td><td>%1</td></tr>").arg(escaped(value))
                : QStringLiteral("<tr><td style='padding-right:12px'><b>%1</b></td><td>%2</td></tr>")
                      .arg(escaped(label), escaped(value));
  }
  QString text = QStringLiteral("<table>%1</table>").arg(rows);
  if (is_corpus(found.description.kind)) {
    text += QStringLiteral("<p>%1</p>")
                .arg(tr("A corpus is looked at through a model: record it (Ctrl+B), then the recording "
                        "opens."));
  }
  return text;
}

QString ModelView::text() const {
  return page_->toPlainText();
}

QStringList ModelView::paths() const {
  QStringList result;
  for (const Found& one : found_) {
    result.push_back(one.path);
  }
  return result;
}

const ViewKind& ModelView::kind() {
  static const ViewKind kind{
      .name = "model",
      .rank = 3,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new ModelView(context.workspace, context.jobs, parent);
      },
      .places = {{"read", 0, 1}},
  };
  return kind;
}

std::span<const ViewKind> model_view_kinds() {
  return {&ModelView::kind(), 1};
}

}  // namespace mog::gui
