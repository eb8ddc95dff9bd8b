package tui

import (
	"testing"

	"github.com/muesli/termenv"
)

// BenchmarkFrame is all that a new interval costs the screen: adding it up, and a frame.
// A run gives one a second.
func BenchmarkFrame(b *testing.B) {
	theme := NewTheme(termenv.ANSI256, true)
	for screen := range numScreens {
		b.Run(titles[screen].short, func(b *testing.B) {
			s := sampleStore(33)
			next := intervalOf(sample(34)[32])
			b.ReportAllocs()
			for b.Loop() {
				s.add(next)
				s.correlator.Snapshot(next.snapshot())
				v := s.view(screen == nodeScreen)
				f := v.figuresOf(1)
				render(v, look{screen: screen, window: 1}, &f, 80, 24, theme)
			}
		})
	}
}
