package main

import (
	"strings"
	"unsafe"
)

// minHidden is the shortest secret that is hidden; shorter ones would hit ordinary words.
const minHidden = 4

// hide overwrites secrets in the process's own command line, which every user of the machine can read
// (ps, /proc). On Linux the words of os.Args lie in that very memory; words must be those, and nothing else
// may use them any more: execute works on a copy.
func hide(words, secrets []string) {
	for _, word := range words {
		text := unsafe.Slice(unsafe.StringData(word), len(word))
		for _, secret := range secrets {
			for from := 0; len(secret) >= minHidden; {
				at := strings.Index(string(text[from:]), secret)
				if at < 0 {
					break
				}
				for i := range secret {
					text[from+at+i] = 'x'
				}
				from += at + len(secret)
			}
		}
	}
}
