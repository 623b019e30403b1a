package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// The names of transport errors are the peer's, so that results can be compared.
const (
	typeConnector    = "ClientConnectorError"
	typeDNS          = "ClientConnectorDNSError"
	typeTLS          = "ClientConnectorSSLError"
	typeCertificate  = "ClientConnectorCertificateError"
	typeProxy        = "ClientProxyConnectionError"
	typeDisconnected = "ServerDisconnectedError"
	typeOS           = "ClientOSError"
	typePayload      = "ClientPayloadError"
	typeResponse     = "ClientResponseError"
	typeTimeout      = "TimeoutError"
	typeConnTimeout  = "ConnectionTimeoutError"
	typeReadTimeout  = "SocketTimeoutError"
	typeSendTimeout  = "RequestSendTimeout"
	typeCancelled    = "RequestCancellationError"
	typeSSE          = "SSEResponseError"
	typeInvalid      = "InvalidInferenceResultError"
	typeIncomplete   = "IncompleteStreamError"
	typeTooLong      = "LineTooLongError"
	typeTooLarge     = "BodyTooLargeError"
	typeRequest      = "InvalidRequestError"
)

// faultKind says in which part of opening a connection it failed.
type faultKind uint8

const (
	connectFault faultKind = iota
	dnsFault
	proxyFault
	tlsFault
)

// openError is a failure to open a connection.
type openError struct {
	kind faultKind
	err  error
}

func (e *openError) Error() string { return e.err.Error() }
func (e *openError) Unwrap() error { return e.err }

func dialFault(kind faultKind, err error) error {
	if err == nil {
		return nil
	}
	return &openError{kind, err}
}

// describe puts a failure to open a connection into the peer's terms.
func (e *openError) describe() *Error {
	kind := typeConnector
	switch e.kind {
	case dnsFault:
		kind = typeDNS
	case proxyFault:
		kind = typeProxy
	case tlsFault:
		kind = typeTLS
		if isCertificateError(e.err) {
			kind = typeCertificate
		}
	}
	return transportError(kind, e.err)
}

func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &name) || errors.As(err, &invalid)
}

// transportError describes a failed connection: Go's text, and the chain of causes by the peer's names.
func transportError(kind string, err error) *Error {
	described := &Error{Type: kind, Message: err.Error()}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if name := causeName(cause); name != "" {
			described.Chain = append(described.Chain, name)
			described.Cause = cause.Error()
		}
	}
	return described
}

// causeName is the peer's name of one cause, empty for a mere wrapper.
func causeName(err error) string {
	var number syscall.Errno
	if n, ok := err.(syscall.Errno); ok {
		number = n
	}
	switch {
	case number == syscall.ECONNRESET:
		return "ConnectionResetError"
	case number == syscall.ECONNREFUSED:
		return "ConnectionRefusedError"
	case number == syscall.EPIPE:
		return "BrokenPipeError"
	case number == syscall.ECONNABORTED:
		return "ConnectionAbortedError"
	case number == syscall.ETIMEDOUT, err == os.ErrDeadlineExceeded, err == context.DeadlineExceeded:
		return "TimeoutError"
	case number != 0:
		return "OSError"
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return "EOFError"
	}
	var dns *net.DNSError
	if errors.As(err, &dns) && err == error(dns) {
		return "gaierror"
	}
	if f, ok := err.(*framingError); ok {
		return f.kind
	}
	if f, ok := err.(*h2Fault); ok {
		return f.kind
	}
	return ""
}

// framingError is a fault in the HTTP framing of an answer.
type framingError struct {
	kind string // TransferEncodingError, ContentLengthError, BadHttpMessage …
	text string
}

func (e *framingError) Error() string { return e.text }

func framing(kind, format string, arguments ...any) error {
	return &framingError{kind, fmt.Sprintf(format, arguments...)}
}
