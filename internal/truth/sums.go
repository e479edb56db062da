package truth

import (
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Primes sets each number in the value that is pointed to, to any depth, to a prime of its own, the
// first one above after, and returns the last. Durations are in milliseconds. A sum of such values
// tells which were added. Fields whose paths are in fixed, such as "Libraries.Skip", do not change.
func Primes(value any, after int, fixed ...string) (last int) {
	eachNumber(reflect.ValueOf(value).Elem(), "", "", fixed, func(_, _ string, number reflect.Value) {
		for after++; !isPrime(after); {
			after++
		}
		switch {
		case number.Type() == reflect.TypeFor[time.Duration]():
			number.SetInt(int64(after) * int64(time.Millisecond))
		case number.CanInt():
			number.SetInt(int64(after))
		case number.CanUint():
			number.SetUint(uint64(after))
		default:
			number.SetFloat(float64(after))
		}
	})
	return after
}

// Sums compares each number in the value of sum with the sum of the same number in the values of
// others, except fields whose paths are in fixed. It returns the fields that differ.
func Sums(sum any, fixed []string, others ...any) (wrong []string) {
	want := map[string]float64{}
	for _, other := range others {
		eachNumber(reflect.ValueOf(other).Elem(), "", "", fixed, func(_, place string, number reflect.Value) { want[place] += asFloat(number) })
	}
	eachNumber(reflect.ValueOf(sum).Elem(), "", "", fixed, func(_, place string, number reflect.Value) {
		if got := asFloat(number); got != want[place] {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", place, got, want[place]))
		}
		delete(want, place)
	})
	for place, n := range want {
		wrong = append(wrong, fmt.Sprintf("%s is not there, want %v", place, n))
	}
	slices.Sort(wrong)
	return wrong
}

// eachNumber calls do with each number that can be set, its path, and its place: the path with the
// indices of slices and the keys of maps.
func eachNumber(v reflect.Value, path, place string, fixed []string, do func(path, place string, number reflect.Value)) {
	if slices.Contains(fixed, path) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachNumber(v.Elem(), path, place, fixed, do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).CanSet() {
				dot := "."
				if path == "" {
					dot = ""
				}
				eachNumber(v.Field(i), path+dot+name, place+dot+name, fixed, do)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachNumber(v.Index(i), path, fmt.Sprintf("%s[%d]", place, i), fixed, do)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int {
			if a.String() < b.String() {
				return -1
			}
			return 1
		})
		for _, key := range keys {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			eachNumber(value, path, fmt.Sprintf("%s[%v]", place, key), fixed, do)
			v.SetMapIndex(key, value)
		}
	default:
		if v.CanInt() || v.CanUint() || v.CanFloat() {
			do(path, place, v)
		}
	}
}

func asFloat(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n > 1
}
