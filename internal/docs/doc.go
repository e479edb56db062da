// Package docs tests that the links of all Markdown files lead somewhere.
package docs
