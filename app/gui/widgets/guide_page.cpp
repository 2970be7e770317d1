#include "app/gui/widgets/guide_page.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <string>

#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

QString as_text(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

bool holds(const app::GuideEntry& entry, const QStringList& words) {
  const QString all = QStringList{as_text(entry.name), guide_text(entry.title), as_text(entry.symbols),
                                  guide_text(entry.formula), guide_text(entry.meaning)}
                          .join(QLatin1Char(' '));
  return std::all_of(words.begin(), words.end(),
                     [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

QString row(const QString& label, const QString& value) {
  return value.isEmpty() ? QString()
                         : QStringLiteral("<tr><td style='padding-right:16px'><b>%1</b></td><td>%2</td></tr>")
                               .arg(label, value.toHtmlEscaped());
}

}  // namespace

QString guide_text(std::string_view text) {
  return text.empty() ? QString() : QCoreApplication::translate("Guide", std::string(text).c_str());
}

GuidePage::GuidePage(QWidget* parent, std::vector<const app::GuideEntry*> own)
    : QDialog(parent),
      own_(std::move(own)),
      find_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      page_(new QTextBrowser(this)) {
  setWindowTitle(tr("Quantities and views"));
  find_->setPlaceholderText(tr("Find a quantity by name or words"));
  find_->setAccessibleName(tr("Find a quantity"));
  find_->setClearButtonEnabled(true);
  name_clear_button(*find_);
  list_->setAccessibleName(tr("Quantities and views"));
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // long names end with an ellipsis
  page_->setAccessibleName(tr("What it is"));
  page_->setOpenLinks(false);
  show_focus(*page_);
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(find_);
  column->addWidget(list_, 1);
  auto* halves = new QSplitter(Qt::Horizontal, this);
  halves->addWidget(side);
  halves->addWidget(page_);
  halves->setStretchFactor(1, 1);
  halves->setSizes({300, 500});
  halves->setChildrenCollapsible(false);
  auto* whole = new QVBoxLayout(this);
  whole->addWidget(halves, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  whole->addWidget(buttons);
  connect(find_, &QLineEdit::textChanged, this, &GuidePage::fill);
  connect(list_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    if (item != nullptr) {
      if (const app::GuideEntry* entry = find(item->data(Qt::UserRole).toString())) {
        print(*entry);
      }
    }
  });
  connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { showEntry(link.path()); });
  resize(860, 560);
  fill();
}

const app::GuideEntry* GuidePage::find(const QString& name) const {
  const auto at = std::find_if(own_.begin(), own_.end(),
                               [&](const app::GuideEntry* entry) { return as_text(entry->name) == name; });
  return at == own_.end() ? app::explain(name.toStdString()) : *at;
}

void GuidePage::fill() {
  const QStringList words = find_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  const QString current = list_->currentItem() ? list_->currentItem()->data(Qt::UserRole).toString() : shown_;
  list_->clear();
  std::vector<const app::GuideEntry*> all = app::guide();
  all.insert(all.end(), own_.begin(), own_.end());
  // Views first: they are what a reader asks from.
  std::stable_partition(all.begin(), all.end(),
                        [](const app::GuideEntry* entry) { return app::is_of_program(*entry); });
  const app::GuideEntry* named = find(find_->text().trimmed());
  for (const app::GuideEntry* entry : all) {
    if (entry == named || holds(*entry, words)) {
      auto* item = new QListWidgetItem(guide_text(entry->title), list_);
      item->setData(Qt::UserRole, as_text(entry->name));
      item->setToolTip(app::is_of_program(*entry)
                           ? QString()
                           : guide_text(entry->title) + QLatin1Char('\n') + as_text(entry->name));
      if (as_text(entry->name) == current || entry == named) {
        list_->setCurrentItem(item);
      }
    }
  }
  if (list_->currentItem() == nullptr && list_->count() > 0) {
    list_->setCurrentRow(0);
  }
  if (list_->count() == 0) {
    shown_.clear();
    page_->setPlainText(
        tr("No text has these words. Names are those of docs/quantities.md, for example "
           "encoder.3.gate.mean."));
  }
}

void GuidePage::print(const app::GuideEntry& entry) {
  shown_ = as_text(entry.name);
  QString html = QStringLiteral("<h3>%1</h3>").arg(guide_text(entry.title).toHtmlEscaped());
  if (!app::is_of_program(entry)) {
    html += QStringLiteral("<p><code>%1</code></p>").arg(shown_.toHtmlEscaped());
  }
  html += QStringLiteral("<p>%1</p>").arg(guide_text(entry.meaning).toHtmlEscaped());
  html += QStringLiteral("<table>") + row(tr("Symbol"), as_text(entry.symbols)) +
          row(tr("Formula"), guide_text(entry.formula)) + row(tr("Unit"), guide_text(entry.unit)) +
          row(tr("Range"), guide_text(entry.range)) + row(tr("Claim"), guide_text(app::text(entry.level))) +
          QStringLiteral("</table>");
  QStringList links;
  for (const QString& name : related_) {
    if (const app::GuideEntry* other = find(name); other != nullptr && other != &entry) {
      links.push_back(QStringLiteral("<a href='%1'>%2</a>")
                          .arg(name.toHtmlEscaped(), guide_text(other->title).toHtmlEscaped()));
    }
  }
  if (!links.isEmpty()) {
    html +=
        QStringLiteral("<p><b>%1</b><br>%2</p>").arg(tr("Shown there"), links.join(QStringLiteral("<br>")));
  }
  page_->setHtml(html);
}

void GuidePage::showEntry(const QString& name, const QStringList& related) {
  const app::GuideEntry* entry = find(name);
  if (entry == nullptr) {
    return;
  }
  if (!related.isEmpty()) {
    related_ = related;
  }
  find_->clear();
  for (int i = 0; i < list_->count(); ++i) {
    if (list_->item(i)->data(Qt::UserRole).toString() == as_text(entry->name)) {
      list_->setCurrentRow(i);
      list_->scrollToItem(list_->item(i));
    }
  }
  print(*entry);
}

void GuidePage::search(const QString& words) {
  find_->setText(words);
}

int GuidePage::count() const {
  return list_->count();
}

QString GuidePage::text() const {
  return page_->toPlainText();
}

}  // namespace mog::gui
