package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"toolsmith/tool"
)

// The codes of the errors of this package. Every error is a *tool.Error, except that of a
// caller's context that has ended. Texts name the host at most: never what stands behind it
// in an address, and never a credential.
const (
	// CodeNotAllowed: the call may not reach the network at all.
	CodeNotAllowed = "OUTBOUND_NOT_ALLOWED"
	// CodeURLInvalid: the address cannot be used, or could be read in two ways.
	CodeURLInvalid = "OUTBOUND_URL_INVALID"
	// CodeHostRefused: the tool has not declared the host with this scheme and port.
	CodeHostRefused = "OUTBOUND_HOST_REFUSED"
	// CodeAddressRefused: the host's name leads to an address that must not be reached.
	CodeAddressRefused = "OUTBOUND_ADDRESS_REFUSED"
	// CodeRedirectRefused: the host answered with a redirect that is not followed.
	CodeRedirectRefused = "OUTBOUND_REDIRECT_REFUSED"
	// CodeRequestInvalid: a method, header or body that cannot be sent.
	CodeRequestInvalid = "OUTBOUND_REQUEST_INVALID"
	// CodeCredentialInvalid: no credential, or no single one, that may be sent to the host.
	CodeCredentialInvalid = "OUTBOUND_CREDENTIAL_INVALID"
	// CodeUnreachable: no connection to the host, or one that broke off; it may pass.
	CodeUnreachable = "OUTBOUND_UNREACHABLE"
	// CodeTLSFailed: the host did not prove who it is, or does not speak TLS.
	CodeTLSFailed = "OUTBOUND_TLS_FAILED"
	// CodeTimeout: the answer was not there in time; it may pass.
	CodeTimeout = "OUTBOUND_TIMEOUT"
	// CodeResponseInvalid: the answer is no HTTP, has too large headers, or cannot be unpacked.
	CodeResponseInvalid = "OUTBOUND_RESPONSE_INVALID"
	// CodeResponseTooLarge: the answer is too large and makes no sense when it is cut.
	CodeResponseTooLarge = "OUTBOUND_RESPONSE_TOO_LARGE"
)

// MayPass reports whether the same request might succeed later. What the rules refuse never
// does.
func MayPass(err error) bool {
	code := tool.Code(err)
	return code == CodeUnreachable || code == CodeTimeout
}

// refusal makes an error about a field of a request; "" for none.
func refusal(code, field, format string, args ...any) *tool.Error {
	return &tool.Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
}

// hopError words an error that came while a host was asked. outer is the caller's context,
// whose end is the caller's own doing, and inner the one with the time limit.
func (c *Client) hopError(outer, inner context.Context, host string, err error) error {
	var coded *tool.Error
	switch {
	case outer.Err() != nil:
		return fmt.Errorf("ask %s: %w", host, outer.Err())
	case errors.As(err, &coded):
		return coded
	case inner.Err() != nil || isTimeout(err):
		return &tool.Error{Code: CodeTimeout, Message: fmt.Sprintf("%s did not answer in full within %s.", host, c.timeout), Cause: err}
	case isTLS(err):
		return &tool.Error{Code: CodeTLSFailed, Message: fmt.Sprintf("No safe connection to %s can be made: its certificate is not valid, or it does not speak https there.", host), Cause: err}
	case isNoHTTP(err):
		return &tool.Error{Code: CodeResponseInvalid, Message: fmt.Sprintf("The answer of %s is no valid HTTP, or its headers are larger than %d bytes.", host, maxHeaders), Cause: err}
	}
	var unknown *net.DNSError
	if errors.As(err, &unknown) {
		return &tool.Error{Code: CodeUnreachable, Message: fmt.Sprintf("No address of %s was found.", host), Cause: err}
	}
	return &tool.Error{Code: CodeUnreachable, Message: fmt.Sprintf("%s cannot be reached, or broke the connection off.", host), Cause: err}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// isNoHTTP reports whether net/http gave an answer up. It has no types for these; tests
// hold these words against it.
func isNoHTTP(err error) bool {
	text := err.Error()
	for _, words := range []string{"malformed", "response headers exceeded", "response header list larger", "bad Content-Length", "unsupported transfer encoding", "too many 1xx", "chunk", "PROTOCOL_ERROR"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
