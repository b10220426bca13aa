// Package coded is about coded tools as they are kept: their source, what they declare, and the
// script that runs.
package coded

import "encoding/json"

// Tool is one coded tool of a file. It never changes.
type Tool struct {
	// Name as declared.
	Name string
	// File is the base name of the file, such as "digest.ts".
	File string
	// Source is the text of the file as it was given, byte for byte.
	Source []byte
	// Declaration is what createTool was given, without the function, as canonical JSON.
	Declaration json.RawMessage
	// Script is the JavaScript that the file became.
	Script []byte
	// SourceMap leads from Script back to Source; it is JSON, and may be empty.
	SourceMap []byte
}
