// Package prep turns recorded traces into a bundle, and looks into bundles: the only place where
// reader, rules, text and bundle meet.
//
// A build reads every file three times at most and holds few traces at once: it hashes the files
// (which gives the key, and ends here where the cache has the bundle), surveys them, and reads each
// kept trace again to make its plan. Then it sizes the filler text and deals its windows. Workers only
// change how fast that is, never a byte of the result.
//
// Errors that a user can do something about carry a Class; commands turn it into an exit code.
package prep
