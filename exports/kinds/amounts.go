package kinds

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Format returns a number of the field for people, exactly: with commas between thousands, or a duration or size as
// files have it.
func (f *Field) Format(x float64) string {
	switch f.Type {
	case Year:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case Duration:
		return FormatDuration(x)
	case Size:
		return FormatSize(x)
	}
	return humanize.Commaf(x)
}

// FormatUnit is Format with the unit, unless the field's title says it.
func (f *Field) FormatUnit(x float64) string {
	return strings.TrimSpace(f.Format(x) + " " + f.UnitShown())
}

// The forms of durations and sizes in files.
const (
	DurationPattern = `^([0-9]+(\.[0-9]+)?(w|d|h|ms|m|s))+$`
	SizePattern     = `^[0-9]+(\.[0-9]+)? ?(B|kB|MB|GB|TB|PB|KiB|MiB|GiB|TiB|PiB)$`
)

var (
	duration = regexp.MustCompile(DurationPattern)
	step     = regexp.MustCompile(`([0-9.]+)(ms|[wdhms])`)
	size     = regexp.MustCompile(SizePattern)
)

// seconds maps the units of durations to their lengths.
var seconds = map[string]float64{"w": 7 * 86400, "d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}

// ParseDuration returns the seconds of a duration such as 1h30m. Its units are w, d, h, m, s and ms.
func ParseDuration(text string) (total float64, ok bool) {
	if !duration.MatchString(text) {
		return 0, false
	}
	for _, m := range step.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(m[1], 64) // a number, as the pattern says
		total += n * seconds[m[2]]
	}
	return total, true
}

// FormatDuration returns a duration as files have it, with the largest units that leave no rest.
func FormatDuration(total float64) string {
	if total <= 0 {
		return strconv.FormatFloat(max(total, 0), 'f', -1, 64) + "s"
	}
	var b strings.Builder
	for _, unit := range [...]string{"d", "h", "m"} {
		if n := int64(total / seconds[unit]); n > 0 {
			b.WriteString(strconv.FormatInt(n, 10) + unit)
			total -= float64(n) * seconds[unit]
		}
	}
	if total > 0 {
		b.WriteString(strconv.FormatFloat(total, 'f', -1, 64) + "s")
	}
	return b.String()
}

// The units of sizes: decimal as the SI defines them, binary as IEC 80000-13 does.
var bytes = map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50}

// SizeUnit returns a unit of sizes as files have it, for one in letters of any case: GB for gb.
func SizeUnit(text string) (unit string, ok bool) {
	for unit := range bytes {
		if unit == text || len(unit) > 1 && strings.EqualFold(unit, text) { // b may mean billions
			return unit, true
		}
	}
	return "", false
}

// ParseSize returns the bytes of a size such as 16 GB.
func ParseSize(text string) (n float64, ok bool) {
	if !size.MatchString(text) {
		return 0, false
	}
	number := strings.TrimRight(text, " kKMGTPiB")
	n, err := strconv.ParseFloat(number, 64)
	return n * bytes[strings.TrimSpace(text[len(number):])], err == nil
}

// FormatSize returns a size in the largest decimal unit of which there is at least one, with at most two
// decimals.
func FormatSize(n float64) string {
	for _, unit := range [...]string{"PB", "TB", "GB", "MB", "kB"} {
		if n >= bytes[unit] {
			text := strconv.FormatFloat(n/bytes[unit], 'f', 2, 64)
			return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + " " + unit
		}
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " B"
}
