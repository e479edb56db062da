package emulator

import (
	"slices"

	"scanmap/kernels"
)

// users says which package launches the kernels of each file, and so has the test that runs them
// under the sanitizers.
var users = map[string]string{
	"align": "mapper", "keep": "mapper", "lead": "mapper", "order": "mapper", "pack": "mapper", "scan": "mapper", "share": "mapper", "skim": "mapper", "sum": "mapper",
	"table": "mapper", "verify": "mapper",

	"bruteforce": "search", "letters": "search", "levenshtein": "search", "neighbours": "search", "packed": "search", "planes": "search",
	"rabinkarp": "search", "shiftor": "search", "witness": "search", "wumanber": "search",

	"ceilings": "device", "deflate": "device",
}

// KernelsOf returns the names of the kernels that a package launches, sorted.
func KernelsOf(user string) (names []string) {
	for _, e := range kernels.Entries {
		if users[e.File] == user {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return names
}
