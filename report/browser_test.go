package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"scanmap/internal/programs"
)

// browser speaks the DevTools protocol with a tab of Chromium.
type browser struct {
	*chromium
	t       *testing.T
	session string
	events  []message // that came while answers were awaited
}

// A chromium is one process, and a pair of pipes: messages are JSON that ends with a zero byte.
type chromium struct {
	process  *exec.Cmd
	folder   string
	in       *os.File
	out      *bufio.Reader
	id       int
	watchdog *time.Timer // a browser that does not answer must not stop the tests for ever
}

// running is the browser that all tests share, because starting takes more time than showing pages.
var running *chromium

func TestMain(m *testing.M) {
	code := m.Run()
	if running != nil {
		if err := running.end(); err != nil {
			fmt.Fprintln(os.Stderr, "Chromium:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

const patience = 2 * time.Minute

// startBrowser opens a tab for a test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path := programs.Find(t, "chromium")
	if running == nil {
		c, err := startChromium(path)
		if err != nil {
			t.Fatal(err)
		}
		running = c
	}
	running.watchdog.Reset(patience)
	b := &browser{chromium: running, t: t}
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	t.Cleanup(func() {
		b.session = ""
		b.call("Target.closeTarget", map[string]any{"targetId": target.TargetID}, nil)
		b.watchdog.Stop()
	})
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// startChromium starts Chromium without a way to the network, with one blank page.
func startChromium(path string) (*chromium, error) {
	folder, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	toBrowser, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--hide-scrollbars",
		"--user-data-dir="+folder, "--host-resolver-rules=MAP * 127.0.0.1:9", "--disable-background-networking",
		"--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // 3 and 4, as Chromium wants them
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	toBrowser.Close()
	fromBrowser.Close()
	watchdog := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	return &chromium{process: cmd, folder: folder, in: in, out: bufio.NewReader(out), watchdog: watchdog}, nil
}

// end closes Chromium, and removes its folder.
func (c *chromium) end() error {
	c.watchdog.Reset(patience)
	defer c.watchdog.Stop()
	_, err := c.in.WriteString(`{"id": 0, "method": "Browser.close"}` + "\x00")
	if err != nil {
		c.process.Process.Kill()
	}
	go io.Copy(io.Discard, c.out) // its last words
	c.process.Wait()
	return os.RemoveAll(c.folder)
}

// call waits for the answer to a call, and keeps the events that come before it.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.id++
	ask := struct {
		ID        int    `json:"id"`
		SessionID string `json:"sessionId,omitempty"`
		Method    string `json:"method"`
		Params    any    `json:"params,omitempty"`
	}{b.id, b.session, method, params}
	text, err := json.Marshal(ask)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.next()
		if m.ID != b.id {
			b.events = append(b.events, m)
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// next returns the next message that is not of another tab.
func (b *browser) next() message {
	b.t.Helper()
	for {
		text, err := b.out.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("the browser ended: %v", err)
		}
		var m message
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m); err != nil {
			b.t.Fatal(err)
		}
		if m.SessionID == "" || m.SessionID == b.session {
			return m
		}
	}
}

// open goes to a file and waits until it has been loaded.
func (b *browser) open(file string) {
	b.t.Helper()
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	for _, e := range b.events {
		if e.Method == "Page.loadEventFired" {
			return
		}
	}
	for {
		e := b.next()
		b.events = append(b.events, e)
		if e.Method == "Page.loadEventFired" {
			return
		}
	}
}

// view sets the width of the window and the colours that the user prefers.
func (b *browser) view(width int, colours string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 800, "deviceScaleFactor": 1,
		"mobile": width < 600}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "screen",
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": colours}}}, nil)
}

// evaluate returns what an expression of JavaScript is.
func (b *browser) evaluate(expression string, value any) {
	b.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails)
	}
	if err := json.Unmarshal(out.Result.Value, value); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
}

// screenshot returns a PNG of the whole page.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var out struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &out)
	return out.Data
}

// complaints lists what went wrong while a page was shown, and what it asked of the network.
func (b *browser) complaints(own string) []string {
	var out []string
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
			out = append(out, string(e.Params))
		case "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &p); err != nil {
				out = append(out, err.Error())
			} else if p.Request.URL != own && p.Request.URL != "data:," {
				out = append(out, fmt.Sprintf("asks for %s", p.Request.URL))
			}
		}
	}
	return out
}
