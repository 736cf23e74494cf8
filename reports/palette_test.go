package reports

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/timeline"
)

type linear [3]float64

// linearOf undoes the gamma of sRGB.
func linearOf(c color.RGBA) (out linear) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		s := float64(v) / 255
		if out[i] = s / 12.92; s > 0.04045 {
			out[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return out
}

func (l linear) luminance() float64 { return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] }

// contrast is that of WCAG 2, from 1 to 21.
func contrast(a, b color.RGBA) float64 {
	x, y := linearOf(a).luminance()+0.05, linearOf(b).luminance()+0.05
	return max(x, y) / min(x, y)
}

// Whole colour blindness, of each type, after Machado and others 2009.
var sights = map[string][3]linear{
	"full":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	"grey":         {{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}},
}

func viewed(c color.RGBA, sight [3]linear) (out linear) {
	l := linearOf(c)
	for i, row := range sight {
		out[i] = min(max(row[0]*l[0]+row[1]*l[1]+row[2]*l[2], 0), 1)
	}
	return out
}

// lab is a colour in CIELAB, in which distances are those of the eye.
func (l linear) lab() linear {
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (v*24389/27 + 16) / 116
	}
	x := f((0.4124*l[0] + 0.3576*l[1] + 0.1805*l[2]) / 0.9505)
	y := f(l.luminance())
	z := f((0.0193*l[0] + 0.1192*l[1] + 0.9505*l[2]) / 1.089)
	return linear{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func apart(a, b color.RGBA, sight [3]linear) float64 {
	x, y := viewed(a, sight).lab(), viewed(b, sight).lab()
	return math.Sqrt(math.Pow(x[0]-y[0], 2) + math.Pow(x[1]-y[1], 2) + math.Pow(x[2]-y[2], 2))
}

// A distance of 2.3 is just noticeable; 20 is plain in small areas that do not touch.
func TestColoursThatMustBeToldApart(t *testing.T) {
	for _, pair := range []struct {
		name string
		a, b color.RGBA
		far  float64
	}{
		{"held and lost", held, lost, 30},
		{"held and waiting", held, idle, 20},
		{"lost and waiting", lost, idle, 30},
		{"rolling back and lost", rolling, lost, 30},
		{"a bar and its track", lost, track, 40},
		{"holds and corrupted", viewOf("holds").fill, viewOf("corrupted").fill, 40},
		{"holds and intruded", viewOf("holds").fill, viewOf("intruded").fill, 20},
		{"holds and blocked", viewOf("holds").fill, viewOf("blocked").fill, 10},
		{"blocked and intruded", viewOf("blocked").fill, viewOf("intruded").fill, 10},
		{"intruded and corrupted", viewOf("intruded").fill, viewOf("corrupted").fill, 25},
	} {
		for sight, m := range sights {
			if d := apart(pair.a, pair.b, m); d < pair.far {
				t.Errorf("%s, %s sight: %.1f apart, want %.0f", pair.name, sight, d, pair.far)
			}
		}
	}
	if c := contrast(held, lost); c < 3 {
		t.Errorf("held and lost have a contrast of %.2f, want 3", c)
	}
	if stateHatch(check.Lost) == nil || stateHatch(check.Inside) != nil {
		t.Error("a pattern must tell a lost lease from a held one")
	}
}

func TestContrasts(t *testing.T) {
	white := color.RGBA{0xff, 0xff, 0xff, 0xff}
	for _, v := range levelViews {
		if c := contrast(v.fill, v.text); c < 4.5 {
			t.Errorf("the word %s has a contrast of %.2f, want 4.5", v.level, c)
		}
	}
	for name, pair := range map[string][2]color.RGBA{
		"text": {ink, white}, "notes": {quiet, white}, "inside": {ink, held}, "lost": {white, lost},
		"rolling back": {ink, rolling}, "owner": {white, stateColours[timeline.Owned]}, "fault": {white, violet}, "waiting": {ink, idle},
	} {
		if c := contrast(pair[0], pair[1]); c < 4.5 {
			t.Errorf("%s: contrast of %.2f, want 4.5", name, c)
		}
	}
	for i, c := range append(curveColours, held, lost, violet, slate) {
		if c := contrast(c, white); c < 3 {
			t.Errorf("colour %d: contrast to the ground of %.2f, want 3", i, c)
		}
	}
}

// The heat map of the page and the picture have the same colours.
func TestLevelColoursAreThoseOfThePage(t *testing.T) {
	css, err := assets.ReadFile("assets/report.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range levelViews {
		want := fmt.Sprintf("#%02x%02x%02x", v.fill.R, v.fill.G, v.fill.B)
		rule := regexp.MustCompile(`\.lv-` + v.level + ` \{ background:[^}]*?(#[0-9a-f]{6})`).FindSubmatch(css)
		if rule == nil || string(rule[1]) != want {
			t.Errorf("%s: the page has %q, the picture %s", v.level, rule, want)
		}
	}
	for _, s := range []check.Severity{check.Corruption, check.Exclusion, check.Blockage, check.Delay, check.Misinformation, check.Leftover} {
		if viewOf(levels[s]).level != levels[s] {
			t.Errorf("no colour for %s", levels[s])
		}
	}
}

// So are those of the page's charts, on the ground of its light and its dark cards.
func TestColoursOfThePageAreToldApart(t *testing.T) {
	css, err := assets.ReadFile("assets/report.css")
	if err != nil {
		t.Fatal(err)
	}
	all := func(name string) (colours []color.RGBA) {
		for _, m := range regexp.MustCompile(name+`: #([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})`).FindAllSubmatch(css, -1) {
			var c [3]uint8
			for i := range c {
				n, err := strconv.ParseUint(string(m[i+1]), 16, 8)
				if err != nil {
					t.Fatal(err)
				}
				c[i] = uint8(n)
			}
			colours = append(colours, color.RGBA{c[0], c[1], c[2], 0xff})
		}
		if len(colours) != 2 {
			t.Fatalf("%s has %d values, want a light and a dark one", name, len(colours))
		}
		return colours
	}
	cards, helds, losts := all("--card"), all("--held"), all("--lost")
	for i, card := range cards {
		if c := min(contrast(card, helds[i]), contrast(card, losts[i])); c < 3 {
			t.Errorf("scheme %d: bars have a contrast of %.2f to the ground, want 3", i, c)
		}
		for sight, m := range sights {
			if d := apart(helds[i], losts[i], m); d < 30 {
				t.Errorf("scheme %d, %s sight: held and lost are %.1f apart, want 30", i, sight, d)
			}
		}
		for _, name := range []string{"--c0", "--c2", "--c4", "--c5", "--c6", "--c7"} {
			if c := contrast(all(name)[i], card); c < 3 {
				t.Errorf("scheme %d: curves in %s have a contrast of %.2f, want 3", i, name, c)
			}
		}
	}
	if helds[0] != held || losts[0] != lost {
		t.Error("the page and the pictures show leases in different colours")
	}
}
