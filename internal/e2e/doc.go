// Package e2e runs the three programs against real servers: `make e2e`. It is tests only, and each skips,
// saying so, where what it needs is not there: llama.cpp's server, a router, recorded traces, tokenizers.
//
// What it holds the programs to: no request is lost, whatever a server does with its connections; the
// server counts prompt tokens as the chat template says; it finds in its cache what the recording says it
// should; routers keep the sessions whose headers a run sends.
//
// Settings: AGENTX_E2E=1 switches it on; AGENTX_SHARED is the folder with servers/servers.sh and traces
// (default ../shared beside the repository); AGENTX_REAL_URL, with AGENTX_REAL_MODEL and
// AGENTX_REAL_TOKENIZER (a folder with tokenizer.json and tokenizer_config.json), names a server that is
// already there.
package e2e
