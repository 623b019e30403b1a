package prompt

import (
	"slices"

	"agentx/corpus"
	"agentx/sched"
)

// Marker is the text of a tree's cache-bust marker (spec scheduling 6.6); empty without digits.
func Marker(target sched.CacheBust, digits string) string {
	if digits == "" {
		return ""
	}
	label := "[rid:" + digits + "]"
	switch target {
	case sched.CacheBustFirstTurnSuffix, sched.CacheBustSystemSuffix:
		return "\n\n" + label
	}
	return label + "\n\n"
}

// Place says which message carries the marker, and on which end.
type Place struct {
	Message int // index in the array, -1 for no marker
	AtEnd   bool
}

// PlaceMarker finds the place (spec scheduling 6.7). An array without a user message takes the marker on
// its first message that is not the system's, else after the system text: it is never left out.
func PlaceMarker(target sched.CacheBust, messages []Ref) Place {
	place := Place{Message: -1}
	switch target {
	case sched.CacheBustSystemPrefix, sched.CacheBustSystemSuffix:
		place.AtEnd = target == sched.CacheBustSystemSuffix
		if place.Message = firstOf(messages, isSystem); place.Message >= 0 {
			return place
		}
	case sched.CacheBustFirstTurnPrefix:
	case sched.CacheBustFirstTurnSuffix:
		place.AtEnd = true
	default:
		return place
	}
	place.Message = firstOf(messages, func(role corpus.Role) bool { return role == corpus.RoleUser })
	if place.Message < 0 {
		place.Message = firstOf(messages, func(role corpus.Role) bool { return !isSystem(role) })
	}
	if place.Message < 0 && len(messages) > 0 {
		place = Place{Message: 0, AtEnd: true}
	}
	return place
}

func isSystem(role corpus.Role) bool { return role == corpus.RoleSystem }

func firstOf(messages []Ref, wanted func(corpus.Role) bool) int {
	return slices.IndexFunc(messages, func(ref Ref) bool { return wanted(ref.Message.Role) })
}

// Shared is how many whole messages stand before the marker: what all trees of a trace have in common.
func (p Place) Shared(messages []Ref) int {
	switch {
	case p.Message < 0:
		return len(messages)
	case p.AtEnd:
		return p.Message + 1
	}
	return p.Message
}

// KeptByNext is how many messages the next request of the stream begins with, byte for byte: what its
// plan keeps, unless the marker may move within it.
func KeptByNext(conversation *corpus.Conversation, turn int, place Place) int {
	if turn+1 >= len(conversation.Turns) {
		return 0
	}
	keep := conversation.Turns[turn+1].Keep
	if place.Message >= keep {
		return 0
	}
	return keep
}
