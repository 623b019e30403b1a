package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentx/eventlog"
	"agentx/internal/promtext"

	"github.com/klauspost/compress/zstd"
)

// ServerMetrics are the metrics pages that the run scraped, as series of values.
type ServerMetrics struct {
	Endpoints []*Endpoint
	Metrics   []*ServerMetric // by name
	Skipped   int             // lines that could not be read
}

// Endpoint is one scraped URL.
type Endpoint struct {
	URL             string
	Fetches, Failed int
	First, Last     Stamp // successful fetches
	FetchNs         int64 // sum over successful fetches
	Updates         []Stamp
	lastPage        string
}

// ServerMetric is one metric of the servers.
type ServerMetric struct {
	Name, Type, Help string
	Series           []*Series
}

// Series is one set of labels of a metric at one endpoint.
type Series struct {
	URL    string
	Labels []promtext.Label
	Points []Point            // counters, gauges and others
	Counts map[string][]Point // histograms: sum, count, and cumulated buckets by their upper bound
}

// Point is a value at a time.
type Point struct {
	At    Stamp
	Value float64
}

// serverFolder gathers scrapes.
type serverFolder struct {
	result    *ServerMetrics
	endpoints map[string]*Endpoint
	metrics   map[string]*ServerMetric
	series    map[string]*Series
	decoder   *zstd.Decoder
}

// readServer reads the scrapes of a log; nil where there are none.
func readServer(source Source) (*ServerMetrics, error) {
	f := &serverFolder{result: &ServerMetrics{}, endpoints: map[string]*Endpoint{}, metrics: map[string]*ServerMetric{}, series: map[string]*Series{}}
	defer func() {
		if f.decoder != nil {
			f.decoder.Close()
		}
	}()
	for event, err := range source.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindServerSample}}) {
		if err == nil {
			err = f.scrape(&event)
		}
		if err != nil {
			return nil, fmt.Errorf("reading server metrics: %w", err)
		}
	}
	if len(f.endpoints) == 0 {
		return nil, nil
	}
	slices.SortFunc(f.result.Metrics, func(a, b *ServerMetric) int { return cmp.Compare(a.Name, b.Name) })
	return f.result, nil
}

func (f *serverFolder) scrape(event *eventlog.Event) error {
	sample, err := eventlog.Decode[eventlog.ServerSample](*event)
	if err != nil {
		return err
	}
	e := f.endpoints[sample.URL]
	if e == nil {
		e = &Endpoint{URL: sample.URL, First: NoStamp, Last: NoStamp}
		f.endpoints[sample.URL] = e
		f.result.Endpoints = append(f.result.Endpoints, e)
	}
	e.Fetches++
	if sample.Error != "" || len(event.Data) == 0 {
		e.Failed++
		return nil
	}
	page, err := f.unpack(event.Data)
	if err != nil {
		return fmt.Errorf("event %d: %w", event.Seq, err)
	}
	at := Stamp(event.AtNs)
	if !e.First.Known() {
		e.First = at
	}
	e.Last = at
	e.FetchNs += sample.FetchNs
	if text := string(page); text != e.lastPage {
		e.lastPage = text
		e.Updates = append(e.Updates, at)
	}
	families, skipped, _ := promtext.Parse(page)
	f.result.Skipped += skipped
	for i := range families {
		f.family(sample.URL, at, &families[i])
	}
	return nil
}

func (f *serverFolder) unpack(data []byte) ([]byte, error) {
	if !strings.HasPrefix(string(data), string(zstdMagic)) {
		return data, nil
	}
	if f.decoder == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(promtext.MaxPage))
		if err != nil {
			return nil, err
		}
		f.decoder = decoder
	}
	return f.decoder.DecodeAll(data, nil)
}

// family takes the values of a family. Quantiles of a summary are since the server's start and say
// nothing about a phase; times of creation are no measurements.
func (f *serverFolder) family(url string, at Stamp, family *promtext.Family) {
	if strings.HasSuffix(family.Name, "_created") {
		return
	}
	for i := range family.Series {
		read := &family.Series[i]
		series := f.seriesOf(url, family, read.Labels)
		if !family.Grouped() {
			series.Points = append(series.Points, Point{at, read.Value})
			continue
		}
		if series.Counts == nil {
			series.Counts = map[string][]Point{}
		}
		count := func(part string, value float64) {
			if !math.IsNaN(value) {
				series.Counts[part] = append(series.Counts[part], Point{at, value})
			}
		}
		count("count", read.Count)
		count("sum", read.Sum)
		if family.Type == "histogram" {
			for _, bucket := range read.Buckets {
				count(strconv.FormatFloat(bucket.Bound, 'f', -1, 64), bucket.Count)
			}
		}
	}
}

func (f *serverFolder) seriesOf(url string, family *promtext.Family, labels []promtext.Label) *Series {
	name := strings.TrimSuffix(family.Name, "_total")
	var key strings.Builder
	key.WriteString(name + "\x00" + url)
	for _, l := range labels {
		key.WriteString("\x00" + l.Name + "\x01" + l.Value)
	}
	series := f.series[key.String()]
	if series != nil {
		return series
	}
	metric := f.metrics[name]
	if metric == nil {
		metric = &ServerMetric{Name: name, Type: family.Type, Help: family.Help}
		f.metrics[name] = metric
		f.result.Metrics = append(f.result.Metrics, metric)
	}
	series = &Series{URL: url, Labels: labels}
	f.series[key.String()] = series
	metric.Series = append(metric.Series, series)
	return series
}
