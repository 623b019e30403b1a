package prep

import "testing"

// TestOtherContentHasAnotherVersion pins what these rules make of the sample traces. A key is known before
// anything is built and finds bundles that older programs left in the cache: whoever changes the content of
// a bundle raises RulesVersion, filler.Version or bundle.Format, and then writes the new digests here.
func TestOtherContentHasAnotherVersion(t *testing.T) {
	sample := openSample(t)
	const (
		key     = "20462af2bfe4500414aab25a8f9a8cf94fd07322527c627593d4e824b4962e54"
		content = "7bb45e7e68daaa72153d8c4629a108f28b672e861d37f8535f5fe816f7c85783"
	)
	if got := sample.Manifest().Key.String(); got != key {
		t.Errorf("key %s, expected %s", got, key)
	}
	if got := sample.ContentDigest().String(); got != content {
		t.Errorf("content %s, expected %s: is it another content under the same version?", got, content)
	}
}
