package token

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sources is program text: Go's own standard library.
func sources(b *testing.B) string {
	files, _ := filepath.Glob(filepath.Join(goRoot(), "src", "net", "http", "*.go"))
	var text strings.Builder
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		text.WriteString(strings.ToValidUTF8(string(data), ""))
	}
	return text.String()
}

func BenchmarkEncode(b *testing.B) {
	text := sources(b)
	for _, name := range realTokenizers {
		b.Run(name, func(b *testing.B) {
			_, data := realTokenizer(b, name)
			tokenizer, err := Load(Source{Kind: KindHuggingFace, Data: data})
			if err != nil {
				b.Fatal(err)
			}
			tokens := 0
			for b.Loop() {
				tokens += tokenizer.Count(text)
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds()/1e6, "Mtok/s")
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, name := range realTokenizers {
		b.Run(name, func(b *testing.B) {
			_, data := realTokenizer(b, name)
			for b.Loop() {
				if _, err := Load(Source{Kind: KindHuggingFace, Data: data}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
