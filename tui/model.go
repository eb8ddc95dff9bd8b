package tui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"volley/results"
)

// Control is what a person at the screen may do to a run. Its functions must not wait.
type Control struct {
	// Interrupt is called by the first q, as a first interrupt signal would be, and by
	// the second.
	Interrupt func()
	// Scale multiplies the asked rate, and gives what it is then of the plan's; an error
	// says why it stays. nil: it cannot be changed.
	Scale func(by float64) (now float64, err error)
	// Leave, when closed, has the screen leave as soon as the run is over, as after the
	// first q; nil: never.
	Leave <-chan struct{}
	// Exit: the screen leaves when the run ends, without waiting for q.
	Exit bool
}

// frames is how many of them a second may be drawn.
const frames = 15

// model is the state of a screen. Every message may change it; a frame is drawn when
// something changed, and not sooner after the last one than frames allow.
type model struct {
	look
	theme   *Theme
	control Control
	feed    *Feed   // live
	player  *player // a replay; nil when live
	view    *view
	figures figures

	before  int // the window before all
	w, h    int
	frame   string
	drawn   time.Time
	dirty   bool
	waiting bool // a drawMsg is on its way
	failure error
	now     func() time.Time
	draw    func(*view, look, *figures, int, int, *Theme) string
}

// changedMsg says that the feed has something new; drawMsg that a frame may be drawn;
// playMsg that a replay may go on; leaveMsg that whoever runs the program wants to leave.
type (
	changedMsg struct{}
	drawMsg    struct{}
	playMsg    struct{}
	leaveMsg   struct{}
)

func newModel(t *Theme, c Control) *model {
	m := &model{theme: t, control: c, now: time.Now, draw: render}
	m.look, m.before = look{window: 1, speed: 1, rates: c.Scale != nil}, 1
	return m
}

func (m *model) Init() tea.Cmd {
	m.refresh()
	if m.player != nil {
		return m.tick()
	}
	return nil
}

func (m *model) tick() tea.Cmd {
	return tea.Tick(time.Second/frames, func(time.Time) tea.Msg { return playMsg{} })
}

func (m *model) View() string { return m.frame }

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h, m.dirty = msg.Width, msg.Height, true
	case tea.KeyMsg:
		cmd = m.keys(msg)
	case tea.MouseMsg:
		m.mouse(msg)
	case changedMsg:
		m.refresh()
		if m.stage == ended && (m.leaving || m.control.Exit) {
			cmd = tea.Quit
		}
	case playMsg:
		if m.player.advance(m.now(), m.paused, m.speed) {
			m.refresh()
		}
		cmd = m.tick()
	case leaveMsg:
		if m.leaving, m.dirty = true, true; m.stage != live {
			cmd = tea.Quit
		}
	case drawMsg:
		m.waiting = false
	}
	return m, tea.Batch(cmd, m.paint())
}

// refresh takes what the run or the replay has come to.
func (m *model) refresh() {
	var v *view
	switch {
	case m.player != nil:
		v = m.player.view(m.screen == nodeScreen)
	case m.feed != nil:
		v = m.feed.view(m.screen == nodeScreen || m.frozen)
	default:
		return
	}
	if m.stage == live && v.summary != nil {
		m.stage, m.window = ended, allTime // what the report is about
	}
	if !m.frozen || m.view == nil {
		m.show(v)
	}
}

func (m *model) show(v *view) {
	m.view = v
	m.figures = v.figuresOf(m.window)
	m.dirty = true
}

// paint draws a frame if there is need, now or as soon as it may be. A panic in
// drawing ends the screen, and nothing else.
func (m *model) paint() (cmd tea.Cmd) {
	if !m.dirty || m.waiting || m.view == nil {
		return nil
	}
	now := m.now()
	if wait := m.drawn.Add(time.Second / frames).Sub(now); wait > 0 && wait <= time.Second/frames {
		m.waiting = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return drawMsg{} })
	}
	defer func() {
		if p := recover(); p != nil {
			m.failure = fmt.Errorf("drawing failed: %v", p)
			cmd = tea.Quit
		}
	}()
	m.dirty, m.drawn = false, now
	m.frame = m.draw(m.view, m.look, &m.figures, m.w, m.h, m.theme)
	return nil
}

// keys takes apart what was typed so fast that it came as one; what was pasted is
// nothing that anybody typed.
func (m *model) keys(msg tea.KeyMsg) tea.Cmd {
	if msg.Paste {
		return nil
	}
	if msg.Type != tea.KeyRunes {
		return m.key(msg.String())
	}
	var cmds []tea.Cmd
	for _, r := range msg.Runes {
		cmds = append(cmds, m.key(string(r)))
	}
	return tea.Batch(cmds...)
}

func (m *model) key(key string) tea.Cmd {
	m.message, m.dirty = "", true
	switch key {
	case "q", "ctrl+c":
		return m.quit()
	case "1", "2", "3", "4", "5", "6":
		m.open(int(key[0] - '1'))
	case "tab":
		m.open((m.screen + 1) % numScreens)
	case "shift+tab":
		m.open((m.screen + numScreens - 1) % numScreens)
	case "?":
		m.help = !m.help
	case "esc":
		m.help = false
	case "w":
		m.choose((m.window + 1) % len(windows))
	case "c":
		if m.window == allTime {
			m.choose(m.before)
		} else {
			m.before = m.window
			m.choose(allTime)
		}
	case "s":
		m.sort, m.scroll = (m.sort+1)%len(sorts), 0
	case "up", "k":
		m.move(1)
	case "down", "j":
		m.move(-1)
	case "pgup":
		m.move(max(m.h-4, 1))
	case "pgdown":
		m.move(-max(m.h-4, 1))
	case "f":
		m.freeze()
	default:
		if m.player != nil {
			m.play(key)
		} else {
			m.steer(key)
		}
	}
	return nil
}

// steer are the keys of a live run alone.
func (m *model) steer(key string) {
	switch key {
	case " ":
		m.freeze()
	case "+", "=", "-":
		if m.control.Scale == nil || m.stage != live {
			return
		}
		by := 1.1
		if key == "-" {
			by = 1 / by
		}
		now, err := m.control.Scale(by)
		if m.message = "asked rate: " + results.Rate(now) + " times the plan's"; err != nil {
			m.message = results.Escape(err.Error())
		}
	}
}

// play are the keys of a replay alone.
func (m *model) play(key string) {
	p := m.player
	switch key {
	case " ":
		if m.paused = !m.paused; !m.paused && p.over() {
			p.seek(0)
		}
	case "left":
		p.seek(p.at - 5*time.Second)
	case "right":
		p.seek(p.at + 5*time.Second)
	case "shift+left":
		p.seek(p.at - 30*time.Second)
	case "shift+right":
		p.seek(p.at + 30*time.Second)
	case "home":
		p.seek(0)
	case "end":
		p.seek(p.end())
	case "+", "=":
		m.speed = min(m.speed*2, mostSpeed)
	case "-":
		m.speed = max(m.speed/2, leastSpeed)
	default:
		return
	}
	m.refresh()
}

// The bounds of a replay's speed.
const (
	leastSpeed = 1.0 / 16
	mostSpeed  = 4096
)

func (m *model) quit() tea.Cmd {
	if m.player != nil || m.stage == ended {
		return tea.Quit
	}
	if m.control.Interrupt != nil {
		m.control.Interrupt()
	}
	if m.leaving {
		return tea.Quit // the second
	}
	m.leaving = true
	m.message = "stopped sending; waiting for answers due. q leaves at once"
	return nil
}

func (m *model) open(screen int) {
	if m.screen != screen {
		m.scroll = 0
	}
	m.screen, m.help = screen, false
	if screen == nodeScreen && !m.frozen {
		m.refresh()
	}
}

func (m *model) choose(window int) {
	m.window = window
	if m.view != nil {
		m.figures = m.view.figuresOf(window)
	}
}

func (m *model) freeze() {
	if m.frozen = !m.frozen; m.frozen {
		if m.feed != nil && m.view != nil && m.view.node == nil {
			m.show(m.feed.view(true)) // any screen may be looked at
		}
		return
	}
	m.refresh()
}

// move scrolls by so many lines: up, where they are more than 0.
func (m *model) move(lines int) {
	if m.screen == breakdown {
		lines = -lines
	}
	most := mostEntries * mostText / 10
	if m.screen == breakdown {
		most = len(m.figures.cells)
	}
	m.scroll = min(max(m.scroll+lines, 0), most)
}

func (m *model) mouse(msg tea.MouseMsg) {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		m.move(3)
		m.dirty = true
	case msg.Button == tea.MouseButtonWheelDown:
		m.move(-3)
		m.dirty = true
	case msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft && msg.Y == 1 && m.view != nil && m.w >= leastWidth && m.h >= leastHeight:
		_, at := placeTabs(m.w, notes(m.view))
		for i, tab := range at {
			if msg.X >= tab.from && msg.X < tab.to {
				m.open(i)
				m.dirty = true
			}
		}
	}
}
