package probe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"agentx/wire"
)

// words are short common words, about one token each with every vocabulary.
func words() []string {
	return strings.Fields("time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city name team minute idea body back parent face level office door health person art war history party result change morning reason research girl guy moment air teacher force education")
}

// prompt is a text of about so many tokens that differs from its first word on for each seed, and that a
// chat model answers briefly.
func prompt(seed uint64, tokens int) string {
	random := rand.New(rand.NewPCG(seed, 0x70726f6265)) // "probe"
	list := words()
	var text strings.Builder
	fmt.Fprintf(&text, "%s %016x:", list[random.IntN(len(list))], random.Uint64())
	const around = 40 // tokens of what stands before and after
	for range max(tokens-around, 0) {
		text.WriteByte(' ')
		text.WriteString(list[random.IntN(len(list))])
	}
	text.WriteString("\nIgnore the words above. Answer with the one word OK.")
	return text.String()
}

// message is a user's message with a plain text.
func message(text string) wire.Message {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	escaped := quoted[1 : len(quoted)-1]
	return wire.Message{Role: "user", Content: wire.Pieces{escaped}}
}

// requestID has the shape of a UUIDv4, which some routers require.
func requestID(seed uint64, index int) string {
	random := rand.New(rand.NewPCG(seed, uint64(index)+1))
	a, b := random.Uint64(), random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}
