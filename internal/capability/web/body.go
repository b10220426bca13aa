package web

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"toolsmith/tool"
)

// packedRoom is how much more than its content a packed body may have: small contents grow
// when they are packed, and a body must not go on for ever without giving anything.
const packedRoom = 64 * 1024

// errPacked is why a body cannot be unpacked.
var errPacked = errors.New("the body is not packed as its header says")

// unpacked gives the body of an answer as it was before it was packed for the way. packed
// tells that it was.
func unpacked(response *http.Response, most int64) (body io.Reader, packed bool, err error) {
	body = response.Body
	coding := strings.ToLower(strings.TrimSpace(strings.Join(response.Header.Values("Content-Encoding"), ",")))
	if coding == "" || coding == "identity" {
		return body, false, nil
	}
	buffered := bufio.NewReader(&packedBody{body, most + packedRoom})
	start, err := buffered.Peek(2)
	switch {
	case len(start) == 2:
	case !errors.Is(err, io.EOF):
		return nil, false, err
	case len(start) == 0: // as for HEAD, or with status 204
		return buffered, true, nil
	default:
		return nil, false, errPacked
	}
	switch coding {
	case "gzip", "x-gzip":
		body, err = gzip.NewReader(buffered)
	case "deflate":
		// The standard means zlib, and some servers send what is inside of it.
		if start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
			body, err = zlib.NewReader(buffered)
		} else {
			body = flate.NewReader(buffered)
		}
	default:
		return nil, false, fmt.Errorf("%w: %q is none of %s", errPacked, coding, acceptEncoding)
	}
	if err != nil {
		return nil, false, err
	}
	return body, true, nil
}

// packedBody is a packed body that gives up once it has had more bytes than the content may
// have: what goes on for ever without unpacking to anything.
type packedBody struct {
	io.Reader
	left int64
}

// Read reads on.
func (p *packedBody) Read(into []byte) (int, error) {
	if p.left <= 0 {
		return 0, errPacked
	}
	n, err := p.Reader.Read(into)
	p.left -= int64(n)
	return n, err
}

// readUpTo reads a body, at most a number of bytes of it; cut tells that there was more.
func readUpTo(body io.Reader, most int64) (text []byte, cut bool, err error) {
	text, err = io.ReadAll(io.LimitReader(body, most+1))
	if int64(len(text)) > most {
		return text[:most], true, nil
	}
	return text, false, err
}

// bodyError words an error that came while a body was read.
func (c *Client) bodyError(outer, inner context.Context, host string, err error) error {
	var corrupt flate.CorruptInputError
	if outer.Err() == nil && (errors.Is(err, errPacked) || errors.As(err, &corrupt) || isPackingError(err)) {
		return &tool.Error{Code: CodeResponseInvalid, Message: fmt.Sprintf("The answer of %s cannot be unpacked: only gzip and deflate are understood, once.", host), Cause: err}
	}
	return c.hopError(outer, inner, host, err)
}

func isPackingError(err error) bool {
	for _, known := range []error{gzip.ErrHeader, gzip.ErrChecksum, zlib.ErrHeader, zlib.ErrChecksum, zlib.ErrDictionary} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}
