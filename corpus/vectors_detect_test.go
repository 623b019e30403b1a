package corpus_test

import (
	"strings"
	"testing"

	"agentx/corpus"
)

// The vectors on chain detection and classes.
func TestVectorsOfDetection(t *testing.T) {
	for _, v := range detectVectors {
		v.trace = shorthand.Replace(v.trace)
		t.Run(v.name, v.run)
	}
}

// shorthand are the rows that many vectors have in common: the main chain of reconstruction-vectors.md
// and a fork of it, FORK(t,own) with 50 ids from own on.
var shorthand = strings.NewReplacer(
	"M0", "0 25600/500 [0-399] 1",
	"M1", "30 26240/500 [0-409] 1",
	"M2", "60 26240/500 [0-409] 1",
	"LARGE1", "19200/5000 [1000-1299]",
	"FORK1", "22400/9000 [0-299,10000-10049]",
	"FORK2", "22400/9000 [0-299,10100-10149]",
	"FORK3", "22400/9000 [0-299,10200-10249]",
	"FORK4", "22400/9000 [0-299,10300-10349]",
	"FORK5", "22400/9000 [0-299,10400-10449]",
	"FORK6", "22400/9000 [0-299,10500-10549]",
	"SUB1", "22400/9000 [2000-2299,20000-20049]",
	"SUB2", "22400/9000 [2000-2299,20100-20149]",
	"SUB3", "22400/9000 [2000-2299,20200-20249]",
)

func noAux(o *corpus.Options)      { o.AuxMaxRequests = 0 }
func noSplit(o *corpus.Options)    { o.SplitFlattenedAgents = false }
func noPreamble(o *corpus.Options) { o.NoPreamble = true }

var detectVectors = []vector{
	{name: "V11 compaction", trace: `
0 640/64 [1-10] 2
10 256/50 [1,2,3,50] 2
20 320/50 [1,2,3,50,51] 2`, want: `
streams = root
root = u640 | R u192 u64 | u64
root.h = 0/10 3/4 4/5
root.d = - 8000 8000
seams = 1`},
	{name: "V11 the longer state goes on", trace: `
0 640/64 [1-10] 2
10 256/50 [1,2,3,50] 2
20 704/50 [1-11] 2`, want: `
streams = root ::aux:000
root.d = - 18000
::aux:000.h = 3/4
branches = flatspawn:0 0>1 @10000 {::aux:000}
seams = 0`},
	{name: "V12 classes", trace: `
M0
1 LARGE1 3
1.5 6400/10 [2000-2099]
1.6 19200/6000 [3000-3299] model=B
1.7 19200/900 [4000-4299]
1.8 19200/960 [5000-5299]
M1`, want: `
streams = root ::fa:000 ::aux:001 ::aux:002 ::aux:003 ::fa:004
branches = flatspawn:0 0>1 @1000 {::fa:000 ::aux:001 ::aux:002 ::aux:003 ::fa:004}`},
	{name: "V13 worker group", trace: `
M0
2 FORK1 10
3 FORK2 10
4 FORK3 10
50 FORK4 10
M2`, want: `
streams = root ::wg:000_000 ::wg:000_001 ::wg:000_002 ::fa:003
::wg:000_000.h = 300/350
::fa:003.h = 300/350
::fa:003.preds = ::wg:000_000/0,::wg:000_001/0,::wg:000_002/0
root.preds = - ::fa:003/0`},
	{name: "V14 preamble", trace: `
0 640/20 [0-9] 1 model=B
2 19200/500 [100-399] 1
4 6400/10 [700-799] 1
9 19840/500 [100-409] 1`, want: `
streams = root ::aux:000
root = u640 | R u19200 | a512 u128
root.h = 0/10 0/300 300/310
root.d = - 1000 6000
branches = flatspawn:0 1>2 @4000 {::aux:000}
::aux:000.preds = root/1
root.preds = - - ::aux:000/0
cyclic = 0`},
	{name: "V14b the one-shot last in the file", trace: `
0 640/20 [0-9] 1 model=B
2 19200/500 [100-399] 1
9 19840/500 [100-409] 1
4 6400/10 [700-799] 1`, want: `
branches = flatspawn:0 2>bg @4000 {::aux:000}
::aux:000.preds = root/1
root.preds = - - -
cyclic = 1`},
	{name: "V15 overlap", trace: `
0 19200/3000 [0-299] 5
4 19264/3000 [0-300] 1
5 19328/3000 [0-301] 1`, want: `
streams = root ::fa:000
root.rows = 0
::fa:000.rows = 1 2
::fa:000.d = - 0`},
	{name: "V16 gap of 3600 s", trace: `
0 640/64 [1-10] 2
3602 256/64 [1,2,3,50]`, want: `
streams = root
root.d = - 3600000`},
	{name: "V16 gap of 3601 s", trace: `
0 640/64 [1-10] 2
3603 256/64 [1,2,3,50]`, want: `
streams = root ::aux:000
branches = flatspawn:0 0>bg @3603000 {::aux:000}`},
	{name: "V16 enough overlap", trace: `
0 640/64 [1-10] 2
9999 384/64 [1-5,50]`, want: `
streams = root`},
	{name: "V20 nested group", trace: `
0 640/64 [1-10] 1
sub k 10 dur=31500
  10 25600/500 [1000-1399] 1
  12 22400/9000 [1000-1299,10000-10049] 10
  13 22400/9000 [1000-1299,10100-10149] 10
  14 22400/9000 [1000-1299,10200-10249] 10
  40 26240/500 [1000-1409] 1
41 704/64 [1-11] 1
50 768/64 [1-12] 1`, want: `
streams = root ::sa:k ::sa:k:wg:000_000 ::sa:k:wg:000_001 ::sa:k:wg:000_002
branches = spawn:k 0>2 @10000 {::sa:k ::sa:k:wg:000_000 ::sa:k:wg:000_001 ::sa:k:wg:000_002}`},
	{name: "3.1 output of 65 is no preamble", trace: `
0 128/65 [1,2] 1
1 19200/500 [100-199,1,201-398] 1
9 19264/500 [100-199,1,201-399] 1`, want: `
streams = root ::fa:000
root.rows = 0`},
	{name: "3.1 output of 64 is a preamble", trace: `
0 128/64 [1,2] 1
1 19200/500 [100-199,1,201-398] 1`, want: `
streams = root
root.rows = 0 1`},
	{name: "Q-03 switch", options: noPreamble, trace: `
0 640/20 [0-9] 1
2 19200/500 [100-399] 1
9 19840/500 [100-409] 1`, want: `
streams = root ::fa:000
root.rows = 0
::fa:000.rows = 1 2`},
	{name: "3 switched off", options: noSplit, trace: `
0 640/20 [0-9] 1
2 19200/500 [100-399] 1
4 LARGE1 1
9 19840/500 [100-409] 1`, want: `
streams = root
root.rows = 0 1 2 3`},
	{name: "X2 preamble by ids", trace: `
0 640/500 [0-9] 1
2 19200/500 [100-399] 1
9 19840/500 [100-409] 1`, want: `
streams = root
root = u640 | R u19200 | a512 u128`},
	{name: "X3 yardstick without the preamble's model", trace: `
0 640/20 [0-9] 1 model=B
2 19200/500 [100-399] 1
4 19200/5000 [700-999] 1
9 19840/500 [100-409] 1`, want: `
streams = root ::fa:000`},
	{name: "X3 yardstick without the preamble's input", trace: `
0 640000/20 [0-9] 1
2 19200/500 [100-399] 1
4 19200/5000 [700-999] 1
9 19840/500 [100-409] 1`, want: `
streams = root ::fa:000`},
	{name: "X4 a row without ids is the yardstick's model", trace: `
0 64/10 [] 1 model=B
1 19200/500 [100-399] 1
2 19200/5000 [700-999] 1
9 19840/500 [100-409] 1`, want: `
root.rows = 0 1 3
::aux:000.rows = 2`},
	{name: "X5 extension: lowest chain of equals", trace: `
0 19200/5000 [0-299] 5
1 19200/5000 [0-299] 1
6 19264/500 [0-300] 1`, want: `
root.rows = 0 2
::fa:000.rows = 1`},
	{name: "X6 parent: longer tail of equals", trace: `
0 320/9 [1-5] 10
1 960/9 [1-4,50-60] 10
12 320/9 [1-4,90] 1`, want: `
root.rows = 0
::fa:000.rows = 1 2`},
	{name: "X7 parent: lowest chain of equals", trace: `
0 320/9 [1-5] 10
1 320/9 [1-4,50] 10
12 320/9 [1-4,90] 1`, want: `
root.rows = 0 2
streams = root ::aux:000`},
	{name: "X8 rows without ids go to the main chain", trace: `
M0
1 LARGE1 3
2 64/1 []
M1`, want: `
root.rows = 0 2 3`},
	{name: "X10 negative api time", trace: `
0 640/64 [1-10] -1
3600 256/64 [1,2,3,50]`, want: `
streams = root
root.d = - 3600000`},
	{name: "X11 tolerance", trace: `
0 640/64 [1-10] 2
1.9999995 256/64 [1,2,3,50]`, want: `
streams = root
root.d = - 0`},
	{name: "X11 beyond it", trace: `
0 640/64 [1-10] 2
1.99 256/64 [1,2,3,50]`, want: `
streams = root ::aux:000`},
	{name: "X12 the deepest continues", trace: `
0 640/64 [1-10] 2
3 256/64 [1,2,3,50]
4 384/64 [1-5,60] 1`, want: `
root.rows = 0 2
seams = 1
streams = root ::aux:000`},
	{name: "X13 the earliest of equals, then re-armed", trace: `
0 640/64 [1-10] 2
3 256/64 [1,2,3,50] 0.5
4 256/64 [1,2,3,60] 1`, want: `
root.rows = 0 1 2
seams = 2`},
	{name: "X14 guarded, then registered again", trace: `
0 640/64 [1-10] 2
9000 384/64 [1-5,60] 2
9999 256/64 [1,2,3,50]`, want: `
root.rows = 0 1 2
seams = 2`},
	{name: "X15 another model does not continue", trace: `
0 640/64 [1-10] 2
10 256/64 [1,2,3,50] 1 model=B`, want: `
root.rows = 0
streams = root ::aux:000`},
	{name: "X16 the main chain in time order", trace: `
0 640/64 [1-10] 2
10 256/64 [1,2,3,50] 1
11 64/1 []
12 320/64 [1,2,3,50,51] 1`, want: `
root.rows = 0 1 2 3
root = u640 | R u192 u64 | R u64 | R u320`},
	{name: "X17 below the floor", trace: "M0\n2 16383/5000 [1000-1009] 1\nM1", want: "streams = root ::aux:000"},
	{name: "X17 at the floor", trace: "M0\n2 16384/5000 [1000-1009] 1\nM1", want: "streams = root ::fa:000"},
	{name: "X18 below a tenth", trace: `
0 400009/500 [0-399] 1
2 39999/5000 [1000-1009] 1
30 400009/500 [0-409] 1`, want: "streams = root ::aux:000"},
	{name: "X18 at a tenth", trace: `
0 400009/500 [0-399] 1
2 40000/5000 [1000-1009] 1
30 400009/500 [0-409] 1`, want: "streams = root ::fa:000"},
	{name: "X19 two requests are no aux", trace: `
M0
2 640/9 [1000-1009] 1
4 704/9 [1000-1010] 1
M1`, want: `
streams = root ::fa:000
::fa:000.rows = 1 2`},
	{name: "X19 nor if they are large", trace: `
M0
2 20000/9 [1000-1009] 1
4 20064/9 [1000-1010] 1
M1`, want: "streams = root ::fa:000"},
	{name: "X19 nor of another model", trace: `
M0
2 640/9 [1000-1009] 1 model=B
4 704/9 [1000-1010] 1 model=B
M1`, want: "streams = root ::fa:000"},
	{name: "X20 reduction", trace: "M0\n2 100000/3999 [1000-1009] 1\nM1", want: "streams = root ::aux:000"},
	{name: "X20 too much output", trace: "M0\n2 100000/4000 [1000-1009] 1\nM1", want: "streams = root ::fa:000"},
	{name: "X20 no output", trace: "M0\n2 100000/0 [1000-1009] 1\nM1", want: "streams = root ::fa:000"},
	{name: "X21 no aux but reductions: small", options: noAux, trace: "M0\n2 16000/100 [1000-1009] 1\nM1", want: "streams = root ::fa:000"},
	{name: "X21 no aux but reductions: large", options: noAux, trace: "M0\n2 17000/100 [1000-1009] 1\nM1", want: "streams = root ::aux:000"},
	{name: "X22 forks of different states", trace: `
M0
2 FORK1 10
3 FORK2 10
5 26240/500 [0-409] 1
6.5 FORK3 10
60 26880/500 [0-419] 1`, want: "streams = root ::fa:000 ::fa:001 ::fa:002"},
	{name: "X23 disjoint workers are no group", trace: `
M0
2 22400/9000 [1000-1349] 10
3 22400/9000 [2000-2349] 10
4 22400/9000 [3000-3349] 10
M2`, want: "streams = root ::fa:000 ::fa:001 ::fa:002"},
	{name: "X24 touching is no overlap", trace: `
M0
2 FORK1 10
12 FORK2 10
22 FORK3 10
M2`, want: "streams = root ::fa:000 ::fa:001 ::fa:002"},
	{name: "X25 no length, same start", trace: `
M0
2 FORK1 10
2 FORK2
2 FORK3 10
M2`, want: "streams = root ::fa:000 ::fa:001 ::fa:002"},
	{name: "X25 no length, inside", trace: `
M0
2 FORK1 10
3 FORK2
4 FORK3 10
M2`, want: "streams = root ::wg:000_000 ::wg:000_001 ::wg:000_002"},
	{name: "X53 groups are numbered by time", trace: `
M0
1 25600/5000 [2000-2399] 100
2 FORK1 10
3 FORK2 10
4 FORK3 10
20 SUB1 10
21 SUB2 10
22 SUB3 10
50 FORK4 10
51 FORK5 10
52 FORK6 10
70 26240/500 [0-409] 1`, want: "streams = root ::fa:000 ::wg:000_000 ::wg:000_001 ::wg:000_002 " +
		"::wg:001_000 ::wg:001_001 ::wg:001_002 ::wg:002_000 ::wg:002_001 ::wg:002_002"},
	{name: "3.5 an aux keeps its number", trace: `
M0
2 FORK1 10
3 22400/900 [0-299,10100-10149] 10
4 FORK3 10
M2`, want: "streams = root ::wg:000_000 ::aux:001 ::wg:000_002"},
}
