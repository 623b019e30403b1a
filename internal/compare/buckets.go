package compare

import (
	"cmp"
	"fmt"
	"slices"

	"agentx/internal/measure"
)

// Bucket is a part of the requests with its figures on both sides. Buckets are for looking closer: their
// probabilities are not corrected for their number.
type Bucket struct {
	By, Label string
	Rows      []Row
}

// bucketTags are the metrics that buckets show.
func bucketTags() []string {
	return []string{"time_to_first_token", "request_latency", "inter_token_latency"}
}

// label is a bucket of a record with its place in the order of its dimension.
type label struct {
	order int
	text  string
}

func depthLabel(r *measure.Record) label { return label{r.Place.Depth, fmt.Sprint(r.Place.Depth)} }

// lengthLabel groups input lengths by powers of two from 1,024 tokens on, as summary's isl-bucket.
func lengthLabel(r *measure.Record) label {
	if !r.Tokens.Input.Known() {
		return label{-1, "not counted"}
	}
	tokens := int(r.Tokens.Input)
	if tokens < 1024 {
		return label{0, "0-1023"}
	}
	low := 1024
	for low*2 <= tokens {
		low *= 2
	}
	return label{low, fmt.Sprintf("%d-%d", low, low+low-1)}
}

// buckets compares the requests by depth and by input length.
func buckets(sides [2]Side, u *units, c *chance) []Bucket {
	var list []Bucket
	for _, by := range []struct {
		name string
		of   func(*measure.Record) label
	}{{"depth", depthLabel}, {"isl-bucket", lengthLabel}} {
		for _, part := range labels(sides, by.of) {
			chosen := func(r *measure.Record) bool { return r.Valid() && by.of(r) == part }
			if b := (Bucket{by.name, part.text, bucketRows(sides, u, c, chosen)}); len(b.Rows) > 0 {
				list = append(list, b)
			}
		}
	}
	return list
}

func labels(sides [2]Side, of func(*measure.Record) label) []label {
	seen := map[label]bool{}
	var list []label
	for _, side := range sides {
		for _, a := range side.Runs {
			for _, r := range a.Selected {
				if l := of(r); r.Valid() && !seen[l] {
					seen[l] = true
					list = append(list, l)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b label) int { return cmp.Compare(a.order, b.order) })
	return list
}

func bucketRows(sides [2]Side, u *units, c *chance, chosen func(*measure.Record) bool) []Row {
	definitions := measure.Definitions()
	var rows []Row
	for _, tag := range bucketTags() {
		if d, known := measure.Lookup(definitions, tag); known {
			rows = append(rows, metricRows(d, samplesOf(d, sides, u, chosen), u, c, nil)...)
		}
	}
	return rows
}
