// shots OUTDIR BASE path...   env WIDTHS SCHEMES HEIGHT JS
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func env(n, d string) string {
	if v := os.Getenv(n); v != "" {
		return v
	}
	return d
}

func main() {
	out, base := os.Args[1], os.Args[2]
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("/usr/bin/chromium-headless-shell"), chromedp.NoSandbox, chromedp.Flag("hide-scrollbars", true))
	a, c1 := chromedp.NewExecAllocator(context.Background(), opts...)
	defer c1()
	ctx, c2 := chromedp.NewContext(a)
	defer c2()
	maxh, _ := strconv.ParseInt(env("HEIGHT", "2200"), 10, 64)
	for _, p := range os.Args[3:] {
		for _, ws := range strings.Split(env("WIDTHS", "1440,820,390"), ",") {
			w, _ := strconv.ParseInt(ws, 10, 64)
			for _, s := range strings.Split(env("SCHEMES", "light"), ",") {
				scheme := chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
					_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
					return err
				})
				if err := chromedp.Do(ctx, scheme, chromedp.EmulateViewport(w, 900), chromedp.Navigate(base+p)); err != nil {
					fmt.Println(p, err)
					continue
				}
				time.Sleep(200 * time.Millisecond)
				if js := os.Getenv("JS"); js != "" {
					chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](js))
					time.Sleep(700 * time.Millisecond)
				}
				h, err := chromedp.Run(ctx, chromedp.Evaluate[int64]("document.documentElement.scrollHeight"))
				sw, _ := chromedp.Run(ctx, chromedp.Evaluate[int64]("document.documentElement.scrollWidth"))
				if err != nil {
					fmt.Println(p, err)
				}
				if err := chromedp.Do(ctx, chromedp.EmulateViewport(w, min(h, maxh))); err != nil {
					fmt.Println(err)
				}
				buf, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
				if err != nil {
					fmt.Println(p, err)
					continue
				}
				name := strings.Trim(strings.NewReplacer("/", "_", "?", "-", "&", "-", "=", "-", "%", "").Replace(p), "_")
				if name == "" {
					name = "home"
				}
				f := fmt.Sprintf("%s/%s-%d-%s.png", out, name, w, s)
				os.WriteFile(f, buf, 0o644)
				fmt.Println(f, "page", sw, "x", h)
			}
		}
	}
}
