package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"scanmap/internal/programs"
)

func TestEscaped(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain text, 4 % (or so)", "plain text, 4 % (or so)"},
		{".so /etc/passwd", `\&.so /etc/passwd`},
		{"'br", `\&\(aqbr`},
		{"a .b 'c", `a .b \(aqc`},
		{"a\n.b\n'c", "a\n\\&.b\n\\&\\(aqc"},
		{`'@RG\tID:x'`, `\&\(aq@RG\etID:x\(aq`},
		{`\fB \n(.x`, `\efB \en(.x`},
		{"--max-distance", `\-\-max\-distance`},
		{`"auto"`, `\(dqauto\(dq`},
		{"~/.nv `x` ^", `\(ti/.nv \(gax\(ga \(ha`},
		{"a\tb\rc\x00\x7f", "a bc"},
		{"Köster, 4 ≤ 5, 𝄞", `K\[u00F6]ster, 4 \[u2264] 5, \[u1D11E]`},
	} {
		if got := escaped(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestRoffMacros(t *testing.T) {
	r := &roff{}
	r.macro("SH", `two "words"`, "", "a\nb", ".c")
	r.text("  " + strings.Repeat("word-", 15) + "\n.next  'and' " + strings.Repeat("x", 90) + " y ")
	r.tagged(bold("-e")+" "+italic("K"), "edits")
	r.literal(".x", `'\n'`, "")
	want := ".SH \"two \\(dqwords\\(dq\" \"\" \"a b\" \"\\&.c\"\n" +
		strings.Repeat(`word\-`, 15) + "\n" + `\&.next 'and'` + "\n" + strings.Repeat("x", 90) + "\ny\n" +
		".TP\n\\fB\\-e\\fR \\fIK\\fR\nedits\n" +
		".RS 4\n.PP\n.EX\n\\&.x\n\\&\\(aq\\en\\(aq\n\n.EE\n.RE\n"
	want = strings.Replace(want, "'and'", `\(aqand\(aq`, 1)
	if got := r.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The manual has all sections in the order of man-pages(7), every command and every option, and is
// the same each time.
func TestManual(t *testing.T) {
	code, page, stderr := call("man")
	if code != 0 || stderr != "" || page != manual(describe(newApp(process{}))) {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	var sections []string
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(line, ".SH "); ok {
			sections = append(sections, strings.Trim(title, "\"\n"))
		}
	}
	if got := strings.Join(sections,
		", "); got != "NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXIT STATUS, ENVIRONMENT, FILES, EXAMPLES, SEE ALSO" {
		t.Errorf("sections %s", got)
	}
	for _, c := range describe(newApp(process{})).all()[1:] {
		if len(c.subcommands) > 0 {
			continue
		}
		_, part, found := strings.Cut(page, ".SS \""+escaped(c.called())+"\"\n")
		if !found {
			t.Errorf("%s has no section", c.called())
		}
		part, _, _ = strings.Cut(part, "\n.S")
		for _, o := range c.options {
			if found := strings.Contains(part, ".TP\n"+optionTag(o)+"\n"); found != (o.name() != "help") {
				t.Errorf("%s: --%s: is there: %v", c.called(), o.name(), found)
			}
		}
	}
	for _, v := range variables {
		if shown := strings.Contains(page, ".TP\n"+bold(v.name)+"\n"); shown != (v.option == "" ||
			hasOption(describe(newApp(process{})), v.option)) {
			t.Errorf("%s is shown: %v", v.name, shown)
		}
	}
}

// TestManualWithMandoc has mandoc find nothing, not even in style, and show the text of the page.
func TestManualWithMandoc(t *testing.T) {
	mandoc := programs.Find(t, "mandoc")
	page := manual(describe(newApp(process{})))
	lint := exec.Command(mandoc, "-T", "lint")
	lint.Stdin = strings.NewReader(page)
	if out, err := lint.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	render := exec.Command(mandoc, "-T", "ascii", "-O", "width=120")
	render.Stdin = strings.NewReader(page)
	out, err := render.Output()
	if err != nil {
		t.Fatal(err)
	}
	// Bold and underlined characters are struck over.
	var plain bytes.Buffer
	for i := 0; i < len(out); i++ {
		if i+1 < len(out) && out[i+1] == '\b' {
			i++
			continue
		}
		plain.WriteByte(out[i])
	}
	for _, want := range []string{
		"SCANMAP(1)",
		"\n       scanmap map [options] REF.fa READS.fq",
		"\n       -e, -k, --max-distance K\n",
		`such as '@RG\tID:x\tSM:y'.`,
		`scanmap map -R '@RG\tID:lane1\tSM:NA12878' --cigar eqx -o out.sam ref.fa reads.fq` + "\n",
		"\nscanmap " + version,
		versionDate,
	} {
		if !strings.Contains(plain.String(), want) {
			t.Errorf("%q is not in\n%s", want, plain.String())
		}
	}
}
