package filler

import "strings"

// goCode writes a function, its comment and sometimes a type, in Go.
func (w *writer) goCode() {
	receiver := w.typeName()
	if w.Chance(40) {
		w.f("// %s %s\ntype %s struct {\n", receiver, w.clause(), receiver)
		for range w.Between(2, 6) {
			w.f("\t%s %s // %s\n", w.camel(), w.Of(types), w.phrase())
		}
		w.f("}\n\n")
	}
	for range w.Between(1, 3) {
		name, input, result := w.action(), w.camel(), w.camel()
		w.f("// %s %s. %s\nfunc (%s *%s) %s(ctx context.Context, %s %s) (%s, error) {\n", name, w.clause(), w.sentence(), receiver[:1], receiver, name, input, w.Of(types), w.Of(types))
		w.f("\t%s, err := %s.%s(ctx, %s)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"%s %s: %%w\", err)\n\t}\n", result, w.noun(), w.action(), input, w.Of(verbs), w.phrase())
		for range w.Between(1, 5) {
			w.goStatement(result, "\t")
		}
		w.f("\treturn %s, nil\n}\n\n", result)
	}
}

func (w *writer) goStatement(result, indent string) {
	switch w.Below(6) {
	case 0:
		w.f("%sfor _, %s := range %s.%s {\n%s\t%s += %s.%s(%d)\n%s}\n", indent, w.noun(), result, upperFirst(w.camel()), indent, w.camel(), w.noun(), upperFirst(w.action()), w.Below(500), indent)
	case 1:
		w.f("%sif %s.%s %s %d {\n%s\tlog.Printf(\"%s %%d of %%d\", %s, len(%s))\n%s}\n", indent, w.noun(), w.camel(), w.Of(operators), w.Below(900), indent, w.clause(), w.camel(), w.noun(), indent)
	case 2:
		w.f("%s%s := make(map[string]%s, %d)\n%sdefer %s.%s()\n", indent, w.camel(), w.typeName(), w.Below(4096), indent, w.noun(), upperFirst(w.Of(verbs)))
	case 3:
		w.f("%s// %s\n%s%s.%s = append(%s.%s, %s)\n", indent, w.sentence(), indent, result, w.camel(), result, w.camel(), w.camel())
	case 4:
		w.f("%sselect {\n%scase %s := <-%s.%s:\n%s\t%s(%s)\n%scase <-ctx.Done():\n%s\treturn %s, ctx.Err()\n%s}\n", indent, indent, w.noun(), w.noun(), w.camel(), indent, w.action(), w.camel(), indent, indent, w.noun(), indent)
	default:
		w.f("%s%s = %s.%s(%s, %q)\n", indent, result, w.noun(), upperFirst(w.action()), w.camel(), w.phrase())
	}
}

// pythonCode writes a class or some functions in Python.
func (w *writer) pythonCode() {
	indent := ""
	if w.Chance(50) {
		w.f("class %s(%s):\n    \"\"\"%s\n\n    %s\n    \"\"\"\n\n", w.typeName(), w.typeName(), w.sentence(), w.sentence())
		indent = "    "
	}
	for range w.Between(1, 3) {
		first, second := w.snake(), w.snake()
		w.f("%sdef %s(self, %s: %s, %s: %s = None) -> %s:\n", indent, w.snakeAction(), first, w.Of(pyTypes), second, w.Of(pyTypes), w.Of(pyTypes))
		w.f("%s    \"\"\"%s\"\"\"\n", indent, w.sentence())
		for range w.Between(2, 6) {
			w.pythonStatement(indent+"    ", first, second)
		}
		w.f("%s    return %s\n\n", indent, w.snake())
	}
}

func (w *writer) pythonStatement(indent, first, second string) {
	switch w.Below(6) {
	case 0:
		w.f("%sif %s is None and len(%s) %s %d:\n%s    raise ValueError(f\"%s {%s} %s\")\n", indent, second, first, w.Of(operators), w.Below(300), indent, w.clause(), first, w.phrase())
	case 1:
		w.f("%s%s = [%s.%s for %s in self.%s if %s.%s]\n", indent, w.snake(), first, w.snake(), w.noun(), w.snake(), w.noun(), w.snake())
	case 2:
		w.f("%swith open(self.%s, \"rb\") as %s:\n%s    %s = json.load(%s)[%q]\n", indent, w.snake(), w.noun(), indent, w.snake(), w.noun(), w.snake())
	case 3:
		w.f("%s# %s\n%sself.%s[%s] = %s(%s, %s=%d)\n", indent, w.sentence(), indent, w.snake(), first, w.snakeAction(), second, w.snake(), w.Below(100))
	case 4:
		w.f("%stry:\n%s    %s = self.%s.%s(%s)\n%sexcept %sError as error:\n%s    logger.warning(\"%s: %%s\", error)\n", indent, indent, w.snake(), w.noun(), w.snakeAction(), first, indent, upperFirst(w.noun()), indent, w.clause())
	default:
		w.f("%s%s = self.%s.get(%q, {}).get(%q, %d)\n", indent, w.snake(), w.noun(), w.snake(), w.snake(), w.Below(60))
	}
}

// webCode writes TypeScript.
func (w *writer) webCode() {
	w.f("import { %s, %s } from \"../%s/%s\";\n\n", w.typeName(), w.action(), w.Of(folders), w.noun())
	name := w.typeName()
	w.f("export interface %s {\n", name)
	for range w.Between(2, 5) {
		w.f("  %s: %s; // %s\n", w.camel(), w.Of(tsTypes), w.phrase())
	}
	w.f("}\n\n")
	for range w.Between(1, 2) {
		input := w.camel()
		w.f("/** %s */\nexport async function %s(%s: %s, %s: %s): Promise<%s> {\n", w.sentence(), w.action(), input, name, w.camel(), w.Of(tsTypes), w.typeName())
		for range w.Between(2, 5) {
			switch w.Below(4) {
			case 0:
				w.f("  const %s = await %s.%s(%s.%s);\n", w.camel(), w.noun(), w.action(), input, w.camel())
			case 1:
				w.f("  if (!%s.%s || %s.length > %d) {\n    throw new Error(`%s ${%s.%s}`);\n  }\n", input, w.camel(), w.camel(), w.Below(5000), w.clause(), input, w.camel())
			case 2:
				w.f("  const %s = %s.filter((%s) => %s.%s === \"%s\").map(%s);\n", w.camel(), w.noun(), w.noun(), w.noun(), w.camel(), w.Of(adjectives), w.action())
			default:
				w.f("  // %s\n  %s.%s({ %s, %s: %d, %s: \"%s\" });\n", w.sentence(), w.noun(), w.action(), w.camel(), w.camel(), w.Below(999), w.camel(), w.phrase())
			}
		}
		w.f("  return { ...%s, %s: new Date().getTime() };\n}\n\n", input, w.camel())
	}
}

// rustCode writes Rust.
func (w *writer) rustCode() {
	name := w.typeName()
	w.f("/// %s\n#[derive(Debug, Clone)]\npub struct %s {\n", w.sentence(), name)
	for range w.Between(2, 5) {
		w.f("    pub %s: Option<%s>,\n", w.snake(), w.Of([]string{"u64", "String", "usize", "f64", "Duration", "PathBuf"}))
	}
	w.f("}\n\nimpl %s {\n", name)
	for range w.Between(1, 3) {
		w.f("    /// %s\n    pub fn %s(&mut self, %s: &str) -> Result<usize, %sError> {\n", w.sentence(), w.snakeAction(), w.snake(), upperFirst(w.noun()))
		for range w.Between(1, 4) {
			switch w.Below(3) {
			case 0:
				w.f("        let %s = self.%s.iter().map(|%s| %s.%s()).sum::<usize>();\n", w.snake(), w.snake(), w.noun(), w.noun(), w.snakeAction())
			case 1:
				w.f("        match self.%s.%s(%s) {\n            Some(%s) if %s > %d => return Err(%sError::%s),\n            _ => {}\n        }\n", w.noun(), w.snakeAction(), w.snake(), w.noun(), w.snake(), w.Below(512), upperFirst(w.noun()), w.typeName())
			default:
				w.f("        // %s\n        self.%s.%s(%s)?;\n", w.sentence(), w.snake(), w.snakeAction(), w.snake())
			}
		}
		w.f("        Ok(self.%s.len())\n    }\n", w.snake())
	}
	w.f("}\n\n")
}

// diff writes a unified diff with context, of the kind that agents read and write.
func (w *writer) diff() {
	path := w.path()
	w.f("diff --git a/%s b/%s\nindex %s..%s 100644\n--- a/%s\n+++ b/%s\n", path, path, w.hex(8), w.hex(8), path, path)
	for range w.Between(1, 3) {
		from := w.Between(1, 900)
		w.f("@@ -%d,%d +%d,%d @@ func %s(%s %s) error {\n", from, w.Between(5, 20), from+w.Below(9), w.Between(5, 20), w.action(), w.camel(), w.Of(types))
		for range w.Between(4, 10) {
			sign := w.Of([]string{" ", " ", "+", "-", "+"})
			switch w.Below(4) {
			case 0:
				w.f("%s\t%s := %s.%s(%s, %d)\n", sign, w.camel(), w.noun(), upperFirst(w.action()), w.camel(), w.Below(300))
			case 1:
				w.f("%s\t// %s\n", sign, w.sentence())
			case 2:
				w.f("%s\tif %s.%s %s %s {\n%s\t\treturn fmt.Errorf(\"%s: %%w\", err)\n%s\t}\n", sign, w.noun(), w.camel(), w.Of(operators), w.camel(), sign, w.clause(), sign)
			default:
				w.f("%s\t%s.%s = %s\n", sign, w.noun(), upperFirst(w.camel()), w.camel())
			}
		}
	}
	w.f("\n")
}

// sql writes statements.
func (w *writer) sql() {
	for range w.Between(1, 3) {
		table, key := w.snake(), w.snake()
		w.f("-- %s\nSELECT %s.%s, count(*) AS %s, max(%s) AS last_%s\nFROM %s\nJOIN %s ON %s.%s = %s.%s\nWHERE %s %s %d AND %s IN ('%s', '%s')\nGROUP BY %s\nHAVING count(*) > %d\nORDER BY %s DESC LIMIT %d;\n\n",
			w.sentence(), table, key, w.snake(), w.snake(), w.noun(), table, w.snake(), table, w.snake(), w.noun(), w.snake(), w.snake(), w.Of(operators), w.Below(10000), w.snake(), w.Of(adjectives), w.Of(adjectives), key, w.Below(50), w.snake(), w.Between(10, 500))
	}
	if w.Chance(40) {
		table := w.snake()
		w.f("CREATE TABLE %s (\n", table)
		for range w.Between(3, 6) {
			w.f("    %s %s NOT NULL DEFAULT %d, -- %s\n", w.snake(), w.Of(strings.Fields("INTEGER TEXT REAL BIGINT TIMESTAMP")), w.Below(10), w.phrase())
		}
		w.f("    PRIMARY KEY (%s, %s)\n);\n\n", w.snake(), w.snake())
	}
}
