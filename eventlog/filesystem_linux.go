package eventlog

import (
	"fmt"
	"syscall"
)

// fileSystemOf looks at the file system that path lies, or would lie, on.
func fileSystemOf(path string) (fileSystem, error) {
	dir, err := nearestDir(path)
	if err != nil {
		return fileSystem{}, err
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return fileSystem{}, fmt.Errorf("looking at the file system of %s: %w", dir, err)
	}
	found := classify(uint32(stat.Type))
	found.free = int64(stat.Bavail) * stat.Bsize
	return found, nil
}

// classify knows the magic numbers of statfs(2) and of the file systems' own sources. A FUSE mount may
// be anything, so it stays unknown.
func classify(magic uint32) fileSystem {
	known := map[uint32]fileSystem{
		0xef53:     {name: "ext4", class: fsLocal},
		0x58465342: {name: "xfs", class: fsLocal},
		0x9123683e: {name: "btrfs", class: fsLocal},
		0x01021994: {name: "tmpfs", class: fsLocal},
		0x858458f6: {name: "ramfs", class: fsLocal},
		0x2fc12fc1: {name: "zfs", class: fsLocal},
		0xca451a4e: {name: "bcachefs", class: fsLocal},
		0x794c7630: {name: "overlay", class: fsLocal},
		0xf2f52010: {name: "f2fs", class: fsLocal},
		0x3153464a: {name: "jfs", class: fsLocal},
		0x52654973: {name: "reiserfs", class: fsLocal},
		0x2011bab0: {name: "exfat", class: fsLocal},
		0x6969:     {name: "nfs", class: fsNetwork},
		0xff534d42: {name: "cifs", class: fsNetwork},
		0xfe534d42: {name: "smb2", class: fsNetwork},
		0x517b:     {name: "smb", class: fsNetwork},
		0x0bd00bd0: {name: "lustre", class: fsNetwork},
		0x47504653: {name: "gpfs", class: fsNetwork},
		0x00c36400: {name: "ceph", class: fsNetwork},
		0x19830326: {name: "beegfs", class: fsNetwork},
		0x01021997: {name: "9p", class: fsNetwork},
		0x01161970: {name: "gfs2", class: fsNetwork},
		0x7461636f: {name: "ocfs2", class: fsNetwork},
		0x5346414f: {name: "afs", class: fsNetwork},
		0x6b414653: {name: "afs", class: fsNetwork},
		0xaad7aaea: {name: "panfs", class: fsNetwork},
		0x786f4256: {name: "vboxsf", class: fsNetwork},
		0xbacbacbc: {name: "vmhgfs", class: fsNetwork},
		0x65735546: {name: "fuse", class: fsUnknown},
	}
	if found, ok := known[magic]; ok {
		return found
	}
	return fileSystem{name: fmt.Sprintf("type %#x", magic)}
}
