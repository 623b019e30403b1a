package corpus_test

import (
	"testing"

	"agentx/corpus"
)

// The vectors of reconstruction.md §13 (V) and reconstruction-vectors.md (X) on messages, hits, output
// limits and kinds of input. Where spec/decisions.md decides otherwise than the peer, the decided value
// stands.
func TestVectorsOfMessages(t *testing.T) {
	for _, v := range messageVectors {
		t.Run(v.name, v.run)
	}
}

func toolShaped(o *corpus.Options) { o.ToolShaped = true }
func maxOSL50(o *corpus.Options)   { o.MaxOSL = 50 }

var messageVectors = []vector{
	{name: "V1 system, growth", trace: `
tool=100 sys=20
0 256/100 [1-4] 2
5 384/70 [1-6] 1
9 512/1 [1-8] 1`, want: `
root = s128 u128 | a64 u64 | a64 u64
root.h = 0/4 4/6 6/8
root.d = - 3000 3000
root.max = 100 70 1`},
	{name: "V2 tail is cut", trace: `
0 250/100 [1-3]
5 330/10 [1-5]`, want: `
root = u250 | R u192 a128 u10
root.h = 0/3 3/5
root.d = - 5000`},
	{name: "V3 divergence, then nothing new", trace: `
0 256/64 [1-4] 1
5 320/64 [1,2,9,10,11] 1
9 320/64 [1,2,9,10,11] 1`, want: `
root = u256 | R u128 a64 u128 | R u128 a64 u128
root.h = 0/4 2/5 5/5
root.d = - 4000 3000
unchanged = 1`},
	{name: "V4 planning cap", trace: `
0 128/192 [1,2] 1
5 384/64 [1-6] 1
9 256/64 [1-4] 1
12 384/64 [1-4,7,8]`, want: `
root = u128 | a64 u192 | R u128 a64 u64 | a64 u64
non-user ends = 0`},
	{name: "V4 without the pull back", trace: `
0 128/192 [1,2] 1
5 384/64 [1-6] 1`, want: `
root = u128 | a192 u64`},
	{name: "V5 context loss", trace: `
tool=128
0 256/64 [1-4]
5 320/64 [1,2,9,10,11]`, want: `
root = s128 u128 | R s128 u192`},
	{name: "V6 fewer ids than blocks", trace: `
0 330/64 [1-3]
5 394/64 [1-4]`, want: `
root = u330 | R u192 a64 u138
root.h = 0/3 3/4
too few = 2`},
	{name: "V7 Q-05 clamp", trace: `
0 250/64 [1-4]
5 250/64 [1-4]
9 314/64 [1-5]`, want: `
root = u250 | R u192 u58 | R u192 a64 u58`},
	{name: "V8 no ids between", trace: `
0 128/64 [1,2]
5 100/64 []
9 256/64 [1-4]`, want: `
root = u128 | R u100 | R u256
root.h = 0/2 0/0 2/4`},
	{name: "V9 Q-10 system longer than the ids", trace: `
tool=100 sys=100
0 256/64 [1,2]`, want: `
root = u256
no system = 1`},
	{name: "V9 system is clamped to full blocks", trace: `
tool=100 sys=80
0 150/64 [1-3]`, want: `
root = s128 u22
no system = 0`},
	{name: "V10 nothing but a system message", trace: `
tool=100 sys=28
0 128/64 [1,2]
3 256/70 [1-4]`, want: `
root = s128 | u128
non-user ends = 1`},
	{name: "V23 output limits", options: maxOSL50, trace: `
0 640/100 [0-9] 1
sub a 1 dur=1000
  1 128/100 [900,901] 1
  1 128/0 [910,911] 1
2 6400/100 [700-799] 1
5 704/0 [0-10]`, want: `
streams = root ::sa:a ::aux:000
root.max = 50 1
::aux:000.max = 50
::sa:a = u128 | R u128
::sa:a.max = 100 1`},
	{name: "V26 tool-shaped", options: toolShaped, trace: `
0 128/70 [1,2] stop=tool_use
5 256/10 [1-4] types=tool_result stop=end_turn
7 384/10 [1-6] types=user_input`, want: `
root = u128 | a64(1) t64(1) | a64 u64
root.kind = null tool_result user_input`},
	{name: "V26 not tool-shaped", trace: `
0 128/70 [1,2] stop=tool_use
5 256/10 [1-4] types=tool_result stop=end_turn`, want: `
root = u128 | a64 u64
root.kind = null tool_result`},
	{name: "V27 models in order", trace: `
0 64/1 [1]
sub a 1 dur=1000
  1 64/1 [2] model=B
  2 128/1 [2,3] model=C
5 128/1 [1,4]`, want: `
models = A B C
root.model = A A`},
	{name: "X38 hits in order of the file", trace: `
0 256/9 [1-4] 1
sub a 5 dur=1000
  5 384/9 [1-6] 1
5 384/9 [1-6] 1
9 384/9 [1-6] 1`, want: `
::sa:a.h = 4/6
root.h = 0/4 6/6 6/6`},
	{name: "X39 the root's model first", trace: `
sub a 0 dur=1000
  0 64/1 [9] model=B
1 64/1 [1]
2 128/1 [1,2] model=C`, want: `
models = A B C
dropped = 1`},
	{name: "X40 max-osl on a flat worker", options: maxOSL50, trace: `
0 25600/500 [0-399] 1
1 19200/5000 [1000-1299] 3
30 26240/500 [0-409] 1`, want: `
::fa:000.max = 50`},
	{name: "X41 fills", trace: `
0 640/64 [1-4]
5 704/64 [1-6]`, want: `
root = u640 | R u256 a64 u384
too few = 2`},
	{name: "X42 tool marks", options: toolShaped, trace: `
0 128/0 [1,2] stop=tool_use
5 256/10 [1-4] types=tool_result
7 250/70 [1-3] types=tool_result
9 314/1 [1,2,3,9] types=tool_result`, want: `
root = u128 | u128 | R u128 u64 u58 | R u128 u64 a64(3) t58(3)`},
	{name: "X43 Q-07 block size of the trace", trace: `
block=128
0 300/100 [1,2]
5 500/10 [1,2,3]`, want: `
root = u300 | R u256 a128 u116`},
	{name: "X44 the same prompt with a tail", trace: `
0 250/64 [1-3] 1
9 250/64 [1-3] 1`, want: `
root = u250 | R u192 u58`},
	{name: "X48 kinds from stop reasons", trace: `
0 64/1 [1] stop=tool_use
1 128/1 [1,2] stop=end_turn
2 192/1 [1-3]
3 256/1 [1-4]`, want: `
root.kind = null tool_result user_input null`},
	{name: "X51 hits go by time", trace: `
0 128/9 [1,2] 1
sub a 5 dur=30000
  20 192/9 [1,2,50] 1
9 192/9 [1,2,50] 1
40 256/9 [1,2,50,51] 1`, want: `
root.h = 0/2 2/3 3/4
::sa:a.h = 3/3`},
	{name: "X52 an id behind others is no hit", trace: `
0 256/64 [1-4] 1
5 256/64 [1,2,9,3] 1`, want: `
root.h = 0/4 2/4`},
	{name: "§6 example", trace: `
0 256/9 [0-3] 1
sub a 5 dur=6000
  5 128/9 [900,901] 2
  8 192/9 [900-902] 1
12 384/9 [0-5] 1`, want: `
root.h = 0/4 4/6
::sa:a.h = 0/2 2/3`},
}
