package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"time"
)

// pack writes the tree below one folder. Nothing in it depends on the machine: no owner, one time for all
// (1980, which every tool can write), and gzip's header empty.
func (t tree) pack(folder string) ([]byte, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(zipped)
	when := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range t.names() {
		f := t[name]
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: folder + "/" + name, Size: int64(len(f.content)), Mode: int64(f.mode),
			ModTime: when, Format: tar.FormatPAX,
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
