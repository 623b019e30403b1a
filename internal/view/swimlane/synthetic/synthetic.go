// Package synthetic makes runs that never happened, for tests, benchmarks and the browser tests of
// pages: any number of lanes and any length, with subagents, joins, pauses, errors, overflows and
// requests that the end of the run cut off. The same Shape gives the same run.
package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"agentx/internal/view/swimlane"
)

// Shape says how large a run is.
type Shape struct {
	Lanes           int
	DurationSeconds float64
	Traces          int
	Seed            uint64
	// PauseSeconds is the mean recorded pause; shorter ones give more requests.
	PauseSeconds float64
	// PrefillPerSecond is the server's speed, in uncached input tokens; 9000 where it is 0.
	PrefillPerSecond float64
	// Hostile gives traces names that try to break out of pages.
	Hostile bool
}

const (
	second        = 1e9
	warmupSeconds = 6
	graceSeconds  = 10
)

type maker struct {
	shape    Shape
	random   *rand.Rand
	exchange int64
	stream   int64
	end      int64 // duration end
	cut      int64 // grace end
}

// Run makes the run.
func Run(shape Shape) *swimlane.Run {
	if shape.PauseSeconds == 0 {
		shape.PauseSeconds = 4
	}
	if shape.PrefillPerSecond == 0 {
		shape.PrefillPerSecond = 9000
	}
	m := &maker{shape: shape, random: rand.New(rand.NewPCG(shape.Seed, 7))}
	start := int64(warmupSeconds * second)
	m.end = start + int64(shape.DurationSeconds*second)
	m.cut = m.end + int64(graceSeconds*second)
	run := &swimlane.Run{
		Title: fmt.Sprintf("synthetic run of %d lanes", shape.Lanes), Source: "made by a generator, no log",
		Lanes: shape.Lanes, Target: shape.Lanes,
		Marks: swimlane.Marks{ProfilingStart: start, RampEnd: swimlane.None, DurationEnd: m.end, GraceEnd: m.cut, End: m.cut + int64(0.2*second)},
		Notes: []string{"warmup and profiling requests, every outcome; nothing is left out"},
	}
	for lane := range shape.Lanes {
		m.lane(run, lane)
	}
	if shape.DurationSeconds > 40 {
		run.Shifts = append(run.Shifts, swimlane.Shift{At: start + int64(20*second), Skipped: int64(31 * second), Lane: -1},
			swimlane.Shift{At: start + int64(33*second), Skipped: int64(12 * second), Lane: 0})
	}
	run.Curves = append(swimlane.Fold(run), server(run)...)
	run.Plans, run.Texts = plans(run), "turn_messages.html"
	run.Facts = []swimlane.Fact{{Label: "requests", Value: fmt.Sprint(m.exchange)}, {Label: "plays", Value: fmt.Sprint(len(run.Plays))}}
	return run
}

// server is what the metrics pages of a made-up server say, scraped once a second: it computes as many
// requests as there are lanes, and the others wait.
func server(run *swimlane.Run) []swimlane.Curve {
	waiting := swimlane.Curve{Name: "waiting on the server", Unit: "requests", Panel: swimlane.PanelServer}
	usage := swimlane.Curve{Name: "KV cache in use", Unit: "%", Panel: swimlane.PanelKV}
	flight, at, value := swimlane.Fold(run)[0].Steps, 0, 0.0
	for now := int64(0); now < run.Marks.End; now += second {
		for ; at < len(flight) && flight[at].At <= now; at++ {
			value = flight[at].Value
		}
		slots := 0.9 * float64(run.Lanes)
		waiting.Steps = append(waiting.Steps, swimlane.Step{At: now, Value: max(0, math.Ceil(value-slots))})
		usage.Steps = append(usage.Steps, swimlane.Step{At: now, Value: min(100, 80*value/slots)})
	}
	return []swimlane.Curve{waiting, usage}
}

// plans make up what turns send: each keeps what the one before sent, its answer comes back, and a user asks
// again; every seventh turn begins anew.
func plans(run *swimlane.Run) map[string]map[string][]swimlane.Planned {
	made := map[string]map[string][]swimlane.Planned{}
	for _, play := range run.Plays {
		if made[play.Trace] == nil {
			made[play.Trace] = map[string][]swimlane.Planned{}
		}
		for _, stream := range play.Streams {
			turns := made[play.Trace][stream.Conversation]
			for turn := len(turns); turn < len(stream.Requests); turn++ {
				planned := swimlane.Planned{Keep: 2 * (turn % 7), New: []swimlane.Message{{Role: "assistant", Tokens: 60}, {Role: "user", Tokens: 200}}}
				if turn%7 == 0 {
					planned.New = []swimlane.Message{{Role: "system", Tokens: 1500}, {Role: "user", Tokens: 4000}}
				}
				turns = append(turns, planned)
			}
			made[play.Trace][stream.Conversation] = turns
		}
	}
	return made
}

// lane fills one lane: a play that was warmed up, then recycled ones until the duration ends.
func (m *maker) lane(run *swimlane.Run, lane int) {
	at := int64(m.random.Float64() * 3 * second)
	how := "full"
	for at < m.end {
		play := m.play(lane, at, how, run.Marks.ProfilingStart)
		play.ID = int64(len(run.Plays))
		run.Plays = append(run.Plays, play)
		if play.Drained == swimlane.None {
			return
		}
		at, how = play.Drained, "recycled"
	}
}

func (m *maker) trace() string {
	i := m.random.IntN(max(m.shape.Traces, 1))
	if m.shape.Hostile && i%2 == 0 {
		return fmt.Sprintf("t</script><b>x%d<img src=x onerror=\"document.title='owned'\">\u2028\u202e&lt;", i)
	}
	return fmt.Sprintf("trace_%04d_%x", i*37, i*2654435761%65521)
}

func (m *maker) play(lane int, at int64, how string, profiling int64) swimlane.Play {
	play := swimlane.Play{Lane: lane, Trace: m.trace(), Opened: at, Drained: swimlane.None, How: how, Marker: fmt.Sprintf("[rid:%012x]", m.random.Uint64()>>16)}
	root := m.newStream(play.Trace, "root", 0, -1, at)
	turns := 4 + m.random.IntN(24)
	context := int64(2000 + m.random.IntN(20000))
	cursor := at
	last := at
	var children []swimlane.Stream
	for turn := range turns {
		phase := swimlane.Profiling
		if turn == 0 && how == "full" {
			phase = swimlane.Warmup
		} else if cursor < profiling {
			root.Waits = append(root.Waits, swimlane.Wait{Kind: swimlane.Pause, From: cursor, To: profiling})
			cursor = profiling
		}
		if cursor >= m.end {
			break
		}
		request, next := m.request(turn, phase, cursor, &context)
		root.Requests = append(root.Requests, request)
		if next == swimlane.None {
			play.Streams = append([]swimlane.Stream{root}, children...)
			return play
		}
		cursor, last = next, max(last, next)
		if turn+1 < turns && phase == swimlane.Profiling && m.random.Float64() < 0.16 {
			over := m.spawn(&children, play.Trace, turn, cursor)
			if over > cursor && over < m.end {
				root.Waits = append(root.Waits, swimlane.Wait{Kind: swimlane.Join, From: cursor, To: over})
				cursor = over
			}
			last = max(last, over)
		} else if turn+1 < turns {
			cursor = m.pause(&root, cursor)
		}
	}
	root.Closed, root.Fate = cursor, "completed"
	play.Streams = append([]swimlane.Stream{root}, children...)
	if last < m.end {
		play.Drained = max(last, cursor)
	}
	return play
}

// pause waits as recorded; now and then a barrier or a slot holds the stream a little longer.
func (m *maker) pause(stream *swimlane.Stream, from int64) int64 {
	to := from + int64(m.random.ExpFloat64()*m.shape.PauseSeconds*second)
	stream.Waits = append(stream.Waits, swimlane.Wait{Kind: swimlane.Pause, From: from, To: min(to, m.end)})
	if m.random.Float64() < 0.08 && to < m.end {
		kind := []swimlane.WaitKind{swimlane.Barrier, swimlane.Slot, swimlane.Late}[m.random.IntN(3)]
		held := to + int64(m.random.Float64()*1.5*second)
		stream.Waits = append(stream.Waits, swimlane.Wait{Kind: kind, From: to, To: held})
		to = held
	}
	return min(to, m.end)
}

func (m *maker) newStream(name, kind string, depth, spawn int, at int64) swimlane.Stream {
	m.stream++
	parent := 0
	if depth == 0 {
		parent = -1
	}
	return swimlane.Stream{ID: m.stream, Conversation: name, Kind: kind, Depth: depth, Parent: parent, SpawnTurn: spawn, JoinTurn: -1, Opened: at, Closed: swimlane.None}
}

// spawn starts one to four subagents and says when the last of them is over.
func (m *maker) spawn(children *[]swimlane.Stream, trace string, turn int, at int64) int64 {
	over := at
	for range 1 + m.random.IntN(4) {
		child := m.newStream(fmt.Sprintf("%s::sa:%d", trace, len(*children)), "sa", 1, turn, at)
		child.JoinTurn = turn + 1
		cursor := m.pause(&child, at)
		context := int64(1000 + m.random.IntN(8000))
		for i := range 1 + m.random.IntN(6) {
			if cursor >= m.end {
				break
			}
			request, next := m.request(i, swimlane.Profiling, cursor, &context)
			child.Requests = append(child.Requests, request)
			if next == swimlane.None {
				cursor = m.cut
				break
			}
			cursor = next
			if i < 5 {
				cursor += int64(m.random.Float64() * second)
			}
		}
		child.Closed, child.Fate = min(cursor, m.cut), "completed"
		over = max(over, child.Closed)
		*children = append(*children, child)
	}
	return over
}

// request makes one request and says when it was over: None when the end of the run cut it off.
func (m *maker) request(turn int, phase swimlane.Phase, at int64, context *int64) (swimlane.Request, int64) {
	input := *context
	output := int64(20 + m.random.ExpFloat64()*400)
	if phase == swimlane.Warmup {
		output = 1
	}
	cached := int64(float64(input)*(0.6+0.38*m.random.Float64())/64) * 64
	first := at + int64((0.05+float64(input-cached)/m.shape.PrefillPerSecond+m.random.ExpFloat64()*0.05)*second)
	end := first + int64(float64(output)/90*second)
	*context += output + int64(m.random.IntN(1500))
	request := swimlane.Request{
		Turn: turn, Exchange: m.exchange, Phase: phase, Outcome: "ok", Due: at - int64(m.random.IntN(400_000)), Start: at, FirstToken: first, End: end,
		Input: input, Output: output, Reasoning: swimlane.None, Cached: cached, TheoryHit: input / 64 * 64 * 95 / 100, Reach: max(cached, input*9/10/64*64),
		MaxTokens: output + 20, RecordedIn: input, RecordedOut: output + 20, RecordedAPI: end - at + 400e6, Gap: int64(m.shape.PauseSeconds * second),
		HTTPStatus: 200, Finish: "stop", RequestID: fmt.Sprintf("%08x-0000-4000-8000-%012x", m.exchange, m.random.Uint64()>>16),
	}
	m.exchange++
	request.InFlight = at < m.end && end > m.end
	switch draw := m.random.Float64(); {
	case end > m.cut:
		request.End, request.Status, request.Outcome = m.cut, swimlane.Cancelled, "cancelled_grace"
		if first > m.cut {
			request.FirstToken = swimlane.None
		}
		return request, swimlane.None
	case draw < 0.012:
		m.fail(&request, swimlane.Failed, "http_error", 500, "internal server error: <b>worker</b> died")
	case draw < 0.018:
		m.fail(&request, swimlane.Overflow, "overflow", 400, "maximum context length is 131072 tokens")
	case draw < 0.022:
		request.Status, request.Outcome = swimlane.Silent, "no_visible_output"
	}
	return request, request.End
}

func (m *maker) fail(request *swimlane.Request, status swimlane.Status, outcome string, code int, message string) {
	request.Status, request.Outcome, request.HTTPStatus, request.Error = status, outcome, code, message
	request.FirstToken, request.End = swimlane.None, request.Start+int64((0.002+0.2*m.random.Float64())*second)
	request.Output, request.Cached, request.Finish = swimlane.None, swimlane.None, ""
}
