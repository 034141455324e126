package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"kindex/builder/content"
)

// TestPrompter covers what scripts cannot do at a terminal: end of input, and an
// interruption.
func TestPrompter(t *testing.T) {
	workspace, err := content.OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, in io.Reader, fields map[string]any) (string, error) {
		var out bytes.Buffer
		a := &prompter{in: bufio.NewReader(in), out: &out, workspace: workspace}
		err := a.complete(ctx, fields)
		return out.String(), err
	}
	fields := map[string]any{"category": "c"}
	out, err := ask(context.Background(), strings.NewReader("\n \nX\r\nOne: two.\n\n"), fields)
	if want := map[string]any{"name": "X", "category": "c", "description": "One: two."}; err != nil || !reflect.DeepEqual(fields, want) {
		t.Errorf("%v, %v", fields, err)
	}
	if strings.Count(out, "is required") != 2 || strings.Contains(out, "categor") {
		t.Errorf("it said %q", out)
	}

	if out, err = ask(context.Background(), strings.NewReader("X\nBad Category\nc"), map[string]any{}); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("the input ended: %v", err)
	}
	if !strings.Contains(out, `"Bad Category": use lower-case letters`) {
		t.Errorf("it said %q", out)
	}

	ctx, cancel := context.WithCancel(context.Background())
	never, w := io.Pipe()
	defer w.Close()
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := ask(ctx, never, map[string]any{}); err == nil || err.Error() != "interrupted; nothing was written" {
		t.Errorf("interrupted: %v", err)
	}
}
