#include "app/gui/views/attention/decomposition_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/gui/views/common/decomposition_run.h"
#include "app/gui/widgets/figure_canvas.h"

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

}  // namespace

DecompositionView::DecompositionView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      show_choice_(new Choice(tr("Decomposed"), this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  asksIn({QStringLiteral("decomposition")});
  const auto [column, tools] = make_tool_column(this);
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
  connect(&workspace(), &Workspace::modelChanged, this, [this] {
    if (made_.figure == nullptr) {
      invalidate();  // the model may be the one that was missing
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, &DecompositionView::invalidate);
  connect(&selection(), &SelectionModel::mapChanged, this, &DecompositionView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &DecompositionView::invalidate);
  connect(&selection(), &SelectionModel::keyChanged, this, &DecompositionView::invalidate);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    picture_->setHighlight(hit ? hit->highlight() : figures::Highlight{});
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, &DecompositionView::chosen);
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

void DecompositionView::showEmpty(const Empty& empty) {
  made_ = {};
  hint_ = empty.hint;
  what_->clear();
  picture_->setEmpty(empty.title, empty.hint, empty.offer);
}

// Why a recording has no such numbers, or how to get them.
QString DecompositionView::missing(const RecordingHeader& header, const QString& quantity) const {
  if (header.stack().has_groups()) {
    return tr(
        "A Graph-Transformer has its parts itself: each map of high, middle 1 and middle 2 is one term "
        "(keys 1 to 3), its gate weighs them. The exact split is of plain Transformers.");
  }
  if (header.stack().recurrent()) {
    return tr(
        "A recurrent encoder has no attention scores to split: its gates and carry weights say what a "
        "state takes from others.");
  }
  QString all = quantity;
  all.replace(QStringLiteral("%1"), QStringLiteral("*"));
  QString text = tr("Open its model here (%1, Ctrl+O): this is then computed for the sentence that you look "
                    "at.")
                     .arg(QString::fromStdString(header.model.name));
  const std::string& command = header.provenance.command_line;
  text += QLatin1Char('\n');
  text += command.empty()
              ? tr("Or record the corpus once more, with --quantity '%1' added.").arg(all)
              : tr("Or record the corpus once more, with --quantity '%1' and another --output added to\n%2")
                    .arg(all, QString::fromStdString(command));
  return text;
}

void DecompositionView::refresh() {
  const auto recording = source();
  const Kind& kind = kind_of(show());
  show_choice_->setCurrent(static_cast<int>(show()));
  show_choice_->setVisible(recording != nullptr);
  if (recording == nullptr) {
    showEmpty(noSentence(tr("Here you see what an attention score of a sentence is made of.")));
    return;
  }
  const QString first = of_layer(kind.quantities.front(), selection().layer());
  const QString there = recorded_quantity(recording->header(), kind.quantities, selection().layer());
  const std::optional<DecompositionRun> run =
      there.isEmpty()
          ? decomposition_run(workspace(), *workspace().selectedItem(), selection().sentence().index, first)
          : std::nullopt;
  if (there.isEmpty() && !run) {
    const QString title = tr("Not in this recording: %1").arg(first);
    const QString why = missing(recording->header(), QString::fromLatin1(kind.quantities.front()));
    const StackDescription& stack = recording->header().stack();
    showEmpty(stack.has_groups() || stack.recurrent() ? Empty{title, why} : notRecorded(title, why));
    return;
  }
  if (!selection().token()) {
    showEmpty({tr("No word yet"), kind.of_pair
                                      ? tr("Click a cell of the attention matrix: its row is the query, "
                                           "its column the key.")
                                      : tr("Click a word in any picture.")});
    return;
  }
  ask(recording, run ? first : there, run);
}

void DecompositionView::ask(std::shared_ptr<const RecordingSource> recording, const QString& quantity,
                            const std::optional<DecompositionRun>& run) {
  const Kind& kind = kind_of(show());
  app::FigureRequest request{.kind = "token-bars"};
  request.set("quantity", quantity.toStdString()).set("token", *selection().token() + 1);
  if (kind.of_pair && selection().key()) {
    request.set("key", *selection().key() + 1);
  }
  if (kind.by_head) {
    request.set("head", selection().head());
  }
  picture_->setBusy(true);
  const std::int64_t index = selection().sentence().index;
  const bool known =
      computed_.of.lock() == recording && computed_.index == index && computed_.quantity == quantity;
  struct Result {
    MadeFigure made;
    Computed computed;
  };
  jobs().start(
      {.title = [] { return tr("Reading a decomposition"); },
       .slot = QStringLiteral("decomposition"),
       .quiet = true},
      this,
      [recording, request, index, run, quantity,
       computed = known ? computed_ : Computed{}](const JobContext& context) mutable {
        if (run && computed.values == nullptr) {
          computed = {recording, index, quantity, values_of(*run, *recording, index, context.stop())};
        }
        const RecordingSource& from = run ? *computed.values : *recording;
        request.set("sentence", from.number(run ? 0 : index));
        return Result{
            {std::make_shared<const analysis::FigureData>(app::make_figure(request, from, context.stop())),
             request},
            computed};
      },
      [this, from_run = run.has_value()](Result result) {
        MadeFigure made = std::move(result.made);
        computed_ = std::move(result.computed);
        from_run_ = from_run;
        made_ = made;
        hint_.clear();
        what_->setText(placeText(made.made_by), QString::fromStdString(made.figure->caption));
        picture_->setHighlight({});
        picture_->setFigure(std::move(made.figure));
      },
      [this](const QString& message) {
        showEmpty({tr("This cannot be decomposed"), message});
      });
}

// Which word, key and head.
QString DecompositionView::placeText(const app::FigureRequest& made_by) const {
  QStringList parts = {tr("token %1").arg(made_by.number_of("token"))};
  if (made_by.has("key")) {
    parts.push_back(tr("key %1").arg(made_by.number_of("key")));
  }
  if (kind_of(show()).by_head) {
    parts.push_back(made_by.has("head") ? tr("head %1").arg(made_by.number_of("head"))
                                        : tr("mean over heads"));
  }
  return parts.join(QStringLiteral(", "));
}

// A bar of a key, where all are shown, chooses it.
void DecompositionView::chosen(const figures::Hit& hit) {
  if (kind_of(show()).of_pair && made_.figure && !made_.made_by.has("key") && hit.column >= 0) {
    selection().setKey(hit.column);
  } else if (kind_of(show()).of_pair) {
    selection().setKey(std::nullopt);
  }
}

std::vector<ExportItem> DecompositionView::exports() const {
  if (made_.figure == nullptr || picture_->figure() == nullptr) {
    return {};
  }
  FigureCommand command;
  if (from_run_) {
    command.why_not =
        tr("These numbers were computed for this sentence alone: mog record --quantity '%1' keeps "
           "them in a recording.")
            .arg(QString::fromStdString(made_.made_by.text_of("quantity")));
  } else {
    command = commandOf(made_.made_by);
  }
  return {{tr("Decomposition"),
           QString::fromLatin1(kind_of(show()).setting) + QLatin1Char('-') + selectionName() +
               QStringLiteral("-t%1").arg(made_.made_by.number_of("token")),
           picture_->figure(),
           {},
           std::move(command)}};
}

const ViewKind& DecompositionView::kind() {
  static const ViewKind kind{
      .name = "decomposition",
      .rank = 7,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new DecompositionView(context, parent);
      },
      .places = {{"attention", 1, 1}},
      .settings = {{.name = setting::kDecomposed,
                    .initial = std::string("score"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "what is decomposed"),
                    .choices = {QStringLiteral("score"), QStringLiteral("weight"), QStringLiteral("values"),
                                QStringLiteral("state"), QStringLiteral("sources")}}},
      .guide = [](const ViewContext& context) -> QStringList {
        return {of_stack(context, "full.logit_terms"), of_stack(context, "full.aumann_shapley"),
                of_stack(context, "full.value_parts"), of_stack(context, "split"),
                of_stack(context, "propagation.norm")};
      },
  };
  return kind;
}

std::span<const ViewKind> decomposition_view_kinds() {
  return {&DecompositionView::kind(), 1};
}

}  // namespace mog::gui
