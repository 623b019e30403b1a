package corpus_test

import (
	"testing"

	"agentx/corpus"
)

// The vectors on times, spawns, joins, predecessors and system messages of derived conversations.
func TestVectorsOfTrees(t *testing.T) {
	for _, v := range treeVectors {
		v.trace = shorthand.Replace(v.trace)
		t.Run(v.name, v.run)
	}
}

func thinkTimeOnly(o *corpus.Options) { o.ThinkTimeOnly = true }
func ignoreDelays(o *corpus.Options)  { o.IgnoreTraceDelays = true }
func delayCap60(o *corpus.Options)    { cap := 60.0; o.InterTurnDelayCapSeconds = &cap }
func window5to8(o *corpus.Options) {
	start, end := 5000.0, 8000.0
	o.ScheduleStartMs, o.ScheduleEndMs = &start, &end
}

var treeVectors = []vector{
	{name: "V17 relative", trace: `
0 640/64 [1-10] 1
sub a 5 dur=4000
  0 128/9 [900,901] 2
  3 192/9 [900-902] 1
12 704/64 [1-11] 1`, want: `
::sa:a.t = 5000 8000
::sa:a.d = - 1000
::sa:a.h = 0/2 2/3`},
	{name: "V17 absolute", trace: `
0 640/64 [1-10] 1
sub a 5 dur=4000
  5 128/9 [900,901] 2
  8 192/9 [900-902] 1
12 704/64 [1-11] 1`, want: `
::sa:a.t = 5000 8000
::sa:a.d = - 1000
::sa:a.h = 0/2 2/3`},
	{name: "V17 relative beyond the marker's own time", trace: `
0 640/64 [1-10] 1
sub a 5 dur=8000
  0 128/9 [900,901] 2
  3 192/9 [900-902] 1
  7 256/9 [900-903] 1
20 704/64 [1-11] 1`, want: `
::sa:a.t = 5000 8000 12000
::sa:a = u128 | u64 | u64`},
	{name: "V18 joins", trace: `
sub z 0 dur=1000
  0 64/9 [90]
1 64/9 [1] 0.5
sub a 2 dur=4000
  2 64/9 [91] 1
sub b 2.5 dur=3000
  2.5 64/9 [92] 1
sub c 3 dur=9500
  3 64/9 [93] 1
sub d 3.5 dur=90000
  3.5 64/9 [94] 1
7 128/9 [1,2] 1
20 192/9 [1-3] 1`, want: `
dropped = 1
streams = root ::sa:a ::sa:b ::sa:c ::sa:d
branches = spawn:a 0>1 @2000 {::sa:a ::sa:b}; spawn:c 0>2 @3000 {::sa:c}; spawn:d 0>bg @3500 {::sa:d}`},
	{name: "V19 nested chains", trace: `
0 640/64 [1-10] 1
sub a 2 tool=100 sys=20
  2 19200/100 [1000-1299] 5
  3 640/5 [5000-5009] 1
  3.5 19200/9000 [1000,1001,6000-6297] 50
  8 19264/100 [1000-1300] 1
sub e 2.5
60 704/64 [1-11] 1`, want: `
streams = root ::sa:a ::sa:a:aux:000 ::sa:a:fa:001 ::sa:e
branches = spawn:a 0>1 @2000 {::sa:a ::sa:a:aux:000 ::sa:a:fa:001 ::sa:e}
::sa:a = s128 u19072 | u64
::sa:a.d = - 1000
::sa:a:fa:001 = s128 u19072
::sa:a:fa:001.h = 2/300
::sa:e = 
::sa:a.preds = - ::sa:a:aux:000/0`},
	{name: "V21 recorded times are never warped (decision 11)", trace: `
0 640/64 [1-10] 1
sub a 20 dur=80000
  20 64/9 [900] 80
220 704/64 [1-11] 1
230 768/64 [1-12] 1`, want: `
root.t = 0 220000 230000
root.d = - 219000 9000
::sa:a.t = 20000
branches = spawn:a 0>1 @20000 {::sa:a}`},
	{name: "V22 inter-turn cap", options: delayCap60, trace: `
0 64/1 [1] 1
220 128/1 [1,2]`, want: `
root.d = - 60000
root.t = 0 220000`},
	{name: "V22 delays ignored", options: ignoreDelays, trace: `
0 64/1 [1] 1
sub a 1 dur=1000
  1 64/1 [9] 1
220 128/1 [1,2]`, want: `
root.t = - -
root.d = - -
root.api = - -
branches = spawn:a 0>1 @1000 {::sa:a}`},
	{name: "V28 think time", options: thinkTimeOnly, trace: `
0 64/1 [1] 1
5 128/1 [1,2] 1 think=2
8 192/1 [1-3]
9 256/1 [1-4] think=-3`, want: `
root.d = - 2000 2000 0
negative think = 1`},
	{name: "V28 negative think time on a child (Q-16)", options: thinkTimeOnly, trace: `
0 64/1 [1] 1
sub a 1 dur=8000
  1 64/1 [9] 1
  5 128/1 [9,10] think=-3
20 128/1 [1,2]`, want: `
::sa:a.d = - 0
negative think = 1`},
	{name: "V29 schedule window", options: window5to8, trace: `
0 64/1 [1]
5 128/1 [1,2]
8 192/1 [1-3]
8.5 256/1 [1-4]`, want: `
root = u128 | u64
root.h = 0/2 2/3
root.d = - 3000`},
	{name: "X26 inherited system message", trace: `
tool=100 sys=20
0 640/20 [0-9] 1
2 19200/500 [100-399] 1
4 19200/9000 [100,101,700-997] 1
9 19840/500 [100-409] 1`, want: `
root = s128 u512 | R u19200 | a512 u128
::fa:000 = s128 u19072`},
	{name: "X26b only one block in common", trace: `
tool=100 sys=20
0 25600/500 [0-399] 1
1 19200/9000 [0,700-998] 1
30 26240/500 [0-409] 1`, want: `
::fa:000 = u19200`},
	{name: "X28 end by the requests", trace: `
1 640/64 [1-10] 1
sub a 2
  2 LARGE1 1
  3 19200/9000 [1000,1001,6000-6297] 50
  8 19264/5000 [1000-1300] 1
20 704/64 [1-11] 1
60 768/64 [1-12] 1`, want: `
branches = spawn:a 0>2 @2000 {::sa:a ::sa:a:fa:000}`},
	{name: "X29 start is the earliest member's", trace: `
0 640/64 [1-10] 1
sub a 3 dur=1000
  3 64/9 [90]
sub b 2.5 dur=1000
  2.5 64/9 [91]
30 704/64 [1-11] 1`, want: `
branches = spawn:a 0>1 @2500 {::sa:a ::sa:b}`},
	{name: "X30 subagents before flat workers", trace: `
M0
sub a 2 dur=1000
  2 64/9 [9000]
3 LARGE1 1
M1`, want: `
branches = spawn:a 0>1 @2000 {::sa:a}; flatspawn:0 0>1 @3000 {::fa:000}`},
	{name: "X31 a worker first in the file", trace: `
5 LARGE1 1
M0
M1`, want: `
branches = flatspawn:0 0>1 @5000 {::fa:000}`},
	{name: "X32 tolerance of the join", trace: `
0 640/64 [1-10] 1
sub a 3 dur=4000
  3 64/9 [90]
6.9999995 704/64 [1-11] 1`, want: `
branches = spawn:a 0>1 @3000 {::sa:a}`},
	{name: "X33 the file's order decides", trace: `
1 640/64 [1-10] 1
7 704/64 [1-11] 1
sub a 3 dur=1000
  3 64/9 [90]
60 768/64 [1-12] 1`, want: `
branches = spawn:a 1>2 @3000 {::sa:a}`},
	{name: "X34 equal starts", trace: `
M0
5 LARGE1
5 26240/500 [0-409]`, want: `
root.preds = - -
::fa:000.preds = root/0`},
	{name: "X35 touching", trace: `
M0
2 LARGE1 3
5 26240/500 [0-409]`, want: `
root.preds = - ::fa:000/0`},
	{name: "X36 one without length is kept", trace: `
M0
5 LARGE1
5 6400/9 [2000-2099] 3
10 26240/500 [0-409]`, want: `
root.preds = - ::aux:001/0,::fa:000/0`},
	{name: "X37 latest by its end", trace: `
M0
1 64/1 [] 10
2 26240/500 [0-409] 1
12 LARGE1 1
40 26880/500 [0-419]`, want: `
::fa:000.preds = root/1`},
	{name: "X45 duration fits relative better", trace: `
0 640/64 [1-10] 1
sub a 5 dur=11000
  5 64/9 [90] 1
  10 128/9 [90,91] 1
30 704/64 [1-11] 1`, want: `
::sa:a.t = 10000 15000`},
	{name: "X45 duration fits absolute", trace: `
0 640/64 [1-10] 1
sub a 5 dur=6000
  5 64/9 [90] 1
  10 128/9 [90,91] 1
30 704/64 [1-11] 1`, want: `
::sa:a.t = 5000 10000`},
	{name: "X45 no duration", trace: `
0 640/64 [1-10] 1
sub a 5
  5 64/9 [90] 1
  10 128/9 [90,91] 1
30 704/64 [1-11] 1`, want: `
::sa:a.t = 5000 10000`},
	{name: "X49 file out of order", trace: `
9 704/64 [1-11] 1
0 640/64 [1-10] 1
sub a 5 dur=1000
  5 64/9 [90]
20 768/64 [1-12] 1`, want: `
root.rows = 1 0 3
branches = spawn:a 0>1 @5000 {::sa:a}
out of order = 1`},
	{name: "4.7 example", trace: `
0 64000/9 [0-999] 1
2 64000/9000 [2000-2999] 3
2.5 64000/9000 [3000-3999] 1
4 64064/9 [0-1000] 0.5
10 64128/9 [0-1001]`, want: `
streams = root ::fa:000 ::fa:001
root.preds = - ::fa:001/0 ::fa:000/0,::fa:001/0
::fa:000.preds = root/0
::fa:001.preds = root/0`},
	{name: "Q-17 negative api time is 0", trace: `
0 64/1 [1] -1
3 128/1 [1,2]`, want: `
root.d = - 3000
root.api = 0 -`},
}
