package analyze

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/view/swimlane"
)

// The link to the texts is relative to the picture, whatever the folders are called, and the picture says
// how the page is made as long as it is not there.
func TestLinkFromThePictureToTheTexts(t *testing.T) {
	for _, c := range []struct{ run, picture, want string }{
		{"run", "run/swim_lane", "turn_messages.html"},
		{"run", "elsewhere/x", "../run/turn_messages.html"},
		{"a run#1?", "x", "a%20run%231%3F/turn_messages.html"},
		{"javascript:alert(1)", "x", "./javascript:alert%281%29/turn_messages.html"},
	} {
		root := t.TempDir()
		log := &Log{Dir: filepath.Join(root, c.run)}
		if err := os.MkdirAll(log.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		picture := &swimlane.Run{}
		if err := log.linkTexts(picture, filepath.Join(root, filepath.FromSlash(c.picture))); err != nil {
			t.Fatal(err)
		}
		if strings.ReplaceAll(strings.ReplaceAll(picture.Texts, "(", "%28"), ")", "%29") != c.want || !strings.Contains(picture.TextsHint, "agentx-analyze turn-messages ") {
			t.Errorf("%s: the link is %q, expected %q; the hint %q", c.run, picture.Texts, c.want, picture.TextsHint)
		}
		if err := os.WriteFile(filepath.Join(log.Dir, messagesName), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		picture.TextsHint = ""
		if err := log.linkTexts(picture, filepath.Join(root, filepath.FromSlash(c.picture))); err != nil || picture.TextsHint != "" {
			t.Errorf("%s: the page is there, and the hint is %q (%v)", c.run, picture.TextsHint, err)
		}
	}
}
