package probe

import (
	"fmt"

	"agentx/wire"
)

// findings are what the requests show. Only requests that were answered count.
func findings(o *Options, s *Server) []Finding {
	var answered []*Request
	for i := range s.Requests {
		if r := &s.Requests[i]; r.Outcome == string(wire.OutcomeOK) || r.stopped {
			answered = append(answered, r)
		}
	}
	if len(answered) == 0 {
		return nil
	}
	list := []Finding{streaming(answered), includeUsage(answered), lengthLimit(answered), ignoreEOS(s.Requests)}
	if o.Quick == "" {
		list = append(list, prefixCache(s.Requests))
	}
	return list
}

func streaming(answered []*Request) Finding {
	f := Finding{Property: Streaming, Verdict: Yes}
	for _, r := range answered {
		f.Evidence = fmt.Sprintf("%d chunks with output", r.Chunks)
		switch {
		case !r.streamed:
			f.Verdict, f.Evidence = No, "the answer came in one piece"
			f.Advice = "there is no time to first token: look for a proxy that collects answers, or run with --no-streaming"
			return f
		case r.Chunks == 1 && r.CompletionTokens != nil && *r.CompletionTokens > 1:
			f.Verdict, f.Evidence = No, fmt.Sprintf("all %d tokens came in one chunk", *r.CompletionTokens)
			f.Advice = "times between tokens mean nothing: look for a proxy that collects answers"
			return f
		}
	}
	return f
}

func includeUsage(answered []*Request) Finding {
	f := Finding{Property: IncludeUsage, Verdict: Unknown, Evidence: "no request ended by itself"}
	for _, r := range answered {
		switch {
		case r.stopped:
		case r.PromptTokens == nil || r.CompletionTokens == nil:
			f.Verdict, f.Evidence = No, "no prompt and completion tokens in the answer, although stream_options.include_usage was sent"
			f.Advice = "cache figures will be missing, and tokens are counted with the bundle's tokenizer"
			return f
		default:
			f.Verdict, f.Evidence = Yes, fmt.Sprintf("prompt_tokens %d, completion_tokens %d", *r.PromptTokens, *r.CompletionTokens)
		}
	}
	return f
}

// output is how much came, in tokens where the server says so.
func (r *Request) output() (count int64, unit string) {
	if r.CompletionTokens != nil {
		return *r.CompletionTokens, "tokens"
	}
	return int64(r.Chunks), "chunks"
}

// passed tells whether the output is longer than was asked for.
func passed(r *Request) bool {
	count, _ := r.output()
	return r.stopped || count > r.LimitTokens
}

func lengthLimit(answered []*Request) Finding {
	f := Finding{Property: LengthLimit, Verdict: Unknown, Evidence: "no output reached the limit"}
	failed := ""
	for _, r := range answered {
		count, unit := r.output()
		switch {
		case passed(r):
			failed = r.LimitName
			f.Verdict, f.Evidence = No, fmt.Sprintf("%d %s came where %s was %d", count, unit, r.LimitName, r.LimitTokens)
			f.Advice = "the recorded output lengths cannot be kept: see whether a proxy drops the field"
			if r.LimitName == "max_completion_tokens" {
				f.Advice = "try --use-legacy-max-tokens"
			}
		case failed != "" && failed != r.LimitName && count > 0:
			f.Evidence += fmt.Sprintf("; with %s %d it ended after %d", r.LimitName, r.LimitTokens, count)
			f.Advice = "run with --use-legacy-max-tokens"
			if r.LimitName != "max_tokens" {
				f.Advice = "run without --use-legacy-max-tokens"
			}
		case failed == "" && (count == r.LimitTokens || r.FinishReason == "length"):
			f.Verdict, f.Evidence = Yes, fmt.Sprintf("%s %d: %d %s, finish reason %q", r.LimitName, r.LimitTokens, count, unit, r.FinishReason)
		}
	}
	return f
}

// ignoreEOS needs a model that would have ended sooner: only then does a full output show anything.
func ignoreEOS(requests []Request) Finding {
	f := Finding{Property: IgnoreEOS, Verdict: Unknown}
	first := &requests[0]
	count, unit := first.output()
	switch {
	case first.Outcome != string(wire.OutcomeOK):
		f.Evidence = "the request that asked for it was not answered to its end"
		if len(requests) > 1 && requests[1].Outcome == string(wire.OutcomeOK) && !first.stopped {
			f.Verdict, f.Evidence = No, "the request that asked for it was refused, the one without it was not: "+first.Error
			f.Advice = "leave ignore_eos out of --extra-inputs; the scenario needs it, so its runs will not be valid on this server"
		}
	case count < first.LimitTokens && first.FinishReason != "length":
		f.Verdict, f.Evidence = No, fmt.Sprintf("%d of %d %s, finish reason %q", count, first.LimitTokens, unit, first.FinishReason)
		f.Advice = "answers will be shorter than recorded: the server does not know ignore_eos, or something before it takes the field out"
	case len(requests) < 2 || requests[1].Outcome != string(wire.OutcomeOK):
		f.Evidence = fmt.Sprintf("%d of %d %s; whether the model would have ended sooner is not known", count, first.LimitTokens, unit)
	default:
		without, _ := requests[1].output()
		if without < count && requests[1].FinishReason != "length" {
			f.Verdict, f.Evidence = Yes, fmt.Sprintf("%d %s with it, %d without, finish reasons %q and %q", count, unit, without, first.FinishReason, requests[1].FinishReason)
		} else {
			f.Evidence = fmt.Sprintf("%d %s with it, %d without: the model does not end sooner by itself", count, unit, without)
		}
	}
	return f
}

func prefixCache(requests []Request) Finding {
	f := Finding{Property: PrefixCache, Verdict: Unknown, Evidence: "no repeated prompt was answered"}
	if len(requests) < 2 || requests[1].Outcome != string(wire.OutcomeOK) || requests[0].Outcome != string(wire.OutcomeOK) && !requests[0].stopped {
		return f
	}
	cold, warm := &requests[0], &requests[1]
	if warm.CachedTokens == nil {
		f.Evidence = "the server does not report cached tokens"
		if cold.TTFTMs != nil && warm.TTFTMs != nil {
			f.Evidence += fmt.Sprintf("; first token after %.1f ms cold, %.1f ms repeated", *cold.TTFTMs, *warm.TTFTMs)
		}
		f.Advice = "vLLM: --enable-prompt-tokens-details; SGLang: --enable-cache-report"
		return f
	}
	f.Verdict, f.Evidence = Yes, fmt.Sprintf("%d tokens cached on the repeat", *warm.CachedTokens)
	if warm.PromptTokens != nil {
		f.Evidence = fmt.Sprintf("%d of %d prompt tokens cached on the repeat", *warm.CachedTokens, *warm.PromptTokens)
	}
	if cold.CachedTokens != nil {
		f.Evidence += fmt.Sprintf(", %d cold", *cold.CachedTokens)
	}
	if *warm.CachedTokens == 0 {
		f.Verdict, f.Advice = No, "prefix caching is off, or requests of one session reach different workers"
	}
	return f
}
