package report

import "agentx/internal/measure"

// validityFile is validity.json: every check with value, limit and result, and everything that makes
// the run hard to compare.
func validityFile(a *measure.Analysis) object {
	var file object
	file.set("schema", "agentx-validity/1").set("agentx_version", a.Config.Version).text("benchmark_id", a.Config.BenchmarkID)
	verdict(&file, a)
	return file
}

// verdict appends the verdict's keys.
func verdict(o *object, a *measure.Analysis) {
	v := &a.Verdict
	if v.Scenario != "" {
		o.set("scenario", v.Scenario).set("submission_valid", v.Valid).set("submission_invalid_reasons", orEmpty(v.Reasons))
	}
	o.set("line", v.Line()).set("is_complete", v.Complete).text("incomplete_reason", v.IncompleteReason)
	o.set("nothing_succeeded", v.NothingSucceeded).set("was_cancelled", v.Cancelled).text("cancel_reason", v.CancelReason)
	checks := make([]object, 0, len(v.Checks))
	for _, c := range v.Checks {
		var check object
		check.set("name", c.Name).set("result", string(c.Result)).text("value", c.Value).text("limit", c.Limit)
		if c.Result == measure.CheckFail {
			check.set("reason", c.Reason)
		}
		checks = append(checks, *check.text("detail", c.Detail))
	}
	o.set("checks", checks)
	if len(v.Coverage) > 0 {
		o.set("metric_duration_coverage", coverageList(v))
	}
	o.set("comparability_notes", notes(v))
}

func notes(v *measure.Verdict) []object {
	list := make([]object, 0, len(v.Notes))
	for _, n := range v.Notes {
		var note object
		note.set("setting", n.Setting).set("value", n.Value).text("default", n.Default).set("effect", n.Effect)
		list = append(list, note)
	}
	return list
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
