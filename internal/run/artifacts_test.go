package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArtifactDirOfAutomaticNameNeverReusesARun(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &Options{Server: ServerOptions{Models: []string{"org/m"}}, Load: LoadOptions{Concurrency: 3}}
	for _, want := range []string{"org_m-openai-chat-concurrency3", "org_m-openai-chat-concurrency3-2", "org_m-openai-chat-concurrency3-3"} {
		dir, err := artifactDir(o)
		if err != nil || dir != filepath.Join("artifacts", want) {
			t.Fatalf("folder is %q, %v; want %q", dir, err, want)
		}
		if err := os.WriteFile(filepath.Join(dir, logName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestArtifactDirThatIsGivenIsRefusedUnlessOverwritten(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, logName)
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := &Options{ArtifactDir: dir}
	if _, err := artifactDir(o); err == nil || !strings.Contains(err.Error(), "--overwrite") {
		t.Errorf("error is %v, want one that names --overwrite", err)
	}
	o.Overwrite = true
	if _, err := artifactDir(o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(log); !os.IsNotExist(err) {
		t.Errorf("the old log is still there: %v", err)
	}
}
