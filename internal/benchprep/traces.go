package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// find lists the traces by name, unpacking them first where the folder does not exist. It prints why and
// returns none where there is nothing to measure with.
func find(folder string) ([]string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		shared := os.Getenv("AGENTX_SHARED")
		if shared == "" {
			shared = filepath.Join("..", "shared")
		}
		packed := filepath.Join(shared, "traces", "kv-cache-tester.tar.zst")
		if _, err := os.Stat(packed); err != nil {
			fmt.Printf("skipped: neither %s nor %s is there (the 640 traces of the public kv-cache-tester project)\n", folder, packed)
			return nil, nil
		}
		if err := unpack(packed, folder); err != nil {
			return nil, err
		}
	}
	var files []string
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".json" {
			files = append(files, path)
		}
		return err
	})
	slices.Sort(files)
	if err == nil && len(files) == 0 {
		fmt.Printf("skipped: %s has no traces\n", folder)
	}
	return files, err
}

// unpack puts the files of an archive into a new folder, which gets its name when all are there.
func unpack(packed, folder string) error {
	file, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := zstd.NewReader(file)
	if err != nil {
		return err
	}
	defer plain.Close()
	temporary := folder + ".new"
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	archive := tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return os.Rename(temporary, folder)
		}
		if err != nil {
			return fmt.Errorf("unpacking %s: %w", packed, err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if !filepath.IsLocal(header.Name) {
			return fmt.Errorf("unpacking %s: it has a file %q", packed, header.Name)
		}
		if err := write(filepath.Join(temporary, header.Name), archive); err != nil {
			return err
		}
	}
}

func write(path string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Close())
}
