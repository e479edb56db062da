package search

// The matrix of edit distances: row 0 is all zeros, since a match may begin anywhere in the text, and column 0
// counts up (Nakano 2012, section IV; Ho, Oh and Kim 2017).
var levenshteinMethod = &Method{
	Name:    "levenshtein",
	Source:  "Nakano 2012; Ho, Oh and Kim 2017",
	Summary: "computes the matrix of edit distances",
	Schemes: []*Scheme{{
		Name: "serial", Summary: "column by column, the sequential algorithm of Nakano 2012, section IV",
		Alphabets: bothAlphabets, Longest: MaxLength, Distance: MaxDistance, Edits: true, Sets: true,
		cpu: byCodes(newSerial),
	}},
}
