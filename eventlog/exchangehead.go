package eventlog

import (
	"encoding/base64"
	"encoding/hex"
)

// The data of an exchange_end begins with a head where its request has an id of the usual form: a byte of
// form, the 16 bytes of the id, and the 32 of the body's digest. The chunk entries follow, if there are any.
// As text in the payload the two would take twice the room.
const (
	formHead       byte = 3 // id and digest
	formHeadIDOnly byte = 4 // a request without a body digest, as in a simulation
	formNoHead     byte = 5 // nothing: the data that follows begins with one of these three itself
)

// headBytes is the length of the longest head.
const headBytes = 1 + 16 + len(Digest{})

// idDashes are the places of the dashes in an id.
func idDashes() [4]int { return [4]int{8, 13, 18, 23} }

// head is the stored form of id and digest; nil: they stand in the payload.
type head []byte

// holds tells whether a key of the payload is in the head.
func (h head) holds(key string) bool {
	return h != nil && (key == "id" || key == "b" && h[0] == formHead)
}

// exchangeHead makes the head of an id and a digest, given as JSON strings; nil where they would not come
// back as they are.
func exchangeHead(id, digest []byte) head {
	const idText = 36
	if len(id) != idText+2 {
		return nil
	}
	h := make(head, 1, headBytes)
	h[0] = formHeadIDOnly
	plain := make([]byte, 0, 32)
	before := 1
	for _, dash := range idDashes() {
		plain = append(plain, id[before:1+dash]...)
		before = dash + 2
	}
	plain = append(plain, id[before:1+idText]...)
	raw, err := hex.AppendDecode(h, plain)
	if err != nil {
		return nil
	}
	h = raw
	if digest != nil {
		if len(digest) < 2 {
			return nil
		}
		if raw, err = digestText().AppendDecode(h, digest[1:len(digest)-1]); err != nil || len(raw) != headBytes {
			return nil
		}
		h = raw
		h[0] = formHead
	}
	backID, backDigest := h.texts()
	if string(backID) != string(id) || string(backDigest) != string(digest) {
		return nil
	}
	return h
}

// digestText is how a digest stands in a payload.
func digestText() *base64.Encoding { return base64.RawURLEncoding }

// texts gives id and digest as JSON strings; the digest is nil where there is none.
func (h head) texts() (id, digest []byte) {
	id = append(id, '"')
	before := 0
	plain := hex.AppendEncode(nil, h[1:17])
	for i, dash := range idDashes() {
		id = append(append(id, plain[before:dash-i]...), '-')
		before = dash - i
	}
	id = append(append(id, plain[before:]...), '"')
	if h[0] == formHead {
		digest = append(digestText().AppendEncode(append(digest, '"'), h[17:headBytes]), '"')
	}
	return id, digest
}

// looksHeaded tells whether data begins as if it had a head.
func looksHeaded(data []byte) bool {
	return len(data) > 0 && data[0] >= formHead && data[0] <= formNoHead
}

// cutHead cuts the head off the data of an exchange_end; h is nil where there is none.
func cutHead(data []byte) (h head, rest []byte, err error) {
	if !looksHeaded(data) {
		return nil, data, nil
	}
	length := headBytes
	switch data[0] {
	case formNoHead:
		return nil, data[1:], nil
	case formHeadIDOnly:
		length -= len(Digest{})
	}
	if length > len(data) {
		return nil, nil, errStoredForm
	}
	if rest = data[length:]; len(rest) == 0 {
		rest = nil
	}
	return head(data[:length]), rest, nil
}
