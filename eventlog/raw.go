package eventlog

// RawExchange is what a run at export level raw keeps of an exchange besides its exchange_end. The body
// of the answer is in Data, as a zstd frame, of the first event that names its digest; later ones refer
// to it. Request bodies are not kept: bundle and log give them.
type RawExchange struct {
	Sent  [][2]string `json:"sent"`           // request headers as sent, secrets masked
	Head  string      `json:"head,omitempty"` // of the answer: status line and headers, secrets masked
	Body  string      `json:"body,omitempty"` // BLAKE3 of the answer's body in hex; empty: none came
	Bytes int64       `json:"bytes"`          // of it
	Cut   bool        `json:"cut,omitempty"`  // the body was longer than what is kept
	// Masked says that the body held secrets, which are masked in it: its bytes are not those that came,
	// and do not line up with the chunks.
	Masked bool `json:"masked,omitempty"`
}
