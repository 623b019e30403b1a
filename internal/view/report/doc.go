// Package report writes the numbers of a run for people and programs: console tables, the files that
// scripts written for AIPerf read, and fuller ones of our own.
//
// It promises that every number comes from package measure, that the same analysis gives the same
// bytes (fixed order of keys and rows, no wall clock of the writer), that files appear under their
// names only when they are whole, and that the completion marker comes last.
package report
