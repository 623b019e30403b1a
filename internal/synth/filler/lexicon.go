package filler

import "strings"

// The words that identifiers and sentences are made of.
var (
	nouns = strings.Fields(`account action adapter address agent alias anchor archive argument array artifact asset attempt attribute audit backup balance band batch
		bearer block body border bucket buffer builder bundle cache call candidate catalog chain channel checkpoint chunk claim client clock cluster code column command
		comment commit component config connection constraint consumer container content context contract cookie counter cursor customer cycle dashboard data database
		deadline decoder default delta dependency deployment descriptor device digest directory document domain driver edge element email encoder endpoint engine entity
		entry environment epoch error event exchange executor export factory failure feature feed field file filter flag folder form format fragment frame function
		gateway generator graph group guard handle handler hash header heap helper hook host identity image import index input instance interval invoice item iterator
		job journal kernel key label latency layer layout lease ledger length letter level library limit line link list listener loader lock log loop manager manifest
		map mapper margin marker mask matrix member memory menu merge message method metric migration mirror mode model module monitor name namespace network node
		notification number object offset operation option order organization origin output owner package page panel parameter parent parser partition patch path pattern
		payload payment peer permission pipeline plan plugin point policy pool port position prefix price printer priority process producer product profile project
		promise property provider proxy query queue quota range rate reader receipt record reference region registry relation release replica report repository request
		resolver resource response result retry revision role root route router row rule runner sample scanner schedule schema scope score script search secret section
		segment selector sender sequence server service session setting shard shape signal signature size slice slot snapshot socket sort source span stack stage state
		statement status step storage store stream string struct subject subscription suffix summary symbol system table tag target task template tenant term test text
		thread threshold ticket timeout timer timestamp token tool topic total trace tracker transaction transform tree trigger type unit update upload user validator
		value variable vector vendor version view visitor volume wallet watcher weight widget window worker workflow workspace wrapper writer zone`)
	verbs = strings.Fields(`accept acquire add allocate analyze append apply assert assign attach build calculate cancel check clean clear close collect combine commit compare
		compile complete compute configure connect consume convert copy count create decode delete deliver describe detach detect dispatch drain drop emit enable encode
		ensure evaluate execute expand expire export extract fetch filter find finish flush fold format generate get group handle hash import index infer initialize insert
		inspect install invoke join keep launch limit link list load lock lookup maintain map mark match measure merge migrate monitor move normalize notify observe open
		order parse patch persist pick plan poll prepare print process produce prune publish pull push queue read rebuild receive record recover reduce refresh register
		reject release reload remove rename render repair replace replay report request require reserve reset resolve restore resume retry return reverse rewrite rotate
		route run sample save scan schedule search select send serialize serve set shift show shrink sign skip sort split start stop store stream submit subscribe
		summarize swap sync take test track transfer transform translate trim truncate try unlock unpack update upgrade upload validate verify visit wait walk warn watch
		wrap write`)
	adjectives = strings.Fields(`active actual allowed ambient atomic available basic binary blocked bounded broken cached central clean closed cold common complete concurrent
		constant correct current custom damaged dead deep default delayed dense direct dirty distinct dynamic eager early empty enabled exact existing expected expired
		explicit external extra failed fast fatal final first fixed flat free fresh full general global greedy hidden hot idle immutable implicit inactive incoming initial
		inner internal invalid known large last late latest lazy leading legacy limited linear live local locked long lost lower main major manual maximum merged minimal
		missing mixed mutable narrow native nested new next normal old open optional ordered original outer outgoing parallel partial pending plain previous primary
		private public pure quick random raw ready recent recursive related reliable remote required reserved safe secondary secure selected separate shared short signed
		simple single slow small sorted sparse special stable stale standard static strict strong sudden temporary tiny total trailing transient trusted unique unknown
		unused upper valid verbose visible volatile warm weak whole wide`)
	types     = strings.Fields(`int string bool float64 error uint32 int64 byte rune any`)
	pyTypes   = strings.Fields(`int str bool float bytes list dict set tuple object`)
	tsTypes   = strings.Fields(`number string boolean unknown Date void Buffer bigint`)
	folders   = strings.Fields(`src lib internal pkg app core server client tests scripts docs tools config web api modules services utils common shared`)
	suffixes  = strings.Fields(`go py ts tsx rs java json yaml md sql toml sh`)
	levels    = strings.Fields(`INFO INFO INFO DEBUG DEBUG WARN ERROR TRACE`)
	weekdays  = strings.Fields(`Monday Tuesday Wednesday Thursday Friday`)
	connects  = strings.Fields(`because although when while after before since unless until where whereas so once`)
	adverbs   = strings.Fields(`already also always currently directly easily eventually exactly finally first however later mostly never now often once only probably quickly rarely simply slowly sometimes soon still then there usually`)
	commands  = []string{"git status", "git diff --stat", "go test ./...", "npm run build", "cargo check", "pytest -q", "make lint", "ls -la", "rg -n", "sed -n 1,80p", "cat", "docker ps", "kubectl get pods"}
	licenses  = []string{"Apache-2.0", "MIT", "BSD-3-Clause", "MPL-2.0"}
	operators = strings.Fields(`== != < > <= >=`)
)
