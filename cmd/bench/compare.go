package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// compareRuns prints the results of two runs side by side, with the growth from the first to the
// second. The arguments are the files that -json wrote.
func compareRuns(_ context.Context, args []string, w io.Writer) error {
	if len(args) != 2 {
		return errors.New("compare needs the JSON files of two runs")
	}
	var sizes [2]int
	var runs [2][]row
	for i, name := range args {
		m, rows, err := readRun(name)
		if err != nil {
			return err
		}
		sizes[i], runs[i] = m.Entities, rows
	}
	second := map[[2]string]row{}
	for _, r := range runs[1] {
		second[[2]string{r.Part, r.Name}] = r
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "part\twhat\t%d\tratio\t%d\tratio\tgrowth\n", sizes[0], sizes[1])
	for _, a := range runs[0] {
		b, ok := second[[2]string{a.Part, a.Name}]
		if !ok {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s %s\t%s\t%s %s\t%s\t%s\n", a.Part, a.Name, number(a.Value), a.Unit, a.times(),
			number(b.Value), b.Unit, b.times(), number(b.Value/a.Value))
	}
	return t.Flush()
}

// times formats the ratio to the yardstick.
func (r *row) times() string {
	if r.Ratio == nil {
		return ""
	}
	return fmt.Sprintf("%.3f × %s", *r.Ratio, r.Yardstick)
}

// readRun reads the results of a run.
func readRun(name string) (m hardware, rows []row, err error) {
	f, err := os.Open(name)
	if err != nil {
		return m, nil, err
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReader(f))
	if err := dec.Decode(&m); err != nil {
		return m, nil, fmt.Errorf("%s: %w", name, err)
	}
	for dec.More() {
		var r row
		if err := dec.Decode(&r); err != nil {
			return m, nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, r)
	}
	return m, rows, nil
}
