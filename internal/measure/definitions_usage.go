package measure

// usageDefinitions are the counts that the server reports, verbatim (spec metrics 2).
func usageDefinitions() []*Definition {
	field := func(tag, header string, order int, of func(*UsageCounts) Count) *Definition {
		return &Definition{
			Tag: tag, Header: header, Unit: "tokens", Order: order, Table: TableUsage,
			Formula: "as reported in the answer's last usage object; 0 is a value", Absent: "not reported", Source: "the answer's usage",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return known(of(&r.Tokens.Usage)) }),
		}
	}
	return []*Definition{
		field("usage_prompt_tokens", "Usage Prompt Tokens", 1000, func(u *UsageCounts) Count { return u.Prompt }),
		field("usage_completion_tokens", "Usage Completion Tokens", 1010, func(u *UsageCounts) Count { return u.Completion }),
		field("usage_total_tokens", "Usage Total Tokens", 1020, func(u *UsageCounts) Count { return u.Total }),
		field("usage_reasoning_tokens", "Usage Reasoning Tokens", 1030, func(u *UsageCounts) Count { return u.Reasoning }),
		field("usage_prompt_cache_read_tokens", "Usage Prompt Cache Read Tokens", 1040, func(u *UsageCounts) Count { return u.CacheRead }),
		field("usage_prompt_cache_write_tokens", "Usage Prompt Cache Write Tokens", 1050, func(u *UsageCounts) Count { return u.CacheWrite }),
		field("usage_prompt_cache_miss_tokens", "Usage Prompt Cache Miss Tokens", 1060, func(u *UsageCounts) Count { return u.CacheMiss }),
		field("usage_accepted_prediction_tokens", "Usage Accepted Prediction Tokens", 1070, func(u *UsageCounts) Count { return u.AcceptedPrediction }),
		field("usage_rejected_prediction_tokens", "Usage Rejected Prediction Tokens", 1080, func(u *UsageCounts) Count { return u.RejectedPrediction }),
		field("usage_tool_use_prompt_tokens", "Usage Tool Use Prompt Tokens", 1090, func(u *UsageCounts) Count { return u.ToolUsePrompt }),
	}
}
