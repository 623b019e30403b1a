package measure

import "time"

// Clock turns run time into wall time. It hangs on the first anchor only, so that differences of
// exported wall times are exactly the measured durations; how far the machine's wall clock moved
// against it meanwhile is kept apart.
type Clock struct {
	AtNs, WallNs int64 // first anchor
	Anchors      int
	Steps        int   // clock steps that the run noticed
	DriftNs      int64 // last anchor's wall time − what the first one predicts
}

// Known reports whether the log has an anchor.
func (c *Clock) Known() bool { return c.Anchors > 0 }

// Wall is the wall time of a moment, ns since the Unix epoch.
func (c *Clock) Wall(at Stamp) int64 { return c.WallNs + int64(at) - c.AtNs }

// Time is Wall in UTC.
func (c *Clock) Time(at Stamp) time.Time { return time.Unix(0, c.Wall(at)).UTC() }

func (c *Clock) anchor(atNs, wallNs int64, why string) {
	if c.Anchors == 0 {
		c.AtNs, c.WallNs = atNs, wallNs
	}
	c.Anchors++
	c.DriftNs = wallNs - c.Wall(Stamp(atNs))
	if why == "step" {
		c.Steps++
	}
}
