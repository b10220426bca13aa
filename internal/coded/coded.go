// Package coded holds a coded tool as it is kept: the source that its author wrote, what it
// declares, and the one script that was made of it. All three are kept together, so that what
// runs is what was checked, whatever a later Toolsmith would make of the source.
package coded

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Tool is one tool of a source file. It never changes.
type Tool struct {
	// Name as it is declared.
	Name string
	// File is the base name of the source file, such as "digest.ts".
	File string
	// Line and Column of the declaration in the source, from 1; 0 where they are not known.
	Line, Column int
	// Source as it was given, byte for byte.
	Source []byte
	// Declaration is what the tool says of itself, as JSON: all that createTool was given but the
	// function.
	Declaration json.RawMessage
	// Script is the JavaScript that was made of the source.
	Script []byte
	// SourceMap leads from the script to the source (Source Map revision 3); empty for none.
	SourceMap []byte
}

// mark begins the kept text of a coded tool, which no JSON does.
const mark = "toolsmith coded tool 1\n"

// header is what stands before the texts, in one line of JSON.
type header struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Lengths of the declaration, the source, the script and the source map, in bytes, which follow
	// in this order.
	Lengths [4]int `json:"lengths"`
}

// Text is the text under which the tool is kept.
func (t Tool) Text() []byte {
	head, _ := json.Marshal(header{ // texts and numbers can be written
		Name: t.Name, File: t.File, Line: t.Line, Column: t.Column,
		Lengths: [4]int{len(t.Declaration), len(t.Source), len(t.Script), len(t.SourceMap)},
	})
	return bytes.Join([][]byte{[]byte(mark), head, {'\n'}, t.Declaration, t.Source, t.Script, t.SourceMap}, nil)
}

// Is reports whether a kept text is that of a coded tool.
func Is(text []byte) bool { return bytes.HasPrefix(text, []byte(mark)) }

// Parse reads a kept text.
func Parse(text []byte) (Tool, error) {
	rest, ok := bytes.CutPrefix(text, []byte(mark))
	if !ok {
		return Tool{}, fmt.Errorf("this is no kept text of a coded tool: it does not begin with %q", strings.TrimSpace(mark))
	}
	line, rest, ok := bytes.Cut(rest, []byte{'\n'})
	if !ok {
		return Tool{}, fmt.Errorf("the kept text of a coded tool ends in its header")
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return Tool{}, fmt.Errorf("read the header of a coded tool: %w", err)
	}
	parts := [4][]byte{}
	for i, length := range h.Lengths {
		if length < 0 || length > len(rest) {
			return Tool{}, fmt.Errorf("the kept text of %q is cut off", h.Name)
		}
		parts[i], rest = rest[:length:length], rest[length:]
	}
	if len(rest) > 0 {
		return Tool{}, fmt.Errorf("the kept text of %q has %d bytes too many", h.Name, len(rest))
	}
	return Tool{
		Name: h.Name, File: h.File, Line: h.Line, Column: h.Column,
		Declaration: parts[0], Source: parts[1], Script: parts[2], SourceMap: parts[3],
	}, nil
}

// Digest is a lower-case hex SHA-256 over all that the author of the tool decides: its name, the
// source and what it declares. A person's yes is bound to it.
func (t Tool) Digest() string {
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(t.Name), t.Source, t.Declaration} {
		fmt.Fprintf(hash, "%d:", len(part))
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
