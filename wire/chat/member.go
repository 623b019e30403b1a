package chat

// Truthy tells whether a JSON value is true in the sense of most languages: not missing, null, false, 0,
// "", {} or [].
func Truthy(value []byte) bool {
	w := walker{text: value}
	return len(value) > 0 && !w.isFalse() && !w.bad
}

// HasMember tells whether a JSON object has a member of this name.
func HasMember(object []byte, name string) bool {
	w := walker{text: object}
	if w.peek() != '{' {
		return false
	}
	w.open('{')
	for first := true; w.more('}', &first); {
		if string(w.key()) == name {
			return true
		}
		w.skip()
	}
	return false
}
