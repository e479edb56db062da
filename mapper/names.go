package mapper

import (
	"fmt"
	"strings"
)

// oneOf reads a value by its name. In errors `what` names the kind of value. values are names with
// their meanings.
func oneOf[T ~string](what, s string, values [][2]string) (T, error) {
	names := make([]string, len(values))
	for i, v := range values {
		if names[i] = v[0]; v[0] == s {
			return T(s), nil
		}
	}
	return "", fmt.Errorf("%s %q is not one of %s", what, s, strings.Join(names, ", "))
}
