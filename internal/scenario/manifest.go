package scenario

// ContentOf reads what the locks need from a bundle's manifest, as JSON gives it. Keys it does not find
// count as not set; without a source there was no recording.
func ContentOf(manifest map[string]any) Content {
	source := object(manifest, "source")
	settings := object(manifest, "settings")
	if recipe := object(manifest, "recipe"); recipe != nil {
		if source == nil {
			source = object(recipe, "source")
		}
		if settings == nil {
			settings = object(recipe, "settings")
		}
	}
	in := Input{Settings: settings}
	content := Content{
		Loader: text(source, "loader"), Repository: text(source, "repository"), Revision: text(source, "revision"),
		Pinned: source["pinned"] == true, IgnoreTraceDelays: in.on("ignore-trace-delays"),
	}
	if limit, set := in.number("synthesis-max-isl"); set && limit > 0 {
		whole := int64(limit)
		content.MaxISL = &whole
	}
	if limit, set := in.number("inter-turn-delay-cap-seconds"); set {
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
