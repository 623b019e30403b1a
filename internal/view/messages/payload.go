package messages

// payload is what the page's script reads. Numbers that are not known are null; times are microseconds.
type payload struct {
	Title    string         `json:"title"`
	Source   string         `json:"source"`
	Notes    []string       `json:"notes"` // what the page shows and what it leaves out
	Texts    []text         `json:"texts"` // each text once
	Plans    []planPayload  `json:"plans"` // one for each conversation of a trace that is shown
	Plays    []playPayload  `json:"plays"`
	Limits   map[string]int `json:"limits"`
	HasTexts bool           `json:"hasTexts"`
}

// text is a text as it is shown. Length is that of the whole text in characters; Shown may be less.
type text struct {
	Shown  string `json:"s"`
	Length int    `json:"n"`
}

// planPayload is the structure of one conversation, shared by all plays of its trace.
type planPayload struct {
	Name  string        `json:"name"`
	Turns []turnPayload `json:"turns"` // from turn 0 to the last that is shown
}

// turnPayload is what a turn does to the message array: keep the first Keep messages, then add New.
type turnPayload struct {
	Keep     int       `json:"keep"`
	New      []message `json:"new"`
	In       int64     `json:"in"`  // recorded
	Out      int64     `json:"out"` // recorded
	GapUs    *int64    `json:"gap,omitempty"`
	Marked   int       `json:"marked"` // index of the message with the marker, -1 for none
	MarkEnd  bool      `json:"markEnd,omitempty"`
	Hit      int64     `json:"hit"`
	InputIs  string    `json:"input,omitempty"` // what the new input is: user_input, tool_result
	Recorded string    `json:"rec,omitempty"`
}

// message is one message. Text is an index in texts, -1 for none.
type message struct {
	Role   string `json:"r"`
	Tokens int64  `json:"n"`
	Tool   int    `json:"tool,omitempty"`
	Text   int    `json:"t"`
}

type playPayload struct {
	ID      int64           `json:"id"`
	Lane    int             `json:"lane"`
	Trace   string          `json:"trace"`
	Replay  int             `json:"replay"`
	Marker  string          `json:"marker"`
	Opened  *int64          `json:"opened"`
	Streams []streamPayload `json:"streams"`
}

type streamPayload struct {
	ID     int64         `json:"id"`
	Name   string        `json:"name"`
	Kind   string        `json:"kind"`
	Depth  int           `json:"depth"`
	Parent int           `json:"parent"` // index in streams, -1 for none
	Fate   string        `json:"fate"`
	Plan   int           `json:"plan"` // index in plans, -1 where the log has no plan
	Turns  []sentPayload `json:"turns"`
	Hidden int           `json:"hidden,omitempty"` // turns beyond the limit
}

// sentPayload is one request as it went.
type sentPayload struct {
	Turn      int    `json:"turn"`
	Exchange  *int64 `json:"x"`
	Phase     string `json:"phase"`
	Outcome   string `json:"outcome"`
	Error     string `json:"error,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	Start     *int64 `json:"start"`
	First     *int64 `json:"first"` // after start
	End       *int64 `json:"end"`   // after start
	Late      *int64 `json:"late"`
	Input     *int64 `json:"in"`
	Output    *int64 `json:"out"`
	Reasoning *int64 `json:"reasoning,omitempty"`
	Cached    *int64 `json:"cached"`
	Theory    *int64 `json:"theory"`
	Reach     *int64 `json:"reach"`
	MaxTokens *int64 `json:"max,omitempty"`
	HTTP      int    `json:"http,omitempty"`
	Finish    string `json:"finish,omitempty"`
	RequestID string `json:"id,omitempty"`
	Response  int    `json:"response"` // index in texts, -1 where it was not stored
}

// known is a pointer to n, nil where n is None.
func known(n int64) *int64 {
	if n == None {
		return nil
	}
	return &n
}

// between is the microseconds from one moment to another; nil where either is not known.
func between(from, to int64) *int64 {
	if from == None || to == None {
		return nil
	}
	us := (to - from) / 1000
	return &us
}
