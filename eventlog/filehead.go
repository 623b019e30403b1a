package eventlog

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// sqliteHead is the length of what an SQLite file begins with.
const sqliteHead = 100

// fileHead is what the first 100 bytes of an SQLite file say (sqlite.org/fileformat2.html, 1.3).
type fileHead struct {
	magic    bool
	wal      bool
	pageSize int64
	pages    int64
	bytes    int64 // of the file, by the file system
}

func readFileHead(path string) (fileHead, error) {
	file, err := os.Open(path)
	if err != nil {
		return fileHead{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fileHead{}, err
	}
	head := fileHead{bytes: info.Size()}
	var raw [sqliteHead]byte
	if _, err := io.ReadFull(file, raw[:]); err != nil {
		return head, nil // too short: no magic
	}
	head.magic = string(raw[:16]) == "SQLite format 3\x00"
	head.wal = raw[18] == 2
	head.pageSize = int64(binary.BigEndian.Uint16(raw[16:]))
	if head.pageSize == 1 {
		head.pageSize = 65536
	}
	head.pages = int64(binary.BigEndian.Uint32(raw[28:]))
	return head, nil
}

// describeFile says what the file's head tells of an error. It is asked only after opening failed:
// closing a descriptor of a database that this process has open would drop its locks.
func describeFile(path string) string {
	head, err := readFileHead(path)
	switch {
	case err != nil:
		return ""
	case !head.magic:
		return fmt.Sprintf(": its first bytes are not those of an SQLite database (%d bytes in all)", head.bytes)
	case head.bytes < head.pages*head.pageSize:
		return fmt.Sprintf(": it is cut at byte %d, page %d of %d (expected %d bytes): copy it again",
			head.bytes, head.bytes/head.pageSize+1, head.pages, head.pages*head.pageSize)
	default:
		return ""
	}
}
