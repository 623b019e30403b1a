package token

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realTokenizers are the folders below AGENTX_TOKENIZERS that hold models/tokenizer.json.
var realTokenizers = []string{"qwen2_5", "llama3", "deepseek_v3", "gemma3", "llama2", "qwen3", "llama3_1", "gptoss"}

// realTokenizer reads one of the real files, or skips the test, saying why.
func realTokenizer(t testing.TB, name string) (path string, data []byte) {
	folder := os.Getenv("AGENTX_TOKENIZERS")
	if folder == "" {
		t.Skip("AGENTX_TOKENIZERS does not name a folder of tokenizers (<name>/models/tokenizer.json)")
	}
	path = filepath.Join(folder, name, "models", "tokenizer.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("no %s tokenizer: %v", name, err)
	}
	return path, data
}

type job struct {
	Text *string `json:"text,omitempty"`
	IDs  []ID    `json:"ids,omitempty"`
	Skip bool    `json:"skip"`
}

// TestOracle compares with the reference library: texts of code and prose in many scripts, random
// characters, added tokens glued to text; random ids for decoding. It runs where AGENTX_ORACLE_PYTHON
// names a Python that has the tokenizers package.
func TestOracle(t *testing.T) {
	python := os.Getenv("AGENTX_ORACLE_PYTHON")
	if python == "" {
		t.Skip("AGENTX_ORACLE_PYTHON does not name a Python with the tokenizers package")
	}
	for _, name := range realTokenizers {
		t.Run(name, func(t *testing.T) {
			path, data := realTokenizer(t, name)
			tokenizer, err := Load(Source{Kind: KindHuggingFace, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			jobs := oracleJobs(tokenizer)
			answers := askOracle(t, python, path, jobs)
			wrong := 0
			for i, job := range jobs {
				if !oracleAgrees(t, tokenizer, job, answers[i]) {
					if wrong++; wrong > 5 {
						t.Fatal("giving up after six differences")
					}
				}
			}
			t.Logf("%s: %d jobs compared", name, len(jobs))
		})
	}
}

func oracleAgrees(t *testing.T, tokenizer *Tokenizer, job job, answer []byte) bool {
	if job.Text == nil {
		var want string
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		if got := tokenizer.Decode(job.IDs, job.Skip); got != want {
			t.Errorf("decode %v: %q, the library says %q", job.IDs, got, want)
			return false
		}
		return true
	}
	var want []ID
	if err := json.Unmarshal(answer, &want); err != nil {
		t.Fatal(err)
	}
	if got := tokenizer.Encode(nil, *job.Text); !slices.Equal(got, want) {
		t.Errorf("encode %.300q:\n%v, the library says\n%v", *job.Text, got, want)
		return false
	}
	return true
}

func oracleJobs(tokenizer *Tokenizer) []job {
	r := rand.New(rand.NewPCG(7, 11))
	var jobs []job
	for _, text := range oracleTexts(r, tokenizer) {
		jobs = append(jobs, job{Text: &text})
	}
	for range 1500 {
		ids := make([]ID, 1+r.IntN(30))
		for i := range ids {
			ids[i] = ID(r.IntN(tokenizer.Size() + 50))
			if r.IntN(3) == 0 {
				ids[i] = ID(r.IntN(400)) // where the byte tokens live
			}
		}
		jobs = append(jobs, job{IDs: ids, Skip: r.IntN(2) == 0})
	}
	return jobs
}

// oracleTexts: Go sources of the machine's own library, cut at random; and random characters.
func oracleTexts(r *rand.Rand, tokenizer *Tokenizer) []string {
	var texts []string
	files, _ := filepath.Glob(filepath.Join(goRoot(), "src", "unicode", "utf8", "*.go"))
	more, _ := filepath.Glob(filepath.Join(goRoot(), "src", "strconv", "*.go"))
	for _, path := range append(files, more...) {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for range 20 {
			from := r.IntN(len(data))
			texts = append(texts, strings.ToValidUTF8(string(data[from:min(len(data), from+r.IntN(2000))]), ""))
		}
	}
	pieces := []string{
		"a", "The", "ſ", "'s", "'LL", "é", "e\u0301", "Ж", "中文", "ありがとう", "龥龦", "한국어", "عربي", "हिन्दी", "ไทย", "עברית", "ß", "ǅ", " ", "  ", "    ",
		"\n", "\n\n", "\r\n", "\t", "\t\t", "\u00a0", "\u2003", "\u2028", "1", "12", "1234567", "²", "Ⅷ", "٣", ".", "...", "//", "->", "{}", "</", ">", "▁", "▁▁", "Ġ",
		"€", "😀", "👩‍👩‍👧", "\u200b", "\x01", "\x00", "\ufffd", "\U000e0001", "\U0001f600", "x_y", "fooBar", "HTTPServer", "\"", "\\", "<0x0A>", "</s>",
	}
	added := tokenizer.AddedTokens()
	for range 2500 {
		var text strings.Builder
		for range 1 + r.IntN(30) {
			switch r.IntN(12) {
			case 0:
				if len(added) > 0 {
					text.WriteString(added[r.IntN(len(added))].Content)
				}
			case 1:
				text.WriteRune(rune(r.IntN(0x3000)))
			default:
				text.WriteString(pieces[r.IntN(len(pieces))])
			}
		}
		texts = append(texts, strings.ToValidUTF8(text.String(), ""))
	}
	return append(texts, "", " ", "\n", "▁", strings.Repeat("x", 5000), strings.Repeat("ab", 300), strings.Repeat(" ", 500))
}

func goRoot() string {
	output, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(output))
}

func askOracle(t *testing.T, python, path string, jobs []job) [][]byte {
	t.Helper()
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	for _, job := range jobs {
		if err := encoder.Encode(job); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(python, filepath.Join("testdata", "oracle.py"), path)
	command.Stdin = &input
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("the reference library: %v", err)
	}
	var answers [][]byte
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		answers = append(answers, bytes.Clone(lines.Bytes()))
	}
	if len(answers) != len(jobs) {
		t.Fatalf("%d jobs, %d answers", len(jobs), len(answers))
	}
	return answers
}
