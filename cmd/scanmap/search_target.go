package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/search"
)

// targetFlags say where a pattern has to match, and how many edits of each class it may have.
func targetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "mismatches", Category: categorySearch,
			Usage: "at most `N` substitutions; this and the next two limit --max-distance, or are in place of it"},
		&cli.StringFlag{Name: "dna-bulges", Category: categorySearch,
			Usage: "at most `N` letters that the pattern lacks (deletions)"},
		&cli.StringFlag{Name: "rna-bulges", Category: categorySearch,
			Usage: "at most `N` letters that the reference lacks (insertions)"},
		&cli.StringFlag{Name: "pam", Category: categorySearch,
			Usage: "`LETTERS` beside every pattern that have to match, as NGG; of several, as NGG,NAG, one has to"},
		choice(&cli.StringFlag{Name: "pam-side", Category: categorySearch, Value: "3", DefaultText: "3",
			Usage: "`END` of the pattern that the PAM is at: 3, as of Cas9, or 5, as of Cas12a (TTTV)"}, []string{"5", "3"}),
		&cli.BoolFlag{Name: "pam-edits", Category: categorySearch, DisableDefaultText: true,
			Usage: "let edits touch the PAM too"},
		&cli.StringFlag{Name: "seed-exact", Category: categorySearch,
			Usage: "letters `FROM-TO` of every pattern have to match, counted from 1 at its 5' end without the PAM; " +
				"of several, as 1-4,9-12, all have to"},
	}
}

// classLimits are the options of limits of classes, in the order of search.Limits.
var classLimits = []string{"mismatches", "dna-bulges", "rna-bulges"}

// readTarget reads what targetFlags has, but for the limits.
func (j *searchJob) readTarget(c *cli.Context) error {
	for _, name := range []string{"pam", "pam-side", "pam-edits", "seed-exact"} {
		if c.IsSet(name) && j.alphabet == search.Bytes {
			return fmt.Errorf("option --%s is for DNA", name)
		}
	}
	t := &j.target
	if c.IsSet("pam") {
		t.PAMs = strings.Split(c.String("pam"), ",")
		for i, pam := range t.PAMs {
			if _, err := search.NewPattern(pam, []byte(pam), search.DNA); err != nil {
				return fmt.Errorf("option --pam: %w", err)
			}
			for _, other := range t.PAMs[:i] {
				if strings.EqualFold(pam, other) {
					return fmt.Errorf("option --pam: %s is there twice", pam)
				}
			}
		}
	}
	for _, name := range []string{"pam-side", "pam-edits"} {
		if c.IsSet(name) && len(t.PAMs) == 0 {
			return fmt.Errorf("option --%s needs --pam", name)
		}
	}
	switch side := c.String("pam-side"); side {
	case "5":
		t.PAMFirst = true
	case "3":
	default:
		return fmt.Errorf("option --pam-side: %q is not 5 or 3", side)
	}
	t.PAMEdits = c.Bool("pam-edits")
	j.rows.PAM = len(t.PAMs) > 1
	if !c.IsSet("seed-exact") {
		return nil
	}
	for _, s := range strings.Split(c.String("seed-exact"), ",") {
		span, err := parseSpan(s)
		if err != nil {
			return fmt.Errorf("option --seed-exact: %w", err)
		}
		t.Exact = append(t.Exact, span)
	}
	return nil
}

// parseSpan reads letters of a pattern such as 1-12 or 7.
func parseSpan(s string) (search.Span, error) {
	first, last, isSpan := strings.Cut(s, "-")
	if !isSpan {
		last = first
	}
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err != nil || err2 != nil || from < 1 || to < from || to > search.MaxLength {
		return search.Span{}, fmt.Errorf("%q is not the first and the last letter that has to match, such as 1-12, from 1 to %d",
			s, search.MaxLength)
	}
	return search.Span{From: from, To: to}, nil
}

// readLimits reads the limits of classes. With --max-distance a limit that is not given is none;
// without it, it is 0, and --max-distance is the sum.
func (j *searchJob) readLimits(c *cli.Context) error {
	o := &j.options
	var given []string
	for _, name := range classLimits {
		if c.IsSet(name) {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	switch {
	case o.Substitutions:
		return fmt.Errorf("option --%s: with --max-mismatches there are no other edits", given[0])
	case j.alphabet == search.Bytes:
		return fmt.Errorf("option --%s is for DNA", given[0])
	}
	withDistance := c.IsSet("max-distance")
	var limits search.Limits
	to := []*int{&limits.Mismatches, &limits.DNABulges, &limits.RNABulges}
	for i, name := range classLimits {
		if withDistance {
			*to[i] = o.Distance
		}
		if !c.IsSet(name) {
			continue
		}
		if err := wholeNumbers(c, wholeNumber{name, to[i], 0, search.MaxDistance}); err != nil {
			return err
		}
	}
	if !withDistance {
		o.Distance = limits.Mismatches + limits.DNABulges + limits.RNABulges
		if o.Distance > search.MaxDistance {
			return errors.New("options --mismatches, --dna-bulges and --rna-bulges: " +
				fmt.Sprintf("their sum of %d is more than %d edits; --max-distance gives less in all", o.Distance, search.MaxDistance))
		}
	}
	o.Limits = &limits
	j.rows.Classes = true
	return nil
}
