// Package archtest holds the import rules of the repository as a test. There is
// nothing to import here.
package archtest
