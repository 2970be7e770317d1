#include "app/gui/window/batch_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/session/workspace.h"
#include "app/gui/widgets/accessibility.h"
#include "io/hdf5/recording/recording_name.h"

namespace mog::gui {
namespace {

constexpr int kEstimateAfterMs = 250;

QString capture_text(app::CaptureName capture) {
  switch (capture) {
    case app::CaptureName::summary:
      return BatchDialog::tr("summary: mean gate, entropy, shares of every token");
    case app::CaptureName::attention:
      return BatchDialog::tr("attention maps of every layer, part and head");
    case app::CaptureName::gates:
      return BatchDialog::tr("gates of every dimension");
    case app::CaptureName::shares:
      return BatchDialog::tr("norms and shares of the parts");
    case app::CaptureName::orders:
      return BatchDialog::tr("leaves under the attention grammar");
    case app::CaptureName::hidden:
      return BatchDialog::tr("states of every layer (large)");
    case app::CaptureName::all:
      break;
  }
  return {};
}

QString number(std::int64_t value) {
  return QLocale().toString(static_cast<qlonglong>(value));
}

QString estimate_text(const app::RecordEstimate& estimate) {
  QStringList lines;
  lines.push_back(BatchDialog::tr("%1 sentences, %2 tokens, the longest has %3.")
                      .arg(number(estimate.sentences), number(estimate.tokens), number(estimate.longest)));
  const auto left = [&lines](std::int64_t count, const QString& text) {
    if (count > 0) {
      lines.push_back(text.arg(number(count)));
    }
  };
  left(estimate.already_recorded, BatchDialog::tr("%1 are recorded already."));
  left(estimate.skipped_long, BatchDialog::tr("%1 are too long and left out."));
  left(estimate.truncated, BatchDialog::tr("%1 are too long and cut."));
  left(estimate.empty, BatchDialog::tr("%1 empty lines keep their place."));
  const QString size = QLocale().formattedDataSize(estimate.size_bytes, 1, QLocale::DataSizeSIFormat);
  lines.push_back(
      estimate.free_bytes < 0
          ? BatchDialog::tr("About %1 will be written.").arg(size)
          : BatchDialog::tr("About %1 will be written, %2 are free there.")
                .arg(size, QLocale().formattedDataSize(estimate.free_bytes, 0, QLocale::DataSizeSIFormat)));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

BatchDialog::BatchDialog(Workspace& workspace, BatchRunner& runner, const QString& corpus,
                         const QString& folder, QWidget* parent)
    : QDialog(parent),
      workspace_(workspace),
      runner_(runner),
      folder_(folder),
      model_(new QComboBox(this)),
      corpus_(new QLineEdit(this)),
      output_(new QLineEdit(this)),
      name_(new QLineEdit(this)),
      long_(new QComboBox(this)),
      table_(new QCheckBox(tr("and count weights by layer and length into a table (CSV)"), this)),
      estimate_(new QLabel(this)),
      command_(new QLineEdit(this)) {
  setWindowTitle(tr("Record a corpus"));
  build();
  timer_.setSingleShot(true);
  timer_.setInterval(kEstimateAfterMs);
  connect(&timer_, &QTimer::timeout, this, &BatchDialog::estimate);
  const auto changed = [this] { check(); };
  connect(corpus_, &QLineEdit::textChanged, this, [this] {
    suggestOutput();
    check();
  });
  connect(output_, &QLineEdit::textChanged, this, changed);
  connect(name_, &QLineEdit::textChanged, this, changed);
  connect(model_, &QComboBox::currentIndexChanged, this, changed);
  connect(long_, &QComboBox::currentIndexChanged, this, changed);
  connect(table_, &QCheckBox::toggled, this, changed);
  for (const auto& [capture, box] : captures_) {
    connect(box, &QCheckBox::toggled, this, changed);
  }
  corpus_->setText(corpus);
  check();
}

void BatchDialog::build() {
  auto* form = new QFormLayout(this);
  for (const WorkspaceModel& model : workspace_.models()) {
    model_->addItem(model.name, model.id);
  }
  if (const WorkspaceModel* current = workspace_.currentModel()) {
    model_->setCurrentIndex(model_->findData(current->id));
  }
  form->addRow(tr("&Model"), model_);
  form->addRow(labelOf(tr("&Corpus"), corpus_), pathRow(corpus_, tr("Corpus"), [this] {
                 return QFileDialog::getOpenFileName(
                     this, tr("Choose a corpus: one sentence a line, or CoNLL-U"), folder_,
                     tr("Texts and treebanks (*.txt *.conllu *.en *.de);;All files (*)"));
               }));
  form->addRow(labelOf(tr("&Recording"), output_), pathRow(output_, tr("Recording"), [this] {
                 return QFileDialog::getSaveFileName(this, tr("Name the folder of the recording"),
                                                     output_->text().isEmpty() ? folder_ : output_->text(),
                                                     tr("Recordings (*.rec)"), nullptr,
                                                     QFileDialog::DontConfirmOverwrite);
               }));
  name_->setPlaceholderText(tr("what tables and figures call it; left empty: the model's name"));
  form->addRow(tr("&Name"), name_);
  name_->setAccessibleName(tr("Name"));
  auto* kept = new QVBoxLayout;
  kept->setSpacing(2);
  const BatchRequest usual;
  for (const app::CaptureName capture :
       {app::CaptureName::summary, app::CaptureName::attention, app::CaptureName::gates,
        app::CaptureName::shares, app::CaptureName::orders, app::CaptureName::hidden}) {
    auto* box = new QCheckBox(capture_text(capture), this);
    box->setChecked(usual.captures.count(capture) > 0);
    captures_.emplace_back(capture, box);
    kept->addWidget(box);
  }
  form->addRow(tr("Keep"), kept);
  long_->addItem(tr("stop before anything is written"), static_cast<int>(app::LongPolicy::error));
  long_->addItem(tr("leave them out"), static_cast<int>(app::LongPolicy::skip));
  long_->addItem(tr("cut them"), static_cast<int>(app::LongPolicy::truncate));
  form->addRow(tr("Too &long sentences"), long_);
  auto* after = new QVBoxLayout;
  after->setSpacing(2);
  after->addWidget(table_);
  form->addRow(tr("Afterwards"), after);
  estimate_->setWordWrap(true);
  estimate_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  estimate_->setAccessibleDescription(tr("Estimate"));
  estimate_->setMinimumHeight(4 * fontMetrics().lineSpacing());
  estimate_->setAlignment(Qt::AlignTop);
  form->addRow(tr("Estimate"), estimate_);
  set_label(*model_, tr("Model"));
  set_label(*long_, tr("Too long sentences"));
  command_->setAccessibleName(tr("Command"));
  command_->setReadOnly(true);
  command_->setToolTip(tr("Does the same without this window"));
  form->addRow(tr("C&ommand"), command_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  start_ = buttons->addButton(tr("&Start"), QDialogButtonBox::AcceptRole);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

QLabel* BatchDialog::labelOf(const QString& text, QWidget* of) {
  auto* label = new QLabel(text, this);
  label->setBuddy(of);
  return label;
}

QLayout* BatchDialog::pathRow(QLineEdit* line, const QString& name, std::function<QString()> choose) {
  auto* row = new QHBoxLayout;
  auto* button = new QPushButton(tr("Choose…"), this);
  button->setAccessibleName(tr("Choose: %1").arg(name));
  line->setAccessibleName(name);
  line->setMinimumWidth(380);
  row->addWidget(line, 1);
  row->addWidget(button);
  connect(button, &QPushButton::clicked, this, [line, choose = std::move(choose)] {
    const QString path = choose();
    if (!path.isEmpty()) {
      line->setText(path);
    }
  });
  return row;
}

// Beside the corpus, by its name; a name that the reader wrote stays.
void BatchDialog::suggestOutput() {
  if (!output_->text().isEmpty() && output_->text() != suggested_) {
    return;
  }
  const QFileInfo corpus(corpus_->text());
  suggested_ = corpus_->text().isEmpty()
                   ? QString()
                   : corpus.dir().filePath(corpus.completeBaseName() + QStringLiteral(".rec"));
  output_->setText(suggested_);
}

BatchRequest BatchDialog::request() const {
  BatchRequest request;
  request.model = model_->currentData().toInt();
  request.corpus = QFileInfo(corpus_->text()).absoluteFilePath();
  request.output = QFileInfo(output_->text()).absoluteFilePath();
  request.name = name_->text().trimmed();
  request.captures.clear();
  for (const auto& [capture, box] : captures_) {
    if (box->isChecked() && !box->isHidden()) {
      request.captures.insert(capture);
    }
  }
  request.long_sentences = static_cast<app::LongPolicy>(long_->currentData().toInt());
  request.resume = resume_;
  if (table_->isChecked()) {
    const QFileInfo output(request.output);
    request.table = output.dir().filePath(output.completeBaseName() + QStringLiteral(".csv"));
  }
  return request;
}

void BatchDialog::say(const QString& text, bool can_start) {
  estimate_->setText(text);
  start_->setEnabled(can_start);
}

// What the model has; a box for nothing would be ticked for nothing. Orders are made of maps and gates.
void BatchDialog::offerCaptures(const WorkspaceModel& model) {
  const std::vector<QuantitySchema> offered = model.loaded.model->quantities();
  for (const auto& [capture, box] : captures_) {
    app::CaptureSet alone;
    alone.names = {capture};
    box->setVisible(capture == app::CaptureName::orders ||
                    !app::select_quantities(offered, alone, false).empty());
  }
}

// What can be said at once; then the corpus is read.
void BatchDialog::check() {
  timer_.stop();
  const WorkspaceModel* model = workspace_.model(model_->currentData().toInt());
  resume_ = false;
  start_->setText(tr("&Start"));
  command_->clear();
  if (model == nullptr) {
    say(tr("No model is open: open one first (Ctrl+O)."), false);
    return;
  }
  offerCaptures(*model);
  if (!QFileInfo(corpus_->text()).isFile() || output_->text().isEmpty()) {
    say(tr("Choose a corpus: a text with one sentence a line, or a treebank in CoNLL-U."), false);
    return;
  }
  if (request().captures.empty()) {
    say(tr("Choose at least one thing to keep."), false);
    return;
  }
  if (const QString name = name_->text().trimmed(); !name.isEmpty()) {
    if (const std::string why = io::why_no_recording_name(name.toStdString()); !why.empty()) {
      say(tr("This cannot be its name: %1.").arg(QString::fromStdString(why)), false);
      return;
    }
  }
  const OutputState state = output_state(output_->text());
  if (state == OutputState::complete) {
    say(tr("There is a finished recording of this name: open it, or choose another name."), false);
    return;
  }
  if (state == OutputState::occupied) {
    say(tr("There is something else of this name: choose another one."), false);
    return;
  }
  resume_ = state == OutputState::incomplete;
  start_->setText(resume_ ? tr("&Go on") : tr("&Start"));
  command_->setText(batch_command(request(), *model));
  command_->setCursorPosition(0);
  say(tr("Reading the corpus…"), true);
  timer_.start();
}

void BatchDialog::estimate() {
  runner_.estimate(
      request(), this,
      [this](const app::RecordEstimate& estimate) {
        const bool room = estimate.free_bytes < 0 || estimate.size_bytes <= estimate.free_bytes;
        say(room ? estimate_text(estimate)
                 : estimate_text(estimate) + QLatin1Char('\n') +
                       tr("This does not fit: keep less, or choose another disk."),
            room);
      },
      [this](const QString& message) { say(message, false); });
}

QString BatchDialog::estimateText() const {
  return estimate_->text();
}

bool BatchDialog::canStart() const {
  return start_->isEnabled();
}

}  // namespace mog::gui
