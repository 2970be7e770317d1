#include "app/gui/window/about.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>
#include <exception>

#include "app/gui/session/job_runner.h"
#include "app/workflow/common/resources.h"
#include "model/model.h"

namespace mog::gui {
namespace {

struct Library {
  QString name;
  QString version;
  QString licence;
};

// Versions of what is linked are those of the build, Qt's is that of the run.
QList<Library> libraries(const QString& engine) {
  return {{QStringLiteral("Qt"), QString::fromLatin1(qVersion()), QStringLiteral("LGPL-3.0")},
          {QStringLiteral("LibTorch"), engine, QStringLiteral("BSD-3-Clause")},
          {QStringLiteral("HDF5"), QStringLiteral(MOG_HDF5_VERSION), QStringLiteral("BSD")},
          {QStringLiteral("Boost"), QStringLiteral(MOG_BOOST_VERSION), QStringLiteral("BSL-1.0")},
          {QStringLiteral("ICU"), QStringLiteral(MOG_ICU_VERSION), QStringLiteral("Unicode")},
          {QStringLiteral("Expat"), QStringLiteral(MOG_EXPAT_VERSION), QStringLiteral("MIT")}};
}

}  // namespace

QString documentation_page() {
  try {
    // In a source tree, and as it is installed.
    for (const char* const folder : {"docs", "doc/mog-workbench/docs"}) {
      const auto beside = app::resources_dir() / ".." / folder / "desktop.md";
      const QFileInfo page(QString::fromStdString(beside.lexically_normal().string()));
      if (page.isFile()) {
        return page.absoluteFilePath();
      }
    }
    return {};
  } catch (const std::exception&) {
    return {};
  }
}

AboutPage::AboutPage(JobRunner& jobs, QWidget* parent)
    : QDialog(parent), engine_(tr("asking…")), text_(new QLabel(this)) {
  setWindowTitle(tr("About MoG Workbench"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 16);
  column->setSpacing(16);
  auto* row = new QHBoxLayout;
  row->setSpacing(20);
  auto* mark = new QLabel(this);
  mark->setPixmap(QApplication::windowIcon().pixmap(64, 64));
  row->addWidget(mark, 0, Qt::AlignTop);
  text_->setTextFormat(Qt::RichText);
  text_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  text_->setOpenExternalLinks(true);
  row->addWidget(text_, 1);
  column->addLayout(row);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  QPushButton* guide = buttons->addButton(tr("&Guide"), QDialogButtonBox::ActionRole);
  QPushButton* keys = buttons->addButton(tr("&Keys"), QDialogButtonBox::ActionRole);
  qt_ = buttons->addButton(tr("About &Qt"), QDialogButtonBox::HelpRole);
  column->addWidget(buttons);
  connect(guide, &QPushButton::clicked, this, &AboutPage::guideAsked);
  connect(keys, &QPushButton::clicked, this, &AboutPage::keysAsked);
  connect(qt_, &QPushButton::clicked, this, [] { QApplication::aboutQt(); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  print();
  jobs.start(
      {.title = [] { return tr("Asking the engine"); }, .slot = QStringLiteral("about"), .quiet = true}, this,
      [](const JobContext&) {
        const model::EngineReport report = model::engine_report();
        return std::pair(report.available, report.torch_version);
      },
      [this](const std::pair<bool, std::string>& engine) {
        engine_ = engine.first ? QString::fromStdString(engine.second) : tr("not available");
        print();
      },
      [this](const QString& message) {
        engine_ = message;
        print();
      });
}

QString AboutPage::text() const {
  return text_->text();
}

void AboutPage::print() {
  QString text = QStringLiteral("<h2>MoG Workbench</h2><p>%1<br>%2<br>%3</p>")
                     .arg(tr("Version %1").arg(QStringLiteral(MOG_VERSION)),
                          tr("Gates, attention and multi-order graphs of trained Transformers"),
                          tr("Copyright 2026 the MoG Workbench developers. %1")
                              .arg(QStringLiteral("<a href=\"https://www.apache.org/licenses/LICENSE-2.0\">"
                                                  "Apache License 2.0</a>")));
  text += QStringLiteral("<table cellspacing=\"0\" cellpadding=\"2\">");
  for (const Library& library : libraries(engine_)) {
    text += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td>%3</td></tr>")
                .arg(library.name.toHtmlEscaped(), library.version.toHtmlEscaped(),
                     library.licence.toHtmlEscaped());
  }
  text += QStringLiteral("</table>");
  if (const QString page = documentation_page(); !page.isEmpty()) {
    text +=
        QStringLiteral("<p>%1</p>")
            .arg(tr("How it is used: %1")
                     .arg(QStringLiteral("<a href=\"%1\">docs/desktop.md</a>")
                              .arg(QUrl::fromLocalFile(page).toString(QUrl::FullyEncoded).toHtmlEscaped())));
  }
  text_->setText(text);
}

}  // namespace mog::gui
