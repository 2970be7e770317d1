#include "app/gui/session/gold_syntax.h"

#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/session/job_runner.h"
#include "app/gui/session/open_path.h"
#include "app/gui/session/workspace.h"

namespace mog::gui {
namespace {

QString percent(double share) {
  return std::isfinite(share) ? QLocale().toString(100 * share, 'f', 1) : QStringLiteral("–");
}

QString with_interval(const app::SyntaxScore& score) {
  return GoldSyntax::tr("%1 % [%2, %3]")
      .arg(percent(score.value), percent(score.interval.low), percent(score.interval.high));
}

}  // namespace

GoldSyntax::GoldSyntax(JobRunner& jobs, Workspace& workspace)
    : QObject(&workspace), jobs_(jobs), workspace_(workspace) {}

void GoldSyntax::open(const QString& path) {
  if (path.isEmpty()) {
    jobs_.cancelSlot(QStringLiteral("gold"));
    jobs_.cancelSlot(QStringLiteral("gold-scores"));
    path_.clear();
    treebank_.reset();
    scores_.clear();
    scoring_ = 0;
    Q_EMIT changed();
    return;
  }
  const QString absolute = QFileInfo(path).absoluteFilePath();
  jobs_.start(
      {.title = [name = QFileInfo(path).fileName()] { return tr("Reading the gold syntax %1").arg(name); },
       .slot = QStringLiteral("gold")},
      this,
      [file = to_path(path)](const JobContext& context) {
        return std::make_shared<const app::TreebankWords>(file, context.stop());
      },
      [this, absolute](std::shared_ptr<const app::TreebankWords> treebank) {
        path_ = absolute;
        treebank_ = std::move(treebank);
        scores_.clear();
        Q_EMIT changed();
      },
      [this, absolute](const QString& message) {
        workspace_.report(message);
        if (!isOpen() && !QFileInfo::exists(absolute)) {
          path_ = absolute;  // what is not there stays in the session
        }
      });
}

void GoldSyntax::score(const WorkspaceItem& item, app::SyntaxSource source) {
  if (!isOpen() || item.source == nullptr) {
    return;
  }
  app::SyntaxOptions options;
  options.treebank = to_path(path_);
  options.sources = {source};
  options.mismatch = app::MismatchPolicy::skip;
  options.draws = 0;
  const int job = jobs_.start(
      {.title = [name = item.name] { return tr("Scoring %1 against the gold syntax").arg(name); },
       .slot = QStringLiteral("gold-scores"),
       .background = true},
      this,
      [recording = item.source, options](const JobContext& context) {
        return app::compare_syntax(*recording, options, context.stop(), context.progress());
      },
      [this, recording = item.source, source](app::SyntaxResult result) {
        scores_[{recording.get(), source}] = {recording, std::move(result)};
        Q_EMIT scoresChanged();  // the job was over before
      },
      [this](const QString& message) { workspace_.report(message); });
  scoring_ = job;
  auto* const watch = new QObject(this);
  connect(&jobs_, &JobRunner::jobOver, watch, [this, job, watch](const JobStatus& over) {
    if (over.id != job) {
      return;
    }
    watch->deleteLater();
    if (scoring_ == job) {
      scoring_ = 0;
      Q_EMIT scoresChanged();
    }
  });
  Q_EMIT scoresChanged();
}

const app::SyntaxResult* GoldSyntax::scores(const RecordingSource* recording,
                                            app::SyntaxSource source) const {
  const auto found = scores_.find({recording, source});
  return found == scores_.end() || found->second.recording.expired() ? nullptr : &found->second.result;
}

QString GoldSyntax::scoreText(const RecordingSource* recording, const app::SyntaxRow& row) const {
  const app::SyntaxResult* const result = scores(recording, row.source);
  if (result == nullptr) {
    return {};
  }
  const auto found = std::find_if(result->rows.begin(), result->rows.end(),
                                  [&](const app::SyntaxRowScore& one) { return one.row == row; });
  return found == result->rows.end() ? QString()
                                     : tr("UAS %1 of the words, either way %2 of the edges (sentences: %3)")
                                           .arg(with_interval(found->uas), with_interval(found->uuas))
                                           .arg(found->sentences);
}

}  // namespace mog::gui
