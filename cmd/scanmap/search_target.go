package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/search"
)

// classFlags limit the edits of each class.
func classFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "mismatches", Category: categorySearch,
			Usage: "at most `N` substitutions; this and the next two limit --max-distance, or are in place of it"},
		&cli.StringFlag{Name: "dna-bulges", Category: categorySearch,
			Usage: "at most `N` letters that the pattern lacks (deletions)"},
		&cli.StringFlag{Name: "rna-bulges", Category: categorySearch,
			Usage: "at most `N` letters that the reference lacks (insertions)"},
	}
}

// targetFlags say where a pattern has to match, together with --pam.
func targetFlags() []cli.Flag {
	return []cli.Flag{
		choice(&cli.StringFlag{Name: "pam-side", Category: categorySearch, Value: "3", DefaultText: "3",
			Usage: "`END` of the pattern that the PAM is at: 3, as of Cas9, or 5, as of Cas12a (TTTV)"}, []string{"5", "3"}),
		&cli.StringFlag{Name: "seed-exact", Category: categorySearch,
			Usage: "letters `FROM-TO` of every pattern have to match, counted from 1 at its 5' end without the PAM; " +
				"of several, as 1-4,9-12, all have to"},
	}
}

// classLimits are the options of limits of classes, in the order of search.Limits.
var classLimits = []string{"mismatches", "dna-bulges", "rna-bulges"}

// readTarget reads the target.
func (j *searchJob) readTarget(c *cli.Context) error {
	for _, name := range []string{"pam", "pam-side", "pam-edits", "seed-exact"} {
		if c.IsSet(name) && j.alphabet == search.Bytes {
			return fmt.Errorf("option --%s is for DNA", name)
		}
	}
	err := readTarget(c, &j.target)
	j.rows.PAM = len(j.target.PAMs) > 1
	return err
}

// readTarget reads --pam and targetFlags.
func readTarget(c *cli.Context, t *search.Target) error {
	if c.String("pam") != "" || c.IsSet("pam") {
		var err error
		if t.PAMs, err = readPAMs("pam", c.String("pam"), nil); err != nil {
			return err
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
	t.PAMEdits = has(c, "pam-edits") && c.Bool("pam-edits")
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

// readPAMs reads the value of an option, PAMs other than those before.
func readPAMs(option, value string, before []string) ([]string, error) {
	pams := strings.Split(value, ",")
	for i, pam := range pams {
		if _, err := search.NewPattern(pam, []byte(pam), search.DNA); err != nil {
			return nil, fmt.Errorf("option --%s: %w", option, err)
		}
		for _, other := range append(pams[:i:i], before...) {
			if strings.EqualFold(pam, other) {
				return nil, fmt.Errorf("option --%s: %s is there twice", option, pam)
			}
		}
	}
	return pams, nil
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

// readLimits reads the limits of classes.
func (j *searchJob) readLimits(c *cli.Context) error {
	if j.alphabet == search.Bytes {
		for _, name := range classLimits {
			if c.IsSet(name) {
				return fmt.Errorf("option --%s is for DNA", name)
			}
		}
	}
	err := readLimits(c, &j.options)
	j.rows.Classes = j.options.Limits != nil
	return err
}

// readLimits reads classFlags. With --max-distance a limit that is not given is none; without it,
// it is 0, and --max-distance is the sum.
func readLimits(c *cli.Context, o *search.Options) error {
	var given []string
	for _, name := range classLimits {
		if c.IsSet(name) {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	if o.Substitutions {
		return fmt.Errorf("option --%s: with --max-mismatches there are no other edits", given[0])
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
	return nil
}

// limitsInWords are limits of the classes of edits, for the page.
func limitsInWords(l *search.Limits) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf(" (at most %s, %s and %s)", counted(l.Mismatches, "mismatch"), counted(l.DNABulges, "DNA bulge"),
		counted(l.RNABulges, "RNA bulge"))
}
