// Package evaluate measures Suffice against labelled data: data sets in, metrics
// and verdicts out. Public data is read from a folder outside the repository
// (SUFFICE_SHARED); nothing of it is copied.
package evaluate
