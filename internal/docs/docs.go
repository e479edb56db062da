// Package docs runs the examples of README.md and docs, and checks what these pages name.
package docs
