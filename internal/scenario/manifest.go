package scenario

// ContentOf reads what the locks need from a bundle's manifest, as JSON gives it: its recipe's source
// and options. A manifest without a recipe means that there was no recording.
func ContentOf(manifest map[string]any) Content {
	recipe := object(manifest, "recipe")
	if recipe == nil {
		return Content{}
	}
	source, options := object(recipe, "source"), object(recipe, "options")
	content := Content{
		Loader: text(source, "alias"), Repository: text(source, "repository"), Revision: text(source, "revision"),
		Subset: text(source, "subset"), IgnoreTraceDelays: options["ignore_trace_delays"] == true,
	}
	switch {
	case content.Loader != "":
	case content.Repository != "":
		content.Loader = LoaderHub
	default:
		content.Loader = LoaderLocal
	}
	evidence := text(source, "evidence")
	content.Pinned = evidence != "" && evidence != "local"
	if limit, ok := options["max_isl"].(float64); ok && limit > 0 {
		whole := int64(limit)
		content.MaxISL = &whole
	}
	if entries, ok := options["num_dataset_entries"].(float64); ok {
		content.Entries = int64(entries)
	}
	if limit, ok := options["inter_turn_delay_cap_seconds"].(float64); ok {
		content.InterTurnCapSeconds = &limit
	}
	return content
}

func object(from map[string]any, key string) map[string]any {
	value, _ := from[key].(map[string]any)
	return value
}

func text(from map[string]any, key string) string {
	value, _ := from[key].(string)
	return value
}
