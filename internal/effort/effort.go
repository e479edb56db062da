// Package effort says how much tests do. By default each does what takes seconds: the smallest
// sizes that still cross every border, and a few random cases of each kind. SCANMAP_TEST_FULL=1
// asks for all sizes and many cases, as `make ci` and `make test-full` do. SCANMAP_TEST_ALL=1 asks
// for every test in the smallest sizes, as tools/mutate does.
package effort

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Variables of the environment: if one is 1, it asks for everything, or for every test.
const (
	variable = "SCANMAP_TEST_FULL"
	every    = "SCANMAP_TEST_ALL"
)

// Full says whether everything is asked for.
func Full() bool { return os.Getenv(variable) == "1" }

// All says whether tests that look at what others look at, by other means, are asked for.
func All() bool { return Full() || os.Getenv(every) == "1" }

// Pick returns the first value where everything is asked for, otherwise the second.
func Pick[T any](full, fast T) T {
	if Full() {
		return full
	}
	return fast
}

// OnlyAll skips a test unless every test is asked for. why says which others look at the same.
func OnlyAll(t testing.TB, why string) {
	t.Helper()
	if !All() {
		t.Skipf("SKIPPED: %s; %s=1 asks for it, and make test-full", why, every)
	}
}

// OnlyFull skips a test unless everything is asked for. why says what the test takes.
func OnlyFull(t testing.TB, why string) {
	t.Helper()
	if !Full() {
		t.Skipf("SKIPPED: %s; %s=1, as in make test-full, asks for it", why, variable)
	}
}

// Cases has rapid.Check try fewer cases than its 100 until the test ends, unless everything or
// another number is asked for. The test must not be parallel.
func Cases(t testing.TB, fast int) {
	t.Helper()
	if f := CasesOfAll(fast); f != nil {
		t.Cleanup(func() { _ = f.Value.Set(f.DefValue) })
	}
}

// CasesEither is Cases with fewer where everything is asked for, too.
func CasesEither(t testing.TB, full, fast int) {
	t.Helper()
	if f := setCases(Pick(full, fast)); f != nil {
		t.Cleanup(func() { _ = f.Value.Set(f.DefValue) })
	}
}

// CasesOfAll is Cases for all tests of a package, in TestMain. It returns the flag that it set.
func CasesOfAll(fast int) *flag.Flag {
	if Full() {
		return nil
	}
	return setCases(fast)
}

// setCases sets the flag, and returns it, unless it is set already.
func setCases(n int) *flag.Flag {
	f := flag.Lookup("rapid.checks")
	if f == nil || f.Value.String() != f.DefValue || f.Value.Set(strconv.Itoa(n)) != nil {
		return nil
	}
	return f
}
