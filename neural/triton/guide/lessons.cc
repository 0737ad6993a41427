#include "neural/triton/guide/lessons.h"

#include <memory>
#include <utility>

#include "neural/triton/superopt/search.h"

namespace txvm::triton::guide {
namespace {

using Code = std::vector<TasmInstruction>;

// Leads a search along a schedule, by making every other move dear, and notes the states on the
// way.
class Leader final : public ScheduleGuide {
 public:
  explicit Leader(const Code& schedule) : schedule_(schedule) {}

  std::unique_ptr<BlockGuide> Begin(const BlockModel& model) const override {
    learnt_.nodes = NodesOf(model);
    return std::make_unique<Step>(*this, model);
  }

  /// The lessons, if the search came to the end of the schedule.
  std::optional<RunLessons> Learnt() const {
    if (learnt_.lessons.size() != schedule_.size()) return std::nullopt;
    return std::move(learnt_);
  }

 private:
  static constexpr std::uint32_t kFar = 1'000'000;

  class Step final : public BlockGuide {
   public:
    Step(const Leader& leader, const BlockModel& model) : leader_(leader), model_(model) {}

    void Rate(const GuidedState& state, std::span<const TasmInstruction> moves,
              std::span<std::uint32_t> costs) override {
      std::vector<Lesson>& lessons = leader_.learnt_.lessons;
      const std::size_t at = lessons.size();
      Lesson lesson;
      bool found = false;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        lesson.moves.push_back(CodeOf(model_, moves[i]));
        const bool here =
            !found && !lost_ && at < leader_.schedule_.size() && moves[i] == leader_.schedule_[at];
        if (here) lesson.taken = i;
        found = found || here;
        costs[i] = here ? 0 : kFar;
      }
      lost_ = lost_ || !found;
      if (lost_) return;
      lesson.state = Describe(model_, leader_.learnt_.nodes, state);
      lessons.push_back(std::move(lesson));
    }

   private:
    const Leader& leader_;
    const BlockModel& model_;
    bool lost_ = false;
  };

  const Code& schedule_;
  mutable RunLessons learnt_;
};

}  // namespace

std::optional<RunLessons> LessonsOf(const Code& code, const Code& schedule,
                                    std::size_t known_depth) {
  const Leader leader(schedule);
  const Schedule way =
      FindSchedule(code, {.beam = 1, .known_depth = known_depth, .guide = &leader});
  if (way.code != schedule) return std::nullopt;
  return leader.Learnt();
}

}  // namespace txvm::triton::guide
