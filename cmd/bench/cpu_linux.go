package main

import "github.com/prometheus/procfs"

// cpuModel returns the name of the processor.
func cpuModel() string {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return "unknown"
	}
	list, err := fs.CPUInfo()
	if err != nil || len(list) == 0 || list[0].ModelName == "" {
		return "unknown"
	}
	return list[0].ModelName
}
