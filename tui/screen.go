package tui

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"volley/results"
)

// Live shows the feed's run on the terminal until the person leaves, or ctx ends. It
// takes the terminal over, and gives it back as it was, however it ends; what was on it
// before is there again. An error says that the screen failed: the run does not depend
// on it.
func Live(ctx context.Context, f *Feed, c Control) error {
	m := newModel(terminal(), c)
	m.feed = f
	return runScreen(ctx, m, f.changed, c.Leave)
}

// Replay shows a stored run in the same screens, speed times as fast as it was.
func Replay(ctx context.Context, run *results.Run, speed float64) error {
	p, err := newPlayer(run)
	if err != nil {
		return err
	}
	defer p.close()
	m := newModel(terminal(), Control{})
	m.player, m.stage, m.speed = p, replay, speed
	return runScreen(ctx, m, nil, nil)
}

// terminal gives the theme for standard output.
func terminal() *Theme {
	r := lipgloss.DefaultRenderer()
	return NewTheme(r.ColorProfile(), r.HasDarkBackground())
}

// runScreen runs the program, and beside it a goroutine that tells it of what is new,
// no oftener than frames are drawn; both have ended when it returns.
func runScreen(ctx context.Context, m *model, changed, leave <-chan struct{}) error {
	p := tea.NewProgram(m, tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithFPS(frames),
		tea.WithoutSignalHandler(), tea.WithOutput(os.Stdout))
	ctx, cancel := context.WithCancel(ctx)
	var pump sync.WaitGroup
	pump.Go(func() {
		for {
			select {
			case <-changed:
				p.Send(changedMsg{})
				select {
				case <-time.After(time.Second / frames):
				case <-ctx.Done():
				}
			case <-leave:
				leave = nil
				p.Send(leaveMsg{})
			case <-ctx.Done():
				p.Quit()
				return
			}
		}
	})
	_, err := p.Run()
	cancel()
	pump.Wait()
	return errors.Join(m.failure, err)
}
