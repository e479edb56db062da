package validate

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// Warnings are the kinds of warning of Picard's ValidateSamFile that are right, with their reason.
// It has no other, and no error.
var Warnings = map[string]string{
	"QUALITY_NOT_STORED": "a read without bases has no qualities either; files of trimmed reads have such reads",
}

// picard validates a file strictly. reference is given where all records have bases: NM is then
// computed from them again. It returns the kinds of warning that came up.
func (t *Tools) picard(ctx context.Context, file, reference string, faults *Faults) (warnings []string, err error) {
	args := []string{"ValidateSamFile", "-I", file, "-MODE", "VERBOSE", "-MAX_OUTPUT", "100000"}
	if reference != "" {
		args = append(args, "-R", reference)
	}
	command := exec.CommandContext(ctx, t.Picard, args...)
	// Debian's PicardCommandLine hands these to Java, which else compiles more than so short a run
	// wins back.
	command.Env = append(os.Environ(), "JAVA_OPTIONS="+cmp.Or(os.Getenv("JAVA_OPTIONS"), "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"))
	text, err := command.CombinedOutput()
	var exit *exec.ExitError // it exits with an error for warnings too
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		severity, rest, ok := strings.Cut(strings.TrimSpace(line), "::")
		if !ok || severity != "ERROR" && severity != "WARNING" {
			continue
		}
		kind, _, _ := strings.Cut(rest, ":")
		if severity == "WARNING" && Warnings[kind] != "" {
			if !seen[kind] {
				warnings = append(warnings, kind)
			}
			seen[kind] = true
			continue
		}
		faults.add("Picard ValidateSamFile", "%s", strings.TrimSpace(line))
	}
	if !strings.Contains(string(text), "ValidateSamFile done.") || strings.Contains(string(text), "Exception") {
		faults.add("Picard ValidateSamFile", "it did not end as it should: %.400q", text)
	}
	return warnings, nil
}
