package fromrun

import (
	"fmt"

	"agentx/internal/measure"
	"agentx/internal/view/swimlane"
)

// plannedMessages are roles and tokens of the messages of every turn, from the plans that a log holds. The
// texts are not in the log.
func plannedMessages(run *measure.Run, source measure.Source) (map[string]map[string][]swimlane.Planned, error) {
	plans := map[string]map[string][]swimlane.Planned{}
	for _, models := range run.Models {
		plan, err := readPlan(source, models)
		if err != nil {
			return nil, fmt.Errorf("plan of trace %s: %w", models.Trace, err)
		}
		if plan == nil {
			continue
		}
		conversations := map[string][]swimlane.Planned{}
		for c := range plan.Conversations {
			conversation := &plan.Conversations[c]
			turns := make([]swimlane.Planned, 0, len(conversation.Turns))
			for t := range conversation.Turns {
				planned := swimlane.Planned{Keep: conversation.Turns[t].Keep}
				for _, message := range conversation.Turns[t].New {
					planned.New = append(planned.New, swimlane.Message{Role: string(message.Role), Tokens: message.Tokens})
				}
				turns = append(turns, planned)
			}
			conversations[string(conversation.ID)] = turns
		}
		plans[models.Trace] = conversations
	}
	return plans, nil
}
