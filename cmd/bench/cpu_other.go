//go:build !linux

package main

// cpuModel returns the name of the processor.
func cpuModel() string { return "unknown" }
