package search

// Brute force compares the pattern with the text at every place, and counts what differs (Wang
// 2018, section 4.1). It is not clever, and so the other methods are tested against it. It cannot
// search with edits: for those the plain version is newColumns, which search/papers names
// levenshtein/serial.
var bruteForceMethod = &Method{
	Name:    "brute-force",
	Source:  "Wang 2018, section 4.1",
	Summary: "compares the pattern with the text at every place",
	Schemes: []*Scheme{{
		Name: "plain", Summary: "one place a thread",
		Alphabets: bothAlphabets, Longest: MaxLength, Distance: MaxDistance, Substitutions: true, Sets: true,
		cpu: byCodes(newBruteForce),
		gpu: &gpuFinder{find: bruteForceGPU},
	}},
}
