#include "app/gui/views/compare/interventions_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "analysis/figure_data/attention_overview.h"
#include "app/gui/session/intervention_text.h"
#include "app/gui/session/part_text.h"
#include "app/gui/session/typed_run.h"
#include "app/gui/views/item_models/trail_model.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/number_box.h"
#include "app/gui/widgets/offer_button.h"
#include "app/gui/widgets/table_view.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

constexpr int kSideBySide = 640;  // pixels

bool has_gates(const RecordingHeader& header) {
  return std::any_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
    return schema.name.stack() == header.stack().stack && schema.name.quantity() == Quantity::gate;
  });
}

}  // namespace

InterventionsView::InterventionsView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      what_(new QComboBox(this)),
      part_(new QComboBox(this)),
      terms_(new QComboBox(this)),
      target_(new QLabel(this)),
      value_(new NumberBox(this)),
      word_(new QLineEdit(this)),
      run_(new QPushButton(tr("&Run with this intervention"), this)),
      offer_(new OfferButton(this)),
      export_(new QPushButton(tr("&Write the trail…"), this)),
      table_(new TableView(this)),
      trail_(new TrailModel(this)),
      halves_(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
  build();
  connect(what_, &QComboBox::currentIndexChanged, this, &InterventionsView::update);
  connect(part_, &QComboBox::currentIndexChanged, this, &InterventionsView::update);
  connect(terms_, &QComboBox::currentIndexChanged, this, &InterventionsView::update);
  connect(word_, &QLineEdit::textChanged, this, &InterventionsView::update);
  connect(word_, &QLineEdit::returnPressed, this, &InterventionsView::run);
  connect(run_, &QPushButton::clicked, this, &InterventionsView::run);
  connect(export_, &QPushButton::clicked, this, &InterventionsView::exportTrail);
  connect(&selection(), &SelectionModel::sentenceChanged, this, &InterventionsView::invalidate);
  connect(&selection(), &SelectionModel::mapChanged, this, &InterventionsView::update);
  connect(&selection(), &SelectionModel::tokenChanged, this, &InterventionsView::update);
  connect(&workspace(), &Workspace::modelChanged, this, &InterventionsView::invalidate);
  connect(&workspace(), &Workspace::itemChanged, this, &InterventionsView::invalidate);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (now.isValid() && !following_) {
              workspace().select({selection().sentence().item, now.row()});
            }
          });
}

void InterventionsView::build() {
  halves_->setContentsMargins(8, 4, 8, 8);
  halves_->setSpacing(16);
  auto* column = new QVBoxLayout;
  column->setSpacing(8);
  // No QFormLayout: that of Qt 6.4 writes beyond its memory with hidden rows beside a text that wraps.
  auto* form = new QGridLayout;
  form->setHorizontalSpacing(8);
  form->setVerticalSpacing(4);
  form->setColumnStretch(1, 1);
  const std::vector<std::pair<QString, QWidget*>> rows = {{tr("Intervention"), what_}, {tr("Of"), target_},
                                                          {tr("Part"), part_},         {tr("Term"), terms_},
                                                          {tr("By"), word_},           {tr("Value"), value_}};
  for (const auto& [text, field] : rows) {
    auto* label = new QLabel(text, this);
    label->setBuddy(field);
    const int row = static_cast<int>(labels_.size());
    form->addWidget(label, row, 0, Qt::AlignTop);
    form->addWidget(field, row, 1);
    labels_.emplace(field, label);
  }
  form->setRowStretch(static_cast<int>(rows.size()), 1);  // takes the room while there is no trail
  target_->setWordWrap(true);
  target_->setAlignment(Qt::AlignTop);
  target_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  value_->setSingleStep(0.1);
  value_->setDecimals(2);
  word_->setPlaceholderText(tr("another word, several, or none"));
  set_label(*what_, tr("Which intervention"));
  set_label(*part_, tr("Part that is cut"));
  set_label(*terms_, tr("Term that is cut"));
  terms_->setToolTip(
      tr("Of the attention scores content (q·k), relation_key (q·RK) and relation_query (RQ·k), of "
         "the values relation_value (RV); graph: all of relations. Of the chosen head, or of all."));
  value_->setAccessibleName(tr("Value of the intervention"));
  word_->setAccessibleName(tr("Words in the place of this one"));
  column->addLayout(form);
  column->addWidget(run_, 0, Qt::AlignLeft);
  column->addWidget(offer_, 0, Qt::AlignLeft);
  column->addStretch(1);
  halves_->addLayout(column, 2);
  table_->setModel(trail_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);  // Tab goes on to the next control
  table_->setAlternatingRowColors(true);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setHighlightSections(false);
  const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  table_->setColumnWidth(TrailModel::kNumber, 6 * digit);
  table_->setColumnWidth(TrailModel::kParent, 6 * digit);
  table_->setAccessibleName(tr("Trail of interventions"));
  auto* trail = new QVBoxLayout;
  trail->setSpacing(8);
  trail->addWidget(table_, 1);
  trail->addWidget(export_, 0, Qt::AlignLeft);
  halves_->addLayout(trail, 3);
}

// The trail stands beside what is asked for; in a narrow pane below it.
void InterventionsView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  halves_->setDirection(width() >= kSideBySide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

const TypedSentence* InterventionsView::typed() const {
  const WorkspaceItem* item = workspace().selectedItem();
  const auto index = selection().sentence().index;
  return item != nullptr && item->kind == WorkspaceItem::Kind::typed && index >= 0 &&
                 index < static_cast<std::int64_t>(item->typed.size())
             ? &item->typed[static_cast<std::size_t>(index)]
             : nullptr;
}

const Sentence& InterventionsView::sentence() const {
  const auto from = source();
  const std::int64_t index = selection().sentence().index;
  if (sentence_source_.lock() != from || sentence_index_ != index) {
    sentence_ = from->sentence(index);
    sentence_source_ = from;
    sentence_index_ = index;
  }
  return sentence_;
}

void InterventionsView::refresh() {
  const WorkspaceItem* item = workspace().selectedItem();
  trail_->setRows(typed() == nullptr ? std::vector<TrailRow>() : trail_of(*item));
  if (typed() != nullptr) {
    following_ = true;
    table_->selectRow(static_cast<int>(selection().sentence().index));
    following_ = false;
  }
  fillChoices();
  update();
}

// What this model has; the choice stays where it can.
void InterventionsView::fillChoices() {
  const WorkspaceItem* item = workspace().selectedItem();
  const bool any = typed() != nullptr;
  const QVariant was = what_->currentData();
  const QVariant was_part = part_->currentData();
  const QString was_term = terms_->currentText();
  const QSignalBlocker quiet(what_);
  const QSignalBlocker quiet_part(part_);
  const QSignalBlocker quiet_terms(terms_);
  what_->clear();
  part_->clear();
  terms_->clear();
  term_sets_.clear();
  if (!any) {
    return;
  }
  const auto add = [this](const QString& text, Choice choice) {
    what_->addItem(text, static_cast<int>(choice));
  };
  const SelectionExtent& extent = selection().extent();
  const bool recurrent = std::any_of(extent.parts.begin(), extent.parts.end(), has_carry);
  add(tr("Mask the word"), Choice::mask);
  add(tr("Replace the word"), Choice::replace);
  if (!recurrent) {
    if (extent.heads > 0) {
      add(tr("Scale or cut the head"), Choice::head);
    }
    add(tr("Scale or cut the part"), Choice::part);
    add(tr("Scale or cut the layer"), Choice::layer);
    add(tr("Scale or cut the feed-forward block"), Choice::feed_forward);
  }
  const bool gates = has_gates(item->source->header());
  if (gates && !recurrent) {
    add(tr("Set the gate"), Choice::gate);
  }
  fillTerms(*item);
  if (!term_sets_.empty()) {
    add(tr("Cut a term of the graph"), Choice::graph);
  }
  for (const Part part : extent.parts) {
    part_->addItem(part_text(part), part.id());
  }
  const Part carried = item->source->header().stack().carried();
  if (gates && !recurrent && carried != Part::none) {
    part_->addItem(part_text(carried), carried.id());  // it has no map
  }
  what_->setCurrentIndex(std::max(0, what_->findData(was)));
  part_->setCurrentIndex(std::max(0, part_->findData(was_part)));
  terms_->setCurrentIndex(std::max(0, terms_->findText(was_term)));
}

void InterventionsView::fillTerms(const WorkspaceItem& item) {
  const WorkspaceModel* const model = workspace().model(item.model);
  if (model == nullptr) {
    return;
  }
  term_sets_ = app::graph_term_sets(model->loaded.model->config());
  for (const app::GraphTermSet& terms : term_sets_) {
    terms_->addItem(terms.size() > 1 ? QStringLiteral("graph") : QString::fromStdString(app::text(terms)));
  }
}

InterventionsView::Choice InterventionsView::choice() const {
  return static_cast<Choice>(what_->currentData().toInt());
}

void InterventionsView::setChoice(Choice choice) {
  what_->setCurrentIndex(what_->findData(static_cast<int>(choice)));
}

// Parts whose head is cut: the selected one, or all of the layer.
std::vector<Part> InterventionsView::partsToCut() const {
  if (selection().part() != Part::none) {
    return {selection().part()};
  }
  return analysis::parts_of_layer(workspace().selectedItem()->source->header(), selection().layer());
}

QString InterventionsView::whatIsMissing() const {
  if (workspace().selectedItem() == nullptr) {
    return whyNoSentence().hint;
  }
  if (typed() == nullptr) {
    return tr("Interventions run the model once more, on a sentence that it ran here.");
  }
  const bool of_word = choice() == Choice::mask || choice() == Choice::replace;
  if (of_word && !selection().token()) {
    return tr("Choose a word in a picture (a click, or Left and Right).");
  }
  const bool special = selection().token() &&
                       *selection().token() < static_cast<std::int64_t>(sentence().tokens.size()) &&
                       sentence().tokens[static_cast<std::size_t>(*selection().token())].word < 0;
  if (choice() == Choice::replace && special) {
    return tr("This is a special token, not a word.");
  }
  if (choice() == Choice::head && selection().head() == 0) {
    return tr("Choose a head ([ and ], or a thumbnail).");
  }
  return {};
}

QString InterventionsView::target() const {
  if (QString missing = whatIsMissing(); !missing.isEmpty()) {
    return missing;
  }
  if (choice() == Choice::replace) {
    const std::int64_t word = sentence().tokens.at(static_cast<std::size_t>(*selection().token())).word;
    return tr("“%1”, word %2")
        .arg(QString::fromStdString(sentence().words.at(static_cast<std::size_t>(word)).text))
        .arg(word + 1);
  }
  QStringList texts;
  for (const model::Intervention& intervention : interventions()) {
    const QString text = intervention_text(intervention, sentence());
    if (!texts.contains(text)) {
      texts.push_back(text);
    }
  }
  return texts.join(QStringLiteral(", "));
}

std::vector<model::Intervention> InterventionsView::interventions() const {
  std::vector<model::Intervention> interventions;
  if (!whatIsMissing().isEmpty()) {
    return interventions;
  }
  const std::int64_t layer = selection().layer();
  switch (choice()) {
    case Choice::mask:
      for (const std::int64_t token : tokens_of_word(sentence(), *selection().token())) {
        interventions.emplace_back(model::MaskToken{.sentence = 0, .token = token});
      }
      break;
    case Choice::head:
      for (const Part part : partsToCut()) {
        interventions.emplace_back(model::ScaleHead{
            .layer = layer, .part = part, .head = selection().head(), .factor = value_->value()});
      }
      break;
    case Choice::part:
      interventions.emplace_back(model::ScalePart{
          .layer = layer, .part = Part::of_id(part_->currentData().toInt()), .factor = value_->value()});
      break;
    case Choice::layer:
      interventions.emplace_back(model::ScaleLayer{.layer = layer, .factor = value_->value()});
      break;
    case Choice::feed_forward:
      interventions.emplace_back(model::ScaleFeedForward{.layer = layer, .factor = value_->value()});
      break;
    case Choice::gate: {
      const auto token = selection().token();
      const auto tokens = token ? tokens_of_word(sentence(), *token) : std::vector<std::int64_t>();
      if (tokens.empty()) {
        interventions.emplace_back(
            model::SetGate{.layer = layer, .sentence = 0, .token = {}, .value = value_->value()});
      }
      for (const std::int64_t one : tokens) {
        interventions.emplace_back(
            model::SetGate{.layer = layer, .sentence = 0, .token = one, .value = value_->value()});
      }
      break;
    }
    case Choice::graph:
      for (const model::GraphTerm term : term_sets_.at(static_cast<std::size_t>(terms_->currentIndex()))) {
        const std::int64_t head = selection().head();
        interventions.emplace_back(model::CutGraphTerm{
            .layer = layer, .term = term, .head = head > 0 ? std::optional(head) : std::nullopt});
      }
      break;
    case Choice::replace:
      break;
  }
  return interventions;
}

void InterventionsView::update() {
  const bool any = typed() != nullptr;
  const auto show = [this](QWidget* field, bool on) {
    field->setVisible(on);
    labels_.at(field)->setVisible(on);
  };
  const bool scaled = choice() == Choice::head || choice() == Choice::part || choice() == Choice::layer ||
                      choice() == Choice::feed_forward;
  show(what_, any);
  show(part_, any && choice() == Choice::part);
  show(terms_, any && choice() == Choice::graph);
  show(word_, any && choice() == Choice::replace);
  show(value_, any && (scaled || choice() == Choice::gate));
  value_->setRange(0, choice() == Choice::gate ? 1 : 4);
  value_->setToolTip(choice() == Choice::gate ? tr("1: only high and middle order, 0: only low order")
                     : choice() == Choice::head
                         ? tr("0 cuts, 1 leaves as it is; the bias of the output map stays, even "
                              "where all heads are cut")
                     : choice() == Choice::part
                         ? tr("0 cuts, 1 leaves as it is; the bias of the part's output map goes with it")
                         : tr("0 cuts, 1 leaves as it is"));
  labels_.at(target_)->setVisible(any);
  target_->setText(target());
  run_->setVisible(any);
  offer_->setOffer(any ? Offer() : modelOffer());
  run_->setEnabled(whatIsMissing().isEmpty());
  table_->setVisible(any);
  export_->setVisible(any);
}

void InterventionsView::run() {
  if (!whatIsMissing().isEmpty()) {
    update();
    return;
  }
  const TypedSentence now = *typed();
  const WorkspaceModel* model = workspace().model(workspace().selectedItem()->model);
  if (choice() == Choice::replace && model != nullptr) {
    const std::int64_t word = sentence().tokens.at(static_cast<std::size_t>(*selection().token())).word;
    ReplacedWord replaced =
        replace_word(sentence(), now.interventions, word, word_->text().trimmed().toStdString(),
                     *tokenizer_of(model->loaded, now.words));
    workspace().runChanged(selection().sentence(), std::move(replaced.text),
                           std::move(replaced.interventions));
    return;
  }
  std::vector<model::Intervention> all = now.interventions;
  const std::vector<model::Intervention> more = interventions();
  all.insert(all.end(), more.begin(), more.end());
  workspace().runChanged(selection().sentence(), now.text, std::move(all));
}

void InterventionsView::writeTrail(const QString& path) const {
  QString text = QStringLiteral("sentence\tof\tchange\n");
  for (const TrailRow& row : trail_->rows()) {
    text += QStringLiteral("%1\t%2\t%3\n")
                .arg(QString::number(row.number), row.parent > 0 ? QString::number(row.parent) : QString(),
                     row.change.simplified());
  }
  const QByteArray bytes = text.toUtf8();
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
    throw StorageError("Writing the trail " + path.toStdString() + ": " + file.errorString().toStdString() +
                       ".");
  }
}

void InterventionsView::exportTrail() {
  auto* dialog = new QFileDialog(this, tr("Write the trail of interventions"), QStringLiteral("trail.tsv"),
                                 tr("Tables (*.tsv)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("tsv"));
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    try {
      writeTrail(path);
    } catch (...) {
      workspace().report(error_text(std::current_exception()));
    }
  });
  dialog->open();
}

const ViewKind& InterventionsView::kind() {
  static const ViewKind kind{
      .name = "changes",
      .rank = 2,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new InterventionsView(context, parent);
      },
      .places = {{"compare", 1, 0}},
      .guide = [](const ViewContext& context) -> QStringList {
        Q_UNUSED(context)
        return {QStringLiteral("effect")};
      },
  };
  return kind;
}

std::span<const ViewKind> interventions_view_kinds() {
  return {&InterventionsView::kind(), 1};
}

}  // namespace mog::gui
