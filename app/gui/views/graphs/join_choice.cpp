#include "app/gui/views/graphs/join_choice.h"

#include <QKeyEvent>
#include <algorithm>
#include <utility>
#include <vector>

#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {

JoinChoice::JoinChoice(SelectionModel& selection, FigureCanvas& picture, QObject* parent)
    : QObject(parent), selection_(selection), picture_(picture) {
  picture_.installEventFilter(this);
}

const analysis::TreeFigure& JoinChoice::tree() const {
  return std::get<analysis::TreeFigure>(figure_->body);
}

bool JoinChoice::isJoin(std::int64_t node) const {
  return node >= 0 && node < std::ssize(tree().nodes) &&
         tree().nodes[static_cast<std::size_t>(node)].left >= 0;
}

void JoinChoice::setTree(std::shared_ptr<const analysis::FigureData> figure, Facts facts) {
  figure_ = std::move(figure);
  facts_ = std::move(facts);
  const auto before = selection_.join();
  if (before == nullptr) {
    return;
  }
  std::shared_ptr<const app::JoinFacts> kept;
  for (std::int64_t node = 0; figure_ && !kept && node < std::ssize(tree().nodes); ++node) {
    const analysis::TreeNode& one = tree().nodes[static_cast<std::size_t>(node)];
    if (one.left >= 0 && one.layer == before->layer && one.part == before->part &&
        one.word == before->query) {
      const auto found = facts_(node);
      kept = found && app::same_join(*found, *before) ? found : nullptr;
    }
  }
  selection_.setJoin(kept);
}

void JoinChoice::choose(std::int64_t node) {
  if (figure_ && isJoin(node)) {
    selection_.setJoin(facts_(node));
  }
}

std::optional<std::int64_t> JoinChoice::node() const {
  return figure_ && selection_.join() ? std::optional(selection_.join()->node) : std::nullopt;
}

std::optional<std::int64_t> JoinChoice::consumer(std::int64_t node) const {
  const auto& nodes = tree().nodes;
  const auto found = std::find_if(nodes.begin(), nodes.end(), [node](const analysis::TreeNode& one) {
    return one.left == node || one.right == node;
  });
  return found == nodes.end() ? std::nullopt : std::optional<std::int64_t>(found - nodes.begin());
}

// In the order of joining: by layers, in one as they stand in the derivation.
std::optional<std::int64_t> JoinChoice::next(bool back) const {
  std::vector<std::int64_t> joins;
  for (std::int64_t node = 0; node < std::ssize(tree().nodes); ++node) {
    if (isJoin(node)) {
      joins.push_back(node);
    }
  }
  std::stable_sort(joins.begin(), joins.end(), [this](std::int64_t a, std::int64_t b) {
    return tree().nodes[static_cast<std::size_t>(a)].layer < tree().nodes[static_cast<std::size_t>(b)].layer;
  });
  const auto at = std::find(joins.begin(), joins.end(), node().value_or(-1));
  if (at == joins.end() || (back ? at == joins.begin() : at + 1 == joins.end())) {
    return std::nullopt;
  }
  return back ? *(at - 1) : *(at + 1);
}

std::optional<std::int64_t> JoinChoice::target(const QKeyEvent& key) const {
  const bool tab = key.key() == Qt::Key_Tab || key.key() == Qt::Key_Backtab;
  if (!figure_ || (key.modifiers() & ~(Qt::KeypadModifier | (tab ? Qt::ShiftModifier : Qt::NoModifier)))) {
    return std::nullopt;
  }
  const auto chosen = node();
  const std::int64_t root = tree().roots.empty() ? -1 : tree().roots.front();
  if (!chosen) {  // the vertical keys begin at the root
    const bool begins = key.key() == Qt::Key_Up || key.key() == Qt::Key_Down;
    return begins && isJoin(root) ? std::optional(root) : std::nullopt;
  }
  const analysis::TreeNode& at = tree().nodes[static_cast<std::size_t>(*chosen)];
  const bool left = at.right >= 0 && tree().nodes[static_cast<std::size_t>(at.right)].word < at.word;
  switch (key.key()) {
    case Qt::Key_Up:
      return consumer(*chosen).value_or(*chosen);
    case Qt::Key_Down:
      return isJoin(at.left) ? at.left : *chosen;
    case Qt::Key_Left:
    case Qt::Key_Right:
      return left == (key.key() == Qt::Key_Left) && isJoin(at.right) ? at.right : *chosen;
    case Qt::Key_Tab:
      return next(false);
    case Qt::Key_Backtab:
      return next(true);
    default:
      return std::nullopt;
  }
}

bool JoinChoice::eventFilter(QObject* watched, QEvent* event) {
  if (watched != &picture_ || figure_ == nullptr) {
    return QObject::eventFilter(watched, event);
  }
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (target(*key) || (key->key() == Qt::Key_Escape && node())) {
      event->accept();  // not the window's key
      return true;
    }
  }
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (const auto to = target(*key)) {
      choose(*to);
      return true;
    }
    if (key->key() == Qt::Key_Escape && node()) {
      clear();
      return true;
    }
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace mog::gui
