package main

import (
	"io"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// style is how text for people is dressed: colour only on a terminal and never with
// NO_COLOR (no-color.org), and plain signs where the locale has no UTF-8.
type style struct {
	colour  bool
	unicode bool
}

func styleFor(streams ...io.Writer) style {
	s := style{colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", unicode: utf8Locale()}
	for _, stream := range streams {
		s.colour = s.colour && isTerminal(stream)
	}
	return s
}

// utf8Locale reports whether the terminal is to be written in UTF-8 (POSIX locale
// variables, the first that is set counts). Without any of them it is assumed to be.
func utf8Locale() bool {
	if runtime.GOOS == "windows" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// The control sequences of the colours.
const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	green  = "\x1b[32m"
	dim    = "\x1b[2m"
	strong = "\x1b[1m"
	normal = "\x1b[0m"
)

// sequences are the control sequences that this style writes.
func (s style) sequences() []string {
	if !s.colour {
		return nil
	}
	return []string{red, yellow, green, dim, strong, normal}
}

func (s style) paint(colour, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return colour + text + normal
}

func (s style) bad(text string) string   { return s.paint(red, text) }
func (s style) warn(text string) string  { return s.paint(yellow, text) }
func (s style) good(text string) string  { return s.paint(green, text) }
func (s style) faint(text string) string { return s.paint(dim, text) }
func (s style) bold(text string) string  { return s.paint(strong, text) }

// sign gives a sign, or its plain form.
func (s style) sign(sign, plain string) string {
	if s.unicode {
		return sign
	}
	return plain
}

func (s style) tick() string { return s.good(s.sign("✓", "ok")) }

func (s style) cross() string { return s.bad(s.sign("✗", "FAILED")) }

func (s style) dots() string { return s.sign("…", "...") }

func (s style) arrow() string { return s.sign("→", "->") }

// width is how many columns a text takes on a terminal, colours not counted.
func width(text string) int {
	if strings.Contains(text, "\x1b") {
		text = undressed.Replace(text)
	}
	return runewidth.StringWidth(text)
}

var undressed = strings.NewReplacer(red, "", yellow, "", green, "", dim, "", strong, "", normal, "")

// pad fills a text up to a width.
func pad(text string, to int) string {
	if w := width(text); w < to {
		return text + strings.Repeat(" ", to-w)
	}
	return text
}

// table lays rows out in columns that fit their widest cell, two spaces apart, with
// indent in front, without a line break at its end. The last cell of a row is wrapped
// where it would not fit the screen.
func table(indent string, rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 {
				widths[i] = max(widths[i], width(cell))
			}
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line, last := indent, len(row)-1
		for i, cell := range row[:last] {
			line += pad(cell, widths[i]) + "  "
		}
		hang := strings.Repeat(" ", width(line))
		text := row[last]
		if width(line) <= screen-minLastColumn && width(line)+width(text) > screen {
			text = strings.TrimLeft(wrap(text, hang), " ")
		}
		b.WriteString(strings.TrimRight(line+text, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// screen is how many columns output for people may take, and minLastColumn how narrow the last
// column of a table may become before it is left to run on.
const (
	screen        = 80
	minLastColumn = 20
)

// wrap breaks a text into lines that fit the screen, each after indent.
func wrap(text, indent string) string {
	var b strings.Builder
	for _, paragraph := range strings.Split(text, "\n") {
		line := 0
		b.WriteString(indent)
		for i, word := range strings.Fields(paragraph) {
			w := width(word)
			if i > 0 {
				if line+1+w > screen-utf8.RuneCountInString(indent) {
					b.WriteString("\n" + indent)
					line = 0
				} else {
					b.WriteByte(' ')
					line++
				}
			}
			b.WriteString(word)
			line += w
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
