package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// turnsPerTrace is how long a session of the bench corpus is.
const turnsPerTrace = 40

// blockTokens is the block size of the bench corpus.
const blockTokens = 64

type benchRequest struct {
	T       float64 `json:"t"`
	Type    string  `json:"type"`
	Model   string  `json:"model"`
	In      int     `json:"in"`
	Out     int     `json:"out"`
	HashIDs []int   `json:"hash_ids"`
	APITime float64 `json:"api_time"`
}

// writeCorpus writes traces whose prompts all have about the same length and differ in their last block
// only, as a session late in its life does.
func writeCorpus(dir string, traces, promptTokens, outTokens int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	blocks := max(promptTokens/blockTokens, 1)
	for trace := range traces {
		var requests []benchRequest
		for turn := range turnsPerTrace {
			ids := make([]int, blocks)
			for i := range ids {
				ids[i] = i
			}
			ids[blocks-1] = blocks + turn
			requests = append(requests, benchRequest{
				T: float64(turn), Type: "s", Model: "bench", In: blocks * blockTokens, Out: outTokens, HashIDs: ids, APITime: 0.5,
			})
		}
		text, err := json.Marshal(map[string]any{
			"id": fmt.Sprintf("bench_%04d", trace), "models": []string{"bench"}, "block_size": blockTokens,
			"hash_id_scope": "local", "requests": requests,
		})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("bench_%04d.json", trace)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
