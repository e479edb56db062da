// Package recipes compares what the pages of docs/recipes say of other programs with what these
// programs find.
package recipes
