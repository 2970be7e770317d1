#include "app/gui/decomposition_view.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/gui/figure_view.h"
#include "app/workflow/named_quantities.h"

namespace mog::gui {
namespace {

struct Kind {
  const char* setting;
  // The first that is recorded is shown. %1: the layer; *: all of them.
  std::array<const char*, 3> quantities;
  bool of_pair;  // of a query and a key
  bool by_head;
};
constexpr std::array<Kind, 5> kKinds = {
    {{"score", {"encoder.%1.full.logit_terms", "encoder.%1.full.separate_terms", ""}, true, true},
     {"weight", {"encoder.%1.full.aumann_shapley", "", ""}, true, true},
     {"values", {"encoder.*.full.value_parts", "encoder.*.pseudo_gate.fine", ""}, false, false},
     {"state",
      {"encoder.*.split", "encoder.*.pseudo_gate.projection", "encoder.*.pseudo_gate.proximity"},
      false,
      false},
     {"sources",
      {"encoder.%1.propagation.norm", "encoder.propagation.norm", "encoder.propagation.projection"},
      false,
      false}}};

const Kind& kind_of(DecompositionView::Show show) {
  return kKinds[static_cast<std::size_t>(show)];
}

QString of_layer(const char* quantity, std::int64_t layer) {
  const QString pattern = QString::fromLatin1(quantity);
  return pattern.contains(QStringLiteral("%1")) ? pattern.arg(layer) : pattern;
}

// The first of the quantities of a kind that the recording holds; empty: none.
QString recorded(const RecordingHeader& header, const Kind& kind, std::int64_t layer) {
  for (const char* quantity : kind.quantities) {
    const QString pattern = of_layer(quantity, layer);
    if (std::any_of(header.quantities.begin(), header.quantities.end(),
                    [text = pattern.toStdString()](const QuantitySchema& schema) {
                      return !text.empty() && app::matches_name(text, schema.name.text());
                    })) {
      return pattern;
    }
  }
  return {};
}

}  // namespace

DecompositionView::DecompositionView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      show_choice_(new Choice(tr("Decomposed"), this)),
      what_(new LineLabel(this)),
      picture_(new FigureView(this)) {
  asksIn({QStringLiteral("decomposition")});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* tools = make_tool_row();
  const auto add = [this](const QString& text, Show show, const QString& tip) {
    show_choice_->add(text, static_cast<int>(show), tip);
  };
  add(tr("Score"), Show::score,
      tr("Terms of the attention score: previous and incremental part of query and key"));
  add(tr("Weight"), Show::weight, tr("What each term does to the weight of the map (Aumann-Shapley)"));
  add(tr("Values"), Show::values, tr("Output of the attention by cause and part of the values, by layer"));
  add(tr("State"), Show::state,
      tr("Carried, attention, feed-forward and bias part of the word's state, by layer"));
  add(tr("Sources"), Show::sources, tr("What the word's state owes to each input word (propagation)"));
  tools->addWidget(show_choice_);
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Decomposition"));
  connect(show_choice_, &Choice::chosen, this, [this](int chosen) { setShow(static_cast<Show>(chosen)); });
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kDecomposed) {
      invalidate();
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, &DecompositionView::invalidate);
  connect(&selection(), &SelectionModel::mapChanged, this, &DecompositionView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &DecompositionView::invalidate);
  connect(&selection(), &SelectionModel::keyChanged, this, &DecompositionView::invalidate);
  connect(picture_, &FigureView::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    picture_->setHighlight(hit ? hit->highlight() : figures::Highlight{});
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureView::clicked, this, &DecompositionView::chosen);
}

void DecompositionView::setShow(Show show) {
  state().set(setting::kDecomposed, QString::fromLatin1(kind_of(show).setting));
}

DecompositionView::Show DecompositionView::show() const {
  const QString now = state().choice(setting::kDecomposed);
  const auto at = std::find_if(kKinds.begin(), kKinds.end(),
                               [&now](const Kind& kind) { return now == QLatin1String(kind.setting); });
  return at == kKinds.end() ? Show::score : static_cast<Show>(at - kKinds.begin());
}

void DecompositionView::showEmpty(const QString& title, const QString& hint) {
  made_ = {};
  hint_ = hint;
  what_->clear();
  picture_->setEmpty(title, hint);
}

// Why a recording has no such numbers, or how to get them.
QString DecompositionView::missing(const RecordingHeader& header, const QString& quantity) const {
  const std::string& encoder = header.model.encoder_kind;
  if (encoder == "graph_transformer") {
    return tr(
        "A Graph-Transformer has its parts itself: each map of high, middle 1 and middle 2 is one term "
        "(keys 1 to 3), its gate weighs them. The exact split is of plain Transformers.");
  }
  if (encoder == "gru" || encoder == "lstm") {
    return tr(
        "A recurrent encoder has no attention scores to split: its gates and carry weights say what a "
        "state takes from others.");
  }
  QString all = quantity;
  all.replace(QStringLiteral("%1"), QStringLiteral("*"));
  return tr("Record the corpus again with these numbers (of an encoder with layer norm):\n"
            "mog record --model MODEL --input TEXT --output parts.rec --quantity '%1'")
      .arg(all);
}

void DecompositionView::refresh() {
  const auto recording = source();
  const Kind& kind = kind_of(show());
  show_choice_->setCurrent(static_cast<int>(show()));
  show_choice_->setVisible(recording != nullptr);
  if (recording == nullptr) {
    const Empty empty = noSentence(tr("Here you see what an attention score of a sentence is made of."));
    showEmpty(empty.title, empty.hint);
    return;
  }
  const QString wanted = recorded(recording->header(), kind, selection().layer());
  if (wanted.isEmpty()) {
    showEmpty(tr("Not in this recording: %1").arg(of_layer(kind.quantities.front(), selection().layer())),
              missing(recording->header(), QString::fromLatin1(kind.quantities.front())));
    return;
  }
  const auto token = selection().token();
  if (!token) {
    showEmpty(tr("No word yet"), kind.of_pair
                                     ? tr("Click a cell of the attention matrix: its row is the query, "
                                          "its column the key.")
                                     : tr("Click a word in any picture."));
    return;
  }
  app::FigureOptions options;
  options.kind = "token-bars";
  options.statistics.names = {wanted.toStdString()};
  options.statistics.measures.clear();
  options.token = *token + 1;
  if (kind.of_pair) {
    options.key = selection().key() ? *selection().key() + 1 : 0;
  }
  if (kind.by_head) {
    options.head = selection().head();
  }
  picture_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Reading a decomposition"); },
       .slot = QStringLiteral("decomposition"),
       .quiet = true},
      this,
      [recording, options, index = selection().sentence().index](const JobContext& context) mutable {
        options.sentence = recording->number(index);
        return MadeFigure{std::make_shared<const analysis::FigureData>(
                              app::make_sentence_figure(options, *recording, context.stop())),
                          options};
      },
      [this](MadeFigure made) {
        made_ = made;
        hint_.clear();
        what_->setText(placeText(made.made_by), QString::fromStdString(made.figure->caption));
        picture_->setHighlight({});
        picture_->setFigure(std::move(made.figure));
      },
      [this](const QString& message) { showEmpty(tr("This cannot be decomposed"), message); });
}

// Which word, key and head.
QString DecompositionView::placeText(const app::FigureOptions& made_by) const {
  QStringList parts = {tr("token %1").arg(made_by.token)};
  if (made_by.key > 0) {
    parts.push_back(tr("key %1").arg(made_by.key));
  }
  if (kind_of(show()).by_head) {
    parts.push_back(made_by.head > 0 ? tr("head %1").arg(made_by.head) : tr("mean over heads"));
  }
  return parts.join(QStringLiteral(", "));
}

// A bar of a key, where all are shown, chooses it.
void DecompositionView::chosen(const figures::Hit& hit) {
  if (kind_of(show()).of_pair && made_.figure && made_.made_by.key == 0 && hit.column >= 0) {
    selection().setKey(hit.column);
  } else if (kind_of(show()).of_pair) {
    selection().setKey(std::nullopt);
  }
}

std::vector<ExportItem> DecompositionView::exports() const {
  if (made_.figure == nullptr || picture_->figure() == nullptr) {
    return {};
  }
  return {{tr("Decomposition"),
           QString::fromLatin1(kind_of(show()).setting) + QLatin1Char('-') + selectionName() +
               QStringLiteral("-t%1").arg(made_.made_by.token),
           picture_->figure(),
           {},
           commandOf(made_.made_by)}};
}

}  // namespace mog::gui
