// Package weka reads traces in the Weka format: token counts, KV-cache block ids and timestamps of
// agent runs, without text, as JSON (one trace a file, or one a line) or Parquet (one a row), plain or
// compressed by gzip or zstd. What a file is, its content decides, not its name.
//
// A corpus is read twice and is never in memory as a whole. List finds the files. Source.Survey reads
// one file from start to end and gives a Unit with its counts for every trace in it; Combine joins the
// surveys of all files, in the order of List, into a Corpus. Unit.Read reads one trace again.
// Surveys and reads of different files and units may run at the same time.
//
// Every refusal is an *Error that names file, line or row, trace, field and what to do.
package weka
