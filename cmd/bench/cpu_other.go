//go:build !linux

package main

// cpuModel is what the processor calls itself.
func cpuModel() string { return "unknown" }
