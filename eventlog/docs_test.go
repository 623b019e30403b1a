package eventlog

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

func readDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/event-log.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every recipe of the page runs on a log of this program.
func TestTheRecipesOfThePageRun(t *testing.T) {
	path := sampleLog(t, sample{events: 40, group: 10}, Options{noSync: true})
	blocks := strings.Split(readDocs(t), "```sql\n")[1:]
	if len(blocks) < 8 {
		t.Fatalf("%d recipes found on the page", len(blocks))
	}
	for _, block := range blocks {
		sql, _, _ := strings.Cut(block, "```")
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.rows(sql); err != nil {
			t.Errorf("%v in the recipe:\n%s", err, sql)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The page lists every kind that is not the replay machine's, and every point.
func TestThePageNamesKindsAndPoints(t *testing.T) {
	page := readDocs(t)
	for _, kind := range Kinds() {
		row := fmt.Sprintf("| %d | `%v` |", int(kind), kind)
		if machine := kind >= KindStart && kind < KindRequestWritten; !machine && !strings.Contains(page, row) {
			t.Errorf("the page has no row %q", row)
		}
	}
	for _, point := range Points() {
		if !strings.Contains(page, "`"+string(point)+"`") {
			t.Errorf("the page does not name the point %s", point)
		}
	}
	for _, digest := range []string{vectorGenesis, vectorBatch1, vectorBatch2} {
		if !strings.Contains(page, digest) {
			t.Errorf("the page does not have the digest %s of the vector", digest)
		}
	}
}

// The row of a kind names every key of its payload, also one that is added later.
func TestThePageNamesEveryPayloadKey(t *testing.T) {
	page := readDocs(t)
	for kind, payload := range map[Kind]any{
		KindRunConfig: RunConfig{}, KindAnchor: Anchor{}, KindModelMap: ModelMap{}, KindServerInfo: ServerInfo{},
		KindNotice: Notice{}, KindClientSample: ClientSample{}, KindServerSample: ServerSample{}, KindRunEnd: RunEnd{},
		KindStreamNames: StreamNames{}, KindBundlePart: BundlePart{}, KindRequestWritten: RequestWritten{}, KindFirstContent: FirstContent{},
		KindNetworkSample: NetworkSample{},
	} {
		_, row, _ := strings.Cut(page, fmt.Sprintf("| %d | `%v` |", int(kind), kind))
		row, _, _ = strings.Cut(row, "\n")
		for _, key := range jsonKeys(reflect.TypeOf(payload)) {
			if !strings.Contains(row, "`"+key+"`") {
				t.Errorf("the row of %v does not name the key %q", kind, key)
			}
		}
	}
	_, form, _ := strings.Cut(page, "### exchange_end")
	form, _, _ = strings.Cut(form, "\n## ")
	for _, key := range jsonKeys(reflect.TypeOf(exchangeForm{})) {
		if !strings.Contains(form, "`"+key+"`") {
			t.Errorf("the table of exchange_end does not name the key %q", key)
		}
	}
}

// The table of stored forms names the keys of each kind in the order of their places.
func TestThePageGivesThePlacesOfStoredForms(t *testing.T) {
	_, table, _ := strings.Cut(readDocs(t), "### Stored forms")
	table, _, _ = strings.Cut(table, "\n## ")
	for kind, columns := range storedColumns() {
		_, row, found := strings.Cut(table, fmt.Sprintf("| %d `%v` |", int(kind), kind))
		if !found {
			t.Errorf("the page has no row for %v", kind)
		}
		row, _, _ = strings.Cut(row, "\n")
		places := strings.Split(row, ";")
		if len(places) != len(columns) {
			t.Errorf("the row of %v has %d places, the form %d", kind, len(places), len(columns))
			continue
		}
		for _, column := range columns {
			if !strings.Contains(places[column.place], column.key) {
				t.Errorf("place %d of %v is %q on the page, want %s", column.place, kind, places[column.place], column.key)
			}
		}
	}
}

// jsonKeys lists the keys of a payload and of the objects in it.
func jsonKeys(of reflect.Type) []string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for i := range of.NumField() {
		key, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		keys = append(append(keys, key), jsonKeys(of.Field(i).Type)...)
	}
	return keys
}
