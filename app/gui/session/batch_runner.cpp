// A cancelled recording goes on for a moment, until its worker notices. If it is resumed meanwhile, two
// would write into one folder: each output has a mutex that the job takes first, and whether there is
// anything to resume is decided only behind it. A worker that waits polls its mutex every 20 ms, because a
// mutex alone cannot be cancelled. Between programs the journal's lock does the same.
//
// What was stopped is kept with its request, by the number of its job, so that one click goes on with it.
//
// Trap: gates stay in their map for the life of the program. They are few, and removing one that somebody
// waits for would open it.
#include "app/gui/session/batch_runner.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <chrono>
#include <thread>
#include <utility>

#include "analysis/statistics/table.h"
#include "app/gui/session/job_runner.h"
#include "app/gui/session/open_path.h"
#include "app/gui/session/workspace.h"
#include "app/workflow/common/shell_line.h"
#include "app/workflow/record/record_report.h"
#include "app/workflow/statistics/statistics_job.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

std::string capture_text(const std::set<app::CaptureName>& captures) {
  std::string text;
  for (const app::CaptureName capture : captures) {
    text += (text.empty() ? "" : ",") + std::string(app::name(capture));
  }
  return text;
}

// Waits for the one who writes there now; gives up when the job is cancelled.
std::unique_lock<std::mutex> enter(std::mutex& gate, const JobContext& context) {
  std::unique_lock lock(gate, std::defer_lock);
  while (!lock.try_lock()) {
    context.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return lock;
}

std::vector<std::string> record_line(const BatchRequest& request, const QString& model_path) {
  std::vector<std::string> line = {"mog",       "record",
                                   "--model",   model_path.toStdString(),
                                   "--input",   request.corpus.toStdString(),
                                   "--output",  request.output.toStdString(),
                                   "--capture", capture_text(request.captures)};
  if (!request.name.isEmpty()) {
    line.insert(line.end(), {"--name", request.name.toStdString()});
  }
  if (request.long_sentences != app::LongPolicy::error) {
    line.insert(line.end(),
                {"--long", request.long_sentences == app::LongPolicy::skip ? "skip" : "truncate"});
  }
  if (request.resume) {
    line.emplace_back("--resume");
  }
  return line;
}

// What will be counted: what the recording is going to hold.
std::string measure_text_of(const BatchRequest& request, const WorkspaceModel& model) {
  app::CaptureSet captures;
  captures.names = request.captures;
  RecordingHeader header;
  header.quantities = app::select_quantities(model.loaded.model->quantities(), captures, false);
  std::string text;
  for (const analysis::Measure measure : app::measures_of(header)) {
    text += (text.empty() ? "" : ",") + std::string(analysis::name(measure));
  }
  return text;
}

void write_table(const QString& path, const std::string& text) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) ||
      file.write(text.data(), static_cast<qint64>(text.size())) != static_cast<qint64>(text.size()) ||
      !file.commit()) {
    throw StorageError("Writing " + path.toStdString() + ": " + file.errorString().toStdString() + ".");
  }
}

}  // namespace

QString batch_command(const BatchRequest& request, const WorkspaceModel& model) {
  const QString path = QFileInfo(model.path).absoluteFilePath();
  QString line = QString::fromStdString(app::shell_line(record_line(request, path)));
  if (!request.table.isEmpty()) {
    const std::vector<std::string> stats = {"mog",
                                            "stats",
                                            request.output.toStdString(),
                                            "--quantity",
                                            measure_text_of(request, model),
                                            "--output",
                                            request.table.toStdString()};
    line += QStringLiteral(" && ") + QString::fromStdString(app::shell_line(stats));
  }
  return line;
}

OutputState output_state(const QString& output) {
  const QFileInfo place(output);
  if (!place.exists()) {
    return OutputState::free;
  }
  if (!place.isDir()) {
    return OutputState::occupied;
  }
  if (QDir(output).isEmpty()) {
    return OutputState::free;
  }
  try {
    const io::RecordingReader reader(to_path(output));
    return reader.facts().complete ? OutputState::complete : OutputState::incomplete;
  } catch (const Error&) {
    return OutputState::occupied;
  }
}

BatchRunner::BatchRunner(Workspace& workspace, JobRunner& jobs, QObject* parent)
    : QObject(parent), workspace_(workspace), jobs_(jobs) {
  connect(&jobs, &JobRunner::jobOver, this, [this](const JobStatus& job) {
    const auto at = running_.find(job.id);
    if (at == running_.end()) {
      return;
    }
    const BatchRequest request = at->second;
    running_.erase(at);
    if (job.state != JobState::done) {
      stopped_[job.id] = request;
      Q_EMIT stopped(job.id);
    }
  });
}

app::RecordOptions BatchRunner::optionsOf(const BatchRequest& request) const {
  app::RecordOptions options;
  options.input = to_path(request.corpus);
  options.output = to_path(request.output);
  options.name = request.name.toStdString();
  options.capture.names = request.captures;
  options.long_sentences = request.long_sentences;
  options.resume = request.resume;
  if (const WorkspaceModel* model = workspace_.model(request.model)) {
    options.command_line = app::shell_line(record_line(request, QFileInfo(model->path).absoluteFilePath()));
  }
  return options;
}

std::shared_ptr<std::mutex> BatchRunner::gateOf(const QString& output) {
  std::shared_ptr<std::mutex>& gate = gates_[QFileInfo(output).absoluteFilePath()];
  if (gate == nullptr) {
    gate = std::make_shared<std::mutex>();
  }
  return gate;
}

int BatchRunner::start(const BatchRequest& request) {
  const WorkspaceModel* model = workspace_.model(request.model);
  if (model == nullptr) {
    workspace_.report(tr("Recording a corpus needs a model: open a model directory first (Ctrl+O)."));
    return 0;
  }
  const QString output = QFileInfo(request.output).absoluteFilePath();
  for (const auto& [job, other] : running_) {
    if (QFileInfo(other.output).absoluteFilePath() == output) {
      workspace_.report(tr("%1 is being recorded already.").arg(QDir::toNativeSeparators(output)));
      return 0;
    }
  }
  const int id = jobs_.start(
      {.title = [corpus = QFileInfo(request.corpus).fileName(),
                 name = model->name] { return tr("Recording %1 with %2").arg(corpus, name); },
       .slot = {},
       .background = true},
      this,
      [loaded = model->loaded, options = optionsOf(request),
       gate = gateOf(output)](const JobContext& context) mutable {
        const std::unique_lock lock = enter(*gate, context);
        // Only now: the one who was cancelled may have written until a moment ago, or nothing at all.
        options.resume = options.resume &&
                         output_state(QString::fromStdString(options.output.string())) != OutputState::free;
        return app::RecordJob(loaded, options).run(context.stop(), context.progress());
      },
      [this, request](const app::RecordSummary& summary) {
        Q_EMIT finished(QString::fromStdString(app::summary_line(summary)));
        Q_EMIT recorded(request.output);
        if (!request.table.isEmpty()) {
          count(request);
        }
      },
      [this](const QString& message) { workspace_.report(message); });
  running_[id] = request;
  return id;
}

int BatchRunner::resume(int job) {
  const auto at = stopped_.find(job);
  if (at == stopped_.end()) {
    return 0;
  }
  BatchRequest request = at->second;
  request.resume = true;
  const int id = start(request);
  if (id != 0) {
    stopped_.erase(job);
  }
  return id;
}

void BatchRunner::estimate(const BatchRequest& request, QObject* receiver,
                           std::function<void(const app::RecordEstimate&)> done,
                           std::function<void(const QString&)> failed) {
  const WorkspaceModel* model = workspace_.model(request.model);
  if (model == nullptr) {
    failed(tr("Open a model first (Ctrl+O)."));
    return;
  }
  jobs_.start(
      {.title = [corpus = QFileInfo(request.corpus).fileName()] { return tr("Reading %1").arg(corpus); },
       .slot = QStringLiteral("batch-estimate"),
       .quiet = true},
      receiver,
      [loaded = model->loaded, options = optionsOf(request)](const JobContext& context) {
        return app::RecordJob(loaded, options).estimate(context.stop(), context.progress());
      },
      std::move(done), std::move(failed));
}

void BatchRunner::count(const BatchRequest& request) {
  jobs_.start(
      {.title = [name = QFileInfo(request.output).fileName()] { return tr("Counting %1").arg(name); },
       .slot = {},
       .background = true},
      this,
      [path = to_path(request.output), table = request.table](const JobContext& context) {
        app::StatisticsOptions options;
        options.recordings = {path};
        options.measures = app::measures_of(io::RecordingReader(path).header());
        write_table(table,
                    analysis::to_csv(app::StatisticsJob(options).run(context.stop(), context.progress())));
        return table;
      },
      [this](const QString& table) {
        Q_EMIT finished(tr("Written: %1").arg(QDir::toNativeSeparators(table)));
      },
      [this](const QString& message) { workspace_.report(message); });
}

}  // namespace mog::gui
